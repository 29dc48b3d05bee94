// SPDX-License-Identifier: Apache-2.0
//
// The background error: the first failure of a log write, a flush, a
// compaction or a MANIFEST write. While it stands, writes fail with it, reads
// go on, and no background work starts. DB::Resume clears it, and so does a
// timer (AutoResume), or a write that comes when it is time to try again: an
// I/O error may pass, as when a full disk is full no more, and so may a lack of
// memory.
//
// Under the database's mutex.
#pragma once

#include <utility>

#include "tamis/status.h"

#include "db/base/auto_resume.h"
#include "db/base/db_context.h"

namespace tamis {

class ErrorHandler {
 public:
  // `auto_resume` is armed when an error is set that may pass.
  ErrorHandler(const DBContext& context, AutoResume* auto_resume)
      : context_(context), auto_resume_(*auto_resume) {}

  // The first one counts. `where`: "flush", "compaction", "wal", ...
  void Set(const char* where, const Status& error) noexcept {
    context_.event_log->Event("background_error")
        .Add("in", Slice(where))
        .Add("status", error);
    if (!error_.ok()) return;
    error_ = error;
    const uint64_t interval = context_.options.bgerror_resume_retry_interval;
    retry_at_ = context_.clock()->NowMicros() + interval;
    if (MayPass()) auto_resume_.Arm(context_.runner(), interval);
  }

  // Somebody tries to go on; Set, or Recovered, will tell how it ended.
  void Clear() {
    error_ = Status::OK();
    ++attempts_;
  }
  void Recovered() { attempts_ = 0; }

  // Whether the database is to try by itself, and whether a write is to do so.
  bool MayPass() const {
    return (error_.IsIOError() || error_.IsMemoryLimit()) &&
           attempts_ < context_.options.max_bgerror_resume_count;
  }
  bool MayRetry() const {
    return MayPass() && context_.clock()->NowMicros() >= retry_at_;
  }

  bool ok() const { return error_.ok(); }
  const Status& error() const { return error_; }

 private:
  const DBContext& context_;
  AutoResume& auto_resume_;
  Status error_;
  int attempts_ = 0;       // since all was well
  uint64_t retry_at_ = 0;  // microseconds
};

}  // namespace tamis
