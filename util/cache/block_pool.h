// SPDX-License-Identifier: Apache-2.0
//
// An allocator for resident blocks. It maps chunks of 2 MiB, each a huge page
// if the system has them, which saves page-table walks on random reads.
//
//   chunk    [ pool, ranges | range | range | free | range | ... ]
//            ^ every 2 MiB                    └▶ free list of its size
//
// Sizes are rounded up to classes, 1/16 of a power of two apart (1/8 up to
// 2 KiB). A chunk holds ranges of all classes, and adjacent free ranges are
// merged, so memory freed by blocks of one size can serve another. A chunk that
// becomes empty is unmapped, but one of them is kept as a spare.
//
// Under AddressSanitizer, free memory is poisoned.
//
// Any thread. Allocations may outlive the pool.
#pragma once

#include <cstddef>

namespace tamis {

class BlockPool {
 public:
  static constexpr size_t kChunkBytes = 2 * 1024 * 1024;
  static constexpr size_t kSmallestBytes = 1024;
  static constexpr size_t kLargestBytes = 64 * 1024;
  static constexpr size_t kAlignment = 128;

  BlockPool();
  // Unmaps empty chunks now, and each other chunk when its last allocation is
  // freed. REQUIRES: of the pool's functions, only Free and IsDraining run
  // concurrently or later.
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // Returns the bytes that an allocation of `bytes` occupies, or 0 if the size
  // is not between kSmallestBytes and kLargestBytes.
  static size_t ClassBytes(size_t bytes);

  // Returns memory aligned to kAlignment, or nullptr if ClassBytes(bytes) is 0,
  // if no free range is large enough and the limit permits no other chunk, or
  // if memory runs out.
  void* Allocate(size_t bytes);
  // Frees an allocation of any pool, even a destroyed one. Does nothing in a
  // forked child. REQUIRES: memory != nullptr
  static void Free(void* memory);

  // Makes Allocate add no chunk that would raise reserved_bytes() above this
  // limit. Unmaps nothing. By default there is no limit.
  void SetLimit(size_t reserved_bytes);

  // Reduces the chunks, emptiest first, until `bytes` of chunks, including
  // those that drain already, are unmapped or draining. Unmaps empty chunks,
  // also the spare, at once. The others drain: they serve no more allocations,
  // and are unmapped once empty. Returns true if a chunk began to drain, so
  // that the caller should free the allocations in draining chunks.
  bool Drain(size_t bytes);
  // Returns whether the allocation, not freed yet, is in a draining chunk.
  static bool IsDraining(const void* memory);

  // Size of all chunks.
  size_t reserved_bytes() const;
  // Size of all allocations, rounded up to classes.
  size_t allocated_bytes() const;
  // Size of the draining chunks.
  size_t draining_bytes() const;

 private:
  class State;
  struct Chunk;
  State* const state_;  // lives until the pool and all allocations are gone
};

}  // namespace tamis
