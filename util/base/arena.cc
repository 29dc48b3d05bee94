// SPDX-License-Identifier: Apache-2.0
#include "util/base/arena.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "util/base/check.h"

namespace tamis {

namespace {

constexpr size_t kBlockAlignment = 64;
// A new block is 1/8 of the arena, so at most about 1/8 is idle.
constexpr size_t kIdlePart = 8;
// Callers mostly fill allocations right away, so the cache lines that the next
// ones will use are prefetched for writing, this far ahead.
constexpr size_t kFetchAhead = 512;
constexpr size_t kFetchBytesMax = 256;
constexpr size_t kLineBytes = 64;

std::align_val_t AlignmentOf(size_t block_bytes) {
  return std::align_val_t{block_bytes == Arena::kLargestBlockBytes
                              ? Arena::kLargestBlockBytes
                              : kBlockAlignment};
}

}  // namespace

Arena::~Arena() {
  for (const Block& block : blocks_) {
    ::operator delete(block.begin, AlignmentOf(block.bytes));
  }
}

char* Arena::AllocateAligned(size_t bytes, size_t alignment) {
  TAMIS_DCHECK(bytes > 0);
  TAMIS_DCHECK(std::has_single_bit(alignment));
  TAMIS_DCHECK(alignment <= kBlockAlignment);
  const size_t padding =
      (alignment - reinterpret_cast<uintptr_t>(next_) % alignment) % alignment;
  if (left_ < padding || bytes > left_ - padding) return AllocateSlow(bytes);
  char* const result = next_ + padding;
  next_ = result + bytes;
  left_ -= padding + bytes;
  TAMIS_DCHECK(reinterpret_cast<uintptr_t>(result) % alignment == 0);
  for (size_t i = 0; i < kFetchBytesMax && i < bytes; i += kLineBytes) {
    __builtin_prefetch(next_ + kFetchAhead + i, 1);
  }
  return result;
}

char* Arena::AllocateSlow(size_t bytes) {
  const size_t block_bytes =
      std::clamp(std::bit_floor(MemoryUsage() / kIdlePart), kFirstBlockBytes,
                 kLargestBlockBytes);
  // A large allocation gets a block of its own, so that the current block's
  // free space is not wasted.
  if (bytes > block_bytes / 4) return NewBlock(bytes);
  char* const block = NewBlock(block_bytes);
  next_ = block + bytes;
  left_ = block_bytes - bytes;
  return block;
}

char* Arena::NewBlock(size_t bytes) {
  // Reserves first: if push_back threw, the block would leak.
  if (blocks_.size() == blocks_.capacity()) {
    blocks_.reserve(std::max<size_t>(16, 2 * blocks_.size()));
  }
  char* const block =
      static_cast<char*>(::operator new(bytes, AlignmentOf(bytes)));
  TAMIS_DCHECK(reinterpret_cast<uintptr_t>(block) % kBlockAlignment == 0);
#if defined(__linux__)
  // A hint; without it, pages are small.
  if (bytes == kLargestBlockBytes) {
    static_cast<void>(::madvise(block, bytes, MADV_HUGEPAGE));
  }
#endif
  blocks_.push_back({.begin = block, .bytes = bytes});
  usage_.fetch_add(bytes + sizeof(Block), std::memory_order_relaxed);
  return block;
}

}  // namespace tamis
