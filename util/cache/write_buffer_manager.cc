// SPDX-License-Identifier: Apache-2.0
#include "tamis/write_buffer_manager.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "util/base/check.h"
#include "util/cache/block_cache.h"

namespace tamis {

namespace {

// Changes of a charge take locks of the cache.
constexpr size_t kChargeStep = 256 << 10;
constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

// Counters are relaxed: they order nothing.
struct WriteBufferManager::Rep {
  Rep(size_t size, std::shared_ptr<Cache> the_cache, bool stall)
      : has_other_cache(the_cache != nullptr &&
                        dynamic_cast<BlockCache*>(the_cache.get()) == nullptr),
        cache(std::dynamic_pointer_cast<BlockCache>(std::move(the_cache))),
        allow_stall(stall),
        buffer_size(size),
        reservation(cache.get(), 0, CacheRole::kWriteBuffer) {}

  // Charges what is used, rounded up.
  void Charge() {
    if (cache == nullptr) return;
    const size_t now = used.load(kRelaxed);
    const size_t wanted = (now + kChargeStep - 1) / kChargeStep * kChargeStep;
    if (wanted == charged.load(kRelaxed)) return;
    const std::lock_guard lock(mutex);
    // Another thread may have charged for this one.
    const size_t latest = used.load(kRelaxed);
    reservation.Resize((latest + kChargeStep - 1) / kChargeStep * kChargeStep);
    charged.store(reservation.bytes(), kRelaxed);
  }

  const bool has_other_cache;               // which cannot be charged
  const std::shared_ptr<BlockCache> cache;  // may be nullptr
  const bool allow_stall;
  std::atomic<size_t> buffer_size;
  std::atomic<size_t> used{0};
  std::atomic<size_t> active{0};
  std::atomic<size_t> charged{0};
  std::mutex mutex;
  BlockCache::Reservation reservation;  // guarded by mutex
};

WriteBufferManager::WriteBufferManager(size_t buffer_size,
                                       std::shared_ptr<Cache> cache,
                                       bool allow_stall)
    : rep_(std::make_unique<Rep>(buffer_size, std::move(cache), allow_stall)) {}

WriteBufferManager::~WriteBufferManager() = default;

bool WriteBufferManager::cost_to_cache() const {
  return rep_->cache != nullptr;
}

bool WriteBufferManager::HasUsableCache() const {
  if (rep_->has_other_cache) return false;
  return rep_->cache == nullptr || rep_->cache->IsUsable();
}

size_t WriteBufferManager::memory_usage() const {
  return rep_->used.load(kRelaxed);
}

size_t WriteBufferManager::mutable_memtable_memory_usage() const {
  return rep_->active.load(kRelaxed);
}

size_t WriteBufferManager::dummy_entries_in_cache_usage() const {
  return rep_->charged.load(kRelaxed);
}

size_t WriteBufferManager::buffer_size() const {
  return rep_->buffer_size.load(kRelaxed);
}

void WriteBufferManager::SetBufferSize(size_t new_size) {
  rep_->buffer_size.store(new_size, kRelaxed);
}

bool WriteBufferManager::ShouldFlush() const {
  const size_t limit = buffer_size();
  if (limit == 0) return false;
  const size_t active = mutable_memtable_memory_usage();
  return active > limit - limit / 8 ||
         (memory_usage() >= limit && active >= limit / 2);
}

bool WriteBufferManager::ShouldStall() const {
  return rep_->allow_stall && enabled() && memory_usage() >= buffer_size();
}

void WriteBufferManager::ReserveMem(size_t bytes) {
  rep_->used.fetch_add(bytes, kRelaxed);
  rep_->active.fetch_add(bytes, kRelaxed);
  rep_->Charge();
}

void WriteBufferManager::ScheduleFreeMem(size_t bytes) {
  const size_t before = rep_->active.fetch_sub(bytes, kRelaxed);
  TAMIS_CHECK(before >= bytes);
}

void WriteBufferManager::FreeMem(size_t bytes) {
  const size_t before = rep_->used.fetch_sub(bytes, kRelaxed);
  TAMIS_CHECK(before >= bytes);
  rep_->Charge();
}

}  // namespace tamis
