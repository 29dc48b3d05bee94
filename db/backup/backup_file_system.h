// SPDX-License-Identifier: Apache-2.0
//
// Shows a backup as the directory of a database, for DB::OpenForReadOnly:
// private/N has the tables, too, which lie in shared folders.
#pragma once

#include <memory>

#include "tamis/file_system.h"
#include "tamis/utilities/backup_engine.h"

#include "db/backup/backup_directory.h"

namespace tamis {

// Returns a file system for the directory private/<id>. Other paths are those
// of the directory's own file system. Calls that would change a file return
// NotSupported.
std::shared_ptr<FileSystem> NewBackupFileSystem(
    const BackupDirectory& directory, BackupID id, const BackupMeta& meta);

}  // namespace tamis
