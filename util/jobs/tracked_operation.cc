// SPDX-License-Identifier: Apache-2.0
#include "util/jobs/tracked_operation.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "util/base/mutex.h"
#include "util/base/per_process.h"

namespace tamis {

namespace {

uint64_t IdOfThread() {
  static std::atomic<uint64_t> last{0};
  thread_local const uint64_t id =
      last.fetch_add(1, std::memory_order_relaxed) + 1;
  return id;
}

}  // namespace

// Threads of the operation change the atomics. All accesses to them are
// relaxed: each value is for people.
struct TrackedOperation::Entry {
  const OwnerProcess owner;
  List* list;
  uint64_t thread_id;
  Facts facts;  // the family under the list's mutex
  uint64_t begin_nanos;
  std::atomic<ThreadStatus::OperationStage> stage{ThreadStatus::STAGE_UNKNOWN};
  std::array<std::atomic<uint64_t>, ThreadStatus::kNumOperationProperties>
      properties{};
};

struct TrackedOperation::List {
  Mutex mutex;
  std::vector<Entry*> entries GUARDED_BY(mutex);
};

TrackedOperation::TrackedOperation(std::optional<Facts> facts) {
  if (!facts) return;
  const uint64_t now = facts->clock->NowNanos();
  List* const list = PerProcess<List>();
  std::unique_ptr<Entry> entry(new Entry{.owner = {},
                                         .list = list,
                                         .thread_id = IdOfThread(),
                                         .facts = *std::move(facts),
                                         .begin_nanos = now});
  MutexLock lock(&list->mutex);
  list->entries.push_back(entry.get());
  entry_ = entry.release();
}

TrackedOperation::~TrackedOperation() {
  if (entry_ == nullptr) return;
  if (!entry_->owner.IsCurrent()) {
    IgnoreLeakOf(entry_);
    return;
  }
  const std::unique_ptr<Entry> entry(entry_);
  MutexLock lock(&entry->list->mutex);
  std::erase(entry->list->entries, entry.get());
}

void TrackedOperation::SetFamily(const std::string& family) {
  if (entry_ == nullptr) return;
  std::string copy = family;
  MutexLock lock(&entry_->list->mutex);
  entry_->facts.family.swap(copy);
}

void TrackedOperation::SetStage(ThreadStatus::OperationStage stage) noexcept {
  if (entry_ == nullptr) return;
  entry_->stage.store(stage, std::memory_order_relaxed);
}

void TrackedOperation::Set(int property, uint64_t value) noexcept {
  if (entry_ == nullptr) return;
  entry_->properties[static_cast<size_t>(property)].store(
      value, std::memory_order_relaxed);
}

void TrackedOperation::Add(int property, uint64_t value) noexcept {
  if (entry_ == nullptr) return;
  entry_->properties[static_cast<size_t>(property)].fetch_add(
      value, std::memory_order_relaxed);
}

void TrackedOperation::AppendAll(std::vector<ThreadStatus>* threads) {
  List* const list = PerProcess<List>();
  MutexLock lock(&list->mutex);
  for (const Entry* entry : list->entries) {
    std::array<uint64_t, ThreadStatus::kNumOperationProperties> properties;
    std::transform(entry->properties.begin(), entry->properties.end(),
                   properties.begin(), [](const std::atomic<uint64_t>& value) {
                     return value.load(std::memory_order_relaxed);
                   });
    const Facts& facts = entry->facts;
    threads->emplace_back(entry->thread_id, facts.thread, facts.db_name,
                          facts.family, facts.operation,
                          (facts.clock->NowNanos() - entry->begin_nanos) / 1000,
                          entry->stage.load(std::memory_order_relaxed),
                          properties.data(), ThreadStatus::STATE_UNKNOWN);
  }
}

}  // namespace tamis
