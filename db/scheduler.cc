// SPDX-License-Identifier: Apache-2.0
#include "db/scheduler.h"

#include <algorithm>
#include <utility>

#include "db/compaction_job.h"
#include "db/file_names.h"
#include "db/flush_job.h"
#include "util/perf_counters.h"

namespace tamis {

Scheduler::Scheduler(const DBContext& context, Mutex* db_mutex,
                     VersionSet* versions, SnapshotList* snapshots,
                     ErrorHandler* errors, ObsoleteFiles* obsolete)
    : context_(context),
      mutex_(*db_mutex),
      versions_(*versions),
      snapshots_(*snapshots),
      errors_(*errors),
      obsolete_(*obsolete) {}

int Scheduler::MaxCompactions() const {
  return std::max(1, context_.options.max_background_jobs - 1);
}

uint64_t Scheduler::NewFileNumber() {
  MutexLock lock(&mutex_);
  return versions_.NewFileNumber();
}

bool Scheduler::CompactionPending() const {
  mutex_.AssertHeld();
  const ColumnFamily& family = versions_.default_family();
  if (!manual_.empty()) return true;
  if (family.options().disable_auto_compactions) return false;
  for (int level = 0; level < kNumLevels; ++level) {
    if (CompactionScore(*family.version(), level, family.options()) >= 1) {
      return true;
    }
  }
  return false;
}

void Scheduler::MaybeSchedule() {
  mutex_.AssertHeld();
  if (!MayStart()) return;
  ColumnFamily& family = versions_.default_family();
  if (!flushing_ && !family.immutables().empty()) ScheduleFlush();
  while (!manual_.empty()) {
    // They run alone: automatic ones wait until they are done.
    if (compactions_ != 0) return;
    StartManual();
  }
  while (!family.options().disable_auto_compactions &&
         compactions_ < MaxCompactions()) {
    auto plan =
        PickCompaction(family.version(), busy_, family.options(), &cursors_);
    if (!plan) return;
    ScheduleCompaction(*std::move(plan), nullptr);
  }
}

void Scheduler::ScheduleFlush() {
  flushing_ = true;
  ++jobs_;
  context_.runner()->Schedule(JobPriority::kHigh, [this] { FlushJob(); });
}

void Scheduler::StartManual() {
  ManualCompaction* manual = manual_.front();
  ColumnFamily& family = versions_.default_family();
  auto plan =
      PickRange(family.version(), busy_, family.options(), manual->level,
                manual->output_level, manual->begin, manual->end);
  if (!plan) {
    manual->done = true;
    manual_.pop_front();
    changed_.notify_all();
    return;
  }
  ScheduleCompaction(*std::move(plan), manual);
}

void Scheduler::ScheduleCompaction(Compaction picked,
                                   ManualCompaction* manual) {
  ++compactions_;
  ++jobs_;
  auto plan = std::make_shared<const Compaction>(std::move(picked));
  for (const TableFilePtr& file : plan->AllInputs()) {
    busy_.insert(file->meta.number);
  }
  // The snapshots belong to the plan's Version: both are taken here, under one
  // lock. Later snapshots are newer than every entry the plan reads.
  context_.runner()->Schedule(
      JobPriority::kLow, [this, plan = std::move(plan),
                          snapshots = snapshots_.All(), manual]() mutable {
        CompactionJob(std::move(plan), snapshots, manual);
      });
}

void Scheduler::FlushJob() {
  MutexLock lock(&mutex_);
  if (MayStart()) {
    const Status status = FlushImmutables();
    if (!status.ok()) errors_.Set("flush", status);
  }
  flushing_ = false;
  MaybeSchedule();
  PurgeObsoleteFiles();
  --jobs_;
  changed_.notify_all();
}

Status Scheduler::FlushImmutables() {
  ColumnFamily& family = versions_.default_family();
  FlushInputs in;
  in.context = &context_;
  in.family = &family;
  in.memtables.assign(family.immutables().begin(), family.immutables().end());
  if (in.memtables.empty()) return Status::OK();
  in.snapshots = snapshots_.All();
  in.epoch_number = family.NewEpoch();
  // The next memtable in age is the one being written: what it holds is in
  // the log that was opened with it.
  in.log_number_after = family.memtable()->log_number();
  in.new_file_number = [this] { return NewFileNumber(); };

  const uint64_t job = context_.event_log->NextJob();
  context_.event_log->Event("flush_start")
      .Add("job", job)
      .Add("memtables", in.memtables.size());
  auto edit = Result<VersionEdit>(Status::Aborted("not run"));
  {
    MutexUnlock unlock(&mutex_);
    edit = RunFlush(in);
  }
  Status status = edit.status();
  uint64_t bytes = 0;
  uint64_t number = 0;
  if (edit.ok()) {
    for (const auto& [level, file] : edit->new_files) {
      bytes += file.size;
      number = file.number;
    }
    status = versions_.LogAndApply(&family, &*edit, in.memtables.size());
  }
  context_.event_log->Event("flush_end")
      .Add("job", job)
      .Add("file", number)
      .Add("bytes", bytes)
      .Add("status", status);
  if (!status.ok()) return status;
  RecordTick(context_.statistics(), FLUSH_WRITE_BYTES, bytes);
  DropObsoleteLogs();
  return status;
}

void Scheduler::DropObsoleteLogs() {
  while (!live_logs_.empty() &&
         live_logs_.front() < versions_.min_log_number_to_keep()) {
    obsolete_.AddFile(LogFileName(context_.directory, live_logs_.front()));
    live_logs_.pop_front();
  }
}

void Scheduler::CompactionJob(std::shared_ptr<const Compaction> plan,
                              const std::vector<SequenceNumber>& snapshots,
                              ManualCompaction* manual) {
  MutexLock lock(&mutex_);
  Status status = MayStart()
                      ? Compact(*plan, snapshots)
                      : Status::ShutdownInProgress(
                            context_.directory, "background work has stopped");
  if (!status.ok() && !status.IsShutdownInProgress()) {
    errors_.Set("compaction", status);
  }
  --compactions_;
  for (const TableFilePtr& file : plan->AllInputs()) {
    busy_.erase(file->meta.number);
  }
  // It holds the inputs, which are to be purged, and a Version, which is not
  // to outlive the database.
  plan.reset();
  if (manual != nullptr) {
    manual->status = status;
    manual->done = true;
    manual_.pop_front();
  }
  MaybeSchedule();
  PurgeObsoleteFiles();
  --jobs_;
  changed_.notify_all();
}

Status Scheduler::Compact(const Compaction& plan,
                          const std::vector<SequenceNumber>& snapshots) {
  ColumnFamily& family = versions_.default_family();
  const uint64_t job = context_.event_log->NextJob();
  context_.event_log->Event("compaction_start")
      .Add("job", job)
      .Add("level", static_cast<uint64_t>(plan.level))
      .Add("output_level", static_cast<uint64_t>(plan.output_level))
      .Add("files", plan.inputs.size() + plan.output_inputs.size())
      .Add("move", plan.trivial_move ? "yes" : "no");

  CompactionResult result;
  Status status;
  if (plan.trivial_move) {
    result.edit = TrivialMove(plan);
  } else {
    CompactionInputs in;
    in.context = &context_;
    in.family = &family;
    in.snapshots = snapshots;
    in.new_file_number = [this] { return NewFileNumber(); };
    in.cancelled = [this] { return stopping(); };
    MutexUnlock unlock(&mutex_);
    auto ran = RunCompaction(plan, in);
    status = ran.status();
    if (ran.ok()) result = std::move(ran).value();
  }
  if (status.ok()) status = versions_.LogAndApply(&family, &result.edit);
  if (status.ok() && !plan.trivial_move) {
    for (const TableFilePtr& file : plan.AllInputs()) obsolete_.AddTable(file);
  }
  context_.event_log->Event("compaction_end")
      .Add("job", job)
      .Add("entries", result.counts.entries_read)
      .Add("dropped",
           result.counts.dropped_hidden + result.counts.dropped_obsolete)
      .Add("bytes_read", result.bytes_read)
      .Add("bytes_written", result.bytes_written)
      .Add("status", status);
  return status;
}

Status Scheduler::CompactLevel(int level, int output_level, const Slice* begin,
                               const Slice* end) {
  mutex_.AssertHeld();
  ManualCompaction manual;
  manual.level = level;
  manual.output_level = output_level;
  manual.begin = begin;
  manual.end = end;
  manual_.push_back(&manual);
  MaybeSchedule();
  mutex_.Wait(context_.runner(), changed_, [this, &manual] {
    mutex_.AssertHeld();
    // Its job, once scheduled, ends by itself and tells; one that was not is
    // given up with the database.
    return manual.done || (compactions_ == 0 && !MayStart());
  });
  if (manual.done) return manual.status;
  std::erase(manual_, &manual);
  changed_.notify_all();
  return errors_.ok() ? Status::ShutdownInProgress(context_.directory,
                                                   "it is being closed")
                      : errors_.error();
}

void Scheduler::Stop() {
  mutex_.AssertHeld();
  stopping_.store(true, std::memory_order_relaxed);
  changed_.notify_all();
  mutex_.Wait(context_.runner(), changed_, [this] {
    mutex_.AssertHeld();
    return jobs_ == 0 && manual_.empty();
  });
}

void Scheduler::WaitForJobs() {
  mutex_.AssertHeld();
  mutex_.Wait(context_.runner(), changed_, [this] {
    mutex_.AssertHeld();
    return jobs_ == 0;
  });
}

void Scheduler::PurgeObsoleteFiles() {
  mutex_.AssertHeld();
  const std::vector<std::string> paths = obsolete_.TakeDeletable();
  if (paths.empty()) return;
  MutexUnlock unlock(&mutex_);
  obsolete_.Delete(paths);
}

}  // namespace tamis
