// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/kept_logs.h"

#include "db/base/file_names.h"
#include "util/io/file_io.h"

namespace tamis {

void KeptLogs::Note(FileNumber number, uint64_t bytes, bool closed) {
  if (!may_stay_) return;
  // Only the newest may be empty.
  if (unused_ != kNoFile) Refuse();
  if (bytes == 0) {
    unused_ = number;
    return;
  }
  // A log that was not closed may end in the system's memory.
  if (!closed) all_closed_ = false;
  files_.push_back({number, bytes});
}

bool KeptLogs::MayStay() const {
  if (!may_stay_) return false;
  if (files_.empty()) return true;
  return context_.options.avoid_flush_during_recovery && all_closed_ &&
         files_.size() <= kKeptLogsMax;
}

// Its marker is not durable. If a power failure tears it, records count as
// missing after it, unless those of the next log continue without a gap; which
// they do not after writes that have no log.
bool KeptLogs::Sync() const {
  if (files_.empty()) return true;
  const FileNumber newest = files_.back().number;
  const Status synced = file_io::SyncFile(
      context_.fs(), LogFileName(context_.log_directory(), newest));
  if (synced.ok()) return true;
  context_.event_log->Event("logs_not_kept")
      .Add("file", newest.value())
      .Add("status", synced);
  return false;
}

}  // namespace tamis
