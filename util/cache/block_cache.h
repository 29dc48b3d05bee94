// SPDX-License-Identifier: Apache-2.0
//
// The block cache: one byte budget over the blocks of many tables, and a clock
// hand that evicts. There is no table to look blocks up in: whoever knows where
// a block stands in a file, an entry of a resident index, has a slot beside it
// that points to the block while it is resident.
//
//   index node   [ ... | handle, slot | handle, slot | ... ]
//                            │                └──▶ nullptr: not resident
//                            ▼
//   block node   [ used bit | resident children | side ] payload
//                    ▲
//   ring         [ block, slot, parent | ... | ... ]  of a shard, and its hand
//
// A partition of an index is a block like any other, with slots in its side. It
// counts the blocks that are resident through these, and cannot be evicted
// while there are any.
//
// Readers: within a Guard of epochs(), what Lookup gives stays until the Guard
// ends, whatever the hand does. To keep it longer, Ref() it inside. A block
// that was evicted and waits for readers counts against the budget until it is
// freed.
//
// A cache that is not small has a pool, where its blocks should be made
// (pool_budget.h).
//
// Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tamis/cache.h"

#include "util/base/process.h"
#include "util/cache/block_buffer.h"
#include "util/cache/epoch.h"
#include "util/cache/pool_budget.h"

namespace tamis {

// Stands in the side of an index node, or wherever lives longer than what is
// resident through it.
class BlockSlot {
 public:
  bool empty() const {
    return block_.load(std::memory_order_relaxed) == nullptr;
  }

 private:
  friend class BlockCache;
  std::atomic<const BlockBuffer*> block_{nullptr};
};

class BlockCache : public Cache {
 public:
  explicit BlockCache(size_t capacity_bytes);
  // REQUIRES: every slot was dropped, or is never used again.
  ~BlockCache() override;

  // False in a process that was forked after it was made: a thread that held
  // one of its locks at the fork does not exist there.
  bool IsUsable() const { return owner_.IsCurrent(); }

  EpochDomain* epochs() { return &epochs_; }
  // nullptr: the capacity was less than 32 MiB when it was made.
  BlockPool* pool() {
    return pool_budget_ != nullptr ? pool_budget_->pool() : nullptr;
  }

  // The resident block; nullptr: there is none. Tells the hand of it.
  // REQUIRES: within a Guard of epochs().
  static const BlockBuffer* Lookup(const BlockSlot& slot) {
    const BlockBuffer* const block =
        slot.block_.load(std::memory_order_seq_cst);
    if (block != nullptr && !block->used_.load(std::memory_order_relaxed)) {
      block->used_.store(true, std::memory_order_relaxed);
    }
    return block;
  }
  // The same without a look at the block, for a prefetch.
  static const BlockBuffer* Peek(const BlockSlot& slot) {
    return slot.block_.load(std::memory_order_seq_cst);
  }
  // What is resident, with a reference of its own. Needs no Guard, and takes a
  // lock instead; allocates nothing, so that destructors may call it.
  PinnedBytes Pin(const BlockSlot& slot);

  // Makes the block resident through the slot and returns a pin on it. When
  // another thread was first, its block is the one returned. A block for which
  // there is no room (too large, or readers hold all), or whose parent was just
  // evicted, is pinned without becoming resident, and so is all that is given
  // through its own slots. `parent`: the node in whose side the slot stands,
  // held or looked up by the caller; nullptr: no node's. `block` has one
  // reference, the caller's, and was never given before.
  PinnedBytes Insert(BlockSlot* slot, const BlockBuffer* parent,
                     PinnedBytes block);
  // A block of a larger charge() never becomes resident.
  size_t LargestCharge() const;
  // Evicts what is resident through the slot; holders keep what they hold.
  // When it returns the cache knows nothing of the slot and its parent.
  // REQUIRES: nobody inserts into the slot; the block has no resident children.
  void Drop(BlockSlot* slot);

  const char* Name() const override { return "TamisBlockCache"; }
  void SetCapacity(size_t capacity_bytes) override;
  size_t GetCapacity() const override;
  size_t GetUsage() const override;
  size_t GetPinnedUsage() const override;
  void EraseUnRefEntries() override;

 private:
  class Shard;
  Shard& ShardOf(const BlockSlot* slot);
  // False: the budget has no room for it. Unreserve in any case what does not
  // become resident.
  bool Reserve(const BlockBuffer& block, size_t charge);
  void Unreserve(const BlockBuffer& block, size_t charge);
  // What a shard shall leave free, for evicted blocks that wait for readers and
  // so that the pool finds free ranges.
  size_t SparePerShard();
  void DrainPool(size_t bytes);
  // Gives up the cache's reference when readers let it.
  void Retire(const BlockBuffer* block);
  template <typename Blocks>
  void RetireAll(const Blocks& evicted);

  const OwnerProcess owner_;
  const std::unique_ptr<PoolBudget> pool_budget_;  // may be nullptr
  EpochDomain epochs_;                             // outlives what waits in it
  std::vector<std::unique_ptr<Shard>> shards_;     // a power of two of them
  std::atomic<size_t> capacity_;
  std::atomic<size_t> resident_{0};  // bytes, those of running Inserts as well
};

}  // namespace tamis
