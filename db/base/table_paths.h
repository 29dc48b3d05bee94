// SPDX-License-Identifier: Apache-2.0
//
// TablePaths are the directories that the tables of one family may be in, and
// how large each may grow (ColumnFamilyOptions::cf_paths, else
// DBOptions::db_paths, else the database's directory alone). The MANIFEST names
// a directory by its index, the path id.
//
//   cf_paths   {"/fast", 10 GiB}  {"/slow", 1 TiB}     path ids 0 and 1
//   leveled    L0 L1 L2           L3 ...               as far as they fit
//   universal  smaller merges     larger ones
//
// The target sizes only choose where new tables go; nothing enforces them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tamis/db.h"
#include "tamis/status.h"

namespace tamis {

class TablePaths {
 public:
  // nullptr means the database's directory.
  using Directory = std::shared_ptr<const std::string>;

  // `database` is the database's directory. Without `paths`, that is the only
  // one.
  TablePaths(const std::string& database, const std::vector<DbPath>& paths);

  // Returns the id of the path that an id in a MANIFEST means: as in RocksDB,
  // the last one's if there are fewer paths.
  uint8_t PathOf(uint8_t id) const;
  // Returns the directory of PathOf(id).
  const Directory& directory(uint8_t id) const {
    return directories_[PathOf(id)];
  }
  // Returns the id of the first path with this directory.
  std::optional<uint8_t> Find(const Directory& directory) const;
  size_t size() const { return directories_.size(); }

 private:
  std::vector<Directory> directories_;  // by path id; at least one
};

// Returns InvalidArgument if a path has no name, NotSupported if there are more
// than four. `option` is the name of the option.
Status CheckPaths(const char* option, const std::vector<DbPath>& paths);
// Does so for cf_paths, and returns NotSupported if there are several and the
// compaction style has no rule for them.
Status CheckFamilyPaths(const ColumnFamilyOptions& options);

// Returns InvalidArgument, which names `what`, unless the family has the path.
Status CheckPathId(const char* what, const ColumnFamilyOptions& family,
                   uint64_t id);

// Returns the names of all directories of the paths except the database's own,
// each once.
std::vector<std::string> SeparateTableDirectories(
    const std::string& database, const DBOptions& options,
    const std::vector<ColumnFamilyDescriptor>& families);

}  // namespace tamis
