// SPDX-License-Identifier: Apache-2.0
//
// The WalArchive keeps the logs that no family needs any more, in archive/, for
// those that read or copy logs: until they are old (WAL_ttl_seconds), or take
// too much space together (WAL_size_limit_MB).
//
//   000004.log ──▶ archive/000004.log ──▶ deleted
//              Add                    Purge: by Add, by a timer
//
// A log moves when the MANIFEST no longer needs it. The rename is not synced: a
// power failure may undo it, and the next open repeats it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "db/base/auto_resume.h"
#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "util/base/mutex.h"

namespace tamis {

// Any thread. The calls do I/O: the caller holds no lock that others wait for.
class WalArchive {
 public:
  // `context` must outlive *this.
  explicit WalArchive(const DBContext& context)
      : context_(context), timer_([this] { Purge(); }) {}

  // Whether logs are kept.
  bool enabled() const {
    return context_.options.WAL_ttl_seconds != 0 ||
           context_.options.WAL_size_limit_MB != 0;
  }

  // Moves these logs to the archive, then purges it. Deletes empty ones. A log
  // that cannot be moved is left to the next open. LOG has each outcome. If
  // memory runs out, does less. REQUIRES: enabled().
  void Add(std::span<const FileNumber> logs) noexcept EXCLUDES(mutex_);
  // Deletes what the options do not keep. Does nothing if not enabled().
  void Purge() noexcept EXCLUDES(mutex_);

  // Deletes a log of the archive, durably. Returns PathNotFound if it is not
  // there, Busy between Disable and Enable, and the errors of the file system.
  Status Delete(FileNumber number) EXCLUDES(mutex_);

  // Between Disable and Enable, Add moves nothing, and Purge deletes nothing;
  // Enable does. Disable waits for a call that is under way. REQUIRES: each
  // Disable gets one Enable.
  void Disable() EXCLUDES(mutex_);
  void Enable() noexcept EXCLUDES(mutex_);

  // Waits for a purge by the timer; there is none afterwards.
  void Stop() { timer_.Stop(); }

 private:
  struct Log {
    uint64_t bytes = 0;
    uint64_t written_seconds = 0;  // when it was last written
  };

  Status Load() REQUIRES(mutex_);
  Status Describe(const std::string& path, Log* log) const;
  Status Move(FileNumber number) REQUIRES(mutex_);
  void MoveWaiting() REQUIRES(mutex_);
  void PurgeLocked() REQUIRES(mutex_);
  bool IsTooOld(const Log& log) const;
  void RepeatLater() noexcept EXCLUDES(mutex_);

  const DBContext& context_;
  AutoResume timer_;  // calls once, after an interval

  Mutex mutex_;  // held while files are moved or deleted
  std::map<FileNumber, Log> logs_ GUARDED_BY(mutex_);
  bool loaded_ GUARDED_BY(mutex_) = false;  // logs_ has what was there before
  bool exists_ GUARDED_BY(mutex_) = false;  // the directory's name is durable
  std::vector<FileNumber> waiting_ GUARDED_BY(mutex_);  // to be moved
  int disabled_ GUARDED_BY(mutex_) = 0;
};

}  // namespace tamis
