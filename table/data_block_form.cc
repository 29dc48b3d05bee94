// SPDX-License-Identifier: Apache-2.0
#include "table/data_block_form.h"

#include <utility>

#include "table/block_tags.h"

namespace tamis {

namespace {

// Takes over the memory of a payload that the pool does not serve.
BlockBuffer* NewNode(const Slice& payload, ByteBuffer* memory,
                     size_t side_bytes, BlockPool* pool) {
  return memory != nullptr
             ? BlockBuffer::New(std::move(*memory), side_bytes, pool)
             : BlockBuffer::New(payload, side_bytes, pool);
}

}  // namespace

// Malformed blocks get no tags; a BlockIterator reports the error later.
Result<PinnedBytes> DataBlockForm::Transform(const Slice& payload,
                                             ByteBuffer* memory,
                                             const BlockHandle& handle,
                                             BlockPool* pool) const {
  const std::string no_name;
  BlockParts parts;
  if (!order_.equal_keys_have_equal_bytes() ||
      !BlockParts::Parse(payload, {&no_name, handle.offset}, &parts).ok()) {
    return PinnedBytes::Adopt(NewNode(payload, memory, /*side_bytes=*/0, pool));
  }
  const BlockTagsBuilder tags(parts);
  BlockBuffer* const node = NewNode(payload, memory, tags.bytes(), pool);
  if (tags.bytes() > 0) tags.Write(node->mutable_side());
  return PinnedBytes::Adopt(node);
}

}  // namespace tamis
