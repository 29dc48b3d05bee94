// SPDX-License-Identifier: Apache-2.0
//
// A database with families, and a directory of backups beside it, in memory.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tamis/utilities/backup_engine.h"

#include "tests/db/test_families.h"

namespace tamis {

inline const char* kBackups = "/parent/backups";

class BackupTest : public FamiliesTest {
 protected:
  BackupTest() : backup_options_(kBackups) {
    backup_options_.backup_file_system = fs_;
  }

  Status TryOpenEngine() {
    engine_.reset();
    return BackupEngine::Open(backup_options_, fs_, &engine_);
  }
  void OpenEngine() {
    const Status status = TryOpenEngine();
    ASSERT_TRUE(status.ok()) << status;
  }
  // The id of a new backup.
  BackupID Backup(bool flush = false, const std::string& metadata = "") {
    CreateBackupOptions options;
    options.flush_before_backup = flush;
    BackupID id = 0;
    const Status status =
        engine_->CreateNewBackupWithMetadata(options, db_.get(), metadata, &id);
    EXPECT_TRUE(status.ok()) << status;
    return id;
  }
  // Closes the database, and restores into its directory.
  Status TryRestore(BackupID id,
                    const RestoreOptions& options = RestoreOptions()) {
    CloseAll();
    return engine_->RestoreDBFromBackup(options, id, kTestDirectory,
                                        kTestDirectory);
  }
  void Restore(BackupID id) {
    const Status status = TryRestore(id);
    ASSERT_TRUE(status.ok()) << status;
  }
  std::string ContentsAfterRestore(BackupID id) {
    Restore(id);
    ReopenFamilies();
    return AllContents();
  }
  std::vector<BackupID> Ids() const {
    std::vector<BackupInfo> infos;
    engine_->GetBackupInfo(&infos);
    std::vector<BackupID> ids;
    for (const BackupInfo& info : infos) ids.push_back(info.backup_id);
    return ids;
  }
  std::vector<BackupID> CorruptIds() const {
    std::vector<BackupID> ids;
    engine_->GetCorruptedBackups(&ids);
    return ids;
  }
  BackupInfo InfoOf(BackupID id) const {
    BackupInfo info;
    const Status status = engine_->GetBackupInfo(id, &info, true);
    EXPECT_TRUE(status.ok()) << status;
    return info;
  }
  // The names in a folder of the backups, sorted.
  std::vector<std::string> Names(const std::string& folder) {
    std::vector<std::string> names;
    fs_->GetChildren(std::string(kBackups) + "/" + folder, &names)
        .PermitUncheckedError();
    std::sort(names.begin(), names.end());
    return names;
  }
  // The path of a table of the backup.
  std::string TablePathOf(BackupID id) const {
    for (const BackupFileInfo& file : InfoOf(id).file_details) {
      if (file.file_type == kTableFile) {
        return file.directory + "/" + file.relative_filename;
      }
    }
    ADD_FAILURE() << "no table";
    return "";
  }

  BackupEngineOptions backup_options_;
  std::unique_ptr<BackupEngine> engine_;
};

}  // namespace tamis
