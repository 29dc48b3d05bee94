// SPDX-License-Identifier: Apache-2.0
//
// Shards (block_cache_shard.h) are chosen by the address of the slot.
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
#include "util/cache/block_cache_shard.h"

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

// The cache remembers one read for each 2 KiB of its capacity. If blocks are
// smaller, a working set that fits the cache may have more blocks than are
// remembered. If they are read in a fixed order, each may be forgotten before
// its next read.
constexpr size_t kRememberedBlockBytes = 2048;

// Layers of blocks: data, index partitions, and the index above those.
constexpr int kLayers = 3;

}  // namespace

BlockCache::BlockCache(size_t capacity_bytes, Priorities priorities)
    : priorities_(priorities),
      pool_budget_(capacity_bytes >= kPoolCapacityMin
                       ? std::make_unique<PoolBudget>()
                       : nullptr),
      capacity_(capacity_bytes) {
  const size_t shards = std::bit_floor(
      std::clamp(capacity_bytes / kShardBytesMin, size_t{1}, kShardsMax));
  for (size_t i = 0; i < shards; ++i) {
    shards_.push_back(std::make_unique<Shard>());
  }
  TAMIS_CHECK(std::has_single_bit(shards_.size()));
  recent_reads_.store(new RecentReads(capacity_bytes / kRememberedBlockBytes));
  BlockCache::SetCapacity(capacity_bytes);
}

BlockCache::~BlockCache() {
  // Freeing a block may call back into this cache.
  epochs_.Reclaim();
  for (const auto& shard : shards_) shard->ReleaseAll();
}

bool BlockCache::HasRoom(const BlockSlot& slot, size_t bytes) const {
  const size_t capacity = ShardCapacity();
  const size_t filled = capacity - capacity / 4;
  const size_t usage = ShardOf(&slot).usage();
  return usage < filled && bytes < filled - usage;
}

void BlockCache::EnlargeRecentReads() {
  const size_t blocks = GetCapacity() / kRememberedBlockBytes;
  const EpochDomain::Guard guard(&epochs_);
  RecentReads* before = recent_reads_.load();
  if (blocks <= before->blocks()) return;
  auto larger = std::make_unique<RecentReads>(blocks);
  while (larger->blocks() > before->blocks()) {
    if (!recent_reads_.compare_exchange_strong(before, larger.get())) continue;
    static_cast<void>(larger.release());
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
                               PinnedBytes block, CacheRole role,
                               CachePriority priority) {
  const BlockBuffer* const buffer = block.buffer();
  TAMIS_CHECK(buffer != nullptr);
  buffer->role_ = role;
  if (priority == CachePriority::kHigh && priorities_ == Priorities::kTwo) {
    Shard::RaisePriority(*buffer);
  }
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
  Shard::BarChildren(*buffer);
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

void BlockCache::AddReserved(size_t bytes, CacheRole role) noexcept {
  reserved_by_role_[role].fetch_add(bytes, std::memory_order_relaxed);
  reserved_.fetch_add(bytes, std::memory_order_relaxed);
  const size_t resident = resident_.load(std::memory_order_relaxed);
  if (resident + epochs_.waiting_bytes() > BlockCapacity()) {
    EvictDownToCapacity();
    epochs_.Reclaim();
  }
  LimitPool(GetCapacity() / kExcessShareMax);
}

void BlockCache::RemoveReserved(size_t bytes, CacheRole role) noexcept {
  reserved_by_role_[role].fetch_sub(bytes, std::memory_order_relaxed);
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

PerCacheRole<CacheUsage> BlockCache::UsageByRole() const {
  PerCacheRole<CacheUsage> usage{};
  for (const auto& shard : shards_) shard->AddUsage(&usage);
  for (size_t i = 0; i < kCacheRoles; ++i) {
    const auto role = static_cast<CacheRole>(i);
    usage[role].bytes +=
        reserved_by_role_[role].load(std::memory_order_relaxed);
  }
  return usage;
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

std::shared_ptr<Cache> NewLRUCache(size_t capacity_bytes,
                                   int /*num_shard_bits*/,
                                   bool /*strict_capacity_limit*/,
                                   double high_pri_pool_ratio) {
  return MakeSharedInProcess<BlockCache>(
      capacity_bytes, high_pri_pool_ratio > 0 ? BlockCache::Priorities::kTwo
                                              : BlockCache::Priorities::kOne);
}

std::shared_ptr<Cache> NewLRUCache(const LRUCacheOptions& options) {
  return options.MakeSharedCache();
}

LRUCacheOptions::LRUCacheOptions(size_t capacity_bytes, int shard_bits,
                                 bool strict_limit, double high_pri_ratio)
    : ShardedCacheOptions{.capacity = capacity_bytes,
                          .num_shard_bits = shard_bits,
                          .strict_capacity_limit = strict_limit},
      high_pri_pool_ratio(high_pri_ratio) {}

std::shared_ptr<Cache> LRUCacheOptions::MakeSharedCache() const {
  return NewLRUCache(capacity, num_shard_bits, strict_capacity_limit,
                     high_pri_pool_ratio);
}

HyperClockCacheOptions::HyperClockCacheOptions(size_t capacity_bytes,
                                               size_t entry_charge,
                                               int shard_bits,
                                               bool strict_limit)
    : ShardedCacheOptions{.capacity = capacity_bytes,
                          .num_shard_bits = shard_bits,
                          .strict_capacity_limit = strict_limit},
      estimated_entry_charge(entry_charge) {}

std::shared_ptr<Cache> HyperClockCacheOptions::MakeSharedCache() const {
  return NewLRUCache(capacity);
}

}  // namespace tamis
