// SPDX-License-Identifier: Apache-2.0
//
// The background error: the first failure of a log write, a flush, a
// compaction or a MANIFEST write. Until it is cleared, writes fail with it,
// reads work, and no background work starts. DB::Resume clears it. I/O errors,
// such as a full disk, failed allocations and threads that could not be started
// may be transient: after an interval, a timer (AutoResume) or the next write
// resumes automatically.
//
// One error is no failure: the tables have reached the limit of the
// SstFileManager, or a compaction without which no write can proceed has no
// room. Log and MANIFEST are sound then, and there is nothing to retry before
// there is room.
//
// REQUIRES, for every call: the database's mutex is held.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "tamis/status.h"

#include "db/base/auto_resume.h"
#include "db/base/db_context.h"
#include "util/base/exceptions.h"
#include "util/stats/perf_counters.h"

namespace tamis {

class ErrorHandler {
 public:
  // A timer looks for room no sooner than after this time, also with an
  // interval of 0: a look finds room only if somebody has made some.
  static constexpr uint64_t kRoomMicrosMin = 100'000;

  // Arms `auto_resume` after errors that may be transient.
  ErrorHandler(const DBContext& context, AutoResume* auto_resume)
      : context_(context), auto_resume_(*auto_resume) {}

  // Sets the background error, unless there is one, and records `error` in LOG.
  // `where`: "flush", "compaction", "wal", ...
  void Set(const char* where, const Status& error) noexcept {
    Report(where, error);
    if (!error_.ok() && !at_space_limit_) return;
    Take(where, error, /*at_space_limit=*/false);
  }
  // Sets it for the space limit. `wanted`: the bytes of the compaction that
  // needs room, or 0.
  void SetSpaceLimit(const char* where, const Status& error,
                     uint64_t wanted) noexcept {
    if (!error_.ok() || ignores_space_limit_) return;
    Report(where, error);
    wanted_ = wanted;
    Take(where, error, /*at_space_limit=*/true);
  }
  // Ends writes and background work until the database is closed: the error is
  // none of the log or the tables, and nothing clears it.
  void SetFinal(const Status& error) noexcept {
    if (final_) return;
    error_ = error;
    at_space_limit_ = false;
    final_ = true;
  }
  // Makes SetSpaceLimit do nothing. For Close, whose flush keeps its tables
  // beyond the limit, too.
  void IgnoreSpaceLimit() { ignores_space_limit_ = true; }
  // Returns whether the error is the space limit's.
  bool at_space_limit() const { return at_space_limit_; }
  // Returns false while the error is the space limit's and there is no room.
  bool HasRoom() const {
    return !at_space_limit_ ||
           context_.sst_file_manager()->files().HasRoomFor(wanted_);
  }

  // Makes a timer resume after the interval if the error may pass, unless one
  // is armed. If the runner has none, a write resumes.
  void ArmResume() noexcept {
    if (!MayPass()) return;
    if (at_space_limit_) {
      ArmTimer();
    } else {
      auto_resume_.Arm(context_.runner(),
                       context_.options.bgerror_resume_retry_interval);
    }
  }
  // Makes the timer look for room after the interval, but at least
  // kRoomMicrosMin, error or not. Returns false if the runner has none.
  bool ArmTimer() noexcept {
    return auto_resume_.Arm(
        context_.runner(),
        std::max<uint64_t>(kRoomMicrosMin,
                           context_.options.bgerror_resume_retry_interval));
  }
  // Returns whether a thread of the runner resumes, or will; arms a timer if
  // necessary. If not, the write that calls has to.
  bool OthersResume() noexcept {
    return auto_resume_.EnsureArmed(context_.runner());
  }

  // Clears the error and begins a resume, which ends with Set or Recovered.
  void Clear() {
    error_ = Status::OK();
    at_space_limit_ = false;
    ++attempts_;
  }
  void Recovered() { attempts_ = 0; }

  // Returns whether the database may resume automatically: the error may be
  // transient, and attempts are left.
  bool MayPass() const {
    return !final_ && !error_.IsIOFenced() &&
           (error_.IsIOError() || error_.IsMemoryLimit() ||
            error_.IsTryAgain()) &&
           attempts_ < context_.options.max_bgerror_resume_count;
  }
  // Returns whether the next write should do that, as the interval is over or
  // there is room again.
  bool MayRetry() const {
    if (!MayPass()) return false;
    return at_space_limit_ ? HasRoom()
                           : context_.clock()->NowMicros() >= retry_at_;
  }

  bool ok() const { return error_.ok(); }
  const Status& error() const { return error_; }
  // For listeners. REQUIRES: there was an error.
  BackgroundErrorReason reason() const { return reason_; }

 private:
  void Report(const char* where, const Status& error) noexcept {
    TAMIS_DCHECK(!error.ok());
    IgnoreExceptions([&] {  // a user's Statistics may throw
      RecordTick(context_.statistics(), ERROR_HANDLER_BG_ERROR_COUNT);
      if (error.IsIOError()) {
        RecordTick(context_.statistics(), ERROR_HANDLER_BG_IO_ERROR_COUNT);
      }
    });
    context_.event_log->Event("background_error")
        .Add("in", Slice(where))
        .Add("status", error);
  }
  void Take(const char* where, const Status& error,
            bool at_space_limit) noexcept {
    error_ = error;
    at_space_limit_ = at_space_limit;
    reason_ = ReasonOf(where);
    if (context_.listeners != nullptr) {
      context_.listeners->Post(
          [reason = reason_, error](EventListener* listener, DB*) {
            Status copy = error;
            listener->OnBackgroundError(reason, &copy);
          });
    }
    retry_at_ = context_.clock()->NowMicros() +
                context_.options.bgerror_resume_retry_interval;
    ArmResume();
  }
  static BackgroundErrorReason ReasonOf(std::string_view where) {
    if (where == "flush") return BackgroundErrorReason::kFlush;
    if (where == "compaction") return BackgroundErrorReason::kCompaction;
    if (where == "wal") return BackgroundErrorReason::kWriteCallback;
    return BackgroundErrorReason::kManifestWrite;
  }

  const DBContext& context_;
  AutoResume& auto_resume_;
  Status error_;
  bool final_ = false;  // nothing clears the error
  bool at_space_limit_ = false;
  bool ignores_space_limit_ = false;
  uint64_t wanted_ = 0;  // at the space limit: bytes of a compaction
  BackgroundErrorReason reason_ = BackgroundErrorReason::kManifestWrite;
  int attempts_ = 0;       // to resume, since the last Recovered
  uint64_t retry_at_ = 0;  // microseconds
};

}  // namespace tamis
