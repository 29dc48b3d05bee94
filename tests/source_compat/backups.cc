// SPDX-License-Identifier: Apache-2.0
//
// Backs a database up while it is open, looks at the backups, and restores
// them.
#include <iostream>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/utilities/backup_engine.h>

#include "program.h"

using namespace rocksdb;

namespace {

void List(const BackupEngine& engine) {
  std::vector<BackupInfo> infos;
  engine.GetBackupInfo(&infos);
  for (const BackupInfo& info : infos) {
    std::cout << "backup " << info.backup_id << ": " << info.number_files
              << " files, \"" << info.app_metadata << "\" " << (info.size > 0)
              << (info.timestamp > 1700000000) << "\n";
  }
}

void ShowRestored(const Options& options, const std::string& path) {
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));
  std::string value;
  for (const int i : {0, 50, 100, 150, 250}) {
    const Status status = db->Get(ReadOptions(), Key(i), &value);
    std::cout << Key(i) << ": " << (status.ok() ? value : status.ToString())
              << "\n";
  }
  delete db;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));

  BackupEngineOptions backup_options(path + "_backups");
  backup_options.max_background_operations = 2;
  BackupEngine* engine = nullptr;
  Check(BackupEngine::Open(Env::Default(), backup_options, &engine));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) {
      Check(db->Put(WriteOptions(), Key(round * 100 + i),
                    "round " + std::to_string(round)));
    }
    CreateBackupOptions create;
    create.flush_before_backup = round < 2;
    BackupID id = 0;
    Check(engine->CreateNewBackupWithMetadata(
        create, db, "round " + std::to_string(round), &id));
    std::cout << "made " << id << "\n";
  }
  List(*engine);
  Check(engine->VerifyBackup(1));
  Check(engine->VerifyBackup(3, /*verify_with_checksum=*/true));
  std::cout << engine->VerifyBackup(7).IsNotFound() << "\n";
  delete db;

  Check(engine->RestoreDBFromLatestBackup(path, path));
  ShowRestored(options, path);
  Check(engine->RestoreDBFromBackup(RestoreOptions(), 1, path, path));
  ShowRestored(options, path);
  Check(engine->DeleteBackup(2));
  List(*engine);
  delete engine;

  BackupEngineReadOnly* reader = nullptr;
  Check(BackupEngineReadOnly::Open(backup_options, Env::Default(), &reader));
  BackupInfo info;
  Check(reader->GetLatestBackupInfo(&info, /*include_file_details=*/true));
  std::cout << "latest " << info.backup_id << "\n";
  size_t shared = 0;
  for (const BackupFileInfo& file : info.file_details) {
    shared += file.relative_filename.find("shared_checksum/") == 0;
  }
  std::cout << shared << " shared\n";
  Check(reader->RestoreDBFromBackup(3, path + "_copy", path + "_copy"));
  ShowRestored(options, path + "_copy");
  delete reader;

  Check(BackupEngine::Open(backup_options, Env::Default(), &engine));
  Check(engine->PurgeOldBackups(1));
  List(*engine);
  Check(engine->GarbageCollect());
  std::vector<BackupID> corrupt;
  engine->GetCorruptedBackups(&corrupt);
  std::cout << corrupt.size() << " corrupt\n";
  delete engine;
  return 0;
}
