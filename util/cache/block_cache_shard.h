// SPDX-License-Identifier: Apache-2.0
//
// A shard of the block cache is a ring of entries under one mutex. The mutex
// protects the ring and the writes to the slots of its blocks. A block and its
// parent are mostly in different shards. The parent's count of resident
// children connects them:
//
//   0, 1, 2, ...   a child that becomes resident adds one, unless closed
//   closed         set by the thread that evicts the parent, only from 0
//
// Only block_cache.cc includes this header.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "util/base/check.h"
#include "util/base/exceptions.h"
#include "util/base/mutex.h"
#include "util/cache/block_cache.h"
#include "util/cache/pool_budget.h"

namespace tamis {

// Any thread.
class alignas(64) BlockCache::Shard {
  struct Entry {
    const BlockBuffer* block;  // nullptr if free
    BlockSlot* slot;
    const BlockBuffer* parent;  // may be nullptr
  };

 public:
  // A block's overhead in the ring.
  static constexpr size_t kEntryBytes = sizeof(Entry) + sizeof(uint32_t);
  // Blocks removed from their slots, with the cache's reference to each. Room
  // is reserved before a block is evicted, because a block that cannot be
  // recorded would leak.
  class Evicted {
   public:
    // Returns false if memory runs out.
    bool MakeRoom() noexcept {
      if (blocks_.size() < blocks_.capacity()) return true;
      return CatchExceptions([this] {
               blocks_.reserve(std::max<size_t>(8, 2 * blocks_.size()));
               return Status::OK();
             })
          .ok();
    }
    // REQUIRES: MakeRoom() returned true.
    void Add(const BlockBuffer* block) noexcept { blocks_.push_back(block); }
    auto begin() const { return blocks_.begin(); }
    auto end() const { return blocks_.end(); }

   private:
    std::vector<const BlockBuffer*> blocks_;
  };

  static size_t ChargeOf(const BlockBuffer& block) {
    return block.charge() + kEntryBytes;
  }

  // Gives a block high priority. REQUIRES: it is in no shard yet.
  static void RaisePriority(const BlockBuffer& block) {
    block.rounds_when_used_ = kRoundsMax;
    block.rounds_.store(kRoundsMax, std::memory_order_relaxed);
  }

  // Closes a block that is private to a reader, so that it never has resident
  // children.
  static void BarChildren(const BlockBuffer& block) {
    block.resident_children_.store(kClosed, std::memory_order_relaxed);
  }

  // Pins and returns the block resident through the slot, if any. Otherwise
  // evicts, if possible, until a block of `charge` fits with `spare` bytes
  // left.
  PinnedBytes MakeRoom(const BlockSlot& slot, size_t charge, size_t spare,
                       const BlockCache& cache, Evicted* evicted)
      EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    const size_t capacity = cache.ShardCapacity();
    if (PinnedBytes first = PinResident(slot); first.buffer() != nullptr) {
      return first;
    }
    const size_t room = charge <= capacity ? charge + spare : 0;
    EvictDownTo(capacity - std::min(capacity, room), evicted);
    return {};
  }

  // Pins and returns the block that is resident through the slot at the end:
  // `block`, or the one of another thread. Returns no block if there is no
  // room, no memory, or the parent is closed.
  PinnedBytes Add(BlockSlot* slot, const BlockBuffer* parent,
                  const BlockBuffer* block, size_t charge,
                  const BlockCache& cache) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    // Under the mutex, so that either Shrink sees the block, or this line the
    // new capacity.
    const size_t capacity = cache.ShardCapacity();
    if (PinnedBytes first = PinResident(*slot); first.buffer() != nullptr) {
      return first;
    }
    if (charge > capacity || usage() > capacity - charge) return {};
    if (!HasPlace()) return {};
    if (parent != nullptr && !AddChild(*parent)) return {};
    block->place_ = TakePlace();
    TAMIS_CHECK(entries_[block->place_].block == nullptr);
    block->Ref();
    // Most have no rounds yet: blocks of a scan, used once, go first.
    entries_[block->place_] = {block, slot, parent};
    SetUsage(usage() + charge);
    TAMIS_DCHECK(usage() <= capacity);
    // Pairs with Lookup's load, which sees the complete block.
    slot->block_.store(block, std::memory_order_release);
    return PinResident(*slot);
  }

  PinnedBytes Pin(const BlockSlot& slot) const EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    return PinResident(slot);
  }

  // Removes the slot's block, and returns it with the cache's reference.
  // Returns nullptr if the slot is empty.
  const BlockBuffer* Drop(const BlockSlot& slot) EXCLUDES(mutex_) {
    // Locks even if the slot is empty: an eviction may still be touching it.
    MutexLock lock(&mutex_);
    const BlockBuffer* const block = Resident(slot);
    if (block == nullptr) return nullptr;
    TAMIS_CHECK(Close(*block));
    return Remove(block->place_);
  }

  void Shrink(const BlockCache& cache, Evicted* evicted) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    EvictDownTo(cache.ShardCapacity(), evicted);
  }

  // Evicts all unreferenced blocks, or, unless `all`, only those in draining
  // chunks.
  void EraseUnreferenced(bool all, Evicted* evicted) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    for (uint32_t place = 0; place < entries_.size(); ++place) {
      const BlockBuffer* const block = entries_[place].block;
      if (block != nullptr && (all || PoolBudget::IsDraining(*block)) &&
          block->HasOneRef() && evicted->MakeRoom() && Close(*block)) {
        evicted->Add(Remove(place));
      }
    }
  }

  size_t usage() const { return usage_.load(std::memory_order_relaxed); }

  size_t pinned_usage() const EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    size_t sum = 0;
    for (const Entry& entry : entries_) {
      if (entry.block != nullptr && !entry.block->HasOneRef()) {
        sum += ChargeOf(*entry.block);
      }
    }
    return sum;
  }

  void AddUsage(PerCacheRole<CacheUsage>* usage) const EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    for (const Entry& entry : entries_) {
      if (entry.block == nullptr) continue;
      CacheUsage& of_role = (*usage)[entry.block->role_];
      ++of_role.entries;
      of_role.bytes += ChargeOf(*entry.block);
    }
  }

  // Releases the cache's reference to each block. Does not touch slots and
  // parents, which may be destroyed.
  // REQUIRES: no other thread uses the shard.
  void ReleaseAll() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    for (const Entry& entry : entries_) {
      if (entry.block != nullptr) entry.block->Unref();
    }
    entries_.clear();
  }

 private:
  static constexpr uint32_t kClosed = UINT32_MAX;
  static constexpr uint8_t kRoundsMax = 3;

  const BlockBuffer* Resident(const BlockSlot& slot) const REQUIRES(mutex_) {
    return slot.block_.load(std::memory_order_relaxed);
  }

  PinnedBytes PinResident(const BlockSlot& slot) const REQUIRES(mutex_) {
    const BlockBuffer* const block = Resident(slot);
    if (block == nullptr) return {};
    block->Ref();
    return PinnedBytes::Adopt(block);
  }

  static bool AddChild(const BlockBuffer& parent) {
    uint32_t count = parent.resident_children_.load(std::memory_order_relaxed);
    do {
      if (count == kClosed) return false;
      // Pairs with the acquire in Close: the evictor sees what children did.
    } while (!parent.resident_children_.compare_exchange_weak(
        count, count + 1, std::memory_order_relaxed));
    return true;
  }

  // Returns false if the block has resident children.
  static bool Close(const BlockBuffer& block) {
    uint32_t none = 0;
    return block.resident_children_.compare_exchange_strong(
        none, kClosed, std::memory_order_acquire, std::memory_order_relaxed);
  }

  // Ensures a place in the ring, and room for its index in free_. Returns false
  // if memory runs out.
  bool HasPlace() REQUIRES(mutex_) {
    if (!free_.empty() || entries_.size() < entries_.capacity()) return true;
    TAMIS_CHECK(entries_.size() < UINT32_MAX / 2);
    const size_t places = std::max<size_t>(16, 2 * entries_.size());
    return CatchExceptions([this, places] {
             mutex_.AssertHeld();
             free_.reserve(places);
             entries_.reserve(places);
             return Status::OK();
           })
        .ok();
  }

  // REQUIRES: HasPlace() returned true.
  uint32_t TakePlace() REQUIRES(mutex_) {
    if (!free_.empty()) {
      const uint32_t place = free_.back();
      free_.pop_back();
      return place;
    }
    entries_.emplace_back();
    return static_cast<uint32_t>(entries_.size() - 1);
  }

  // Removes the entry; returns its block with the cache's reference. REQUIRES:
  // the block is closed.
  const BlockBuffer* Remove(uint32_t place) REQUIRES(mutex_) {
    const Entry entry = std::exchange(entries_[place], Entry());
    TAMIS_CHECK(entry.block != nullptr);
    TAMIS_CHECK(entry.block->place_ == place);
    TAMIS_DCHECK(entry.slot->block_.load(std::memory_order_relaxed) ==
                 entry.block);
    TAMIS_DCHECK(free_.size() < free_.capacity());
    free_.push_back(place);
    TAMIS_CHECK(usage() >= ChargeOf(*entry.block));
    SetUsage(usage() - ChargeOf(*entry.block));
    entry.slot->block_.store(nullptr, std::memory_order_release);
    // Last use of slot and parent; the parent may be evicted after this.
    if (entry.parent != nullptr) {
      const uint32_t children = entry.parent->resident_children_.fetch_sub(
          1, std::memory_order_release);
      TAMIS_CHECK(children > 0);
      TAMIS_CHECK(children != kClosed);
    }
    return entry.block;
  }

  // Advances the hand until at most `target` bytes are resident; at most one
  // round more than blocks may survive.
  void EvictDownTo(size_t target, Evicted* evicted) REQUIRES(mutex_) {
    size_t steps = (1 + size_t{kRoundsMax}) * entries_.size();
    for (; usage() > target && steps > 0; --steps) {
      if (hand_ >= entries_.size()) hand_ = 0;
      const uint32_t place = hand_++;
      const BlockBuffer* const block = entries_[place].block;
      if (block == nullptr || !block->HasOneRef()) continue;
      const uint8_t rounds = block->rounds_.load(std::memory_order_relaxed);
      if (rounds > 0 && !PoolBudget::IsDraining(*block)) {
        block->rounds_.store(static_cast<uint8_t>(rounds - 1),
                             std::memory_order_relaxed);
      } else if (!evicted->MakeRoom()) {
        return;
      } else if (Close(*block)) {
        evicted->Add(Remove(place));
      }
    }
  }

  void SetUsage(size_t bytes) REQUIRES(mutex_) {
    usage_.store(bytes, std::memory_order_relaxed);
  }

  mutable Mutex mutex_;
  std::vector<Entry> entries_ GUARDED_BY(mutex_);
  std::vector<uint32_t> free_ GUARDED_BY(mutex_);
  uint32_t hand_ GUARDED_BY(mutex_) = 0;
  std::atomic<size_t> usage_{0};  // written under the mutex
};

}  // namespace tamis
