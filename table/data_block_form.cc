// SPDX-License-Identifier: Apache-2.0
#include "table/data_block_form.h"

#include "table/block_tags.h"

namespace tamis {

// Malformed blocks get no tags; a BlockIterator reports the error later.
Result<PinnedBytes> DataBlockForm::Transform(const Slice& payload,
                                             const BlockHandle& handle,
                                             BlockPool* pool) const {
  const std::string no_name;
  BlockParts parts;
  if (!order_.equal_keys_have_equal_bytes() ||
      !BlockParts::Parse(payload, {&no_name, handle.offset}, &parts).ok()) {
    return PinnedBytes::Adopt(
        BlockBuffer::New(payload, /*side_bytes=*/0, pool));
  }
  const BlockTagsBuilder tags(parts);
  BlockBuffer* const node = BlockBuffer::New(payload, tags.bytes(), pool);
  if (tags.bytes() > 0) tags.Write(node->mutable_side());
  return PinnedBytes::Adopt(node);
}

}  // namespace tamis
