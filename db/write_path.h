// SPDX-License-Identifier: Apache-2.0
//
// The WritePath writes a checked batch to the log and to memtables, and makes
// it visible to readers.
//
//   join the queue ─▶ lead ─▶ make room ─▶ number the group ─▶ log ─▶ memtables
//                └▶ follow    (database's mutex)                       │
//                      └────────────▶ done ◀──────────── publish ◀─────┘
//
// Only the leader of the write queue writes to the log and to memtables. It
// holds the database's mutex while it makes room, not while it writes. A
// WriteBarrier leads without a batch, to exclude writes during a memtable
// switch, a resume, a checkpoint, or the creation or drop of a family.
//
// REQUIRES, for every call except CheckBatch and Write: the database's mutex is
// held. Calls that wait or do I/O release it meanwhile.
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

  // All arguments must outlive the path.
  WritePath(const DBContext& context, Mutex* db_mutex, VersionSet* versions,
            Scheduler* scheduler, ErrorHandler* errors, WriteAheadLog* wal)
      : context_(context),
        mutex_(*db_mutex),
        versions_(*versions),
        scheduler_(*scheduler),
        errors_(*errors),
        wal_(*wal),
        queue_(db_mutex, PausesFor(context.runner())),
        stall_(context, db_mutex, versions, scheduler, errors) {}

  // Returns OK if the batch may be logged, or the error of
  // WriteBatchInternal::CheckWritable: a bad batch in a log would fail every
  // later open. Sets *families to the view that the batch was checked against,
  // or to nullptr if it changes only the default family. Any thread.
  // With `ignore_missing`, families that are missing are no error.
  Status CheckBatch(const WriteBatch& batch, bool ignore_missing,
                    ColumnFamilySet::ViewPtr* families) const;
  // Waits as WriteOptions::low_pri describes, before the write of a batch of
  // that size. Returns Incomplete instead with no_slowdown. REQUIRES: the
  // thread does not lead.
  Status DelayLowPriority(uint64_t bytes, bool no_slowdown) EXCLUDES(mutex_) {
    return stall_.DelayLowPriority(bytes, no_slowdown);
  }

  // Tells whether writes wait.
  const StallController& stalls() const { return stall_; }

  // Writes the writer's batch, alone or in a group. Returns the errors of
  // ResumeIfDue, and an error of CheckBatch if a family was dropped meanwhile.
  // A failure while the log or a memtable is written becomes the background
  // error. REQUIRES: CheckBatch returned OK; the thread holds no mutex that a
  // leader takes.
  Status Write(WriteQueue::Writer* writer) EXCLUDES(mutex_);
  // Makes every write that has no room yet fail with ShutdownInProgress, also
  // one that waits for room.
  void Close() {
    mutex_.AssertHeld();
    closed_ = true;
    scheduler_.changed().notify_all();
  }
  // Makes the families' memtables immutable, or those of all families with
  // atomic_flush. Returns the errors of ResumeIfDue and of the switch, and, if
  // `wait`, the result of WaitForFlushes.
  Status Flush(const Families& families, bool wait, FlushReason reason);
  // Flushes all families, the space limit notwithstanding, for Close. Returns
  // the background error, if it is another or the log has failed, and then
  // flushes nothing; otherwise what Flush returns.
  Status FlushForClose();
  // Waits until a flush of the family's memtable would neither slow nor stop
  // writes. Returns the background error if there is one, or ShutdownInProgress
  // if the database is being closed.
  Status WaitUntilFlushIsQuiet(const ColumnFamilyPtr& family);
  // Waits until the memtables that are immutable now are in tables. Returns the
  // background error if there is one, or ShutdownInProgress if the database is
  // being closed. Does not wait for dropped families.
  Status WaitForFlushes(const Families& families);

  WriteQueue& queue() { return queue_; }
  // Returns whether a write since the open was not logged (disableWAL).
  bool has_unlogged() const {
    mutex_.AssertHeld();
    return unlogged_;
  }

  // REQUIRES, for all below: the caller leads the write queue, or no other
  // thread uses the database.

  // Flushes all families, and waits for it; has_unlogged() is then false.
  Status FlushUnlogged();

  // Must be called once, after recovery.
  void Begin() {
    last_allocated_ = versions_.last_sequence();
    FamiliesChanged();
  }
  // Must be called after the options of a family changed. REQUIRES: mutex.
  void UpdateLogLimit();
  // Must be called after a family was added or dropped.
  void FamiliesChanged();
  // Returns the last sequence number that was given to an entry, visible or
  // not.
  SequenceNumber last_allocated() const { return last_allocated_; }
  // Gives `count` sequence numbers to entries that reach the tables in another
  // way, and returns the first. Readers see them after PublishSequence. Returns
  // NotSupported if fewer are left.
  Result<SequenceNumber> AllocateSequences(uint64_t count);
  // Returns OK if the database accepts writes, otherwise the background error
  // or ShutdownInProgress. Calls Resume first if a retry is due.
  Status ResumeIfDue();
  // Does the same for a call that changes the MANIFEST alone, and may make
  // room: OK also at the space limit.
  Status ResumeIfDueForEdit();
  // Clears the background error (`automatic`: not at the user's request):
  // starts a new log and a new MANIFEST, and waits until the tables have all
  // entries of the memtables. Returns OK if there is no error,
  // ShutdownInProgress on Close, and the error while the space limit leaves no
  // room. If it fails otherwise, there is a background
  // error again.
  Status Resume(bool automatic);
  // Makes the memtables of these families immutable if they have entries; with
  // atomic_flush and if one of them has, those of all families. An error of the
  // log becomes the background error.
  Status SwitchUnflushed(const Families& families, FlushReason reason);

 private:
  // While another writer leads, brings into this core's cache what the writer's
  // batch will need of the default family's memtable.
  void PrefetchWhilePolling(const WriteQueue::Writer& writer) const noexcept;
  static uint32_t PausesFor(const JobRunner* runner);
  // Returns the outcome of a group whose leader's thread is being cancelled.
  static Status ThreadEnded();
  Status Lead(WriteQueue::Writer* writer, size_t* done) EXCLUDES(mutex_);
  Status MakeRoom(const WriteQueue::Writer& leader) REQUIRES(mutex_);
  Families DueForSwitch() REQUIRES(mutex_);
  void RequestFlush(ColumnFamily* family) REQUIRES(mutex_);
  bool FlushIsQuiet(const ColumnFamily& family) const REQUIRES(mutex_);
  void AddLargestIfOverBudget(Families* due) REQUIRES(mutex_);
  Status CheckNotStopping() const REQUIRES(mutex_);
  Status ReplaceLog(const Families& all) REQUIRES(mutex_);
  Status SwitchMemTables(const Families& families, FlushReason reason)
      REQUIRES(mutex_);
  Status CopyPrepared(FileNumber log) REQUIRES(mutex_);
  // Tells listeners of the newest immutable memtable.
  void TellSealed(const ColumnFamily& family) noexcept REQUIRES(mutex_);
  Result<WriteAheadLog::Record> NumberGroup(const WriteQueue::Group& group);
  Status WriteGroup(const WriteQueue::Group& group) EXCLUDES(mutex_);
  void CountGroup(const WriteQueue::Group& group,
                  const WriteAheadLog::Record& totals);
  void DiscardGroup(const Status& error) EXCLUDES(mutex_);
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

  // The next two are used only by the leader.
  // May be above the last number that readers see, because a number whose write
  // failed is never used again.
  SequenceNumber last_allocated_ = 0;
  Families full_;  // families with a full memtable

  bool unlogged_ GUARDED_BY(mutex_) = false;
  bool closed_ GUARDED_BY(mutex_) = false;
};

// Write is inline because a call would cost a Put 1 % more instructions.
inline Status WritePath::Write(WriteQueue::Writer* writer) {
  if (!queue_.TryLead()) {
    PrefetchWhilePolling(*writer);
    queue_.Join(writer, context_.runner());
  }
  if (writer->done) {
    RecordTick(context_.statistics(), WRITE_DONE_BY_OTHER);
    return std::move(writer->status);
  }
  // Finish must run however the thread leaves, or later writers would hang.
  struct Finisher {
    WriteQueue* queue;
    size_t done = 1;
    Status status = Status::OK();
    bool ended = false;
    ~Finisher() { queue->Finish(done, ended ? status : ThreadEnded()); }
  } finisher{&queue_};
  finisher.status =
      CatchExceptions([&] { return Lead(writer, &finisher.done); });
  finisher.ended = true;
  return finisher.status;
}

}  // namespace tamis
