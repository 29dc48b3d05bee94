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
#include "db/recovery/directory_listing.h"
#include "util/base/result.h"

namespace tamis {

// A failure with the place it was met at, for messages. An IOError names its
// file already; what is no IOError, NotSupported or InvalidArgument becomes
// Corruption.
Status WithPlace(const std::string& place, const Status& status);

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
