// SPDX-License-Identifier: Apache-2.0
//
// Makes a backup the contents of a database's directory. The order of steps
// leaves, wherever it stops, either the old database or one without CURRENT,
// which does not open, and which a restore replaces:
//
//   check the backup's files     nothing has changed if one is missing
//   lock db_dir                  fails if the database is open
//   remove CURRENT, then all else of the old database
//   copy all but CURRENT, sync
//   write CURRENT
#pragma once

#include <string>

#include "tamis/file_system.h"
#include "tamis/status.h"
#include "tamis/utilities/backup_engine.h"

#include "db/backup/backup_directory.h"
#include "db/backup/file_copier.h"

namespace tamis {

struct RestoreTarget {
  FileSystem* fs = nullptr;
  std::string db_dir;
  std::string wal_dir;  // db_dir, or another directory
  bool keep_log_files = false;
  bool sync = true;
};

// REQUIRES: the backup is decoded.
Status RestoreBackup(const BackupDirectory& directory, BackupID id,
                     const BackupMeta& meta, const RestoreTarget& target,
                     FileCopier* copier);

// Returns OK if all files of the backup exist with their sizes, and if `copier`
// is not nullptr with their checksums.
Status CheckBackupFiles(const BackupDirectory& directory,
                        const BackupMeta& meta, FileCopier* copier);

}  // namespace tamis
