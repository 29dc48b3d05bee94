// SPDX-License-Identifier: Apache-2.0
#include "util/cache/block_buffer.h"

#include <cstring>
#include <limits>
#include <memory>
#include <new>

#include "util/base/check.h"

namespace tamis {

namespace {

constexpr std::align_val_t kAlignment{alignof(BlockBuffer)};
static_assert(BlockPool::kAlignment % alignof(BlockBuffer) == 0);

// Offset of what follows the side: the payload or the ByteBuffer.
size_t SideEnd(size_t side_bytes) {
  constexpr size_t kAlign = alignof(ByteBuffer);
  return sizeof(BlockBuffer) + (side_bytes + kAlign - 1) / kAlign * kAlign;
}

}  // namespace

BlockBuffer* BlockBuffer::New(ByteBuffer bytes, size_t side_bytes) {
  return NewOnHeap(std::move(bytes), side_bytes, Allocation::kHeap);
}

BlockBuffer* BlockBuffer::New(ByteBuffer&& bytes, size_t side_bytes,
                              BlockPool* pool) {
  Allocation instead;
  BlockBuffer* const pooled = NewInPool(bytes, side_bytes, pool, &instead);
  return pooled != nullptr ? pooled
                           : NewOnHeap(std::move(bytes), side_bytes, instead);
}

BlockBuffer* BlockBuffer::New(const Slice& bytes, size_t side_bytes,
                              BlockPool* pool) {
  Allocation instead;
  BlockBuffer* const pooled = NewInPool(bytes, side_bytes, pool, &instead);
  return pooled != nullptr ? pooled
                           : NewOnHeap(ByteBuffer(bytes), side_bytes, instead);
}

BlockBuffer* BlockBuffer::NewInPool(const Slice& bytes, size_t side_bytes,
                                    BlockPool* pool, Allocation* instead) {
  *instead = Allocation::kHeap;
  if (pool == nullptr) return nullptr;
  const size_t all = SideEnd(side_bytes) + bytes.size();
  void* const memory = pool->Allocate(all);
  if (memory == nullptr) {
    if (BlockPool::ClassBytes(all) > 0) *instead = Allocation::kRefused;
    return nullptr;
  }
  TAMIS_CHECK(side_bytes <= std::numeric_limits<uint32_t>::max());
  TAMIS_DCHECK(reinterpret_cast<uintptr_t>(memory) % alignof(BlockBuffer) == 0);
  char* const side = static_cast<char*>(memory) + sizeof(BlockBuffer);
  char* const data = static_cast<char*>(memory) + SideEnd(side_bytes);
  std::memset(side, 0, side_bytes);
  if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
  return new (memory)
      BlockBuffer({data, bytes.size()}, side_bytes, Allocation::kPool);
}

BlockBuffer* BlockBuffer::NewAligned(const Slice& bytes) {
  void* const memory =
      ::operator new(sizeof(BlockBuffer) + bytes.size(), kAlignment);
  char* const data = static_cast<char*>(memory) + sizeof(BlockBuffer);
  if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
  return new (memory)
      BlockBuffer({data, bytes.size()}, /*side_bytes=*/0, Allocation::kAligned);
}

BlockBuffer* BlockBuffer::NewOnHeap(ByteBuffer bytes, size_t side_bytes,
                                    Allocation allocation) {
  TAMIS_CHECK(side_bytes <= std::numeric_limits<uint32_t>::max());
  void* const memory =
      ::operator new(SideEnd(side_bytes) + sizeof(ByteBuffer), kAlignment);
  auto* const buffer =
      new (memory) BlockBuffer(Slice(), side_bytes, allocation);
  std::memset(buffer->mutable_side(), 0, side_bytes);
  auto* const held = new (static_cast<char*>(memory) + SideEnd(side_bytes))
      ByteBuffer(std::move(bytes));
  buffer->data_ = held->data();
  buffer->size_ = held->size();
  return buffer;
}

ByteBuffer* BlockBuffer::heap_bytes() const {
  char* const at = reinterpret_cast<char*>(const_cast<BlockBuffer*>(this));
  return std::launder(reinterpret_cast<ByteBuffer*>(at + SideEnd(side_bytes_)));
}

size_t BlockBuffer::charge() const {
  const size_t begin = SideEnd(side_bytes_);
  if (has_byte_buffer()) {
    return begin + sizeof(ByteBuffer) + heap_bytes()->capacity();
  }
  return in_pool() ? BlockPool::ClassBytes(begin + size_) : begin + size_;
}

void BlockBuffer::Delete(const BlockBuffer* buffer) {
  TAMIS_DCHECK(buffer->refs_.load(std::memory_order_relaxed) == 0);
  auto* const memory = const_cast<BlockBuffer*>(buffer);
  const bool pooled = buffer->in_pool();
  if (buffer->has_byte_buffer()) std::destroy_at(buffer->heap_bytes());
  buffer->~BlockBuffer();
  if (pooled) {
    BlockPool::Free(memory);
  } else {
    ::operator delete(memory, kAlignment);
  }
}

}  // namespace tamis
