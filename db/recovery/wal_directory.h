// SPDX-License-Identifier: Apache-2.0
//
// A directory of the logs that is not the database's (DBOptions::wal_dir,
// separate_directory.h). It also has archive/.
//
// No log that holds writes is overlooked in another place, or taken for that of
// this database if it is another's: the open fails, and says which files to
// move. If context.wal_dir is empty, only CheckWalDirectory does anything: it
// looks for logs in a directory that was used before.
#pragma once

#include <memory>
#include <string>

#include "tamis/file_system.h"
#include "tamis/status.h"

#include "db/base/db_context.h"
#include "db/manifest/manifest_state.h"
#include "db/recovery/directory_listing.h"

namespace tamis {

inline constexpr char kWalDirOption[] = "DBOptions::wal_dir";

// Does what PrepareSeparateDirectory does.
Status PrepareWalDirectory(const DBContext& context,
                           std::unique_ptr<FileLock>* lock);

// For a database that is to be created. Returns InvalidArgument if the
// directory has logs, or archived ones, which belong to another database; and
// Corruption if its IDENTITY says that they are of this one.
Status CheckWalDirectoryIsUnused(const DBContext& context);

// For a database that exists. Returns InvalidArgument
//   if the logs belong to a database with another id than context.db_id;
//   if a log that `manifest` needs (any, if it has no families) is in the
//   database's directory or in
//     `recorded`, the wal_dir that the newest OPTIONS file names, and the
//     listing lacks it;
//   if the logs were in context.wal_dir, by `recorded`, and it is empty.
// A log without bytes counts for nothing. An OPTIONS file of another directory,
// as in a copy or a checkpoint of RocksDB, says nothing: IDENTITY tells.
Status CheckWalDirectory(const DBContext& context,
                         const ManifestState& manifest,
                         const DirectoryListing& listing,
                         const std::string& recorded);

// Does what ClaimSeparateDirectory does.
Status ClaimWalDirectory(const DBContext& context);

// Returns OK if the directory may belong to the database with this id: its
// IDENTITY has it, or is missing or empty, or there are no logs. Otherwise
// returns InvalidArgument.
Status CheckWalOwner(FileSystem* fs, const std::string& wal_dir,
                     const std::string& db_id);

}  // namespace tamis
