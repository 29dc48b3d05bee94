// SPDX-License-Identifier: Apache-2.0
//
// The Scheduler decides when flushes and compactions run, runs them as jobs of
// the JobRunner, and applies the edits that they return. The jobs themselves
// use neither the mutex nor the VersionSet.
//
//   immutable memtables ──▶ flush job ──▶ edit ─┐
//   PickByStyle ──▶    compaction job ──▶ edit ─┴▶ VersionSet::LogAndApply
//
// REQUIRES, for every public call but stopping(): the database's mutex is held.
// A job holds it before and after its work.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "tamis/options.h"

#include "db/base/error_handler.h"
#include "db/base/numbers.h"
#include "db/base/snapshot_list.h"
#include "db/compaction/compaction_style.h"
#include "db/compaction/files_picker.h"
#include "db/compaction/flush_job.h"
#include "db/compaction/space_use.h"
#include "db/family/version_set.h"
#include "db/version/obsolete_files.h"
#include "db/wal/write_ahead_log.h"
#include "util/base/mutex.h"
#include "util/jobs/own_jobs.h"

namespace tamis {

struct CompactionResult;

class Scheduler {
 public:
  // All arguments must outlive the scheduler.
  Scheduler(const DBContext& context, Mutex* db_mutex, VersionSet* versions,
            SnapshotList* snapshots, ErrorHandler* errors,
            ObsoleteFiles* obsolete, WriteAheadLog* wal);

  // Starts the jobs that are due. Called after anything that may make one due.
  // If a job cannot be started, sets an error, which ends all waits for it.
  void MaybeSchedule() noexcept;

  // Makes flushes of the families' immutable memtables due, even of fewer than
  // min_write_buffer_number_to_merge, and starts what is due. Called before a
  // wait for them. scheduler_flush.cc
  void FlushImmutablesOf(const std::vector<ColumnFamilyPtr>& families);

  // Starts a job that opens the tables of all families that are not open, so
  // that reads need not, and reports in LOG those that cannot be opened. Does
  // nothing if only a few are not open, if max_open_files limits them, or if
  // they would take more than half of the descriptors that the process may
  // have. The job ends when others have taken these.
  void OpenTables() noexcept;

  // Notified whenever a job ends or an error is set.
  CondVar& changed() { return changed_; }

  // Sets whether one job flushes all families together, as with atomic_flush.
  void set_flush_together(bool together) {
    mutex_.AssertHeld();
    flush_together_ = together;
  }

  // Runs the compaction that PickManual picks, alone, and waits for its end,
  // without the mutex. Returns OK also if PickManual picks none; otherwise the
  // compaction's error, or why it was not started: the background error or
  // ShutdownInProgress.
  Status CompactStep(const ColumnFamilyPtr& family,
                     const CompactRangeOptions& options,
                     const ManualStep& step);
  // Moves all tables of a family whose tables are all in one level below 0 as
  // CompactRangeOptions::change_level says. Runs alone, like CompactStep.
  Status ChangeLevel(const ColumnFamilyPtr& family,
                     const CompactRangeOptions& options);

  // Compact the files, or move the tables of level 0, as DB::CompactFiles and
  // DB::PromoteL0 say. Run alone in the family, during a Pause, too; after
  // DisableManual only PromoteLevel0 does. Fill *info, if not nullptr.
  Status CompactFiles(const ColumnFamilyPtr& family,
                      const FilesRequest& request, uint32_t max_subcompactions,
                      CompactionJobInfo* info);
  Status PromoteLevel0(const ColumnFamilyPtr& family, Level target);

  // Rewrites the filters of the family's tables that overlap [begin, end], each
  // table in a job of its own, when no compaction is due. If options.wait is
  // set, waits for the end, without the mutex. Returns what DB::RewriteFilters
  // returns; OK if it does not wait.
  Status RewriteFilters(const ColumnFamilyPtr& family,
                        const RewriteFiltersOptions& options,
                        const Slice* begin, const Slice* end);

  // While a Hold lives, no compaction starts; those that run go on. REQUIRES:
  // the database's mutex is held, here and in the destructor.
  class Hold {
   public:
    explicit Hold(Scheduler* scheduler) : scheduler_(*scheduler) {
      scheduler_.HoldCompactions(1);
    }
    ~Hold() { scheduler_.HoldCompactions(-1); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    Scheduler& scheduler_;
  };

  // Returns whether a compaction that is scheduled or runs reads the table.
  bool IsBusy(FileNumber number) const {
    mutex_.AssertHeld();
    return busy_.contains(number);
  }

  // scheduler_pause.cc
  // Pause lets no flush or compaction start, except those of CompactFiles and
  // PromoteLevel0, and waits, without the mutex, for those that run. Continue
  // ends one Pause, and returns false if there is none; EndPauses ends all.
  void Pause();
  bool Continue();
  void EndPauses();
  // Waits, without the mutex, until nothing runs or is due, for `micros`
  // microseconds at most unless that is 0. Returns what DB::WaitForCompact
  // returns.
  Status WaitUntilIdle(bool abort_on_pause, uint64_t micros);
  // DisableManual makes CompactLevel return Incomplete, and waits, without the
  // mutex, for the calls that run. EnableManual ends one DisableManual.
  void DisableManual();
  void EnableManual();

  // Returns whether a compaction that runs may add a table to the level that
  // shares keys with [smallest, largest], in user keys.
  bool MayWriteTo(const ColumnFamily& family, Level level,
                  const Slice& smallest, const Slice& largest) const;

  // Cancels compactions; no job starts afterwards. Stop does the same, and
  // waits, without the mutex, for every job of this database.
  void Cancel();
  void Stop();
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

  // Waits, without the mutex, until no job is scheduled or running. REQUIRES:
  // an error is set or Stop was called, so that no new job starts.
  void WaitForJobs();

  // Deletes the obsolete files that can be deleted now. Releases the mutex
  // meanwhile. If memory runs out, leaves files to a later call or open.
  void PurgeObsoleteFiles() noexcept;
  // Has a job do the same.
  void SchedulePurge() noexcept;
  // Adds logs that no family needs to the obsolete files. If memory runs out,
  // leaves the rest to a later call.
  void DropObsoleteLogs() noexcept;

  // Returns whether compactions of some family lag behind its writes.
  bool compaction_is_behind() const {
    mutex_.AssertHeld();
    return compaction_is_behind_;
  }

  // Returns whether a flush or compaction runs, or waits for a thread, that may
  // use a compaction filter.
  bool is_filtering() const {
    mutex_.AssertHeld();
    return filtering_jobs_ > 0;
  }

  // Returns when listeners have been told of what is done.
  // REQUIRES: the database has listeners
  void DeliverEvents() EXCLUDES(mutex_);
  // Tells listeners of families that began or ceased to slow or stop writes.
  // scheduler_events.cc
  void TellStalls() const noexcept;

  // Returns whether writes with WriteOptions::low_pri must wait.
  bool compaction_is_pressing() const {
    mutex_.AssertHeld();
    return compaction_is_pressing_;
  }

  int running_flushes() const {
    mutex_.AssertHeld();
    return flushing_ ? 1 : 0;
  }
  int running_compactions() const {
    mutex_.AssertHeld();
    return compactions_;
  }
  bool CompactionPending(const ColumnFamily& family) const;
  // Returns whether a compaction of the family's level 0 runs or is scheduled.
  bool CompactsLevel0(const ColumnFamily& family) const;
  // Returns whether Pause holds flushes and compactions back.
  bool paused() const {
    mutex_.AssertHeld();
    return pauses_ > 0;
  }
  // Returns whether no flush or compaction of the family runs or is due, except
  // a compaction that there is no room for.
  bool IsIdle(ColumnFamily& family) const {
    mutex_.AssertHeld();
    return !flushing_ && !family.FlushIsDue() &&
           family.running_compactions() == 0 &&
           (!CompactionPending(family) ||
            (manual_.empty() && no_room_.contains(family.id())));
  }

 private:
  // A request of CompactStep and the like, which wait for it.
  struct ManualCompaction {
    ColumnFamilyPtr family;
    const CompactRangeOptions* options;
    // Picks the compaction when it can start. Sets *plan to nullopt if there is
    // nothing to do.
    std::function<Status(std::optional<Compaction>* plan)> pick;
    CompactionJobInfo* info = nullptr;  // if not nullptr: filled at the end
    // Whether a pause keeps it from starting, and whether DisableManual ends
    // it. RocksDB runs some requests on the caller's thread, which no pause
    // stops: a caller that continues after the call would otherwise hang.
    bool can_pause = true;
    bool can_disable = true;
    bool running = false;
    bool done = false;
    Status status = Status::OK();
  };

  // A request of RewriteFilters.
  struct FilterRewrite {
    ColumnFamilyPtr family;
    double size_factor = 1;
    std::deque<FileNumber> files;  // those that are left
    int running = 0;               // jobs
    Status status;                 // the first error

    bool done() const { return files.empty() && running == 0; }
  };
  using FilterRewritePtr = std::shared_ptr<FilterRewrite>;

  // A flush of one family's immutable memtables.
  struct FamilyFlush {
    ColumnFamilyPtr family;
    FlushInputs inputs;
    VersionEdit edit;
    JobStats stats = {};  // no job yet
  };

  // What OpenTables did in one family.
  struct OpenedTables {
    uint64_t opened = 0;
    std::set<FileNumber> failed;
  };

  uint64_t TimeForPicker(const ColumnFamily& family) const;
  std::vector<ColumnFamilyPtr> DueForFlush() const REQUIRES(mutex_);
  void StartWhatIsDue() REQUIRES(mutex_);
  void ScheduleFlush() REQUIRES(mutex_);
  bool ScheduleAnyCompaction() REQUIRES(mutex_);
  std::optional<Compaction> PickAutomatic(const ColumnFamily& family,
                                          CompactionCursors* cursors,
                                          std::set<FileNumber>* marked) const
      REQUIRES(mutex_);
  void ScheduleCompaction(const ColumnFamilyPtr& family, Compaction picked,
                          SpaceReservation room, ManualCompaction* manual,
                          FilterRewritePtr rewrite = nullptr) REQUIRES(mutex_);
  // scheduler_space.cc
  // Sets room aside for an automatic compaction. If there is none, notes that,
  // and has a timer look again.
  bool TakeRoom(const ColumnFamily& family, const Compaction& plan,
                SpaceReservation* room) REQUIRES(mutex_);
  // The status of a request for which there is no room.
  Status NoRoom(const Compaction& plan) REQUIRES(mutex_);
  // Sets the background error if writes would wait for a compaction that has no
  // room, and nothing that runs can change that.
  void FailIfStuck() noexcept REQUIRES(mutex_);
  // Sets it if the flush that has ended reached the space limit.
  void StopAtSpaceLimit() noexcept REQUIRES(mutex_);
  // scheduler_rewrite.cc
  // Schedules a rewrite of one table. Returns false if none can start now.
  bool ScheduleAnyRewrite() REQUIRES(mutex_);
  bool ScheduleRewriteOf(const FilterRewritePtr& rewrite) REQUIRES(mutex_);
  void EndRewriteOfTable(FilterRewrite* rewrite, const Status& status)
      REQUIRES(mutex_);
  void ForgetEndedRewrites() REQUIRES(mutex_);
  void ReleaseInputs(const Compaction& plan) REQUIRES(mutex_);
  void HoldCompactions(int change) noexcept;
  bool Idle() const REQUIRES(mutex_);
  bool manual_disabled() const {
    return manual_disabled_.load(std::memory_order_relaxed) > 0;
  }
  // Returns whether the first request may start. During a pause, makes one the
  // first that does not wait for its end.
  bool FindManual() REQUIRES(mutex_);
  // Starts the first request. Returns whether it has to wait.
  bool StartManual() REQUIRES(mutex_);
  Status PickLevelChange(const ColumnFamily& family,
                         const CompactRangeOptions& asked,
                         std::optional<Compaction>* plan) REQUIRES(mutex_);
  Status RunManual(ManualCompaction* manual) REQUIRES(mutex_);
  // Returns whether a request keeps automatic compactions of the family from
  // starting.
  bool WaitsForManual(const ColumnFamily& family) const REQUIRES(mutex_);
  void UpdateCompactionLag() REQUIRES(mutex_);
  // Returns whether compactions of the family lag behind its writes. Counts the
  // beginning.
  bool UpdateLagOf(ColumnFamily* family) REQUIRES(mutex_);
  // scheduler_jobs.cc
  void ScheduleOpenTables() noexcept REQUIRES(mutex_);
  void OpenTablesJob() EXCLUDES(mutex_);
  // Opens some tables. Returns whether the family needs no further call.
  bool OpenTablesOf(const ColumnFamily& family, OpenedTables* opened)
      EXCLUDES(mutex_);
  void FlushJob() EXCLUDES(mutex_);
  Status FlushImmutables() REQUIRES(mutex_);
  Status FlushAndApply(uint64_t job, std::vector<FamilyFlush>* flushes,
                       TrackedOperation* operation) REQUIRES(mutex_);
  // Called in this order.
  std::vector<FamilyFlush> PrepareFlushes() REQUIRES(mutex_);
  Status RunFlushes(uint64_t job, std::vector<FamilyFlush>* flushes,
                    TrackedOperation* operation) REQUIRES(mutex_);
  Status ApplyFlushes(std::vector<FamilyFlush>* flushes) REQUIRES(mutex_);
  void Prepopulate(const std::vector<FamilyFlush>& flushes) REQUIRES(mutex_);
  void FillCache(const TableCache& tables, const TableFile& file) const;
  void EndFlushes(uint64_t job, const std::vector<FamilyFlush>& flushes,
                  const Status& status) REQUIRES(mutex_);
  void CompactionJob(ColumnFamilyPtr family,
                     std::shared_ptr<const Compaction> plan,
                     const std::vector<SequenceNumber>& snapshots,
                     ManualCompaction* manual, FilterRewritePtr rewrite)
      EXCLUDES(mutex_);
  // scheduler_compaction.cc
  Status Compact(const ColumnFamilyPtr& family, const Compaction& plan,
                 const std::vector<SequenceNumber>& snapshots,
                 ManualCompaction* manual, SpaceUse* space) REQUIRES(mutex_);
  // Makes the tables of a compaction, and adds the job with its times to
  // *times. Releases the mutex meanwhile.
  Result<CompactionResult> RunPlan(uint64_t job, const ColumnFamilyPtr& family,
                                   const FamilyOptionsPtr& options,
                                   const Compaction& plan,
                                   const std::vector<SequenceNumber>& snapshots,
                                   const ManualCompaction* manual,
                                   SpaceUse* space, JobStats* times,
                                   TrackedOperation* operation)
      REQUIRES(mutex_);
  // What GetThreadList is told of a job; nothing without
  // enable_thread_tracking.
  std::optional<TrackedOperation::Facts> TrackedFacts(
      ThreadStatus::OperationType type, const ColumnFamily& family) const;
  // scheduler_events.cc. Of events that memory runs out for, listeners are not
  // told.
  void TellFlush(const FamilyFlush& flush, bool completed) noexcept
      REQUIRES(mutex_);
  // `result` is nullptr at the begin. `options` are those of the job.
  void TellCompaction(uint64_t job, const ColumnFamily& family,
                      const ColumnFamilyOptions& options,
                      const Compaction& plan, const CompactionResult* result,
                      const Status& status) noexcept REQUIRES(mutex_);
  void EndTelling() REQUIRES(mutex_);
  void TellStallsOrThrow() const;
  void TellFlushOrThrow(const FamilyFlush& flush, bool completed)
      REQUIRES(mutex_);
  void TellCompactionOrThrow(uint64_t job, const ColumnFamily& family,
                             const ColumnFamilyOptions& options,
                             const Compaction& plan,
                             const CompactionResult* result,
                             const Status& status) REQUIRES(mutex_);
  // Releases the mutex meanwhile.
  CompactionJobInfo InfoOf(uint64_t job, const ColumnFamily& family,
                           const ColumnFamilyOptions& options,
                           const Compaction& plan,
                           const CompactionResult* result, const Status& status)
      REQUIRES(mutex_);
  // Returns the properties of a live table, or nullptr. Releases the mutex
  // meanwhile.
  std::shared_ptr<const TableProperties> PropertiesOf(
      const ColumnFamily& family, FileNumber number) REQUIRES(mutex_);
  // Returns a function that schedules jobs that help a flush or a compaction.
  // They may start after it has ended, but not after Stop has returned. The
  // function is called without the mutex.
  ScheduleJob ForHelpers(JobPriority priority);
  void EndJob() REQUIRES(mutex_);
  // Adds the edit's tables to the obsolete files: their family was dropped
  // meanwhile, or another flush of the same job failed.
  void DiscardTables(const VersionEdit& edit) noexcept REQUIRES(mutex_);
  bool MayStart() const REQUIRES(mutex_) { return !stopping() && errors_.ok(); }
  // REQUIRES: !MayStart(), or the database was being closed.
  Status WhyStopped() const REQUIRES(mutex_);
  int MaxCompactions() const;
  FileNumber NewFileNumber() EXCLUDES(mutex_);

  const DBContext& context_;
  Mutex& mutex_;
  VersionSet& versions_;
  SnapshotList& snapshots_;
  ErrorHandler& errors_;
  ObsoleteFiles& obsolete_;
  WriteAheadLog& wal_;

  OwnJobs own_jobs_;  // all that are passed to the runner
  CondVar changed_;
  std::atomic<bool> stopping_{false};
  bool flushing_ GUARDED_BY(mutex_) = false;
  bool purging_ GUARDED_BY(mutex_) = false;  // a job is scheduled
  bool flush_together_ GUARDED_BY(mutex_) = false;
  int compactions_ GUARDED_BY(mutex_) = 0;
  int filtering_jobs_ GUARDED_BY(mutex_) = 0;  // since they took snapshots
  // Jobs that post an event. What it tells of may be visible before.
  int telling_ GUARDED_BY(mutex_) = 0;
  // Jobs that may still use the database. A job counts until it has deleted
  // obsolete files, longer than in flushing_ or compactions_.
  int jobs_ GUARDED_BY(mutex_) = 0;
  BusyFiles busy_ GUARDED_BY(mutex_);
  // Compactions that are scheduled or run, with their families.
  struct Running {
    const ColumnFamily* family;
    const Compaction* plan;
    SpaceReservation room;
  };
  std::vector<Running> running_ GUARDED_BY(mutex_);
  int holds_ GUARDED_BY(mutex_) = 0;
  int pauses_ GUARDED_BY(mutex_) = 0;
  // Changed with the mutex held; compactions that run load it without.
  std::atomic<int> manual_disabled_{0};
  // Families take turns: the family id at which the next search begins.
  FamilyId next_turn_ GUARDED_BY(mutex_);
  bool compaction_is_behind_ GUARDED_BY(mutex_) = false;
  bool compaction_is_pressing_ GUARDED_BY(mutex_) = false;
  std::deque<ManualCompaction*> manual_ GUARDED_BY(mutex_);
  // Families whose compaction had no room when it was picked last, and its
  // bytes. May name families that were dropped.
  std::map<FamilyId, uint64_t> no_room_ GUARDED_BY(mutex_);
  std::deque<FilterRewritePtr> rewrites_ GUARDED_BY(mutex_);  // oldest first

  // Families whose tables are to be opened; the first one is begun.
  std::deque<ColumnFamilyPtr> to_open_ GUARDED_BY(mutex_);
  OpenedTables opened_ GUARDED_BY(mutex_);   // of the first one
  bool opening_ GUARDED_BY(mutex_) = false;  // a job is scheduled
  // WaitForJobs waits, and writers for it.
  std::atomic<bool> waiting_for_jobs_{false};
};

}  // namespace tamis
