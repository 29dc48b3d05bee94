// SPDX-License-Identifier: Apache-2.0
//
// A directory of a database beside its own: of logs (wal_directory.h) or of
// tables (table_directories.h). It has, beside these files:
//
//   IDENTITY  the id of the database that uses it
//   LOCK      held while a database that uses it is open
//   lost/
//
// `option` names the option that has the directory, for messages.
#pragma once

#include <memory>
#include <string>

#include "tamis/file_system.h"
#include "tamis/status.h"

#include "db/base/db_context.h"
#include "util/base/result.h"

namespace tamis {

// Returns InvalidArgument if the directory has a CURRENT.
Status CheckIsNoDatabase(FileSystem* fs, const char* option,
                         const std::string& directory);

// Creates the directory if missing, durably, and locks it. Returns
// InvalidArgument if it is the directory of a database.
Status PrepareSeparateDirectory(FileSystem* fs, const char* option,
                                const std::string& directory,
                                std::unique_ptr<FileLock>* lock);

// Returns the id in the directory's IDENTITY, empty if there is none.
Result<std::string> OwnerOf(FileSystem* fs, const std::string& directory);

// Returns the error of a directory in which `file` belongs to a database with
// the id `owner`, and not to that with `db_id`.
Status OwnedByAnother(const char* option, const std::string& directory,
                      const std::string& file, const std::string& owner,
                      const std::string& db_id);

// Writes context.db_id to the directory's IDENTITY, and syncs it, unless the
// file has this id already.
Status ClaimSeparateDirectory(const DBContext& context,
                              const std::string& directory);

}  // namespace tamis
