// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/scheduler.h"

#include <algorithm>
#include <utility>

#include "db/base/file_names.h"
#include "db/compaction/compaction_style.h"
#include "db/compaction/entry_filter.h"
#include "db/manifest/table_path.h"
#include "util/base/exceptions.h"

namespace tamis {

namespace {

bool MayFilter(const Compaction& plan, const ColumnFamilyOptions& options) {
  return HasCompactionFilter(options) && !plan.trivial_move &&
         !plan.rewrite_filters;
}

}  // namespace

Scheduler::Scheduler(const DBContext& context, Mutex* db_mutex,
                     VersionSet* versions, SnapshotList* snapshots,
                     ErrorHandler* errors, ObsoleteFiles* obsolete,
                     WriteAheadLog* wal)
    : context_(context),
      mutex_(*db_mutex),
      versions_(*versions),
      snapshots_(*snapshots),
      errors_(*errors),
      obsolete_(*obsolete),
      wal_(*wal) {}

int Scheduler::MaxCompactions() const {
  return std::max(1, context_.Live<&DBOptions::max_background_jobs>() - 1);
}

std::optional<TrackedOperation::Facts> Scheduler::TrackedFacts(
    ThreadStatus::OperationType type, const ColumnFamily& family) const {
  if (!context_.options.enable_thread_tracking) return std::nullopt;
  return TrackedOperation::Facts{.thread = type == ThreadStatus::OP_FLUSH
                                               ? ThreadStatus::HIGH_PRIORITY
                                               : ThreadStatus::LOW_PRIORITY,
                                 .operation = type,
                                 .db_name = context_.directory,
                                 .family = family.name(),
                                 .clock = context_.options.clock};
}

FileNumber Scheduler::NewFileNumber() {
  MutexLock lock(&mutex_);
  return versions_.NewFileNumber();
}

bool Scheduler::CompactionPending(const ColumnFamily& family) const {
  mutex_.AssertHeld();
  if (!manual_.empty()) return true;
  if (CompactsMarkedFiles(family.options())) {
    std::set<FileNumber> marked = family.marked_files();
    if (PickMarked(family.version(), {}, family.options(), &marked))
      return true;
  }
  return CompactionIsDue(family.version(), family.options(),
                         TimeForPicker(family), family.LowestUnflushed());
}

// Few options need it.
uint64_t Scheduler::TimeForPicker(const ColumnFamily& family) const {
  const ColumnFamilyOptions& options = family.options();
  return options.ttl != 0 || options.periodic_compaction_seconds != 0
             ? context_.NowSeconds()
             : 0;
}

bool Scheduler::CompactsLevel0(const ColumnFamily& family) const {
  mutex_.AssertHeld();
  return std::any_of(running_.begin(), running_.end(), [&](const Running& one) {
    return one.family == &family && one.plan->level == kLevelZero;
  });
}

bool Scheduler::UpdateLagOf(ColumnFamily* family) {
  StallCause cause = StallCause::kLevel0;
  const bool lags =
      LagOf(*family->version(), family->options(), family->LowestUnflushed(),
            &cause) != CompactionLag::kNone;
  std::optional<StallCause>& before = family->slowed_by();
  if (!lags) {
    before.reset();
  } else if (before != cause) {
    before = cause;
    StallCounts& stalls = family->stats().stalls;
    ++stalls[cause].delays;
    if (cause == StallCause::kLevel0 && CompactsLevel0(*family)) {
      ++stalls.with_compaction.delays;
    }
  }
  return lags;
}

void Scheduler::UpdateCompactionLag() {
  const bool was_behind = compaction_is_behind_;
  const ColumnFamilySet::ViewPtr families = versions_.families().view();
  compaction_is_behind_ = false;
  compaction_is_pressing_ = false;
  for (const ColumnFamilyPtr& family : *families) {
    const ColumnFamilyOptions& options = family->options();
    if (UpdateLagOf(family.get())) compaction_is_behind_ = true;
    if (!Level0StallsWrites(options)) continue;
    const int64_t files = Level0TablesThatStall(*family->version(), options,
                                                family->LowestUnflushed());
    const int64_t due = options.level0_file_num_compaction_trigger;
    const int64_t slowdown = options.level0_slowdown_writes_trigger;
    if (files >= std::min(2 * due, due + (slowdown - due) / 4)) {
      compaction_is_pressing_ = true;
    }
  }
  if (compaction_is_behind_ != was_behind) {
    context_.event_log->Event(compaction_is_behind_ ? "write_delay_start"
                                                    : "write_delay_end");
  }
}

void Scheduler::MaybeSchedule() noexcept {
  mutex_.AssertHeld();
  const Status status = CatchExceptions([this] {
    mutex_.AssertHeld();
    StartWhatIsDue();
    return Status::OK();
  });
  if (status.ok()) {
    FailIfStuck();
    return;
  }
  errors_.Set("schedule", status);
  changed_.notify_all();
}

void Scheduler::StartWhatIsDue() {
  UpdateCompactionLag();
  TellStalls();
  if (!MayStart()) return;
  if (pauses_ == 0) {
    if (!flushing_ && !DueForFlush().empty()) ScheduleFlush();
    if (!opening_ && !to_open_.empty()) ScheduleOpenTables();
  }
  if (holds_ > 0) return;
  while (FindManual()) {
    if (StartManual()) break;
  }
  if (pauses_ > 0) return;
  while (compactions_ < MaxCompactions() &&
         (ScheduleAnyCompaction() || ScheduleAnyRewrite())) {
  }
}

// With set_flush_together, all families that have immutable memtables; with
// atomic_flush also, once one of them is due. Otherwise, of those that are due,
// only that which needs the oldest log.
std::vector<ColumnFamilyPtr> Scheduler::DueForFlush() const {
  const auto view = versions_.families().view();
  const bool together =
      flush_together_ ||
      (context_.options.atomic_flush &&
       std::any_of(view->begin(), view->end(),
                   [](const auto& family) { return family->FlushIsDue(); }));
  std::vector<ColumnFamilyPtr> due;
  for (const ColumnFamilyPtr& family : *view) {
    if (family->immutables().empty()) continue;
    if (!together && !family->FlushIsDue()) continue;
    if (together || due.empty()) {
      due.push_back(family);
    } else if (family->OldestLogToKeep() < due[0]->OldestLogToKeep()) {
      due[0] = family;
    }
  }
  return due;
}

void Scheduler::ScheduleFlush() {
  TAMIS_CHECK(!flushing_);
  own_jobs_.Schedule(context_.runner(), JobPriority::kHigh,
                     [this] { FlushJob(); });
  // The job acquires the mutex before it uses these.
  flushing_ = true;
  ++jobs_;
}

std::optional<Compaction> Scheduler::PickAutomatic(
    const ColumnFamily& family, CompactionCursors* cursors,
    std::set<FileNumber>* marked) const {
  auto plan =
      PickByStyle(family.version(), busy_, family.options(),
                  TimeForPicker(family), cursors, family.LowestUnflushed());
  if (!plan && CompactsMarkedFiles(family.options())) {
    plan = PickMarked(family.version(), busy_, family.options(), marked);
  }
  return plan;
}

bool Scheduler::ScheduleAnyCompaction() {
  const ColumnFamilySet::ViewPtr families = versions_.families().view();
  auto first = std::find_if(families->begin(), families->end(),
                            [this](const auto& family) {
                              mutex_.AssertHeld();
                              return family->id() >= next_turn_;
                            });
  for (size_t tried = 0; tried < families->size(); ++tried, ++first) {
    if (first == families->end()) first = families->begin();
    const ColumnFamilyPtr& family = *first;
    if (WaitsForManual(*family)) continue;
    // A plan that gets no room leaves the picker's state as it was.
    CompactionCursors cursors = family->compaction_cursors();
    std::set<FileNumber> marked = family->marked_files();
    auto plan = PickAutomatic(*family, &cursors, &marked);
    SpaceReservation room;
    if (plan && !TakeRoom(*family, *plan, &room)) continue;
    no_room_.erase(family->id());
    family->compaction_cursors() = std::move(cursors);
    family->marked_files() = std::move(marked);
    if (!plan) continue;
    next_turn_ = family->id().Next();
    ScheduleCompaction(family, *std::move(plan), std::move(room), nullptr);
    return true;
  }
  return false;
}

void Scheduler::ScheduleCompaction(const ColumnFamilyPtr& family,
                                   Compaction picked, SpaceReservation room,
                                   ManualCompaction* manual,
                                   FilterRewritePtr rewrite) {
  if (family->options().cf_allow_ingest_behind) {
    picked.older_may_come = true;
    picked.bottommost = false;
  }
  const auto plan = std::make_shared<const Compaction>(std::move(picked));
  try {
    running_.push_back({family.get(), plan.get(), std::move(room)});
    plan->ForEachInput([this](const TableFilePtr& file) {
      mutex_.AssertHeld();
      // Depends on the comparator; VersionBuilder rejects a file deleted twice.
      TAMIS_DCHECK(!busy_.contains(file->meta.number));
      busy_.insert(file->meta.number);
    });
    // The snapshots and the plan's Version are taken under the same lock. Later
    // snapshots are newer than all entries that the plan reads.
    own_jobs_.Schedule(
        context_.runner(), JobPriority::kLow,
        [this, family = family, plan = plan, snapshots = snapshots_.All(),
         manual, rewrite = std::move(rewrite)]() mutable {
          CompactionJob(std::move(family), std::move(plan), snapshots, manual,
                        std::move(rewrite));
        });
  } catch (...) {
    ReleaseInputs(*plan);
    throw;
  }
  if (manual != nullptr) manual->running = true;
  ++family->running_compactions();
  ++compactions_;
  ++jobs_;
  if (MayFilter(*plan, family->fixed_options())) ++filtering_jobs_;
}

void Scheduler::ReleaseInputs(const Compaction& plan) {
  plan.ForEachInput([this](const TableFilePtr& file) {
    mutex_.AssertHeld();
    busy_.erase(file->meta.number);
  });
  std::erase_if(running_,
                [&plan](const Running& one) { return one.plan == &plan; });
}

bool Scheduler::MayWriteTo(const ColumnFamily& family, Level level,
                           const Slice& smallest, const Slice& largest) const {
  mutex_.AssertHeld();
  const KeyOrder& order = family.order();
  return std::any_of(running_.begin(), running_.end(), [&](const Running& one) {
    // Tables that move up may land above the range, with older entries.
    const bool moves_up = one.plan->output_level < one.plan->level;
    if (one.family != &family ||
        (moves_up ? level < one.plan->output_level || level >= one.plan->level
                  : level != one.plan->output_level)) {
      return false;
    }
    bool before = true;  // all inputs end before the range
    bool behind = true;  // all begin behind it
    one.plan->ForEachInput([&](const TableFilePtr& file) {
      if (order.CompareUserKeys(ExtractUserKey(file->meta.largest), smallest) >=
          0) {
        before = false;
      }
      if (order.CompareUserKeys(ExtractUserKey(file->meta.smallest), largest) <=
          0) {
        behind = false;
      }
    });
    return !before && !behind;
  });
}

// Notifies those that wait for a table before it deletes the files that the
// table replaces.
void Scheduler::EndJob() {
  MaybeSchedule();
  changed_.notify_all();
  PurgeObsoleteFiles();
  TAMIS_CHECK(jobs_ > 0);
  --jobs_;
  FailIfStuck();
  changed_.notify_all();
}

void Scheduler::DiscardTables(const VersionEdit& edit) noexcept {
  IgnoreExceptions([&] {
    for (const auto& [level, file] : edit.new_files) {
      obsolete_.AddFile(TablePath(context_, file));
    }
  });
}

void Scheduler::DropObsoleteLogs() noexcept {
  IgnoreExceptions([this] {
    wal_.DropBelow(versions_.min_log_number_to_keep(),
                   [this](const WriteAheadLog::LogFile& log) {
                     obsolete_.AddLog(log.number, /*may_keep=*/!log.failed);
                   });
  });
}

void Scheduler::CompactionJob(ColumnFamilyPtr family,
                              std::shared_ptr<const Compaction> plan,
                              const std::vector<SequenceNumber>& snapshots,
                              ManualCompaction* manual,
                              FilterRewritePtr rewrite) {
  MutexLock lock(&mutex_);
  Status status;
  if (!MayStart()) {
    status = WhyStopped();
  } else {
    SpaceUse space;
    status = CatchExceptions([&] {
      mutex_.AssertHeld();
      return Compact(family, *plan, snapshots, manual, &space);
    });
    const bool left_as_it_is = rewrite != nullptr && status.IsNotSupported();
    if (space.limit_reached() && status.subcode() == Status::kSpaceLimit) {
      errors_.SetSpaceLimit("compaction", status,
                            std::max(plan->BytesToWrite(), space.bytes()));
    } else if (!status.ok() && !left_as_it_is &&
               !status.IsShutdownInProgress() &&
               !status.IsColumnFamilyDropped()) {
      errors_.Set("compaction", status);
    }
  }
  TAMIS_CHECK(compactions_ > 0);
  --compactions_;
  if (MayFilter(*plan, family->fixed_options())) --filtering_jobs_;
  --family->running_compactions();
  ReleaseInputs(*plan);
  // Both keep the inputs from being deleted, and hold Versions, which must not
  // outlive the database.
  plan.reset();
  family.reset();
  if (rewrite != nullptr) EndRewriteOfTable(rewrite.get(), status);
  rewrite.reset();
  if (manual != nullptr) {
    manual->status = status;
    manual->done = true;
    TAMIS_CHECK(manual_.front() == manual);
    manual_.pop_front();
  }
  EndJob();
}

void Scheduler::PurgeObsoleteFiles() noexcept {
  IgnoreExceptions([this] {
    mutex_.AssertHeld();
    for (const FileNumber number : versions_.TakeObsoleteManifests()) {
      obsolete_.AddFile(DescriptorFileName(context_.directory, number));
    }
    // Frees ReadStates that point reads no longer use; they pin files.
    for (const ColumnFamilyPtr& family : *versions_.families().view()) {
      family->epochs()->Reclaim();
    }
    const DeletableFiles files = obsolete_.TakeDeletable();
    if (files.empty()) return;
    MutexUnlock unlock(&mutex_);
    obsolete_.Delete(files);
  });
  // There may be room now.
  mutex_.AssertHeld();
  if (!no_room_.empty()) MaybeSchedule();
}

}  // namespace tamis
