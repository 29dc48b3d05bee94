// SPDX-License-Identifier: Apache-2.0
//
// The block cache keeps blocks of many tables in memory, within a budget of
// bytes, and evicts them by CLOCK. It has no lookup table. An object that
// stores a block's location in a file, such as an entry of a resident index,
// stores a slot next to it. The slot points to the block while the block is
// resident.
//
//   index node   [ ... | handle, slot | handle, slot | ... ]
//                            │                └──▶ nullptr: not resident
//                            ▼
//   block node   [ rounds | resident children | side ] payload
//                    ▲
//   ring         [ block, slot, parent | ... | ... ]  per shard, with its hand
//
// A block survives as many rounds of the hand as its `rounds` say, and each use
// sets them: to 1, or to 3 if the block has high priority. A new block of high
// priority has them from the start, and other new blocks have none.
//
// An index partition is a block like any other, with slots in its side. It
// counts the blocks resident through those slots and cannot be evicted while
// there are any.
//
// Memory that is not a block, such as an index that a table reader keeps or the
// keys of a filter under construction, is reserved. Blocks give way to it, but
// keep half of the capacity.
//
// Insert makes a block resident and displaces others if necessary. Readers of
// data blocks first consult HasRoom and RecordRead, and insert a block only if
// there is room or if the block was read before, recently (recent_reads.h).
//
// Readers: a block that Lookup returns within a Guard of epochs() stays valid
// until the Guard ends, even if it is evicted. To keep it longer, Ref() it
// within the Guard. An evicted block that readers still use counts against the
// budget until it is freed.
//
// Larger caches have a pool, in which callers should allocate their blocks
// (pool_budget.h).
//
// Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tamis/cache.h"

#include "util/base/process.h"
#include "util/cache/block_buffer.h"
#include "util/cache/cache_role.h"
#include "util/cache/epoch.h"
#include "util/cache/pool_budget.h"
#include "util/cache/recent_reads.h"

namespace tamis {

// The pointer to a resident block. It is in the side of an index node, or in
// another object that outlives the blocks resident through it.
class BlockSlot {
 public:
  bool empty() const {
    return block_.load(std::memory_order_relaxed) == nullptr;
  }

 private:
  friend class BlockCache;
  std::atomic<const BlockBuffer*> block_{nullptr};
};

enum class CachePriority : uint8_t { kLow, kHigh };

class BlockCache : public Cache {
 public:
  // Makes memory outside of the cache, such as the index of an open table,
  // count against its budget while *this lives. Move-only.
  class Reservation {
   public:
    Reservation() = default;
    // Reserves nothing if `cache` is nullptr; otherwise it must outlive *this.
    Reservation(BlockCache* cache, size_t bytes, CacheRole role) noexcept
        : cache_(cache), bytes_(bytes), role_(role) {
      if (cache_ != nullptr) cache_->AddReserved(bytes_, role_);
    }
    Reservation(Reservation&& other) noexcept
        : cache_(std::exchange(other.cache_, nullptr)),
          bytes_(other.bytes_),
          role_(other.role_) {}
    Reservation& operator=(Reservation other) noexcept {
      std::swap(cache_, other.cache_);
      std::swap(bytes_, other.bytes_);
      std::swap(role_, other.role_);
      return *this;
    }
    ~Reservation() {
      if (cache_ != nullptr) cache_->RemoveReserved(bytes_, role_);
    }
    // Reserves `bytes` instead.
    void Resize(size_t bytes) noexcept {
      const size_t before = std::exchange(bytes_, bytes);
      if (cache_ == nullptr) return;
      if (bytes > before) cache_->AddReserved(bytes - before, role_);
      if (bytes < before) cache_->RemoveReserved(before - bytes, role_);
    }
    size_t bytes() const { return bytes_; }

   private:
    BlockCache* cache_ = nullptr;
    size_t bytes_ = 0;
    CacheRole role_ = CacheRole::kMisc;
  };

  // Which priorities a cache distinguishes.
  enum class Priorities : uint8_t { kOne, kTwo };

  explicit BlockCache(size_t capacity_bytes,
                      Priorities priorities = Priorities::kTwo);
  // Frees the blocks that no reader pins. REQUIRES: every slot was dropped, or
  // is never used again.
  ~BlockCache() override;

  // Returns false in a forked child, where locks that other threads held at the
  // fork are never released.
  bool IsUsable() const { return owner_.IsCurrent(); }

  EpochDomain* epochs() { return &epochs_; }
  // Returns nullptr if the cache was created with a capacity below 32 MiB.
  BlockPool* pool() {
    return pool_budget_ != nullptr ? pool_budget_->pool() : nullptr;
  }

  // Returns the resident block and marks it as used, or returns nullptr if
  // there is none. REQUIRES: called within a Guard of epochs().
  static const BlockBuffer* Lookup(const BlockSlot& slot) {
    const BlockBuffer* const block =
        slot.block_.load(std::memory_order_seq_cst);
    if (block != nullptr && block->rounds_.load(std::memory_order_relaxed) !=
                                block->rounds_when_used_) {
      block->rounds_.store(block->rounds_when_used_, std::memory_order_relaxed);
    }
    return block;
  }
  // Returns the resident block, or nullptr, without touching it. For
  // prefetching.
  static const BlockBuffer* Peek(const BlockSlot& slot) {
    return slot.block_.load(std::memory_order_seq_cst);
  }
  // Returns the resident block with a reference, or no block. Takes a lock, so
  // it needs no Guard. Allocates nothing, so destructors may call it.
  PinnedBytes Pin(const BlockSlot& slot);

  // Returns whether more than a quarter of the slot's shard stays free if a
  // block of `bytes` is inserted through the slot. Such a block displaces no
  // other.
  bool HasRoom(const BlockSlot& slot, size_t bytes) const;
  // Records a read of a block that is not resident, at `offset` of the file
  // that the caller identifies by the number `file`. Returns whether the block
  // was read before, recently, and should therefore displace others.
  // REQUIRES: called within a Guard of epochs().
  bool RecordRead(uint64_t file, uint64_t offset) noexcept {
    return recent_reads_.load(std::memory_order_seq_cst)->Record(file, offset);
  }

  // Makes `block` resident through `slot` and returns a pin on it; if another
  // thread did so first, returns a pin on that thread's block. If there is no
  // room (the block is too large, or readers pin everything) or the parent was
  // just evicted, returns a pin on `block`, which does not become resident; nor
  // does anything inserted through its own slots.
  // REQUIRES: `parent` is the node in whose side the slot is, pinned or looked
  // up by the caller; nullptr if the slot is in no node. `block` has one
  // reference, the caller's, and was never inserted before.
  PinnedBytes Insert(BlockSlot* slot, const BlockBuffer* parent,
                     PinnedBytes block, CacheRole role = CacheRole::kOtherBlock,
                     CachePriority priority = CachePriority::kLow);
  // Returns the largest charge() of a block that can become resident, whatever
  // is reserved.
  size_t LargestCharge() const;
  // Evicts the block resident through `slot`; pins on it stay valid. On return
  // the cache no longer refers to the slot or its parent.
  // REQUIRES: no concurrent Insert into the slot; the block has no resident
  // children.
  void Drop(BlockSlot* slot);

  const char* Name() const override { return "TamisBlockCache"; }
  void SetCapacity(size_t capacity_bytes) override;
  size_t GetCapacity() const override {
    return capacity_.load(std::memory_order_relaxed);
  }
  size_t GetUsage() const override;
  size_t GetPinnedUsage() const override;
  void EraseUnRefEntries() override;
  // Returns what resident blocks and reservations take. Scans the whole cache.
  PerCacheRole<CacheUsage> UsageByRole() const;

 private:
  class Shard;
  Shard& ShardOf(const BlockSlot* slot) const;
  // Replaces recent_reads_ if it is too small for the capacity. The larger one
  // remembers no reads yet.
  void EnlargeRecentReads();
  // Counts bytes that are not blocks, and evicts blocks to make room.
  void AddReserved(size_t bytes, CacheRole role) noexcept;
  void RemoveReserved(size_t bytes, CacheRole role) noexcept;
  // Returns the part of the capacity that reservations leave to blocks: half of
  // it or more.
  size_t BlockCapacity() const {
    return CapacityLess(reserved_.load(std::memory_order_relaxed));
  }
  // Returns what BlockCapacity would return with `reserved` bytes.
  size_t CapacityLess(size_t reserved) const {
    const size_t capacity = GetCapacity();
    return capacity - std::min(reserved, capacity / 2);
  }
  size_t ShardCapacity() const { return BlockCapacity() / shards_.size(); }
  void EvictDownToCapacity() noexcept;
  // Makes the pool grow no further than BlockCapacity allows, and drains it if
  // it exceeds that by more than excess_max bytes.
  void LimitPool(size_t excess_max) noexcept;
  size_t UnreclaimedUsage() const;
  // Counts a block. Returns false if it exceeds the budget. The caller calls
  // Unreserve if the block does not become resident, even after false.
  bool Reserve(const BlockBuffer& block, size_t charge);
  void Unreserve(const BlockBuffer& block, size_t charge);
  // Subtracts from resident_.
  void Subtract(size_t charge);
  // Returns the bytes that each shard leaves free, for evicted blocks still in
  // use and so that the pool finds free ranges.
  size_t SparePerShard();
  void DrainPool(size_t bytes);
  // Releases the cache's reference once readers are done.
  void Retire(const BlockBuffer* block);
  template <typename Blocks>
  void RetireAll(const Blocks& evicted);

  const OwnerProcess owner_;
  const Priorities priorities_;
  const std::unique_ptr<PoolBudget> pool_budget_;  // may be nullptr
  mutable EpochDomain epochs_;                     // outlives retired blocks
  std::vector<std::unique_ptr<Shard>> shards_;     // a power of two
  // Owns what it points to.
  struct RecentReadsPointer : std::atomic<RecentReads*> {
    RecentReadsPointer() : std::atomic<RecentReads*>(nullptr) {}
    ~RecentReadsPointer() { delete load(std::memory_order_relaxed); }
  };
  RecentReadsPointer recent_reads_;
  std::atomic<size_t> capacity_;
  std::atomic<size_t> resident_{0};  // bytes, including running Inserts
  std::atomic<size_t> reserved_{0};
  PerCacheRole<std::atomic<size_t>> reserved_by_role_{};
};

}  // namespace tamis
