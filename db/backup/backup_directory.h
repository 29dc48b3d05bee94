// SPDX-License-Identifier: Apache-2.0
//
// A directory of backups: what lies where, which backups there are, and which
// files no backup needs.
//
//   LOCK              held while an engine changes the directory
//   meta/N            describes backup N; makes it exist: written last, and
//                     deleted first (backup_meta.h)
//   private/N/        its own files: CURRENT, MANIFEST, OPTIONS, logs
//   shared_checksum/  tables of any number of backups, named by their content
//   shared/           the same, named by their number
//
// A file that is being written is meta/.N.tmp, or .NAME.tmp in a shared folder.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tamis/file_system.h"
#include "tamis/status.h"
#include "tamis/utilities/backup_engine.h"

#include "db/backup/backup_meta.h"

namespace tamis {

struct Backup {
  // OK, or why it cannot be restored.
  Status status;
  // Whether the text could be read: otherwise `meta` is empty.
  bool decoded = false;
  std::string text;
  // Each file has the size that it had when the backup was first seen.
  BackupMeta meta;
};

// By id. A Backup does not change.
using BackupSet = std::map<BackupID, std::shared_ptr<const Backup>>;

// Threads: any. Each call reads the directory, or changes it, as it is then.
class BackupDirectory {
 public:
  BackupDirectory(std::shared_ptr<FileSystem> fs, std::string path)
      : fs_(std::move(fs)), path_(std::move(path)) {}

  FileSystem* fs() const { return fs_.get(); }
  const std::shared_ptr<FileSystem>& shared_fs() const { return fs_; }
  const std::string& path() const { return path_; }
  std::string PathOf(const std::string& file) const {
    return path_ + "/" + file;
  }
  static std::string PrivateFolder(BackupID id) {
    return "private/" + std::to_string(id);
  }
  std::string MetaPath(BackupID id) const {
    return PathOf("meta/" + std::to_string(id));
  }

  // Creates what is missing of the directory, durably if asked.
  Status Create(const BackupEngineOptions& options) const;
  // Returns Busy if an engine holds the lock.
  Status Lock(std::unique_ptr<FileLock>* lock) const;

  // Brings the set up to date. A backup that is in the set, and whose text has
  // not changed, stays as it is. Of those that are not corrupt, it may stop at
  // the newest `most`. Returns NotFound if this is no directory of backups.
  Status Load(BackupSet* backups, int most) const;

  // Makes the backup exist. REQUIRES: all else of it has been written.
  Status WriteMeta(BackupID id, const std::string& text, bool sync) const;
  // Makes it not exist any more. The next CollectGarbage deletes its files.
  Status RemoveMeta(BackupID id, bool sync) const;

  // Deletes what no backup of the set needs. REQUIRES: the set is up to date.
  // Returns the first error, after it has gone on.
  Status CollectGarbage(const BackupSet& backups) const;

 private:
  Status ChildrenIfThere(const std::string& folder,
                         std::vector<std::string>* names) const;
  std::shared_ptr<const Backup> Read(BackupID id, std::string text) const;
  // Removes a folder of plain files.
  Status RemoveFolder(const std::string& folder) const;

  const std::shared_ptr<FileSystem> fs_;
  const std::string path_;
};

// Returns the newest that is not corrupt, or end().
BackupSet::const_iterator NewestGood(const BackupSet& backups);

}  // namespace tamis
