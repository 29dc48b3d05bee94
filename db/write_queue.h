// SPDX-License-Identifier: Apache-2.0
//
// The WriteQueue lets one writer at a time lead, and lets waiting writers
// commit in groups. Only the leader writes to the log and the memtables. A
// writer that finds no leader leads at once. Otherwise it polls for some ten
// microseconds, unless it wants a sync, and then waits in the queue. A leader
// adds the batches of waiting writers to its group, writes the log once for all
// of them, and wakes them with the outcome. If others wait when it finishes,
// the first of them leads next.
//
//   leader ◀─ polling writers, in any order
//     │
//     ▼ takes into its group         ▼ leads next
//   [ follower | follower | follower | writer | ... ]    the queue, in order
//     └───── one group ────────────┘
//
// While the queue is not empty, only its first writer can lead next. So only
// the present leader and the writers before it in the queue write before a
// writer that waits. A leader calls Join or TryLead, then GroupOf if it has a
// batch, then Finish.
//
// A writer without a batch only leads (WriteBarrier). No other thread writes
// while it leads, so it may switch the log and the memtables.
//
// The queue is an intrusive list of the writers, which are on the stacks of
// their threads. A writer that meets no other takes no mutex of the queue and
// allocates nothing. docs/decisions/several_writers.md compares other designs.
//
// A thread may take the database's mutex while it leads. It must not wait in
// Join while it holds that mutex.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tamis/job_runner.h"
#include "tamis/options.h"
#include "tamis/status.h"
#include "tamis/write_batch.h"

#include "db/family/column_family_set.h"
#include "db/wal/prepared_sections.h"
#include "util/base/mutex.h"

namespace tamis {

// What a writer demands of the database. The leader asks it while no other
// thread writes, before the batch gets sequence numbers.
class WriteCondition {
 public:
  // Returns OK if the batch may be written, otherwise the write's outcome.
  virtual Status Check() = 0;

 protected:
  ~WriteCondition() = default;
};

class WriteQueue {
  class Sleeper;

 public:
  struct Writer {
    Writer() = default;
    Writer(WriteBatch* write_batch, const WriteOptions& options)
        : batch(write_batch),
          sync(options.sync),
          disable_wal(options.disableWAL),
          no_slowdown(options.no_slowdown),
          ignore_missing(options.ignore_missing_column_families) {}
    WriteBatch* const batch = nullptr;  // nullptr if the writer only leads
    const bool sync = false;
    const bool disable_wal = false;
    const bool no_slowdown = false;     // must not wait for jobs
    const bool ignore_missing = false;  // families may be missing
    // nullptr if there is none. A writer with a condition follows no leader:
    // what its group writes before it could break the condition.
    WriteCondition* condition = nullptr;
    // Around the batch in the log, or nullptr. A writer whose batch is not
    // applied has a record of its own.
    const LogMarks* marks = nullptr;
    bool is_log_only() const { return marks != nullptr && marks->log_only; }
    // The families that the batch was checked against, or nullptr if it changes
    // only the default one.
    ColumnFamilySet::ViewPtr families;
    // Whether another leader has completed the writer. `status` is then the
    // outcome.
    bool done = false;
    Status status;

    // Used only by the queue.
    Writer* next = nullptr;
    Sleeper* sleeper = nullptr;  // not nullptr while the writer is in the queue
  };

  // The leader and the followers that share its log record. The followers stay
  // in the queue until Finish. Other writers may join the queue meanwhile.
  struct Group {
    Writer* first;
    Writer* last;
    size_t count;
    size_t bytes;  // of the batches, including their headers

    template <typename Visit>
    void ForEach(Visit&& visit) const {
      for (Writer* writer = first;; writer = writer->next) {
        visit(*writer);
        if (writer == last) return;  // before its `next`, which Join may set
      }
    }
  };

  // `db_mutex` is the database's mutex and must outlive *this. WriteBarriers
  // release it while they wait; the queue itself does not use it. A writer
  // polls up to `pauses` times (util/base/spin.h) before it waits in the queue.
  explicit WriteQueue(Mutex* db_mutex, uint32_t pauses = 0)
      : db_mutex_(*db_mutex), pauses_(pauses) {}

  // Returns when the writer leads, or when another leader has completed it
  // (writer->done). A writer that leads must stay valid until Finish.
  // REQUIRES: the thread holds no mutex that a leader takes, and does not lead.
  void Join(Writer* writer, JobRunner* runner) {
    if (!TryLead()) JoinSlow(writer, runner);
  }
  // Returns whether the writer would poll in Join now, so that its thread has
  // time to spare: another writer leads.
  bool WouldPoll(const Writer& writer) const {
    return !writer.sync && pauses_ > 0 &&
           state_.load(std::memory_order_relaxed) != kFree;
  }
  // Makes the caller lead and returns true, unless another writer leads.
  bool TryLead() {
    uint32_t free = kFree;
    return state_.compare_exchange_strong(free, kLed, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }

  // Returns the leader and the writers at the front of the queue, up to the
  // first one that has no batch or a condition, is only for the log, differs in
  // disable_wal, was checked against families that have changed since, or would
  // make the group exceed max_bytes. REQUIRES: `leader` leads, and has a batch
  // that was checked against the current families.
  Group GroupOf(Writer* leader, const ColumnFamilySet& families,
                size_t max_bytes) {
    TAMIS_CHECK(leader->batch != nullptr);
    const Group alone{leader, leader, 1, leader->batch->GetDataSize()};
    // A writer that joins after this load waits for a later group.
    return state_.load(std::memory_order_relaxed) == kLed
               ? alone
               : Extend(alone, families, max_bytes);
  }

  // Ends the lead. Completes the first `count` - 1 writers of the queue, the
  // followers, with this status. The next writer of the queue then leads.
  // REQUIRES: the caller leads; count is Group::count, or 1 without a group.
  void Finish(size_t count, const Status& status) noexcept {
    uint32_t led = kLed;
    if (!state_.compare_exchange_strong(led, kFree, std::memory_order_release,
                                        std::memory_order_relaxed)) {
      FinishSlow(count, status);
    }
  }

  // Between these two calls, the leader waits for jobs: writers with
  // no_slowdown that are in the queue, or would join it, are completed with
  // Incomplete. REQUIRES: the caller leads, and has not called GroupOf.
  void BeginStall() EXCLUDES(mutex_);
  void EndStall() EXCLUDES(mutex_);
  // The outcome of a write that would have to wait.
  static Status WouldWait();

  // Returns the number of writers in the queue, without the leader.
  size_t waiting() const;

  Mutex& db_mutex() { return db_mutex_; }

 private:
  enum State : uint32_t {
    kFree,
    kLed,           // a writer leads, and the queue is empty
    kLedAndQueued,  // a writer leads, and others are in the queue
  };

  void JoinSlow(Writer* writer, JobRunner* runner);
  // Makes the caller lead, or completes the writer, and returns true; or
  // appends the writer to the queue and returns false.
  bool LeadOrAppend(Writer* writer) EXCLUDES(mutex_);
  Group Extend(Group group, const ColumnFamilySet& families, size_t max_bytes)
      EXCLUDES(mutex_);
  void FinishSlow(size_t count, const Status& status) noexcept EXCLUDES(mutex_);

  Mutex& db_mutex_;
  const uint32_t pauses_;
  // Held for a few instructions. A change to or from kLedAndQueued requires it.
  mutable Mutex mutex_;
  Writer* first_ GUARDED_BY(mutex_) = nullptr;  // nullptr: the queue is empty
  Writer* last_ GUARDED_BY(mutex_) = nullptr;
  bool stalled_ GUARDED_BY(mutex_) = false;
  // Alone on its line, because polling writers load it.
  alignas(64) std::atomic<uint32_t> state_{kFree};
};

// BeginStall and EndStall, as a scope.
class WriteStall {
 public:
  explicit WriteStall(WriteQueue* queue) : queue_(*queue) {
    queue_.BeginStall();
  }
  ~WriteStall() { queue_.EndStall(); }
  WriteStall(const WriteStall&) = delete;
  WriteStall& operator=(const WriteStall&) = delete;

 private:
  WriteQueue& queue_;
};

// A WriteBarrier leads during its lifetime, so that no other thread writes
// meanwhile. The constructor waits until it leads, and releases the database's
// mutex if it has to wait.
class WriteBarrier {
 public:
  // REQUIRES: the database's mutex is held, here and in the destructor.
  WriteBarrier(WriteQueue* queue, JobRunner* runner) : queue_(*queue) {
    queue_.db_mutex().AssertHeld();
    if (queue_.TryLead()) return;
    MutexUnlock unlock(&queue_.db_mutex());
    queue_.Join(&writer_, runner);
  }
  ~WriteBarrier() { queue_.Finish(1, Status::OK()); }
  WriteBarrier(const WriteBarrier&) = delete;
  WriteBarrier& operator=(const WriteBarrier&) = delete;

 private:
  WriteQueue& queue_;
  WriteQueue::Writer writer_;
};

}  // namespace tamis
