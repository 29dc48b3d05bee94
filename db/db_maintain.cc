// SPDX-License-Identifier: Apache-2.0
//
// Flush, compact, resume, close: what a user asks of the engine itself.
#include <algorithm>
#include <map>

#include "db/db_impl.h"
#include "util/base/exceptions.h"

namespace tamis {

Status DBImpl::WaitForFlushes(const Families& families) {
  // What was frozen up to now, not what will be while we wait.
  std::map<const ColumnFamily*, std::shared_ptr<const MemTable>> newest;
  for (const ColumnFamilyPtr& family : families) {
    if (!family->immutables().empty()) {
      newest[family.get()] = family->immutables().back();
    }
  }
  mutex_.Wait(context_.runner(), scheduler_.changed(), [&] {
    mutex_.AssertHeld();
    std::erase_if(newest, [](const auto& waited) {
      const auto& [family, memtable] = waited;
      const auto& left = family->immutables();
      return family->dropped() ||
             std::find(left.begin(), left.end(), memtable) == left.end();
    });
    return newest.empty() || !errors_.ok() || scheduler_.stopping();
  });
  if (!errors_.ok()) return errors_.error();
  return newest.empty()
             ? Status::OK()
             : Status::ShutdownInProgress(context_.directory,
                                          "the database is being closed");
}

Status DBImpl::SwitchUnflushed(const Families& families) {
  Families due;
  std::copy_if(families.begin(), families.end(), std::back_inserter(due),
               [](const ColumnFamilyPtr& family) {
                 return !family->dropped() && !family->memtable()->empty();
               });
  return due.empty() ? Status::OK() : SwitchMemTables(due);
}

Status DBImpl::FlushMemTables(const Families& families, bool wait) {
  const Families all =
      context_.options.atomic_flush ? *versions_.families().view() : families;
  {
    WriteBarrier barrier(&write_queue_, context_.runner());
    TAMIS_RETURN_IF_ERROR(MayGoOn());
    TAMIS_RETURN_IF_ERROR(SwitchUnflushed(all));
  }
  return wait ? WaitForFlushes(all) : Status::OK();
}

Status DBImpl::Flush(const FlushOptions& options,
                     const std::vector<ColumnFamilyHandle*>& families) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  const Families all = FamiliesOf(families);
  TAMIS_RETURN_IF_ERROR(FlushMemTables(all, options.wait));
  for (const ColumnFamilyPtr& family : all) {
    if (family->dropped()) return Status::ColumnFamilyDropped(family->name());
  }
  return Status::OK();
}

Status DBImpl::CompactRange(const CompactRangeOptions& options,
                            ColumnFamilyHandle* handle, const Slice* begin,
                            const Slice* end) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  const ColumnFamilyPtr family = FamilyOf(handle);
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (family->dropped()) return Status::ColumnFamilyDropped(family->name());
  TAMIS_RETURN_IF_ERROR(FlushMemTables({family}, /*wait=*/true));

  int deepest = 0;
  {
    // Let go of before the compactions: it would keep their inputs on disk.
    const VersionPtr version = family->version();
    for (int level = 1; level < kNumLevels; ++level) {
      if (!version->Overlapping(level, begin, end).empty()) deepest = level;
    }
  }
  // What is in level 0 alone goes one down, into order.
  const int bottom = std::max(deepest, 1);
  Status status;
  for (int level = 0; level < bottom && status.ok(); ++level) {
    status = scheduler_.CompactLevel(family, level, bottom, begin, end);
  }
  if (status.ok() && options.bottommost_level_compaction ==
                         BottommostLevelCompaction::kForce) {
    status = scheduler_.CompactLevel(family, bottom, bottom, begin, end);
  }
  return family->dropped() ? Status::ColumnFamilyDropped(family->name())
                           : status;
}

Status DBImpl::FlushWAL(bool sync) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  WriteBarrier barrier(&write_queue_, context_.runner());
  TAMIS_RETURN_IF_ERROR(MayGoOn());
  Status status;
  {
    MutexUnlock unlock(&mutex_);
    status = wal_.Flush(sync);
  }
  if (!status.ok()) errors_.Set("wal", status);
  return status;
}

Status DBImpl::Resume() {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  WriteBarrier barrier(&write_queue_, context_.runner());
  return ResumeAtFront();
}

void DBImpl::ResumeByTimer() noexcept {
  CatchExceptions([this] {
    MutexLock lock(&mutex_);
    TAMIS_RETURN_IF_ERROR(CheckOpen());
    WriteBarrier barrier(&write_queue_, context_.runner());
    if (scheduler_.stopping() || !errors_.MayPass()) return Status::OK();
    return ResumeAtFront();
  }).PermitUncheckedError();
}

// What a failed log or MANIFEST holds is not known, so both begin anew, and
// all that only the old log has goes to tables first. Writes wait until then:
// behind a hole in the old log they would be lost to a crash. The tables take
// effect all at once: a family that went on alone would be ahead of what a
// power cut leaves of that log.
// REQUIRES: the front of the write queue.
Status DBImpl::ResumeAtFront() {
  if (errors_.ok()) return Status::OK();
  context_.event_log->Event("resume_start").Add("error", errors_.error());
  // A job that still runs may meet the same failure, which would be taken for
  // a new one, or be writing the MANIFEST that is abandoned here.
  scheduler_.WaitForJobs();
  const Status cause = errors_.error();
  const bool log_had_failed = wal_.failed();
  const Families all = *versions_.families().view();
  // From here on nothing is thrown out of this: the error would stay cleared.
  errors_.Clear();
  versions_.AbandonManifest();
  scheduler_.set_flush_together(true);
  Status status = CatchExceptions([&] {
    mutex_.AssertHeld();
    TAMIS_RETURN_IF_ERROR(SwitchMemTables(all));
    return WaitForFlushes(all);
  });
  scheduler_.set_flush_together(false);
  if (status.ok()) {
    status = CatchExceptions([&] {
      mutex_.AssertHeld();
      std::vector<VersionEdit> edits(all.size());
      std::vector<FamilyEdit> steps;
      for (size_t i = 0; i < all.size(); ++i) {
        edits[i].log_number = wal_.number();
        steps.push_back({all[i], &edits[i]});
      }
      return versions_.LogAndApply(steps);
    });
    if (!status.ok()) errors_.Set("resume", status);
  }
  if (status.ok()) {
    errors_.Recovered();
    scheduler_.DropObsoleteLogs();
  } else {
    // Given up because of a Close, it leaves what was wrong as it was.
    if (errors_.ok()) errors_.Set("resume", cause);
    if (log_had_failed) wal_.MarkFailed();
  }
  context_.event_log->Event("resume_end").Add("status", status);
  scheduler_.MaybeSchedule();
  return status;
}

Status DBImpl::Close() {
  Status status;
  {
    MutexLock lock(&mutex_);
    if (closed_.exchange(true)) return Status::OK();
    context_.event_log->Event("close_start");
    if (context_.read_only) return Status::OK();
    // Nothing else keeps what was written without a log. Nobody joins the
    // writers any more, and the flush comes behind those who wait.
    if (unlogged_) {
      status = CatchExceptions([this] {
        mutex_.AssertHeld();
        return errors_.ok() ? FlushMemTables(*versions_.families().view(),
                                             /*wait=*/true)
                            : errors_.error();
      });
    }
    scheduler_.Stop();
    // Those that queued before closed_ was set end with an error.
    WriteBarrier barrier(&write_queue_, context_.runner());
    scheduler_.PurgeObsoleteFiles();
    // What the log holds is as durable as it was then, and no more.
    if (wal_.failed()) status = errors_.error();
    const Status manifest = versions_.CloseManifest();
    if (status.ok()) status = manifest;
  }
  if (!wal_.failed()) {
    const Status closed =
        CatchExceptions([this] { return wal_.Close(last_allocated_); });
    if (status.ok()) status = closed;
  }
  lock_file_.reset();
  context_.event_log->Event("close_end").Add("status", status);
  return status;
}

DBImpl::~DBImpl() {
  CatchExceptions([this] { return Close(); }).PermitUncheckedError();
  auto_resume_.Stop();
}

}  // namespace tamis
