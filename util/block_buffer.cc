// SPDX-License-Identifier: Apache-2.0
//
// A node and its side are one piece of memory.
#include "util/block_buffer.h"

#include <cstring>
#include <memory>
#include <new>

namespace tamis {

static_assert(alignof(BlockBuffer) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
static_assert(sizeof(BlockBuffer) % alignof(BlockBuffer) == 0);

BlockBuffer* BlockBuffer::New(std::string bytes, size_t side_bytes) {
  void* const memory = ::operator new(sizeof(BlockBuffer) + side_bytes);
  auto* const buffer = new (memory) BlockBuffer(std::move(bytes), side_bytes);
  if (side_bytes > 0) std::memset(buffer->mutable_side(), 0, side_bytes);
  return buffer;
}

void BlockBuffer::Delete(const BlockBuffer* buffer) {
  auto* const memory = const_cast<BlockBuffer*>(buffer);
  buffer->~BlockBuffer();
  ::operator delete(memory);
}

}  // namespace tamis
