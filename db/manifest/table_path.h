// SPDX-License-Identifier: Apache-2.0
//
// Where the file of a table is: in the database's directory, unless the table
// is in another path of its family (db/base/table_paths.h).
#pragma once

#include <memory>
#include <string>

#include "db/base/db_context.h"
#include "db/base/file_names.h"
#include "db/manifest/version_edit.h"

namespace tamis {

// Return the directory of a table, of which FileMetaData::directory is given.
// The result lives as long as both arguments.
inline const std::string& TableDirectory(
    const DBContext& context,
    const std::shared_ptr<const std::string>& directory) {
  return directory != nullptr ? *directory : context.directory;
}
inline const std::string& TableDirectory(const DBContext& context,
                                         const FileMetaData& table) {
  return TableDirectory(context, table.directory);
}

inline std::string TablePath(const DBContext& context,
                             const FileMetaData& table) {
  return TableFileName(TableDirectory(context, table), table.number);
}

// Returns the path under LevelDB's name for tables (.ldb).
inline std::string TableAliasPath(const DBContext& context,
                                  const FileMetaData& table) {
  return LevelDBTableFileName(TableDirectory(context, table), table.number);
}

}  // namespace tamis
