// SPDX-License-Identifier: Apache-2.0
//
// The second half of recovery: replays the logs. Their writes become tables of
// level 0 or, where nothing may be written, memtables.
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
    VersionEdit edit;  // adds the tables the logs became
  };
  std::vector<Family> families;  // all of them
  // Logs of which records were left out, since they do not fit their checksum
  // or since older ones before them are missing; ascending.
  std::vector<uint64_t> lost;
  uint64_t records = 0;  // that were replayed
  // The oldest log that the MANIFEST needs was there, and so were all behind
  // it: logs are removed from the oldest on.
  bool has_first = false;
};
// Replays the logs that are still needed: into tables of level 0, or, where
// nothing may be written, into memtables, which the families then have.
Result<RecoveredLogs> ReplayLogs(const DBContext& context,
                                 const DirectoryListing& listing,
                                 VersionSet* versions);
// Takes back the tables that the logs became. REQUIRES: no MANIFEST lists them.
void RemoveTablesOf(const DBContext& context, const RecoveredLogs& logs);

}  // namespace tamis
