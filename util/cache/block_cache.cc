// SPDX-License-Identifier: Apache-2.0
//
// Shards are chosen by the address of the slot. Each is a ring of entries under
// one mutex, which protects the ring and the writes to its slots. A block and
// its parent are mostly in different shards; the parent's count of resident
// children connects them:
//
//   0, 1, 2, ...   a child that becomes resident adds one, unless closed
//   closed         set by the thread that evicts the parent, only from 0
//
// Evicted blocks are retired through epochs_, without a lock, and count until
// freed. A block becomes resident only if resident + retired stay within the
// capacity that reservations leave. While readers delay frees, the hand evicts
// more to make up for it, up to an eighth of the capacity: one slow reader
// keeps the cache from taking new blocks, but does not empty it.
//
// pool_budget.h describes what the pool needs in addition.
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
// Half of a shard, which always belongs to blocks, holds the index or filter
// block of a typical table.
constexpr size_t kShardBytesMin = 2 * 1024 * 1024;
// Fractions (1/n) of the capacity: the most to leave free for retired blocks
// and the pool's headroom, and the retired bytes beyond which a miss checks
// whether they can be freed.
constexpr size_t kSpareShareMax = 8;
constexpr size_t kWaitingShareIdle = 64;
// The same: by what the pool may exceed its bound after a reservation, because
// draining scans every shard.
constexpr size_t kExcessShareMax = 64;
// Below this, a chunk of the pool is too large a share.
constexpr size_t kPoolCapacityMin = 32 * 1024 * 1024;

constexpr uint32_t kClosed = UINT32_MAX;

// The cache remembers as many reads as it holds blocks of this size. A working
// set of smaller ones that is read in a fixed order may be too large for it.
constexpr size_t kRememberedBlockBytes = 2048;

// Layers of blocks: data, index partitions, and the index above those.
constexpr int kLayers = 3;

}  // namespace

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
    // The used bit starts clear: blocks of a scan, used once, go first.
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

  // Removes and returns the slot's block, with the cache's reference; or
  // nullptr.
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

  // All unreferenced blocks, or only those in draining chunks.
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

  // Does not touch slots and parents, which may be destroyed.
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

  // Advances the hand until at most `target` bytes are resident; at most two
  // rounds, since the first may only clear used bits.
  void EvictDownTo(size_t target, Evicted* evicted) REQUIRES(mutex_) {
    size_t steps = 2 * entries_.size();
    for (; usage() > target && steps > 0; --steps) {
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

  void SetUsage(size_t bytes) REQUIRES(mutex_) {
    usage_.store(bytes, std::memory_order_relaxed);
  }

  mutable Mutex mutex_;
  std::vector<Entry> entries_ GUARDED_BY(mutex_);
  std::vector<uint32_t> free_ GUARDED_BY(mutex_);
  uint32_t hand_ GUARDED_BY(mutex_) = 0;
  std::atomic<size_t> usage_{0};  // written under the mutex
};

BlockCache::BlockCache(size_t capacity_bytes)
    : pool_budget_(capacity_bytes >= kPoolCapacityMin
                       ? std::make_unique<PoolBudget>()
                       : nullptr),
      capacity_(capacity_bytes) {
  const size_t shards = std::bit_floor(
      std::clamp(capacity_bytes / kShardBytesMin, size_t{1}, kShardsMax));
  for (size_t i = 0; i < shards; ++i) {
    shards_.push_back(std::make_unique<Shard>());
  }
  TAMIS_CHECK(std::has_single_bit(shards_.size()));
  recent_reads_ = new RecentReads(capacity_bytes / kRememberedBlockBytes);
  BlockCache::SetCapacity(capacity_bytes);
}

BlockCache::~BlockCache() {
  // Freeing a block may call back into this cache.
  epochs_.Reclaim();
  for (const auto& shard : shards_) shard->ReleaseAll();
  delete recent_reads_.load(std::memory_order_relaxed);
}

bool BlockCache::HasRoom(const BlockSlot& slot, size_t bytes) const {
  const size_t capacity = ShardCapacity();
  const size_t filled = capacity - capacity / 4;
  const size_t usage = ShardOf(&slot).usage();
  return usage < filled && bytes < filled - usage;
}

// Before the capacity grew, the cache could hold fewer blocks.
void BlockCache::EnlargeRecentReads() {
  const size_t blocks = GetCapacity() / kRememberedBlockBytes;
  const EpochDomain::Guard guard(&epochs_);
  RecentReads* before = recent_reads_.load();
  if (blocks <= before->blocks()) return;
  auto larger = std::make_unique<RecentReads>(blocks);
  while (larger->blocks() > before->blocks()) {
    if (!recent_reads_.compare_exchange_strong(before, larger.get())) continue;
    larger.release();
    const auto free = [](void* reads) {
      delete static_cast<RecentReads*>(reads);
    };
    epochs_.Retire(before, free, /*bytes=*/0);
    return;
  }
}

BlockCache::Shard& BlockCache::ShardOf(const BlockSlot* slot) const {
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
  TAMIS_CHECK(buffer->HasOneRef());
  TAMIS_CHECK(buffer->resident_children_.load(std::memory_order_relaxed) == 0);
  const size_t charge = Shard::ChargeOf(*buffer);
  Shard& shard = ShardOf(slot);

  Shard::Evicted evicted;
  PinnedBytes resident =
      shard.MakeRoom(*slot, charge, SparePerShard(), *this, &evicted);
  RetireAll(evicted);
  if (resident.buffer() == nullptr) {
    if (Reserve(*buffer, charge)) {
      resident = shard.Add(slot, parent, buffer, charge, *this);
    }
    if (resident.buffer() != buffer) Unreserve(*buffer, charge);
  }
  if (resident.buffer() != nullptr) return resident;
  // The block is private: it never becomes a parent of resident blocks.
  buffer->resident_children_.store(kClosed, std::memory_order_relaxed);
  return block;
}

size_t BlockCache::LargestCharge() const {
  const size_t capacity = CapacityLess(SIZE_MAX) / shards_.size();
  return capacity - std::min(capacity, Shard::kEntryBytes);
}

void BlockCache::Drop(BlockSlot* slot) {
  const BlockBuffer* const block = ShardOf(slot).Drop(*slot);
  if (block != nullptr) Retire(block);
}

// Briefly counts the block twice rather than not at all. If the domain is
// out of memory, the block leaks.
void BlockCache::Retire(const BlockBuffer* block) {
  const size_t charge = Shard::ChargeOf(*block);
  if (pool_budget_ != nullptr) {
    pool_budget_->Retire(block, charge, &epochs_);
  } else {
    epochs_.Retire(const_cast<BlockBuffer*>(block), &BlockBuffer::UnrefObject,
                   charge);
  }
  Subtract(charge);
}

void BlockCache::Subtract(size_t charge) {
  const size_t before = resident_.fetch_sub(charge, std::memory_order_release);
  TAMIS_CHECK(before >= charge);
}

template <typename Blocks>
void BlockCache::RetireAll(const Blocks& evicted) {
  for (const BlockBuffer* block : evicted) Retire(block);
}

bool BlockCache::Reserve(const BlockBuffer& block, size_t charge) {
  if (pool_budget_ != nullptr) pool_budget_->Add(block, charge);
  const size_t resident =
      resident_.fetch_add(charge, std::memory_order_relaxed) + charge;
  const size_t capacity = BlockCapacity();
  if (resident + epochs_.waiting_bytes() > capacity) {
    epochs_.Reclaim();
    if (resident + epochs_.waiting_bytes() > capacity) return false;
  }
  if (pool_budget_ == nullptr) return true;
  size_t drain = 0;
  const bool fits = pool_budget_->Fits(block, charge, capacity, &drain);
  if (drain > 0) DrainPool(drain);
  return fits;
}

void BlockCache::Unreserve(const BlockBuffer& block, size_t charge) {
  if (pool_budget_ != nullptr) pool_budget_->Remove(block, charge);
  Subtract(charge);
}

size_t BlockCache::SparePerShard() {
  const size_t capacity = BlockCapacity();
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
  for (const auto& shard : shards_) shard->EraseUnreferenced(false, &evicted);
  RetireAll(evicted);
}

void BlockCache::SetCapacity(size_t capacity_bytes) {
  capacity_.store(capacity_bytes, std::memory_order_relaxed);
  EnlargeRecentReads();
  EvictDownToCapacity();
  LimitPool(/*excess_max=*/0);
}

void BlockCache::EvictDownToCapacity() noexcept {
  // A parent may precede its last child in the scan.
  for (int layer = 0; layer < kLayers; ++layer) {
    Shard::Evicted evicted;
    for (const auto& shard : shards_) shard->Shrink(*this, &evicted);
    RetireAll(evicted);
  }
}

void BlockCache::LimitPool(size_t excess_max) noexcept {
  if (pool_budget_ == nullptr) return;
  const size_t excess = pool_budget_->Limit(BlockCapacity());
  if (excess > excess_max) DrainPool(excess);
}

void BlockCache::AddReserved(size_t bytes) noexcept {
  reserved_.fetch_add(bytes, std::memory_order_relaxed);
  const size_t resident = resident_.load(std::memory_order_relaxed);
  if (resident + epochs_.waiting_bytes() > BlockCapacity()) {
    EvictDownToCapacity();
    epochs_.Reclaim();
  }
  LimitPool(GetCapacity() / kExcessShareMax);
}

void BlockCache::RemoveReserved(size_t bytes) noexcept {
  const size_t before = reserved_.fetch_sub(bytes, std::memory_order_relaxed);
  TAMIS_CHECK(before >= bytes);
  LimitPool(/*excess_max=*/SIZE_MAX);
}

// Evicted blocks whose readers have left may still wait to be freed.
size_t BlockCache::GetUsage() const {
  if (UnreclaimedUsage() > GetCapacity()) epochs_.Reclaim();
  return UnreclaimedUsage();
}

// Bytes may move from resident to retired between the two loads: retries, a
// bounded number of times.
size_t BlockCache::UnreclaimedUsage() const {
  size_t resident = resident_.load(std::memory_order_acquire);
  size_t waiting = 0;
  for (int tries = 0; tries < 16; ++tries) {
    waiting = epochs_.waiting_bytes();
    const size_t before =
        std::exchange(resident, resident_.load(std::memory_order_acquire));
    if (resident == before) break;
  }
  return resident + waiting + reserved_.load(std::memory_order_relaxed);
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
