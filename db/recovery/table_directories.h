// SPDX-License-Identifier: Apache-2.0
//
// The directories of tables that are not the database's (DBOptions::db_paths,
// ColumnFamilyOptions::cf_paths, separate_directory.h). File numbers do not
// tell whose a table is, and an open removes tables that its MANIFEST does not
// list: a directory that another database uses is refused.
//
// RocksDB marks no directory. One without IDENTITY is the database's if it has
// a table that the MANIFEST lists there, or none at all.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tamis/db.h"

#include "db/base/db_context.h"
#include "db/manifest/manifest_state.h"
#include "util/base/mutex.h"

namespace tamis {

// By directory, the tables that a MANIFEST lists there.
using ListedTables = std::map<std::string, std::set<FileNumber>>;

// Returns the tables in directories other than `database`, the database's.
// `options` and `families` are those of the open; families that it does not
// name have the paths of `options`.
ListedTables ListedInPaths(const std::string& database,
                           const DBOptions& options,
                           const std::vector<ColumnFamilyDescriptor>& families,
                           const ManifestState& manifest);

// Returns OK if the directory may be of the database with this id, which has
// the listed tables. Otherwise returns InvalidArgument.
Status CheckTableDirectory(FileSystem* fs, const std::string& directory,
                           const std::string& db_id,
                           const ListedTables& listed);

// The locks of the directories that an open database uses. Any thread.
class TableDirectories {
 public:
  // `context` must outlive *this.
  explicit TableDirectories(const DBContext& context) : context_(context) {}

  // Creates, locks and checks those of the directories that are not in use yet,
  // and marks them. An error leaves the use as it was.
  Status Use(const std::vector<std::string>& directories,
             const ListedTables& listed) EXCLUDES(mutex_);
  // Releases the locks.
  void Release() EXCLUDES(mutex_);

 private:
  const DBContext& context_;
  Mutex mutex_;
  // nullptr if the directory is also that of the logs, which has its own lock.
  using Locks = std::map<std::string, std::unique_ptr<FileLock>>;
  Locks locks_ GUARDED_BY(mutex_);
};

}  // namespace tamis
