// SPDX-License-Identifier: Apache-2.0
#include "db/write_queue.h"

#include "util/base/check.h"
#include "util/base/spin.h"
#include "util/stats/perf_counters.h"

namespace tamis {

// Where the thread of a writer sleeps. Each writer has its own mutex, so that
// writers that are woken together do not wait for each other.
class WriteQueue::Sleeper {
 public:
  // Returns after WakeUp, even if WakeUp was called first.
  void Sleep(JobRunner* runner) {
    MutexLock lock(&mutex_);
    mutex_.Wait(runner, changed_, [this] { return awake_; });
  }
  // The thread that it wakes may destroy the sleeper at once.
  void WakeUp() {
    MutexLock lock(&mutex_);
    awake_ = true;
    changed_.notify_one();
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool awake_ = false;
};

void WriteQueue::JoinSlow(Writer* writer, JobRunner* runner) {
  TAMIS_DCHECK(!writer->done);
  const PerfTimer timer(&tls_perf_context.write_thread_wait_nanos, kEnableWait);
  // A sync takes longer than the wake-up of a thread, and a group that is
  // synced should be large.
  const uint32_t pauses = writer->sync ? 0 : pauses_;
  for (uint32_t i = 0; i < pauses; ++i) {
    if (state_.load(std::memory_order_relaxed) == kFree && TryLead()) return;
    SpinPause();
  }
  Sleeper sleeper;
  writer->next = nullptr;
  writer->sleeper = &sleeper;
  if (!LeadOrAppend(writer)) sleeper.Sleep(runner);
  writer->sleeper = nullptr;
}

bool WriteQueue::LeadOrAppend(Writer* writer) {
  MutexLock lock(&mutex_);
  for (;;) {
    if (TryLead()) return true;
    if (stalled_ && writer->no_slowdown) {
      writer->done = true;
      writer->status = WouldWait();
      return true;
    }
    uint32_t led = kLed;
    if (state_.compare_exchange_strong(led, kLedAndQueued,
                                       std::memory_order_relaxed) ||
        led == kLedAndQueued) {
      break;
    }
  }
  if (first_ == nullptr) {
    first_ = last_ = writer;
  } else {
    TAMIS_DCHECK(last_->next == nullptr);
    last_->next = writer;
    last_ = writer;
  }
  return false;
}

WriteQueue::Group WriteQueue::Extend(Group group,
                                     const ColumnFamilySet& families,
                                     size_t max_bytes) {
  Writer* const leader = group.first;
  if (leader->is_log_only()) return group;
  const ColumnFamilySet::ViewPtr view = families.view();
  MutexLock lock(&mutex_);
  TAMIS_CHECK(first_ != nullptr);
  leader->next = first_;
  for (Writer* writer = first_; writer != nullptr; writer = writer->next) {
    if (writer->batch == nullptr || writer->condition != nullptr ||
        writer->is_log_only() || writer->disable_wal != leader->disable_wal) {
      break;
    }
    // A batch checked against other families is checked again when it leads.
    if (writer->families != nullptr && writer->families != view) break;
    const size_t bytes = group.bytes + writer->batch->GetDataSize();
    if (bytes > max_bytes) break;
    group = {leader, writer, group.count + 1, bytes};
  }
  return group;
}

void WriteQueue::FinishSlow(size_t count, const Status& status) noexcept {
  TAMIS_CHECK(count > 0);
  Writer* followers = nullptr;
  Writer* next = nullptr;
  {
    MutexLock lock(&mutex_);
    TAMIS_CHECK(first_ != nullptr);
    followers = first_;
    for (size_t i = 1; i < count; ++i) {
      TAMIS_CHECK(first_ != nullptr);
      first_ = first_->next;
    }
    next = first_;
    if (next != nullptr) first_ = next->next;
    if (first_ == nullptr) last_ = nullptr;
    state_.store(first_ != nullptr ? kLedAndQueued
                 : next != nullptr ? kLed
                                   : kFree,
                 std::memory_order_release);
  }
  for (size_t i = 1; i < count; ++i) {
    Writer* const writer = followers;
    followers = writer->next;
    writer->status = status;
    writer->done = true;
    writer->sleeper->WakeUp();  // after this, the writer may be destroyed
  }
  // The next leader is woken last, so that the followers' next writes may join
  // its group.
  if (next != nullptr) next->sleeper->WakeUp();
}

Status WriteQueue::WouldWait() {
  return Status::Incomplete(
      "Write stall", "the write must wait for jobs, but has no_slowdown");
}

void WriteQueue::BeginStall() {
  Writer* refused = nullptr;
  {
    MutexLock lock(&mutex_);
    stalled_ = true;
    Writer** link = &first_;
    last_ = nullptr;
    while (Writer* const writer = *link) {
      if (!writer->no_slowdown) {
        last_ = writer;
        link = &writer->next;
        continue;
      }
      *link = writer->next;
      writer->next = refused;
      refused = writer;
    }
    if (first_ == nullptr) state_.store(kLed, std::memory_order_relaxed);
  }
  while (refused != nullptr) {
    Writer* const writer = refused;
    refused = writer->next;
    writer->status = WouldWait();
    writer->done = true;
    writer->sleeper->WakeUp();  // after this, the writer may be destroyed
  }
}

void WriteQueue::EndStall() {
  MutexLock lock(&mutex_);
  stalled_ = false;
}

size_t WriteQueue::waiting() const {
  MutexLock lock(&mutex_);
  size_t count = 0;
  for (const Writer* writer = first_; writer != nullptr;
       writer = writer->next) {
    ++count;
  }
  return count;
}

}  // namespace tamis
