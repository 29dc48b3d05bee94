// SPDX-License-Identifier: Apache-2.0
//
// Flush, compact, resume, close: what a user asks of the engine itself.
#include <algorithm>

#include "db/db_impl.h"

namespace tamis {

namespace {

// The front of the write queue for the length of a scope: nobody writes
// meanwhile.
class WriteBarrier {
 public:
  // REQUIRES: the database's mutex is held, here and in the destructor.
  WriteBarrier(WriteQueue* queue, JobRunner* runner)
      : queue_(*queue), writer_(nullptr, false) {
    queue_.Join(&writer_, runner);
  }
  ~WriteBarrier() { queue_.Finish(1, Status::OK()); }
  WriteBarrier(const WriteBarrier&) = delete;
  WriteBarrier& operator=(const WriteBarrier&) = delete;

 private:
  WriteQueue& queue_;
  WriteQueue::Writer writer_;
};

}  // namespace

Status DBImpl::WaitForFlushes() {
  const ColumnFamily& family = versions_.default_family();
  // What was frozen up to now, not what will be while we wait.
  const std::shared_ptr<const MemTable> newest =
      family.immutables().empty() ? nullptr : family.immutables().back();
  mutex_.Wait(context_.runner(), scheduler_.changed(), [&] {
    mutex_.AssertHeld();
    return std::find(family.immutables().begin(), family.immutables().end(),
                     newest) == family.immutables().end() ||
           !errors_.ok() || scheduler_.stopping();
  });
  if (!errors_.ok()) return errors_.error();
  return scheduler_.stopping()
             ? Status::ShutdownInProgress(context_.directory,
                                          "the database is being closed")
             : Status::OK();
}

Status DBImpl::FlushMemTable(bool wait) {
  {
    WriteBarrier barrier(&write_queue_, context_.runner());
    if (!errors_.ok()) return errors_.error();
    if (!versions_.default_family().memtable()->empty()) {
      TAMIS_RETURN_IF_ERROR(SwitchMemTable());
    }
  }
  return wait ? WaitForFlushes() : Status::OK();
}

Status DBImpl::Flush(const FlushOptions& options,
                     ColumnFamilyHandle* /*family*/) {
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  return FlushMemTable(options.wait);
}

Status DBImpl::CompactRange(const CompactRangeOptions& options,
                            ColumnFamilyHandle* /*family*/, const Slice* begin,
                            const Slice* end) {
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  TAMIS_RETURN_IF_ERROR(FlushMemTable(/*wait=*/true));

  int deepest = 0;
  {
    // Let go of before the compactions: it would keep their inputs on disk.
    const VersionPtr version = versions_.default_family().version();
    for (int level = 1; level < kNumLevels; ++level) {
      if (!version->Overlapping(level, begin, end).empty()) deepest = level;
    }
  }
  // What is in level 0 alone goes one down, into order.
  const int bottom = std::max(deepest, 1);
  for (int level = 0; level < bottom; ++level) {
    TAMIS_RETURN_IF_ERROR(
        scheduler_.CompactLevel(level, level + 1, begin, end));
  }
  if (options.bottommost_level_compaction ==
      BottommostLevelCompaction::kForce) {
    return scheduler_.CompactLevel(bottom, bottom, begin, end);
  }
  return Status::OK();
}

Status DBImpl::FlushWAL(bool sync) {
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  WriteBarrier barrier(&write_queue_, context_.runner());
  if (!errors_.ok()) return errors_.error();
  Status status;
  {
    MutexUnlock unlock(&mutex_);
    status = sync ? log_->Sync() : log_->Flush();
  }
  if (!status.ok()) {
    log_failed_ = true;
    errors_.Set("wal", status);
  }
  return status;
}

// What a failed log or MANIFEST holds is not known, so both begin anew, and
// all that only the old log has goes to tables first. Writes wait until then:
// behind a hole in the old log they would be lost to a crash.
Status DBImpl::Resume() {
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  WriteBarrier barrier(&write_queue_, context_.runner());
  if (errors_.ok()) return Status::OK();
  context_.event_log->Event("resume_start").Add("error", errors_.error());
  // A job that still runs may meet the same failure, which would be taken for
  // a new one, or be writing the MANIFEST that is abandoned here.
  scheduler_.WaitForJobs();
  errors_.Clear();
  versions_.AbandonManifest();
  Status status = SwitchMemTable();
  if (status.ok()) status = WaitForFlushes();
  if (status.ok()) {
    VersionEdit edit;
    edit.log_number = log_->number();
    edit.min_log_number_to_keep = log_->number();
    status = versions_.LogAndApply(&versions_.default_family(), &edit);
    if (!status.ok()) errors_.Set("resume", status);
  }
  context_.event_log->Event("resume_end").Add("status", status);
  scheduler_.MaybeSchedule();
  return status;
}

Status DBImpl::Close() {
  if (closed_.exchange(true)) return Status::OK();
  context_.event_log->Event("close_start");
  Status status;
  {
    MutexLock lock(&mutex_);
    scheduler_.Stop();
    // Those that queued before closed_ was set end with an error.
    WriteBarrier barrier(&write_queue_, context_.runner());
    scheduler_.PurgeObsoleteFiles();
    // What the log holds is as durable as it was then, and no more.
    if (log_failed_) status = errors_.error();
  }
  if (!log_failed_) {
    status = log_->Sync();
    if (status.ok()) status = log_->Close();
  }
  lock_file_.reset();
  context_.event_log->Event("close_end").Add("status", status);
  return status;
}

DBImpl::~DBImpl() { Close().PermitUncheckedError(); }

}  // namespace tamis
