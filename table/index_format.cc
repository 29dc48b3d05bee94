// SPDX-License-Identifier: Apache-2.0
#include "table/index_format.h"

#include "tamis/table.h"

namespace tamis {

IndexFormat::IndexFormat(const TableProperties& properties,
                         const KeyOrder* order)
    : two_level_(properties.index_type ==
                 BlockBasedTableOptions::kTwoLevelIndexSearch) {
  leaf_.order = order;
  leaf_.keys = properties.index_key_is_user_key ? BlockFormat::Keys::kUser
                                                : BlockFormat::Keys::kInternal;
  leaf_.values = properties.index_value_is_delta_encoded
                     ? BlockFormat::Values::kHandle
                     : BlockFormat::Values::kLengthPrefixed;
  top_level_ = leaf_;
  if (properties.index_type ==
          BlockBasedTableOptions::kBinarySearchWithFirstKey &&
      properties.index_value_is_delta_encoded) {
    leaf_.values = BlockFormat::Values::kHandleWithFirstKey;
  }
}

bool HandleOf(const BlockIterator& entry, const BlockFormat& format,
              BlockHandle* handle) {
  if (format.values != BlockFormat::Values::kLengthPrefixed) {
    *handle = entry.handle();
    return true;
  }
  Decoder in(entry.value());
  *handle = BlockHandle::DecodeFrom(&in);
  return in.ok();
}

}  // namespace tamis
