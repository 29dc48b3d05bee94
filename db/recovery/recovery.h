// SPDX-License-Identifier: Apache-2.0
//
// Recovery builds the state in memory from a directory left by a close, a kill
// or a power failure. It deletes no file and writes only new tables, which it
// removes if it fails:
//
//   ReadManifest ─▶ CheckManifest ─▶ InstallManifest ─▶ ReplayLogs
//
// See db/FORMAT.md, "What an open does". One thread, while no other thread uses
// the database.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/db.h"

#include "db/base/db_context.h"
#include "db/family/version_set.h"
#include "db/manifest/manifest_state.h"
#include "db/manifest/version_edit.h"
#include "db/recovery/directory_listing.h"
#include "util/base/result.h"

namespace tamis {

// Returns the error with the place of the failure in its message. An IOError,
// which already names its file, is returned as it is. Any other error except
// NotSupported and InvalidArgument becomes Corruption. REQUIRES: !status.ok()
Status WithPlace(const std::string& place, const Status& status);

// Returns what to do about a table that is not where the MANIFEST says: empty
// if that names no other directory than the first.
std::string HintOfPath(const FileMetaData& listed);

// Returns Corruption if the next file number is above 4 * 10^18, too close to
// the limit of 2^62 for writing.
Status CheckNumbersLeft(const std::string& directory, FileNumber next);

// Returns an error if this release cannot open the database with these
// families. Reads and changes no file.
//   InvalidArgument  `families` names one that the database lacks, and the open
//                    may not create it; omits one in an open for writing; or
//                    has another comparator than the database
//   NotSupported     a family to open needs a feature that this release lacks;
//                    or LevelDB wrote the directory, and an open for writing
//                    lacks upgrade_leveldb
Status CheckManifest(const DBContext& context, const ManifestState& manifest,
                     const std::vector<ColumnFamilyDescriptor>& families);

// Fills `versions` with the families of the MANIFEST that `families` names, and
// with the counters. Checks that every table exists with its size, and opens
// the first ones, or all if the database is opened for reading only. Scans
// tables of LevelDB for their sequence bounds. Returns Corruption if one of
// these tables or the MANIFEST is damaged or the MANIFEST lost edits
// (lost_edits.h), IOError if all tables are to be open but the process may not
// open that many files, and other errors of opening tables. REQUIRES:
// CheckManifest returned OK; the options in `families` are complete.
Status InstallManifest(const DBContext& context, const ManifestState& manifest,
                       const DirectoryListing& listing,
                       const std::vector<ColumnFamilyDescriptor>& families,
                       VersionSet* versions);

// Returns the version of an open family that the MANIFEST lists now, with the
// tables that it shares with the current one. Checks and opens tables as
// InstallManifest does, and returns the same errors. REQUIRES: the database is
// open for reading only.
Result<VersionPtr> NextVersion(const DBContext& context,
                               const ManifestState& manifest,
                               const ColumnFamily& family,
                               const ManifestFamily& listed,
                               const Version& current);

// Returns the highest sequence number in a table of the version.
SequenceNumber LargestSequence(const Version& version);

// Returns the version, with new epoch numbers by age if one is missing or too
// large to count on from it.
VersionPtr WithKnownEpochs(const ColumnFamily& family, VersionPtr version);

}  // namespace tamis
