// SPDX-License-Identifier: Apache-2.0
//
// From a directory as a close, a kill or a power cut left it to a tree in
// memory: read the MANIFEST, check what it promises, replay the logs. Nothing
// is deleted here, and but for new tables nothing is written: if it fails, the
// directory is as it was.
//
// See FORMAT.md, "open". One thread, before any other has the database.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/db.h"

#include "db/base/db_context.h"
#include "db/family/version_set.h"
#include "db/manifest/manifest_state.h"
#include "util/base/result.h"

namespace tamis {

// A failure with the place it was met at, for messages. An IOError names its
// file already; what is no IOError, NotSupported or InvalidArgument becomes
// Corruption.
Status WithPlace(const std::string& place, const Status& status);

// Fills in the database's id: what IDENTITY says, or a new one where that is
// missing or empty. Writes nothing.
Status LoadIdentity(DBContext* context);
// Lets IDENTITY say it. Writes where it says anything else.
Status StoreIdentity(const DBContext& context);

// A new database: IDENTITY, an empty MANIFEST, CURRENT, in that order, so that
// until the last step there is none. `comparator`: the default family's.
Status CreateDatabase(const DBContext& context, const Comparator& comparator);

// The file names of a directory, sorted out.
struct DirectoryListing {
  std::vector<uint64_t> logs;       // ascending
  std::vector<uint64_t> tables;     // ascending
  std::vector<uint64_t> manifests;  // ascending
  uint64_t largest_number = 0;      // of files of every kind
  bool has_current = false;
};
Result<DirectoryListing> ListDirectory(const DBContext& context);
// Beside a writer: of two logs that are begun while the directory is listed,
// the list may lack the first. Here it lacks none before the newest in it.
Result<DirectoryListing> ListForReading(const DBContext& context);

// Whether files without a CURRENT are what an interrupted CreateDatabase
// leaves behind, which is safe to begin anew.
bool IsInterruptedCreation(const DBContext& context,
                           const DirectoryListing& listing);

// Corruption: the numbers of files end below 2^62, and `next` is too close for
// writing: above 4 * 10^18.
Status CheckNumbersLeft(const std::string& directory, uint64_t next);

// What cannot be kept up is refused before anything is changed.
//   InvalidArgument: names of families that the database lacks or, where it is
//                    to be written, that the caller does not; a comparator
//   NotSupported:    a feature; LevelDB's directory without upgrade_leveldb
Status CheckManifest(const DBContext& context, const ManifestState& manifest,
                     const std::vector<ColumnFamilyDescriptor>& families);

// Fills `versions` with the families that are named and with the counters, and
// opens every table, or as many as may be open. REQUIRES: the options in
// `families` are complete.
Status InstallManifest(const DBContext& context, const ManifestState& manifest,
                       const DirectoryListing& listing,
                       const std::vector<ColumnFamilyDescriptor>& families,
                       VersionSet* versions);

}  // namespace tamis
