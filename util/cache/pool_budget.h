// SPDX-License-Identifier: Apache-2.0
//
// A PoolBudget keeps a block cache with a pool within its capacity. Freeing a
// block does not return the pool's memory to the system, so the bound includes
// free ranges of the pool:
//
//   [ pool: allocated | idle ] + blocks outside of it  <=  33/32 capacity
//
// The capacity here is the part of the cache's that reservations leave. It may
// differ from call to call, and the cache lets the pool exceed the bound a
// little after it shrank.
//
// Eviction turns allocated bytes into idle ones, which later blocks reuse.
// Blocks in the pool therefore always fit, and the pool adds no chunk beyond
// the bound.
//
// Blocks that the pool refused, because no free range was large enough, lie
// outside, and mostly exceed the bound. The cache then leaves headroom() free:
// each refused block raises it by the block's bytes, and each block that the
// pool accepted lowers it by 1/64 of its bytes. So about one block in 64 is
// refused, even if sizes fit together badly.
//
// Other blocks outside, of sizes that the pool does not serve, get room by
// draining: the emptiest chunks stop allocating, their blocks are evicted, and
// the chunks are unmapped. Refused blocks get room that way too once headroom
// has reached an eighth of the capacity. A chunk is unmapped only after its
// readers are done, so the block that caused it may be too early to become
// resident.
//
// Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

#include "util/cache/block_buffer.h"
#include "util/cache/block_pool.h"
#include "util/cache/epoch.h"

namespace tamis {

class PoolBudget {
 public:
  PoolBudget() = default;
  PoolBudget(const PoolBudget&) = delete;
  PoolBudget& operator=(const PoolBudget&) = delete;

  BlockPool* pool() { return &pool_; }

  // Returns the bytes to leave free in addition to the blocks, so that the pool
  // finds ranges.
  size_t headroom() const { return headroom_.load(std::memory_order_relaxed); }

  // Count a block that becomes resident, and undo that. `charge` is its bytes,
  // including the cache's overhead.
  void Add(const BlockBuffer& block, size_t charge) {
    outside_.fetch_add(Outside(block, charge), std::memory_order_relaxed);
  }
  void Remove(const BlockBuffer& block, size_t charge) {
    const size_t outside = Outside(block, charge);
    const size_t before =
        outside_.fetch_sub(outside, std::memory_order_relaxed);
    TAMIS_CHECK(before >= outside);
  }
  // Retires an evicted block: releases the reference once readers are done, and
  // counts the block until it is freed. REQUIRES: the domain is destroyed
  // before *this.
  void Retire(const BlockBuffer* block, size_t charge, EpochDomain* epochs);

  // Returns whether a block that was added fits. Sets *drain to the bytes to
  // drain for later blocks, mostly 0. Adjusts headroom().
  bool Fits(const BlockBuffer& block, size_t charge, size_t capacity,
            size_t* drain);
  // Keeps the pool from growing beyond the bound, and returns the number of
  // bytes to drain to be within it.
  size_t Limit(size_t capacity);

  // Drains chunks as BlockPool::Drain does. Returns true if the caller must
  // evict the blocks for which IsDraining is true.
  bool Drain(size_t bytes) { return pool_.Drain(bytes); }
  static bool IsDraining(const BlockBuffer& block) {
    return block.in_pool() && BlockPool::IsDraining(&block);
  }

 private:
  static size_t Outside(const BlockBuffer& block, size_t charge) {
    TAMIS_DCHECK(charge >= block.charge());
    return block.in_pool() ? charge - block.charge() : charge;
  }
  std::atomic<size_t> outside_{0};  // bytes, resident or retired
  std::atomic<size_t> headroom_{0};
  BlockPool pool_;
};

}  // namespace tamis
