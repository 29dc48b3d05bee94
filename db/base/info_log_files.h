// SPDX-License-Identifier: Apache-2.0
//
// The names of a database's LOG and of the files that it was renamed to.
//
//   without db_log_dir   <database>/LOG          LOG.old.<microseconds>
//   with db_log_dir      <db_log_dir>/<id>_LOG   <id>_LOG.old.<microseconds>
//
// <id> is the absolute path of the database without its first '/', with '_' for
// every byte other than letters, digits, '-', '.' and '_', and with one '/' for
// several, as in RocksDB: /var/lib/my db has var_lib_my_db_LOG.
#pragma once

#include <cstdint>
#include <string>

#include "tamis/file_system.h"

namespace tamis {

struct InfoLogFiles {
  // Returns those of a database. A file system that knows no absolute paths has
  // the path as it is.
  static InfoLogFiles Of(FileSystem* fs, const std::string& database,
                         const std::string& db_log_dir);

  std::string path() const { return directory + "/" + name; }
  std::string OldName(uint64_t micros) const {
    return name + ".old." + std::to_string(micros);
  }
  // Returns whether LOG may have been renamed to this name. LOG.old is
  // LevelDB's.
  bool IsOld(const std::string& other) const;

  std::string directory;
  std::string name;  // of LOG
};

}  // namespace tamis
