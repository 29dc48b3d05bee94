// SPDX-License-Identifier: Apache-2.0
//
// The write path takes a checked batch to the log, to memtables and to readers.
//
//   join the queue ─▶ lead ─▶ make room ─▶ number the group ─▶ log ─▶ memtables
//                └▶ follow                                             │
//                      └────────────▶ done ◀──────────── publish ◀─────┘
//
// Only the leader of the write queue writes to the log and to memtables. A
// WriteBarrier leads without a batch, to exclude writes during a memtable
// switch, a resume, a checkpoint, or the creation or drop of a family.
//
// REQUIRES, for every call except CheckBatch: the database's mutex is held.
// Calls that wait or do I/O release it meanwhile.
#pragma once

#include <utility>
#include <vector>

#include "db/base/error_handler.h"
#include "db/compaction/scheduler.h"
#include "db/family/version_set.h"
#include "db/stall_controller.h"
#include "db/wal/write_ahead_log.h"
#include "db/write_queue.h"
#include "util/base/exceptions.h"
#include "util/stats/perf_counters.h"

namespace tamis {

class WritePath {
 public:
  using Families = std::vector<ColumnFamilyPtr>;

  // All must outlive the path.
  WritePath(const DBContext& context, Mutex* db_mutex, VersionSet* versions,
            Scheduler* scheduler, ErrorHandler* errors, WriteAheadLog* wal)
      : context_(context),
        mutex_(*db_mutex),
        versions_(*versions),
        scheduler_(*scheduler),
        errors_(*errors),
        wal_(*wal),
        queue_(db_mutex),
        stall_(context, db_mutex, scheduler, errors) {}

  // Whether the batch may be logged. A bad one would fail every later open.
  // *families: those it was checked against; nullptr: only the default one.
  Status CheckBatch(const WriteBatch& batch,
                    ColumnFamilySet::ViewPtr* families) const;

  // Writes a batch that passed CheckBatch, alone or in a group.
  Status Write(WriteQueue::Writer* writer);
  // Makes the families' memtables immutable; `wait`: waits for their tables.
  Status Flush(const Families& families, bool wait);
  // Waits for the tables of the memtables that are immutable now.
  Status WaitForFlushes(const Families& families);

  WriteQueue& queue() { return queue_; }
  // Whether some writes were not logged (disableWAL).
  bool has_unlogged() const {
    mutex_.AssertHeld();
    return unlogged_;
  }

  // REQUIRES, for all below: the caller leads the write queue, or no other
  // thread has the database.

  // Called once, after recovery.
  void Begin() {
    last_allocated_ = versions_.last_sequence();
    FamiliesChanged();
  }
  // Called after a family was added or dropped.
  void FamiliesChanged();
  // The last sequence number that was given to an entry.
  SequenceNumber last_allocated() const { return last_allocated_; }
  // OK: the database accepts writes. After a background error for which a retry
  // is due, calls Resume first.
  Status ResumeIfDue();
  // Recovers the database from its background error.
  Status Resume();
  // Makes the memtables of these families immutable if they have entries.
  Status SwitchUnflushed(const Families& families);

 private:
  Status Lead(WriteQueue::Writer* writer, size_t* done) REQUIRES(mutex_);
  Status MakeRoom() REQUIRES(mutex_);
  Families DueForSwitch() REQUIRES(mutex_);
  Status SwitchMemTables(const Families& families) REQUIRES(mutex_);
  Result<WriteAheadLog::Record> NumberGroup(const WriteQueue::Group& group)
      REQUIRES(mutex_);
  Status WriteGroup(const WriteQueue::Group& group) REQUIRES(mutex_);
  void InsertIntoMemTables(const WriteQueue::Group& group) EXCLUDES(mutex_);
  void NoteIfFull(const ColumnFamilyPtr& family);

  const DBContext& context_;
  Mutex& mutex_;
  VersionSet& versions_;
  Scheduler& scheduler_;
  ErrorHandler& errors_;
  WriteAheadLog& wal_;
  WriteQueue queue_;
  StallController stall_;

  // Accessed only by the leader.
  // >= what readers see: a number whose append failed is never used again.
  SequenceNumber last_allocated_ = 0;
  Families full_;  // have a full memtable

  bool unlogged_ GUARDED_BY(mutex_) = false;
};

// Inline: as a call of its own it costs a Put 1 % more instructions.
inline Status WritePath::Write(WriteQueue::Writer* writer) {
  mutex_.AssertHeld();
  queue_.Join(writer, context_.runner());
  if (writer->done) {
    RecordTick(context_.statistics(), WRITE_DONE_BY_OTHER);
    return std::move(writer->status);
  }
  // Finish must run after an exception too, or later writers would hang.
  size_t done = 1;
  Status status = CatchExceptions([&] {
    mutex_.AssertHeld();
    return Lead(writer, &done);
  });
  queue_.Finish(done, status);
  return status;
}

}  // namespace tamis
