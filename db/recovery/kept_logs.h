// SPDX-License-Identifier: Apache-2.0
//
// KeptLogs notes the logs that an open replays, and judges whether they may
// stay, with the old MANIFEST: then their entries remain in memtables, instead
// of becoming tables of level 0, and nothing is written but the next log.
//
// They may stay if they have no entries. With
// DBOptions::avoid_flush_during_recovery, they may also stay if they are
// durable to their ends, so that a power failure cannot lose a record of theirs
// and keep one of the next log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "db/wal/write_ahead_log.h"

namespace tamis {

// Each open with writes leaves another log, and each is read by the next open.
inline constexpr size_t kKeptLogsMax = 8;

// One thread.
class KeptLogs {
 public:
  // `manifest_may_stay`: the MANIFEST is whole and durable, and the oldest and
  // the newest log that it needs are there, and none older.
  KeptLogs(const DBContext& context, bool manifest_may_stay)
      : context_(context), may_stay_(manifest_may_stay) {}

  // Notes a log, oldest first, of which `bytes` bytes were read. `closed`: it
  // ends in a clean-close marker, and nothing follows that.
  void Note(FileNumber number, uint64_t bytes, bool closed);
  // From now on, MayStay() returns false: a new MANIFEST is needed for a table
  // that was written, for records that were dropped, or for a transaction that
  // is prepared and is copied to the next log.
  void Refuse() { may_stay_ = false; }

  bool MayStay() const;
  // Makes the newest log that has records durable to its end; returns whether
  // it is. REQUIRES: MayStay().
  bool Sync() const;

  // The logs that have records. REQUIRES: MayStay().
  const std::vector<WriteAheadLog::LogFile>& files() const { return files_; }
  // The newest log if it is empty: writing continues in it. Otherwise kNoFile.
  // REQUIRES: MayStay().
  FileNumber unused() const { return unused_; }

 private:
  const DBContext& context_;
  bool may_stay_;
  bool all_closed_ = true;
  std::vector<WriteAheadLog::LogFile> files_;
  FileNumber unused_;
};

}  // namespace tamis
