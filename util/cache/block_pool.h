// SPDX-License-Identifier: Apache-2.0
//
// An allocator for resident blocks. It maps chunks of 2 MiB, each a huge page
// if the system has them, which saves page-table walks on random reads.
//
//   chunk    [ pool, ranges | range | range | free | range | ... ]
//            ^ every 2 MiB                    └▶ free list of its size
//
// Sizes are rounded up to classes, 1/16 of a power of two apart. A chunk holds
// ranges of all classes, and adjacent free ranges are merged, so memory freed
// by blocks of one size can serve another. Empty chunks are unmapped; one is
// kept in reserve.
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
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // Bytes that an allocation of `bytes` occupies. 0: the pool does not serve
  // it.
  static size_t ClassBytes(size_t bytes);

  // nullptr: unsupported size, no free range at the limit, or out of memory.
  void* Allocate(size_t bytes);
  // Frees an allocation of any pool, even a destroyed one.
  static void Free(void* memory);

  // Adds no chunk beyond this many bytes. Default: no limit.
  void SetLimit(size_t reserved_bytes);

  // Starts draining the emptiest chunks, until `bytes` drain in all: they
  // allocate no more, and are unmapped once empty. True: some newly draining
  // chunks still hold allocations.
  bool Drain(size_t bytes);
  // True if the allocation is in a draining chunk.
  static bool IsDraining(const void* memory);

  // Bytes of all chunks; of all allocations, rounded to classes; of draining
  // chunks.
  size_t reserved_bytes() const;
  size_t allocated_bytes() const;
  size_t draining_bytes() const;

 private:
  class State;
  struct Chunk;
  State* const state_;  // lives until the pool and all allocations are gone
};

}  // namespace tamis
