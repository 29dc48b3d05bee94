// SPDX-License-Identifier: Apache-2.0
#include "table/data_block_form.h"

#include <utility>

#include "table/block_tags.h"

namespace tamis {

// A block that cannot be parsed has no tags: who walks it reports it.
Result<PinnedBytes> DataBlockForm::Make(std::string payload,
                                        const BlockHandle& handle,
                                        bool stays) const {
  const std::string no_name;
  BlockParts parts;
  if (!stays || !order_.equal_keys_have_equal_bytes() ||
      !BlockParts::Parse(payload, {&no_name, handle.offset}, &parts).ok()) {
    return PinnedBytes::Own(std::move(payload));
  }
  const BlockTagsBuilder tags(parts);
  BlockBuffer* const node = BlockBuffer::New(std::move(payload), tags.bytes());
  if (tags.bytes() > 0) {
    // Nothing that has an entry is short enough to lie in the string itself.
    TAMIS_CHECK(node->bytes().data() == parts.data);
    tags.Write(node->mutable_side());
  }
  return PinnedBytes::Adopt(node);
}

}  // namespace tamis
