// SPDX-License-Identifier: Apache-2.0
//
// How a block cache whose blocks lie in a pool keeps to its capacity. The
// pool's memory is not free when a block in it is:
//
//   [ pool: allocated | idle ] + blocks outside of it  <=  33/32 capacity
//
// To evict moves bytes from allocated to idle, where the next blocks find
// them. So what the pool gave out always fits, and the pool adds no chunk
// beyond the bound.
//
// A block that it refused, for want of a large enough free range, lies outside
// and mostly does not fit there. From then on the cache leaves headroom() free,
// more by that block's bytes, and less by a 64th of the bytes of each block
// that found room: about one in 64 is refused, however badly the sizes go
// together.
//
// Other blocks outside, those the pool does not serve, get room by draining:
// the emptiest chunks give out nothing more, what lies there is evicted, and
// they go back; so it is for refused ones when an eighth of the capacity is
// headroom already. A chunk goes when its readers let it: the block that asked
// for it may come a moment too early to stay.
//
// Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "util/cache/block_buffer.h"
#include "util/cache/block_pool.h"
#include "util/cache/epoch.h"

namespace tamis {

class PoolBudget {
 public:
  explicit PoolBudget(size_t capacity) : capacity_(capacity) {}
  PoolBudget(const PoolBudget&) = delete;
  PoolBudget& operator=(const PoolBudget&) = delete;

  BlockPool* pool() { return &pool_; }

  // What has to be free beside the blocks, so that the pool finds ranges.
  size_t headroom() const { return headroom_.load(std::memory_order_relaxed); }

  // A block becomes resident, or does not in the end. `charge`: all it takes,
  // the cache's own bytes for it included.
  void Add(const BlockBuffer& block, size_t charge) {
    outside_.fetch_add(Outside(block, charge), std::memory_order_relaxed);
  }
  void Remove(const BlockBuffer& block, size_t charge) {
    outside_.fetch_sub(Outside(block, charge), std::memory_order_relaxed);
  }
  // It was evicted: the reference is given up when readers let it, and the
  // block counts until it is freed. The domain's end comes before that of
  // *this.
  void Retire(const BlockBuffer* block, size_t charge, EpochDomain* epochs);

  // Whether a block that was added fits in; if not, *drain says how much to
  // drain for those that come after it, which is mostly 0. Learns from it how
  // much headroom is needed.
  bool Fits(const BlockBuffer& block, size_t charge, size_t* drain);
  // Returns how much to drain for it.
  size_t SetCapacity(size_t capacity);

  // True: the caller has to evict what IsDraining.
  bool Drain(size_t bytes) { return pool_.Drain(bytes); }
  static bool IsDraining(const BlockBuffer& block) {
    return block.in_pool() && BlockPool::IsDraining(&block);
  }

 private:
  static size_t Outside(const BlockBuffer& block, size_t charge) {
    return block.in_pool() ? charge - block.charge() : charge;
  }
  size_t Bound() const;
  // How far pool and outside are beyond it.
  size_t Beyond() const;
  void LimitPool();

  std::atomic<size_t> capacity_;
  std::atomic<size_t> outside_{0};  // bytes, resident or waiting
  std::atomic<size_t> headroom_{0};
  BlockPool pool_;
};

}  // namespace tamis
