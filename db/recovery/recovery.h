// SPDX-License-Identifier: Apache-2.0
//
// Recovery: builds the state in memory from a directory left by a close, a kill
// or a power failure. Reads the MANIFEST, verifies it against the files, and
// replays the logs. Deletes nothing and writes only new tables: if it fails,
// the directory is unchanged.
//
// See FORMAT.md, "What an open does". Only one thread has the database.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/db.h"

#include "db/base/db_context.h"
#include "db/family/version_set.h"
#include "db/manifest/manifest_state.h"
#include "db/recovery/directory_listing.h"
#include "util/base/result.h"

namespace tamis {

// Adds the place of a failure to its message. An IOError already names its
// file. Anything except IOError, NotSupported and InvalidArgument becomes
// Corruption.
Status WithPlace(const std::string& place, const Status& status);

// Corruption: the next file number is above 4 * 10^18, too close to the limit
// of 2^62 for writing.
Status CheckNumbersLeft(const std::string& directory, FileNumber next);

// Rejects what this release cannot maintain, before anything is changed.
//   InvalidArgument: the caller names families that the database lacks or,
//                    for writing, omits some; or a comparator differs
//   NotSupported:    a feature; a LevelDB directory without upgrade_leveldb
Status CheckManifest(const DBContext& context, const ManifestState& manifest,
                     const std::vector<ColumnFamilyDescriptor>& families);

// Fills `versions` with the named families and the counters, and opens every
// table, or as many as max_open_files allows. REQUIRES: the options in
// `families` are complete.
Status InstallManifest(const DBContext& context, const ManifestState& manifest,
                       const DirectoryListing& listing,
                       const std::vector<ColumnFamilyDescriptor>& families,
                       VersionSet* versions);

}  // namespace tamis
