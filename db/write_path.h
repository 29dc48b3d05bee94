// SPDX-License-Identifier: Apache-2.0
//
// The write path: everything that changes memtables and log.
//
//   Write ─▶ join the queue ─▶ lead ─▶ make room ─▶ number the group ─▶ log
//                          └▶ follow: done         readers ◀─ memtables ◀─┘
//
// The leader of the write queue, and no other thread, writes to the log, to
// memtables and to what is said below to be the leader's. A WriteBarrier leads
// without a batch, for all that must not meet a write: switch, resume, create
// and drop a family, checkpoint.
//
// REQUIRES, for every call but CheckBatch: the database's mutex is held. What
// waits or does I/O gives it up meanwhile.
#pragma once

#include <vector>

#include "db/base/error_handler.h"
#include "db/compaction/scheduler.h"
#include "db/family/version_set.h"
#include "db/stall_controller.h"
#include "db/wal/write_ahead_log.h"
#include "db/write_queue.h"

namespace tamis {

class WritePath {
 public:
  using Families = std::vector<ColumnFamilyPtr>;

  // All outlive the path.
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

  // Whether the batch may go to the log: a bad one there would fail every later
  // open. *families: those that were asked; nullptr: the default one alone.
  Status CheckBatch(const WriteBatch& batch,
                    ColumnFamilySet::ViewPtr* families) const;

  // Writes the batch, which CheckBatch was OK with, alone or in a group.
  Status Write(WriteQueue::Writer* writer);
  // A full memtable, an empty one, and where to wait for the tables.
  Status Flush(const Families& families, bool wait);
  // Waits for the tables of what is frozen now.
  Status WaitForFlushes(const Families& families);

  WriteQueue& queue() { return queue_; }
  // Whether memtables may hold writes that no log has.
  bool has_unlogged() const {
    mutex_.AssertHeld();
    return unlogged_;
  }

  // REQUIRES, for all below: the caller leads the write queue, or is the only
  // thread that has the database.

  // After recovery.
  void Begin() {
    last_allocated_ = versions_.last_sequence();
    FamiliesChanged();
  }
  // After one was added or dropped.
  void FamiliesChanged();
  // The last sequence handed out, which readers may never come to see.
  SequenceNumber last_allocated() const { return last_allocated_; }
  // OK: writes are possible. Where a background error stands and a retry is
  // due, runs a whole Resume first.
  Status ResumeIfDue();
  Status Resume();
  // Freezes the memtables of these families, where they have entries.
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

  // The leader's. The last sequence handed out is at or above what readers may
  // see: one that went into a log whose append failed is never used again.
  SequenceNumber last_allocated_ = 0;
  Families full_;  // whose memtables are

  bool unlogged_ GUARDED_BY(mutex_) = false;
};

}  // namespace tamis
