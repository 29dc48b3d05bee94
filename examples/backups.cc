// SPDX-License-Identifier: Apache-2.0
//
// Copies of a database that is open: a checkpoint, which is a database itself,
// and backups, which share the tables that they have in common.
// Run: backups DIRECTORY
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <tamis/db.h>
#include <tamis/utilities/backup_engine.h>
#include <tamis/utilities/checkpoint.h>

static void Check(const tamis::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

static std::string Read(tamis::DB* db) {
  std::string value;
  Check(db->Get({}, "answer", &value));
  return value;
}

int main(int argc, char** argv) {
  const std::string directory = argc > 1 ? argv[1] : "backups_db";
  const std::string copy = directory + ".checkpoint";
  const std::string vault = directory + ".backups";
  const std::string restored = directory + ".restored";
  for (const std::string& old : {directory, copy, vault, restored}) {
    std::filesystem::remove_all(old);
  }
  tamis::Options options;
  options.create_if_missing = true;
  std::unique_ptr<tamis::DB> db;
  Check(tamis::DB::Open(options, directory, &db));
  Check(db->Put({}, "answer", "42"));

  // Hard links where the file system has them, so it takes no space at first.
  tamis::Checkpoint* made = nullptr;
  Check(tamis::Checkpoint::Create(db.get(), &made));
  const std::unique_ptr<tamis::Checkpoint> checkpoint(made);
  Check(checkpoint->CreateCheckpoint(copy));

  tamis::BackupEngine* opened = nullptr;
  Check(tamis::BackupEngine::Open(tamis::BackupEngineOptions(vault),
                                  tamis::Env::Default(), &opened));
  const std::unique_ptr<tamis::BackupEngine> backups(opened);
  Check(backups->CreateNewBackup(db.get(), /*flush_before_backup=*/true));
  Check(db->Put({}, "answer", "43"));
  Check(backups->CreateNewBackup(db.get(), true));
  Check(backups->VerifyBackup(1, /*verify_with_checksum=*/true));

  std::vector<tamis::BackupInfo> all;
  backups->GetBackupInfo(&all);
  for (const tamis::BackupInfo& one : all) {
    std::cout << "backup " << one.backup_id << " of " << one.number_files
              << " files\n";
  }
  Check(backups->RestoreDBFromBackup(1, restored, restored));

  std::cout << "now " << Read(db.get());
  Check(tamis::DB::OpenForReadOnly(options, copy, &db));
  std::cout << ", in the checkpoint " << Read(db.get());
  Check(tamis::DB::OpenForReadOnly(options, restored, &db));
  std::cout << ", restored " << Read(db.get()) << "\n";
}
