// SPDX-License-Identifier: Apache-2.0
#include "table/data_block_form.h"

#include <utility>

#include "table/block_tags.h"

namespace tamis {

// Malformed blocks get no tags; a BlockIterator reports the error later.
Result<PinnedBytes> DataBlockForm::Transform(ByteBuffer payload,
                                             const BlockHandle& handle,
                                             bool stays,
                                             BlockPool* pool) const {
  const std::string no_name;
  BlockParts parts;
  if (!stays) return PinnedBytes::Own(std::move(payload));
  if (!order_.equal_keys_have_equal_bytes() ||
      !BlockParts::Parse(payload, {&no_name, handle.offset}, &parts).ok()) {
    return PinnedBytes::Adopt(
        BlockBuffer::New(std::move(payload), /*side_bytes=*/0, pool));
  }
  const BlockTagsBuilder tags(parts);
  BlockBuffer* const node =
      BlockBuffer::New(std::move(payload), tags.bytes(), pool);
  if (tags.bytes() > 0) {
    // Tags are computed from the payload in its original place. Only in the
    // pool is it a copy.
    TAMIS_CHECK(node->in_pool() || node->bytes().data() == parts.data);
    tags.Write(node->mutable_side());
  }
  return PinnedBytes::Adopt(node);
}

}  // namespace tamis
