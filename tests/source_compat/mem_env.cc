// SPDX-License-Identifier: Apache-2.0
//
// A database, its backup and a file of sorted keys in memory, and none of them
// on the disk.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/backup_engine.h>
#include <rocksdb/utilities/options_util.h>

#include "program.h"

using namespace rocksdb;

namespace {

void Count(DB* db) {
  size_t keys = 0;
  const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++keys;
  Check(it->status());
  std::cout << keys << " keys\n";
}

std::unique_ptr<DB> Open(const Options& options, const std::string& path) {
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));
  return std::unique_ptr<DB>(db);
}

}  // namespace

int main(int argc, char** argv) {
  // RocksDB's takes only paths from the root.
  DirectoryOf(argc, argv);
  const std::string path = "/in/memory/database";
  const std::unique_ptr<Env> env(NewMemEnv(Env::Default()));
  Options options;
  options.env = env.get();
  options.create_if_missing = true;
  std::unique_ptr<DB> db = Open(options, path);
  std::cout << "its Env: " << (db->GetEnv() == env.get()) << "\n";
  for (int i = 0; i < 2000; ++i) {
    Check(db->Put(WriteOptions(), Key(i), std::string(100, 'v')));
    if (i == 1000) Check(db->Flush(FlushOptions()));
  }
  Check(db->Delete(WriteOptions(), Key(7)));
  DB* second = nullptr;
  std::cout << "opened twice: " << DB::Open(options, path, &second).ok()
            << "\n";

  SstFileWriter writer(EnvOptions(), options);
  const std::string table = path + "/table";
  Check(writer.Open(table));
  Check(writer.Put("sorted", "value"));
  Check(writer.Finish());
  Check(db->IngestExternalFile({table}, IngestExternalFileOptions()));
  Count(db.get());

  BackupEngine* engine = nullptr;
  const std::string backups = path + ".backups";
  BackupEngineOptions backup(backups);
  backup.backup_env = env.get();
  Check(BackupEngine::Open(env.get(), backup, &engine));
  Check(engine->CreateNewBackup(db.get(), /*flush_before_backup=*/true));
  db.reset();

  // Where the backups are, is also known without an Env in the options.
  BackupEngineReadOnly* reader = nullptr;
  Check(BackupEngineReadOnly::Open(env.get(), BackupEngineOptions(backups),
                                   &reader));
  std::vector<BackupInfo> infos;
  reader->GetBackupInfo(&infos);
  std::cout << infos.size() << " backups\n";
  delete reader;

  db = Open(options, path);
  Count(db.get());
  db.reset();
  std::vector<std::string> families;
  Check(DB::ListColumnFamilies(options, path, &families));
  std::cout << families.size() << " families\n";
  std::string name;
  Check(GetLatestOptionsFileName(path, env.get(), &name));
  std::cout << "options: " << name.rfind("OPTIONS-", 0) << "\n";

  Check(engine->RestoreDBFromLatestBackup(path + ".restored",
                                          path + ".restored"));
  delete engine;
  db = Open(options, path + ".restored");
  Count(db.get());
  db.reset();

  Check(DestroyDB(path, options));
  std::cout << "left: " << env->FileExists(path + "/CURRENT").ok() << "\n";
  for (const std::string& each : {path, backups, path + ".restored"}) {
    std::cout << "on the disk: " << Env::Default()->FileExists(each).ok()
              << "\n";
  }
  return 0;
}
