// SPDX-License-Identifier: Apache-2.0
//
// This file implements the calls of DBImpl that maintain the database: flush,
// compact, resume, close.
#include "db/base/table_paths.h"
#include "db/compaction/entry_filter.h"
#include "db/compaction/level_targets.h"
#include "db/db_impl.h"
#include "util/base/exceptions.h"

namespace tamis {

Status DBImpl::Flush(const FlushOptions& options,
                     const std::vector<ColumnFamilyHandle*>& families) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  const Families all = FamiliesOf(families);
  if (!options.allow_write_stall) {
    for (const ColumnFamilyPtr& family : all) {
      TAMIS_RETURN_IF_ERROR(write_path_.WaitUntilFlushIsQuiet(family));
    }
  }
  TAMIS_RETURN_IF_ERROR(
      write_path_.Flush(all, options.wait, FlushReason::kManualFlush));
  for (const ColumnFamilyPtr& family : all) {
    if (family->dropped()) return Status::ColumnFamilyDropped(family->name());
  }
  return Status::OK();
}

namespace {

// Returns whether to take the step that rewrites what is at the bottom.
// `was_there` is whether it was there before the other steps.
bool RewritesBottom(const CompactRangeOptions& options,
                    const ColumnFamilyOptions& family, bool was_there) {
  switch (options.bottommost_level_compaction) {
    case BottommostLevelCompaction::kSkip:
      return false;
    case BottommostLevelCompaction::kIfHaveCompactionFilter:
      // The other steps filter what they move.
      return HasCompactionFilter(family) && was_there;
    case BottommostLevelCompaction::kForce:
    case BottommostLevelCompaction::kForceOptimized:
      break;
  }
  return true;
}

Status CheckCompactRange(const CompactRangeOptions& options,
                         const ColumnFamilyOptions& family) {
  if (options.max_subcompactions > 1024) {
    return Status::InvalidArgument(
        "CompactRangeOptions::max_subcompactions",
        "it is " + std::to_string(options.max_subcompactions) +
            "; allowed is 0 to 1024");
  }
  TAMIS_RETURN_IF_ERROR(CheckPathId("CompactRangeOptions::target_path_id",
                                    family, options.target_path_id));
  const int last = LastLevelOf(family).value();
  if (options.change_level &&
      (options.target_level == 0 || options.target_level > last)) {
    return Status::InvalidArgument(
        "CompactRangeOptions::target_level",
        "it is " + std::to_string(options.target_level) +
            "; allowed are -1 and 1 to " + std::to_string(last));
  }
  return Status::OK();
}

}  // namespace

Status DBImpl::CompactRange(const CompactRangeOptions& options,
                            ColumnFamilyHandle* handle, const Slice* begin,
                            const Slice* end) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  const ColumnFamilyPtr family = FamilyOf(handle);
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (family->dropped()) return Status::ColumnFamilyDropped(family->name());
  TAMIS_RETURN_IF_ERROR(CheckCompactRange(options, family->options()));
  if (!options.allow_write_stall) {
    TAMIS_RETURN_IF_ERROR(write_path_.WaitUntilFlushIsQuiet(family));
  }
  TAMIS_RETURN_IF_ERROR(write_path_.Flush({family}, /*wait=*/true,
                                          FlushReason::kManualCompaction));

  // Compactions use later numbers.
  const FileNumber first_new = versions_.next_file_number();
  std::optional<ManualStep> rewrite;
  std::vector<ManualStep> steps =
      ManualSteps(*family->version(), family->options(), begin, end, &rewrite);
  if (rewrite) {
    const bool was_there =
        steps.empty() ||
        !family->version()->Overlapping(rewrite->level, begin, end).empty();
    if (options.bottommost_level_compaction ==
        BottommostLevelCompaction::kForceOptimized) {
      rewrite->first_new = first_new;
    }
    if (RewritesBottom(options, family->options(), was_there)) {
      steps.push_back(*rewrite);
    }
  }
  Status status;
  for (const ManualStep& step : steps) {
    if (status.ok()) status = scheduler_.CompactStep(family, options, step);
  }
  const CompactionStyle style = family->options().compaction_style;
  if (status.ok() && options.change_level && begin == nullptr &&
      end == nullptr && style != kCompactionStyleUniversal &&
      style != kCompactionStyleFIFO) {
    status = scheduler_.ChangeLevel(family, options);
  }
  return family->dropped() ? Status::ColumnFamilyDropped(family->name())
                           : status;
}

Status DBImpl::RewriteFilters(const RewriteFiltersOptions& options,
                              ColumnFamilyHandle* handle, const Slice* begin,
                              const Slice* end) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  if (!(options.size_factor >= 1)) {
    return Status::InvalidArgument("size_factor is " +
                                   std::to_string(options.size_factor) +
                                   ", expected at least 1");
  }
  const ColumnFamilyPtr family = FamilyOf(handle);
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (family->dropped()) return Status::ColumnFamilyDropped(family->name());
  const Status status = scheduler_.RewriteFilters(family, options, begin, end);
  return family->dropped() ? Status::ColumnFamilyDropped(family->name())
                           : status;
}

Status DBImpl::FlushLogLed(bool sync) {
  Status status;
  {
    MutexUnlock unlock(&mutex_);
    status = CatchExceptions([&] { return wal_.Flush(sync); });
  }
  if (!status.ok()) errors_.Set("wal", status);
  return status;
}

void DBImpl::BeginEvents(DB* db) noexcept {
  if (context_.listeners != nullptr) context_.listeners->Begin(db);
}

void DBImpl::DeliverEvents() noexcept {
  if (context_.listeners == nullptr) return;
  IgnoreExceptions([this] { scheduler_.DeliverEvents(); });
}

Status DBImpl::FlushWAL(bool sync) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  WriteBarrier barrier(&write_path_.queue(), context_.runner());
  TAMIS_RETURN_IF_ERROR(write_path_.ResumeIfDue());
  return FlushLogLed(sync);
}

Status DBImpl::Resume() {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  WriteBarrier barrier(&write_path_.queue(), context_.runner());
  if (scheduler_.stopping()) return errors_.error();
  return write_path_.Resume(/*automatic=*/false);
}

void DBImpl::ResumeByTimer() noexcept {
  MutexLock lock(&mutex_);
  if (!CheckOpen().ok()) return;
  if (errors_.ok()) {
    // There may be room for a compaction. A writer that waits for it may lead.
    scheduler_.MaybeSchedule();
    return;
  }
  CatchExceptions([this] {
    mutex_.AssertHeld();
    TAMIS_RETURN_IF_ERROR(CheckOpen());
    WriteBarrier barrier(&write_path_.queue(), context_.runner());
    if (scheduler_.stopping() || !errors_.MayPass()) return Status::OK();
    return write_path_.Resume(/*automatic=*/true);
  }).PermitUncheckedError();
  // An exception before the error was cleared has armed no timer.
  if (CheckOpen().ok()) errors_.ArmResume();
}

void DBImpl::Fence(const Status& why) noexcept {
  MutexLock lock(&mutex_);
  if (state_.load(std::memory_order_relaxed) != State::kOpen) return;
  fence_ = why;
  state_.store(State::kFenced, std::memory_order_release);
  context_.event_log->Event("fenced").Add("status", why);
  errors_.SetFinal(why);
  scheduler_.Cancel();
}

Status DBImpl::Close() {
  if (follower_ != nullptr) follower_->Stop();
  stats_dump_.Stop();
  wal_archive_.Stop();
  Status status;
  bool fenced = false;
  {
    MutexLock lock(&mutex_);
    const State before = state_.exchange(State::kClosed);
    if (before == State::kClosed) return Status::OK();
    fenced = before == State::kFenced;
    context_.event_log->Event("close_start");
    if (context_.read_only) return Status::OK();  // there were no events
    // Unlogged writes are only in memtables. After this, no write gets room,
    // and the flush waits for a write that got room before.
    write_path_.Close();
    scheduler_.EndPauses();
    EndWalLock();
    if (write_path_.has_unlogged() &&
        !context_.Live<&DBOptions::avoid_flush_during_shutdown>()) {
      status = CatchExceptions([this] {
        mutex_.AssertHeld();
        return write_path_.FlushForClose();
      });
    }
    scheduler_.Stop();
    mutex_.Wait(context_.runner(), scheduler_.changed(), [this] {
      mutex_.AssertHeld();
      return ingestions_ == 0;
    });
    // Waits for a write that got room before, even without a flush.
    WriteBarrier barrier(&write_path_.queue(), context_.runner());
    // The calls that store options found the database open, or led before.
    mutex_.Wait(context_.runner(), scheduler_.changed(), [this] {
      mutex_.AssertHeld();
      return options_stores_ == 0;
    });
    // The files are another owner's.
    if (fenced) {
      status = fence_;
    } else {
      scheduler_.PurgeObsoleteFiles();
      // Close does not make a failed log durable.
      if (wal_.failed()) status = errors_.error();
      const Status manifest = versions_.CloseManifest();
      if (status.ok()) status = manifest;
    }
  }
  if (!wal_.failed() && !fenced) {
    const Status closed = CatchExceptions(
        [this] { return wal_.Close(write_path_.last_allocated()); });
    if (status.ok()) status = closed;
  }
  if (context_.listeners != nullptr) context_.listeners->End();
  // The last write: the next owner may come as soon as the locks are gone.
  context_.event_log->Event("close_end").Add("status", status);
  context_.event_log->CloseFile();
  table_directories_.Release();
  for (auto* held : {&wal_lock_file_, &lock_file_}) {
    if (*held != nullptr) (*held)->WhenLost(nullptr);
    held->reset();
  }
  return status;
}

DBImpl::~DBImpl() {
  CatchExceptions([this] { return Close(); }).PermitUncheckedError();
  auto_resume_.Stop();
}

}  // namespace tamis
