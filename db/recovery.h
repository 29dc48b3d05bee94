// SPDX-License-Identifier: Apache-2.0
//
// From a directory as a close, a kill or a power cut left it to a tree in
// memory: read CURRENT, replay the MANIFEST, check what it promises, replay
// the logs. Nothing is deleted here, and but for new tables nothing is
// written: if it fails, the directory is as it was.
//
// See FORMAT.md, "open". One thread, before any other has the database.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/db_context.h"
#include "db/version_set.h"
#include "util/result.h"

namespace tamis {

// A new database: IDENTITY, an empty MANIFEST, CURRENT, in that order, so that
// until the last step there is none.
Status CreateDatabase(const DBContext& context);

// The file names of a directory, sorted out.
struct DirectoryListing {
  std::vector<uint64_t> logs;       // ascending
  std::vector<uint64_t> tables;     // ascending
  std::vector<uint64_t> manifests;  // ascending
  uint64_t largest_number = 0;      // of files of every kind
  bool has_current = false;
};
Result<DirectoryListing> ListDirectory(const DBContext& context);

// Whether files without a CURRENT are what an interrupted CreateDatabase
// leaves behind, which is safe to begin anew.
bool IsInterruptedCreation(const DBContext& context,
                           const DirectoryListing& listing);

struct RecoveredManifest {
  std::string db_id;       // empty: the MANIFEST has none
  bool torn_tail = false;  // its last record was cut
};
// Fills the default family and the counters of `versions`, and opens every
// table, or as many as may be open.
Result<RecoveredManifest> ReplayManifest(const DBContext& context,
                                         const DirectoryListing& listing,
                                         VersionSet* versions);

struct RecoveredLogs {
  VersionEdit edit;  // adds the tables the logs became
  // Logs of which records were left out, since they do not fit their checksum
  // or since older ones before them are missing; ascending.
  std::vector<uint64_t> lost;
};
// Replays the logs that are still needed into tables of level 0.
Result<RecoveredLogs> ReplayLogs(const DBContext& context,
                                 const DirectoryListing& listing,
                                 VersionSet* versions);

}  // namespace tamis
