// SPDX-License-Identifier: Apache-2.0
//
// ReplayLogs is the second phase of recovery, after InstallManifest
// (recovery.h). It replays the logs into memtables. These become tables of
// level 0; or they and the logs stay, if kept_logs.h allows it, and in
// read-only mode.
//
// One thread, while no other thread uses the database.
#pragma once

#include <cstdint>
#include <vector>

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "db/family/version_set.h"
#include "db/manifest/version_edit.h"
#include "db/recovery/recovered_memtables.h"
#include "db/recovery/recovery.h"
#include "db/wal/prepared_sections.h"
#include "db/wal/write_ahead_log.h"
#include "util/base/result.h"

namespace tamis {

struct RecoveredLogs {
  std::vector<RecoveredFamily> families;  // every open family, ascending by id
  // Logs from which records were dropped that repair may recover, ascending:
  // damaged records, and records that follow missing ones. A torn record at the
  // end of a log does not count.
  std::vector<FileNumber> lost;
  uint64_t records = 0;  // replayed
  // Transactions of which it is not known what became of them.
  PreparedSections::ById prepared;
  // Whether the oldest log that the MANIFEST needs was listed. Logs are removed
  // oldest first, so if this one existed, no needed log had been removed.
  bool has_first = false;
  // Whether writing can go on without a new MANIFEST: no table was made, and
  // what the MANIFEST lacks is in `kept`, oldest first. If the newest log is
  // empty, or is the first of a new database, it is not one of them but
  // `unused`, the log to continue in; otherwise that is kNoFile.
  bool as_it_is = false;
  std::vector<WriteAheadLog::LogFile> kept;
  FileNumber unused;
};
// Replays the logs of the listing that are still needed, and sets the last
// sequence number. Writes the entries to tables, which the returned edits add
// but no MANIFEST lists yet, or keeps the logs, which requires that the
// MANIFEST is whole and durable: `manifest_may_stay`. In read-only mode, writes
// no file, and leaves the entries in the memtables of `families`.
//
// Returns Corruption where DBOptions::wal_recovery_mode does not tolerate the
// damage, NotSupported if there are prepared transactions that neither
// DBOptions::allow_2pc keeps nor a reader ignores, and errors of the file
// system and of flushes. On an error, removes the tables; if an exception is
// thrown, leaves them to the next open.
Result<RecoveredLogs> ReplayLogs(const DBContext& context,
                                 const DirectoryListing& listing,
                                 bool manifest_may_stay, VersionSet* versions);
// Deletes the tables built from the logs. Records errors in LOG only.
// REQUIRES: no MANIFEST lists the tables.
void RemoveTablesOf(const DBContext& context, const RecoveredLogs& logs);

}  // namespace tamis
