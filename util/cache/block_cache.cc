// SPDX-License-Identifier: Apache-2.0
//
// Shards, by the address of the slot: each a ring of entries under one mutex.
// A slot is written, and the ring changed, under the mutex of its shard alone;
// a block and its parent mostly stand in different ones. What ties these two
// is the parent's count of resident children:
//
//   0, 1, 2, ...   a child that becomes resident adds one, if it is not closed
//   closed         whoever evicts the parent sets it, from 0
//
// What is evicted leaves through the epochs, without a lock. The budget counts
// it until it is freed: resident + waiting <= capacity, always; a block that
// does not fit is not made resident. While readers keep evicted blocks from
// being freed, the hand makes room for these, too, but up to an eighth of the
// capacity only: one slow reader stops the cache from taking blocks, and does
// not empty it.
//
// What the pool needs beside that is in pool_budget.h.
#include "util/cache/block_cache.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "util/base/check.h"
#include "util/base/exceptions.h"
#include "util/base/mutex.h"

namespace tamis {

namespace {

constexpr size_t kShardsMax = 16;
// Large enough for the largest filter or index block of a usual table.
constexpr size_t kShardBytesMin = 2 * 1024 * 1024;
// Of the capacity: what may be left free for blocks that wait for readers and
// as the pool's headroom, and what may wait before a miss looks whether it
// still has to.
constexpr size_t kSpareShareMax = 8;
constexpr size_t kWaitingShareIdle = 64;
// Less is not worth a chunk of the pool's.
constexpr size_t kPoolCapacityMin = 32 * 1024 * 1024;

constexpr uint32_t kClosed = UINT32_MAX;

// Blocks, partitions with these as children, and an index of partitions.
constexpr int kLayers = 3;

}  // namespace

// Any thread.
class alignas(64) BlockCache::Shard {
  struct Entry {
    const BlockBuffer* block;  // nullptr: free
    BlockSlot* slot;
    const BlockBuffer* parent;  // may be nullptr
  };

 public:
  // What a block takes in the ring.
  static constexpr size_t kEntryBytes = sizeof(Entry) + sizeof(uint32_t);
  // Blocks without a slot any more, and the cache's reference to each. Room is
  // made before a block is evicted: one that could not be remembered would be
  // lost.
  class Evicted {
   public:
    // False: there is no memory to remember one more.
    bool MakeRoom() noexcept {
      if (blocks_.size() < blocks_.capacity()) return true;
      return CatchExceptions([this] {
               blocks_.reserve(std::max<size_t>(8, 2 * blocks_.size()));
               return Status::OK();
             })
          .ok();
    }
    // REQUIRES: MakeRoom was true.
    void Add(const BlockBuffer* block) noexcept { blocks_.push_back(block); }
    auto begin() const { return blocks_.begin(); }
    auto end() const { return blocks_.end(); }

   private:
    std::vector<const BlockBuffer*> blocks_;
  };

  static size_t ChargeOf(const BlockBuffer& block) {
    return block.charge() + kEntryBytes;
  }

  // What is resident through the slot, if something is, with a reference.
  // Otherwise evicts until there is room for a block of `charge`, if there can
  // be, and `spare` bytes beside it.
  PinnedBytes MakeRoom(const BlockSlot& slot, size_t charge, size_t spare,
                       Evicted* evicted) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    if (PinnedBytes first = PinResident(slot); first.buffer() != nullptr) {
      return first;
    }
    if (charge <= capacity_) {
      EvictDownTo(capacity_ - std::min(capacity_, charge + spare), evicted);
    }
    return {};
  }

  // What is resident through the slot in the end, with a reference: `block`,
  // or who was first. Nothing: no room, no memory, or a closed parent.
  PinnedBytes Add(BlockSlot* slot, const BlockBuffer* parent,
                  const BlockBuffer* block, size_t charge) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    if (PinnedBytes first = PinResident(*slot); first.buffer() != nullptr) {
      return first;
    }
    if (charge > capacity_ || usage_ > capacity_ - charge) return {};
    if (!HasPlace()) return {};
    if (parent != nullptr && !AddChild(*parent)) return {};
    block->place_ = TakePlace();
    block->Ref();
    // Not used yet: a scan that never comes back leaves first.
    entries_[block->place_] = {block, slot, parent};
    usage_ += charge;
    // Lookup's acquire: it sees all of the block.
    slot->block_.store(block, std::memory_order_release);
    return PinResident(*slot);
  }

  PinnedBytes Pin(const BlockSlot& slot) const EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    return PinResident(slot);
  }

  // What was resident through the slot, with the cache's reference; or nullptr.
  const BlockBuffer* Drop(const BlockSlot& slot) EXCLUDES(mutex_) {
    // Even if the slot is empty: the hand may not be done with it before.
    MutexLock lock(&mutex_);
    const BlockBuffer* const block = Resident(slot);
    if (block == nullptr) return nullptr;
    TAMIS_CHECK(Close(*block));
    return Remove(block->place_);
  }

  void SetCapacity(size_t capacity, Evicted* evicted) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    capacity_ = capacity;
    EvictDownTo(capacity, evicted);
  }

  // All, or only what lies in chunks that drain.
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

  // Slots and parents may be gone.
  // REQUIRES: nobody else uses the shard.
  void ReleaseAll() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    for (const Entry& entry : entries_) {
      if (entry.block != nullptr) entry.block->Unref();
    }
    entries_.clear();
  }

 private:
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
      // With the evictor's acquire in Close: it is done with the children.
    } while (!parent.resident_children_.compare_exchange_weak(
        count, count + 1, std::memory_order_relaxed));
    return true;
  }

  // False: it has resident children.
  static bool Close(const BlockBuffer& block) {
    uint32_t none = 0;
    return block.resident_children_.compare_exchange_strong(
        none, kClosed, std::memory_order_acquire, std::memory_order_relaxed);
  }

  // A place in the ring, and one for it in free_. False: there is no memory.
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

  // REQUIRES: HasPlace() was true.
  uint32_t TakePlace() REQUIRES(mutex_) {
    if (!free_.empty()) {
      const uint32_t place = free_.back();
      free_.pop_back();
      return place;
    }
    entries_.emplace_back();
    return static_cast<uint32_t>(entries_.size() - 1);
  }

  // The block, with the cache's reference. REQUIRES: it is closed.
  const BlockBuffer* Remove(uint32_t place) REQUIRES(mutex_) {
    const Entry entry = std::exchange(entries_[place], Entry());
    free_.push_back(place);
    usage_ -= ChargeOf(*entry.block);
    entry.slot->block_.store(nullptr, std::memory_order_release);
    // Now the parent may go, and the slot with it: nothing touches them later.
    if (entry.parent != nullptr) {
      entry.parent->resident_children_.fetch_sub(1, std::memory_order_release);
    }
    return entry.block;
  }

  // Lets the hand go round until no more than `target` bytes are resident, at
  // most twice: the first round may do no more than clear bits.
  void EvictDownTo(size_t target, Evicted* evicted) REQUIRES(mutex_) {
    size_t steps = 2 * entries_.size();
    for (; usage_ > target && steps > 0; --steps) {
      if (hand_ >= entries_.size()) hand_ = 0;
      const uint32_t place = hand_++;
      const BlockBuffer* const block = entries_[place].block;
      if (block == nullptr || !block->HasOneRef()) continue;
      if (block->used_.load(std::memory_order_relaxed) &&
          !PoolBudget::IsDraining(*block)) {
        block->used_.store(false, std::memory_order_relaxed);
      } else if (!evicted->MakeRoom()) {
        return;
      } else if (Close(*block)) {
        evicted->Add(Remove(place));
      }
    }
  }

  mutable Mutex mutex_;
  std::vector<Entry> entries_ GUARDED_BY(mutex_);
  std::vector<uint32_t> free_ GUARDED_BY(mutex_);
  uint32_t hand_ GUARDED_BY(mutex_) = 0;
  size_t usage_ GUARDED_BY(mutex_) = 0;
  size_t capacity_ GUARDED_BY(mutex_) = 0;
};

BlockCache::BlockCache(size_t capacity_bytes)
    : pool_budget_(capacity_bytes >= kPoolCapacityMin
                       ? std::make_unique<PoolBudget>(capacity_bytes)
                       : nullptr),
      capacity_(capacity_bytes) {
  const size_t shards = std::bit_floor(
      std::clamp(capacity_bytes / kShardBytesMin, size_t{1}, kShardsMax));
  for (size_t i = 0; i < shards; ++i) {
    shards_.push_back(std::make_unique<Shard>());
  }
  BlockCache::SetCapacity(capacity_bytes);
}

BlockCache::~BlockCache() {
  // What is freed now may still come back to us.
  epochs_.Reclaim();
  for (const auto& shard : shards_) shard->ReleaseAll();
}

BlockCache::Shard& BlockCache::ShardOf(const BlockSlot* slot) {
  const uint64_t mixed =
      reinterpret_cast<uintptr_t>(slot) * uint64_t{0x9e3779b97f4a7c15};
  return *shards_[(mixed >> 48) & (shards_.size() - 1)];
}

PinnedBytes BlockCache::Pin(const BlockSlot& slot) {
  return slot.empty() ? PinnedBytes() : ShardOf(&slot).Pin(slot);
}

PinnedBytes BlockCache::Insert(BlockSlot* slot, const BlockBuffer* parent,
                               PinnedBytes block) {
  const BlockBuffer* const buffer = block.buffer();
  TAMIS_CHECK(buffer != nullptr);
  TAMIS_CHECK(buffer->resident_children_.load(std::memory_order_relaxed) == 0);
  const size_t charge = Shard::ChargeOf(*buffer);
  Shard& shard = ShardOf(slot);

  Shard::Evicted evicted;
  PinnedBytes resident =
      shard.MakeRoom(*slot, charge, SparePerShard(), &evicted);
  RetireAll(evicted);
  if (resident.buffer() == nullptr) {
    if (Reserve(*buffer, charge)) {
      resident = shard.Add(slot, parent, buffer, charge);
    }
    if (resident.buffer() != buffer) Unreserve(*buffer, charge);
  }
  if (resident.buffer() != nullptr) return resident;
  // Nobody else knows it: nothing shall depend on when it goes.
  buffer->resident_children_.store(kClosed, std::memory_order_relaxed);
  return block;
}

size_t BlockCache::LargestCharge() const {
  const size_t capacity = GetCapacity() / shards_.size();
  return capacity - std::min(capacity, Shard::kEntryBytes);
}

void BlockCache::Drop(BlockSlot* slot) {
  const BlockBuffer* const block = ShardOf(slot).Drop(*slot);
  if (block != nullptr) Retire(block);
}

// Counted twice for a moment rather than not at all. One that the epochs have
// no memory to remember is lost.
void BlockCache::Retire(const BlockBuffer* block) {
  const size_t charge = Shard::ChargeOf(*block);
  if (pool_budget_ != nullptr) {
    pool_budget_->Retire(block, charge, &epochs_);
  } else {
    epochs_.Retire(const_cast<BlockBuffer*>(block), &BlockBuffer::UnrefObject,
                   charge);
  }
  resident_.fetch_sub(charge, std::memory_order_release);
}

template <typename Blocks>
void BlockCache::RetireAll(const Blocks& evicted) {
  for (const BlockBuffer* block : evicted) Retire(block);
}

bool BlockCache::Reserve(const BlockBuffer& block, size_t charge) {
  if (pool_budget_ != nullptr) pool_budget_->Add(block, charge);
  const size_t resident =
      resident_.fetch_add(charge, std::memory_order_relaxed) + charge;
  const size_t capacity = GetCapacity();
  if (resident + epochs_.waiting_bytes() > capacity) {
    epochs_.Reclaim();
    if (resident + epochs_.waiting_bytes() > capacity) return false;
  }
  if (pool_budget_ == nullptr) return true;
  size_t drain = 0;
  const bool fits = pool_budget_->Fits(block, charge, &drain);
  if (drain > 0) DrainPool(drain);
  return fits;
}

void BlockCache::Unreserve(const BlockBuffer& block, size_t charge) {
  if (pool_budget_ != nullptr) pool_budget_->Remove(block, charge);
  resident_.fetch_sub(charge, std::memory_order_release);
}

size_t BlockCache::SparePerShard() {
  const size_t capacity = GetCapacity();
  if (epochs_.waiting_bytes() > capacity / kWaitingShareIdle) {
    epochs_.Reclaim();
  }
  const size_t headroom =
      pool_budget_ != nullptr ? pool_budget_->headroom() : 0;
  const size_t spare =
      std::min(epochs_.waiting_bytes() + headroom, capacity / kSpareShareMax);
  return spare / shards_.size();
}

void BlockCache::DrainPool(size_t bytes) {
  if (!pool_budget_->Drain(bytes)) return;
  Shard::Evicted evicted;
  for (const auto& shard : shards_) {
    shard->EraseUnreferenced(/*all=*/false, &evicted);
  }
  RetireAll(evicted);
}

void BlockCache::SetCapacity(size_t capacity_bytes) {
  capacity_.store(capacity_bytes, std::memory_order_relaxed);
  // A parent may stand before its last child.
  for (int layer = 0; layer < kLayers; ++layer) {
    Shard::Evicted evicted;
    for (const auto& shard : shards_) {
      shard->SetCapacity(capacity_bytes / shards_.size(), &evicted);
    }
    RetireAll(evicted);
  }
  if (pool_budget_ == nullptr) return;
  if (const size_t drain = pool_budget_->SetCapacity(capacity_bytes)) {
    DrainPool(drain);
  }
}

size_t BlockCache::GetCapacity() const {
  return capacity_.load(std::memory_order_relaxed);
}

// Between two loads much may have gone from the one to the other: then again,
// but not for ever.
size_t BlockCache::GetUsage() const {
  size_t resident = resident_.load(std::memory_order_acquire);
  size_t waiting = 0;
  for (int tries = 0; tries < 16; ++tries) {
    waiting = epochs_.waiting_bytes();
    const size_t before =
        std::exchange(resident, resident_.load(std::memory_order_acquire));
    if (resident == before) break;
  }
  return resident + waiting;
}

size_t BlockCache::GetPinnedUsage() const {
  size_t sum = 0;
  for (const auto& shard : shards_) sum += shard->pinned_usage();
  return sum;
}

void BlockCache::EraseUnRefEntries() {
  for (int layer = 0; layer < kLayers; ++layer) {
    Shard::Evicted evicted;
    for (const auto& shard : shards_) {
      shard->EraseUnreferenced(/*all=*/true, &evicted);
    }
    RetireAll(evicted);
  }
}

std::shared_ptr<Cache> NewLRUCache(size_t capacity_bytes) {
  return MakeSharedInProcess<BlockCache>(capacity_bytes);
}

}  // namespace tamis
