// SPDX-License-Identifier: Apache-2.0
//
// The Scheduler decides when flushes and compactions run, runs them as jobs of
// the JobRunner, and applies what they return. Jobs themselves know no mutex;
// this is where their results meet the state of the database.
//
//   immutable memtables ──▶ flush job ──▶ edit ─┐
//   PickCompaction ──▶ compaction job ──▶ edit ─┴▶ VersionSet::LogAndApply
//
// REQUIRES, for every public call but stopping(): the database's mutex is held.
// A running job holds it only at its seams.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "db/compaction_picker.h"
#include "db/error_handler.h"
#include "db/obsolete_files.h"
#include "db/snapshot_list.h"
#include "db/version_set.h"
#include "util/mutex.h"

namespace tamis {

class Scheduler {
 public:
  // All outlive the scheduler.
  Scheduler(const DBContext& context, Mutex* db_mutex, VersionSet* versions,
            SnapshotList* snapshots, ErrorHandler* errors,
            ObsoleteFiles* obsolete);

  // Starts what is due. Call after anything that may make work due.
  void MaybeSchedule();

  // Notified whenever a job ends or an error is set.
  CondVar& changed() { return changed_; }

  // Compacts what overlaps [begin, end] in `level` into `output_level`, alone.
  Status CompactLevel(int level, int output_level, const Slice* begin,
                      const Slice* end);

  // Gives up compactions and waits for every job. No work starts afterwards.
  void Stop();
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

  // Returns when no job is under way.
  // REQUIRES: an error stands, or Stop was called, so that none starts.
  void WaitForJobs();

  // Deletes the files that may go now. Gives the mutex up meanwhile.
  void PurgeObsoleteFiles();
  // The logs that are on disk, oldest first; logs that a flush makes obsolete
  // leave it.
  std::deque<uint64_t>& live_logs() {
    mutex_.AssertHeld();
    return live_logs_;
  }

  int running_flushes() const {
    mutex_.AssertHeld();
    return flushing_ ? 1 : 0;
  }
  int running_compactions() const {
    mutex_.AssertHeld();
    return compactions_;
  }
  bool CompactionPending() const;

 private:
  // A request of CompactRange, which waits for it.
  struct ManualCompaction {
    int level = 0;
    int output_level = 0;
    const Slice* begin = nullptr;
    const Slice* end = nullptr;
    bool done = false;
    Status status;
  };

  void ScheduleFlush() REQUIRES(mutex_);
  void ScheduleCompaction(Compaction picked, ManualCompaction* manual)
      REQUIRES(mutex_);
  void StartManual() REQUIRES(mutex_);
  void FlushJob() EXCLUDES(mutex_);
  Status FlushImmutables() REQUIRES(mutex_);
  void CompactionJob(std::shared_ptr<const Compaction> plan,
                     const std::vector<SequenceNumber>& snapshots,
                     ManualCompaction* manual) EXCLUDES(mutex_);
  Status Compact(const Compaction& plan,
                 const std::vector<SequenceNumber>& snapshots) REQUIRES(mutex_);
  void DropObsoleteLogs() REQUIRES(mutex_);
  bool MayStart() const REQUIRES(mutex_) { return !stopping() && errors_.ok(); }
  int MaxCompactions() const;
  uint64_t NewFileNumber() EXCLUDES(mutex_);

  const DBContext& context_;
  Mutex& mutex_;
  VersionSet& versions_;
  SnapshotList& snapshots_;
  ErrorHandler& errors_;
  ObsoleteFiles& obsolete_;

  CondVar changed_;
  std::atomic<bool> stopping_{false};
  bool flushing_ GUARDED_BY(mutex_) = false;
  int compactions_ GUARDED_BY(mutex_) = 0;
  // Jobs that may still touch the database: until they have deleted files,
  // longer than the two above count them.
  int jobs_ GUARDED_BY(mutex_) = 0;
  BusyFiles busy_ GUARDED_BY(mutex_);
  CompactionCursors cursors_ GUARDED_BY(mutex_);
  std::deque<ManualCompaction*> manual_ GUARDED_BY(mutex_);
  std::deque<uint64_t> live_logs_ GUARDED_BY(mutex_);
};

}  // namespace tamis
