// SPDX-License-Identifier: Apache-2.0
//
// The second half of recovery: replays the logs into tables of level 0 or, in
// read-only mode, into memtables.
//
// One thread, before any other has the database.
#pragma once

#include <cstdint>
#include <vector>

#include "db/base/db_context.h"
#include "db/family/version_set.h"
#include "db/manifest/version_edit.h"
#include "db/recovery/recovery.h"
#include "util/base/result.h"

namespace tamis {

struct RecoveredLogs {
  struct Family {
    ColumnFamilyPtr family;
    VersionEdit edit;  // adds the tables built from the logs
  };
  std::vector<Family> families;  // every open family
  // Logs with dropped records, ascending: those with a wrong checksum, and
  // those after missing older records.
  std::vector<uint64_t> lost;
  uint64_t records = 0;  // replayed
  // True if the oldest log that the MANIFEST needs exists. Then so do all later
  // ones, because logs are removed oldest first.
  bool has_first = false;
};
// Replays the logs that are still needed, into tables of level 0 or, in
// read-only mode, into the families' memtables.
Result<RecoveredLogs> ReplayLogs(const DBContext& context,
                                 const DirectoryListing& listing,
                                 VersionSet* versions);
// Removes the tables built from the logs. REQUIRES: no MANIFEST lists them.
void RemoveTablesOf(const DBContext& context, const RecoveredLogs& logs);

}  // namespace tamis
