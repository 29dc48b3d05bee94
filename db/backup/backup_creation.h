// SPDX-License-Identifier: Apache-2.0
//
// Copies the files of an open database into a directory of backups. Tables go
// to a shared folder, all else to the new backup's own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tamis/file_checksum.h"
#include "tamis/file_system.h"
#include "tamis/metadata.h"
#include "tamis/status.h"
#include "tamis/utilities/backup_engine.h"

#include "db/backup/backup_directory.h"
#include "db/backup/file_copier.h"
#include "util/base/result.h"

namespace tamis {

class DB;

class BackupCreation {
 public:
  // All must outlive this. `backups` is up to date.
  BackupCreation(const BackupEngineOptions& options,
                 const BackupDirectory& directory, const BackupSet& backups,
                 FileCopier* copier)
      : options_(options), directory_(directory), copier_(*copier) {
    for (const auto& [id, backup] : backups) {
      for (const BackupFile& file : backup->meta.files) {
        known_[file.path] = file.crc32c;
      }
    }
  }

  // Copies the files, and syncs them and their folders if so configured.
  // Returns what is to be written to meta/<id>. After an error, files may be
  // left that no backup needs.
  Result<BackupMeta> Run(DB* db, BackupID id, bool flush);

 private:
  // Copies one file, or finds that it is there. Sets all of *file.
  Status Take(const LiveFileStorageInfo& from, BackupID id, BackupFile* file);
  Status TakeShared(const LiveFileStorageInfo& from, const std::string& path,
                    std::optional<uint32_t> crc32c, BackupFile* file);
  // Sets *path to the name of a shared table; *crc32c if the name needed it.
  Status NameShared(const LiveFileStorageInfo& from, std::string* path,
                    std::optional<uint32_t>* crc32c);
  Status Copy(const LiveFileStorageInfo& from, const std::string& to,
              BackupFile* file);
  std::optional<uint32_t> KnownCrc32c(const std::string& path) const;
  Status Sync(BackupID id) const;

  const BackupEngineOptions& options_;
  const BackupDirectory& directory_;
  FileCopier& copier_;
  // Checksums of files by their path.
  std::map<std::string, std::optional<uint32_t>> known_;
  std::shared_ptr<FileSystem> db_fs_;
  std::shared_ptr<FileChecksumGenFactory> checksums_;
};

}  // namespace tamis
