// SPDX-License-Identifier: Apache-2.0
#include "util/cache/retire_scope.h"

#include <atomic>
#include <cstdint>
#include <utility>

#include "util/base/check.h"

namespace tamis {

// Has two references: the scope's and the domain's.
struct RetireScope::Entry {
  enum Stage : uint32_t { kWaits, kBeingReleased, kReleased };

  // Returns false if another thread releases the object, or has done so.
  bool Release() {
    uint32_t waits = kWaits;
    if (!stage.compare_exchange_strong(waits, kBeingReleased,
                                       std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
      return false;
    }
    object.reset();
    stage.store(kReleased, std::memory_order_release);
    stage.notify_all();
    return true;
  }

  std::shared_ptr<const void> object;
  size_t bytes = 0;
  std::atomic<uint32_t> stage{kWaits};
  std::atomic<uint32_t> references{2};
  Entry* next = nullptr;  // guarded by the scope's mutex
  // False once the domain refused the entry, until it is passed again. Guarded
  // by the scope's mutex.
  bool in_domain = true;
};

void RetireScope::DeleteEntry::operator()(Entry* entry) const { delete entry; }

RetireScope::Room RetireScope::NewRoom() { return Room(new Entry()); }

void RetireScope::Unref(Entry* entry) {
  if (entry->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete entry;
  }
}

void RetireScope::ReleaseObject(void* object) {
  auto* const entry = static_cast<Entry*>(object);
  entry->Release();
  Unref(entry);
}

RetireScope::~RetireScope() {
  Entry* entry = nullptr;
  {
    MutexLock lock(&mutex_);
    entry = std::exchange(first_, nullptr);
  }
  while (entry != nullptr) {
    if (!entry->Release()) {
      entry->stage.wait(Entry::kBeingReleased, std::memory_order_acquire);
    }
    Entry* const next = entry->next;
    if (!entry->in_domain) Unref(entry);  // the domain's reference
    Unref(entry);
    entry = next;
  }
}

// Not under the mutex: the domain may release other objects in the call.
bool RetireScope::PassToDomain(EpochDomain* domain, Entry* entry) {
  if (domain->Retire(entry, &ReleaseObject, entry->bytes)) return true;
  MutexLock lock(&mutex_);
  entry->in_domain = false;
  ++refused_;
  return false;
}

RetireScope::Entry* RetireScope::TakeRefused() {
  MutexLock lock(&mutex_);
  if (refused_ == 0) return nullptr;
  Entry* entry = first_;
  while (entry->in_domain) entry = entry->next;
  entry->in_domain = true;
  --refused_;
  return entry;
}

RetireScope::Entry* RetireScope::TakeReleased() {
  MutexLock lock(&mutex_);
  if (first_ == nullptr || !first_->in_domain ||
      first_->stage.load(std::memory_order_acquire) != Entry::kReleased) {
    return nullptr;
  }
  Entry* const entry = std::exchange(first_, first_->next);
  if (first_ == nullptr) last_ = nullptr;
  return entry;
}

void RetireScope::Retire(EpochDomain* domain, Room room,
                         std::shared_ptr<const void> object,
                         size_t bytes) noexcept {
  TAMIS_CHECK(room != nullptr);
  Entry* const entry = room.release();
  entry->object = std::move(object);
  entry->bytes = bytes;
  {
    MutexLock lock(&mutex_);
    if (last_ != nullptr) {
      last_->next = entry;
    } else {
      first_ = entry;
    }
    last_ = entry;
  }
  // Stops at the first refusal: without memory, the domain refuses all.
  bool passed = true;
  while (Entry* const refused = passed ? TakeRefused() : nullptr) {
    passed = PassToDomain(domain, refused);
  }
  PassToDomain(domain, entry);
  while (Entry* const released = TakeReleased()) Unref(released);
}

}  // namespace tamis
