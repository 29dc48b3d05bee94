// SPDX-License-Identifier: Apache-2.0
//
// A DirectoryListing has the files of a database by type and number.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "util/base/result.h"

namespace tamis {

struct DirectoryListing {
  std::vector<std::string> names;  // all of the database's directory
  // Ascending: the logs, and those that are in the database's directory
  // although logs have another.
  std::vector<FileNumber> logs;
  std::vector<FileNumber> stray_logs;
  std::vector<FileNumber> tables;  // ascending, of all directories
  // Of tables in other directories than the database's, as in FileMetaData.
  std::map<FileNumber, std::shared_ptr<const std::string>> table_directories;
  std::vector<FileNumber> manifests;  // ascending
  // Names of directories of remote compactions that a process has left.
  std::vector<std::string> job_directories;
  // Of all file types except LOG files, and of the archive.
  FileNumber largest_number;
  bool has_current = false;
  bool has_identity = false;
  bool has_options = false;  // an OPTIONS file, which may be a temporary one
  // Of a database that this open has created: the number of its first log,
  // which does not exist yet. Otherwise kNoFile.
  FileNumber first_log;
};
// Returns the files of context.directory, of the directory of the logs, and the
// tables of context.table_directories. Returns the errors of the file system,
// and InvalidArgument if the directory of the logs is missing. One of tables
// may be.
Result<DirectoryListing> ListDirectory(const DBContext& context);
// Returns a listing that lacks no log older than its newest one, although
// another process may be writing: a single listing that is taken while two logs
// are created may lack the first. For an open for reading only.
Result<DirectoryListing> ListForReading(const DBContext& context);

}  // namespace tamis
