// SPDX-License-Identifier: Apache-2.0
//
// Memory for blocks that stay: chunks of 2 MiB, each a huge page where the
// system has these, so that a random read finds its block without a walk over
// the page table.
//
//   chunk    [ pool, ranges | range | range | free | range | ... ]
//            ^ every 2 MiB                    └▶ free list of its size
//
// Sizes are rounded up to classes a sixteenth of a power of two apart. A chunk
// holds ranges of all classes: neighbours that are free become one range, so
// that memory of blocks of one size serves those of another later. A chunk
// without any goes back to the system, but for one.
//
// Under AddressSanitizer what is free is poisoned.
//
// Any thread. What was allocated may outlive the pool.
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

  // What an allocation of so many bytes takes. 0: the pool does not serve it.
  static size_t ClassBytes(size_t bytes);

  // nullptr: no such size, no free range and at the limit, or the system has
  // no memory.
  void* Allocate(size_t bytes);
  // Of any pool, also one that is gone.
  static void Free(void* memory);

  // No chunk is added beyond so many bytes; there is no limit at first.
  void SetLimit(size_t reserved_bytes);

  // Sees to it that so many bytes of chunks drain: the emptiest allocate no
  // more, and go back once what lies there is freed. True: there are new ones
  // with allocations.
  bool Drain(size_t bytes);
  // Whether an allocation lies in such a chunk.
  static bool IsDraining(const void* memory);

  // Of all chunks; of all allocations, by class; of the chunks that drain.
  size_t reserved_bytes() const;
  size_t allocated_bytes() const;
  size_t draining_bytes() const;

 private:
  class State;
  struct Chunk;
  State* const state_;  // as long as it or an allocation is there
};

}  // namespace tamis
