// SPDX-License-Identifier: Apache-2.0
//
// This file implements the calls of DBImpl that control background work and the
// log: wait for work, pause it, cancel it, disable manual compactions, lock the
// log.
#include <optional>

#include "tamis/convenience.h"

#include "db/db_facade.h"
#include "db/db_impl.h"

namespace tamis {

Status DBImpl::WaitForCompact(const WaitForCompactOptions& options) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  if (options.timeout.count() < 0) {
    return Status::InvalidArgument("WaitForCompact", "timeout is negative");
  }
  {
    MutexLock lock(&mutex_);
    TAMIS_RETURN_IF_ERROR(CheckOpen());
    if (options.flush) {
      TAMIS_RETURN_IF_ERROR(write_path_.Flush(*versions_.families().view(),
                                              /*wait=*/false,
                                              FlushReason::kManualFlush));
    }
    TAMIS_RETURN_IF_ERROR(scheduler_.WaitUntilIdle(
        options.abort_on_pause,
        static_cast<uint64_t>(options.timeout.count())));
  }
  return options.close_db ? Close() : Status::OK();
}

Status DBImpl::PauseBackgroundWork() {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  scheduler_.Pause();
  return Status::OK();
}

Status DBImpl::ContinueBackgroundWork() {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  return scheduler_.Continue()
             ? Status::OK()
             : Status::InvalidArgument("ContinueBackgroundWork",
                                       "background work is not paused");
}

Status DBImpl::CancelAllBackgroundWork(bool wait) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  stats_dump_.Stop();
  wal_archive_.Stop();
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  Status status;
  if (!scheduler_.stopping()) {
    // The flush needs jobs, and a call that waits for a Continue would not end.
    scheduler_.EndPauses();
    EndWalLock();
    std::optional<WriteBarrier> barrier;
    if (write_path_.has_unlogged() &&
        !context_.Live<&DBOptions::avoid_flush_during_shutdown>()) {
      // No write comes between the flush and the error.
      barrier.emplace(&write_path_.queue(), context_.runner());
      status = write_path_.FlushUnlogged();
    }
    errors_.SetFinal(Status::ShutdownInProgress(
        context_.directory, "its background work was cancelled"));
    scheduler_.Cancel();
  }
  if (wait) scheduler_.Stop();
  return status;
}

Status DBImpl::DisableManualCompaction() {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  scheduler_.DisableManual();
  return Status::OK();
}

Status DBImpl::EnableManualCompaction() {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  scheduler_.EnableManual();
  return Status::OK();
}

Status DBImpl::LockWAL() {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  mutex_.Wait(context_.runner(), scheduler_.changed(), [this] {
    mutex_.AssertHeld();
    return !locking_wal_;
  });
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (wal_locks_ == 0) {
    locking_wal_ = true;
    wal_lock_.emplace(&write_path_.queue(), context_.runner());
    Status status = CheckOpen();
    if (status.ok()) status = write_path_.ResumeIfDue();
    if (status.ok()) status = FlushLogLed(/*sync=*/false);
    if (status.ok()) status = CheckOpen();  // Close ends locks that are held
    // Until here, no other call may take the lock, or count on it.
    locking_wal_ = false;
    scheduler_.changed().notify_all();
    if (!status.ok()) {
      wal_lock_.reset();
      return status;
    }
  }
  ++wal_locks_;
  return Status::OK();
}

Status DBImpl::UnlockWAL() {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (wal_locks_ == 0) return Status::Aborted("the log is not locked");
  if (--wal_locks_ == 0) wal_lock_.reset();
  return Status::OK();
}

// A LockWAL that still waits finds the database closed.
void DBImpl::EndWalLock() {
  if (wal_locks_ == 0) return;
  wal_locks_ = 0;
  wal_lock_.reset();
}

void CancelAllBackgroundWork(DB* db, bool wait) {
  DBFacade* const facade = DBFacade::Of(db);
  if (facade != nullptr) facade->CancelAllBackgroundWork(wait);
}

}  // namespace tamis
