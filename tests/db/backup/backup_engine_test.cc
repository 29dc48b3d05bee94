// SPDX-License-Identifier: Apache-2.0
//
// What a BackupEngine does while nothing is damaged and nothing fails.
#include "tamis/utilities/backup_engine.h"

#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/backup/backup_test.h"
#include "tests/support/kept_lines.h"

namespace tamis {
namespace {

class BackupEngineTest : public BackupTest {};

TEST_F(BackupEngineTest, EachBackupRestoresTheStateOfItsTime) {
  MakeFamilies({"a"});
  OpenEngine();
  Put("default", "k", "1");
  Put("a", "k", "one");
  ASSERT_EQ(Backup(), 1u);
  Put("default", "k", "2");
  FlushFamily("default");
  FlushFamily("a");
  ASSERT_EQ(Backup(), 2u);
  Put("a", "later", "3");
  ASSERT_EQ(Backup(/*flush=*/true), 3u);
  Put("default", "in no backup", "4");
  EXPECT_EQ(Ids(), (std::vector<BackupID>{1, 2, 3}));

  EXPECT_EQ(ContentsAfterRestore(2), "default: k=2 | a: k=one");
  EXPECT_EQ(ContentsAfterRestore(1), "default: k=1 | a: k=one");
  EXPECT_EQ(ContentsAfterRestore(3), "default: k=2 | a: k=one later=3");
  CloseAll();
  ASSERT_TRUE(
      engine_->RestoreDBFromLatestBackup("/parent/new/", "/parent/new").ok());
  ASSERT_TRUE(DB::OpenForReadOnly(options_, "/parent/new", &db_).ok());
  EXPECT_EQ(Contents(), "k=2");
}

TEST_F(BackupEngineTest, ARestoredDatabaseIsBackedUpAgain) {
  MakeFamilies({});
  OpenEngine();
  Put("default", "k", "1");
  Backup(true);
  Put("default", "k", "lost");
  FlushFamily("default");
  Backup();
  Restore(1);
  ReopenFamilies();
  // The same number as that of backup 2's second table, but another content.
  Put("default", "k", "other");
  FlushFamily("default");
  EXPECT_EQ(Backup(), 3u);
  EXPECT_EQ(ContentsAfterRestore(2), "default: k=lost");
  EXPECT_EQ(ContentsAfterRestore(3), "default: k=other");
}

TEST_F(BackupEngineTest, TablesAreStoredOnce) {
  MakeFamilies({});
  OpenEngine();
  Put("default", "a", Noise(50'000, 1));
  FlushFamily("default");
  Backup();
  ASSERT_EQ(Names("shared_checksum").size(), 1u);
  uint64_t appended = 0;
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    if (call.operation == "append" && call.path.starts_with(kBackups)) {
      appended += call.bytes;
    }
    return Status::OK();
  });
  Backup();
  fs_->SetFaultHook(nullptr);
  EXPECT_GT(appended, 0u);
  EXPECT_LT(appended, 20'000u);
  EXPECT_EQ(Names("shared_checksum").size(), 1u);
  EXPECT_EQ(TablePathOf(1), TablePathOf(2));
  EXPECT_GT(InfoOf(2).size, 50'000u);
}

TEST_F(BackupEngineTest, NamesAreRocksDBs) {
  MakeFamilies({});
  OpenEngine();
  Put("default", "a", "1");
  FlushFamily("default");
  Put("default", "b", "2");
  std::vector<LiveFileMetaData> live;
  db_->GetLiveFilesMetaData(&live);
  ASSERT_EQ(live.size(), 1u);
  TablePropertiesCollection properties;
  ASSERT_TRUE(db_->GetPropertiesOfAllTables(&properties).ok());
  const std::string session = properties.begin()->second->db_session_id;
  ASSERT_EQ(session.size(), 20u);
  const std::string number = live[0].relative_filename.substr(0, 6);
  const std::string size = std::to_string(live[0].size);

  Backup();
  EXPECT_EQ(
      Names("shared_checksum"),
      std::vector<std::string>{number + "_s" + session + "_" + size + ".sst"});
  EXPECT_EQ(Names(""), (std::vector<std::string>{"LOCK", "meta", "private",
                                                 "shared_checksum"}));
  EXPECT_EQ(Names("meta"), std::vector<std::string>{"1"});
  EXPECT_EQ(Names("private/1").size(), 4u);

  backup_options_.share_files_with_checksum_naming =
      BackupEngineOptions::kUseDbSessionId;
  backup_options_.destroy_old_data = true;
  OpenEngine();
  EXPECT_TRUE(Names("shared_checksum").empty());
  EXPECT_TRUE(Names("private").empty());
  Backup();
  EXPECT_EQ(Names("shared_checksum"),
            std::vector<std::string>{number + "_s" + session + ".sst"});

  backup_options_.share_files_with_checksum_naming =
      BackupEngineOptions::kLegacyCrc32cAndFileSize;
  OpenEngine();
  Backup();
  const std::vector<std::string> legacy = Names("shared_checksum");
  ASSERT_EQ(legacy.size(), 1u);
  std::string crc32c = legacy[0].substr(7);
  crc32c.resize(crc32c.find('_'));
  std::string text;
  ASSERT_TRUE(
      ReadFileToString(fs_.get(), std::string(kBackups) + "/meta/1", &text)
          .ok());
  EXPECT_NE(text.find("\nshared_checksum/" + number + "_" + crc32c + "_" +
                      size + ".sst crc32 " + crc32c + "\n"),
            std::string::npos)
      << text;
  ASSERT_EQ(ContentsAfterRestore(1), "default: a=1 b=2");

  backup_options_.share_files_with_checksum = false;
  OpenEngine();
  Backup();
  EXPECT_EQ(Names("shared").size(), 2u);  // one of the reopen
  EXPECT_TRUE(Names("shared_checksum").empty());
  EXPECT_EQ(ContentsAfterRestore(1), "default: a=1 b=2");

  backup_options_.share_table_files = false;
  OpenEngine();
  Backup();
  EXPECT_TRUE(Names("shared").empty());
  EXPECT_GE(Names("private/1").size(), 5u);
  EXPECT_EQ(ContentsAfterRestore(1), "default: a=1 b=2");
}

TEST_F(BackupEngineTest, SharingByNumberRefusesAnotherTableOfTheNumber) {
  backup_options_.share_files_with_checksum = false;
  MakeFamilies({});
  OpenEngine();
  Put("default", "k", "1");
  Backup(true);
  // Its files have the same numbers.
  std::unique_ptr<DB> other;
  ASSERT_TRUE(DB::Open(options_, "/parent/other", &other).ok());
  ASSERT_TRUE(other->Put({}, "k", "2").ok());
  const Status status = engine_->CreateNewBackup(other.get(), true);
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.ToString().find("set share_files_with_checksum"),
            std::string::npos)
      << status;
  EXPECT_EQ(Ids(), std::vector<BackupID>{1});
  EXPECT_EQ(Names("private"), std::vector<std::string>{"1"});
  EXPECT_TRUE(engine_->VerifyBackup(1, true).ok());
}

TEST_F(BackupEngineTest, DescribesItsBackups) {
  MakeFamilies({});
  OpenEngine();
  BackupInfo info;
  EXPECT_TRUE(engine_->GetLatestBackupInfo(&info).IsNotFound());
  EXPECT_EQ(engine_->GetBackupInfo(1, &info).ToString(),
            "NotFound: Backup not found");
  EXPECT_EQ(
      engine_->RestoreDBFromLatestBackup("/parent/x", "/parent/x").ToString(),
      "NotFound: Backup not found");
  Put("default", "k", "1");
  FlushFamily("default");
  Put("default", "l", "2");
  clock_->SleepForMicroseconds(77'000'000);
  Backup(false, std::string("a\n\0b", 4));
  ASSERT_TRUE(engine_->GetLatestBackupInfo(&info).ok());
  EXPECT_EQ(info.backup_id, 1u);
  EXPECT_EQ(info.timestamp,
            static_cast<int64_t>(clock_->NowMicros() / 1'000'000));
  EXPECT_EQ(info.app_metadata, std::string("a\n\0b", 4));
  EXPECT_TRUE(info.file_details.empty());
  EXPECT_EQ(info.file_system_for_open, nullptr);
  OpenEngine();
  info = InfoOf(1);
  EXPECT_EQ(info.number_files, 5u);
  EXPECT_EQ(info.app_metadata, std::string("a\n\0b", 4));
  uint64_t bytes = 0;
  std::multiset<FileType> types;
  for (const BackupFileInfo& file : info.file_details) {
    uint64_t size = 0;
    ASSERT_TRUE(
        fs_->GetFileSize(file.directory + "/" + file.relative_filename, &size)
            .ok());
    EXPECT_EQ(file.size, size);
    EXPECT_EQ(file.file_checksum.size(), 4u);
    bytes += size;
    types.insert(file.file_type);
  }
  EXPECT_EQ(info.size, bytes);
  EXPECT_EQ(types,
            (std::multiset<FileType>{kWalFile, kTableFile, kDescriptorFile,
                                     kCurrentFile, kOptionsFile}));
}

TEST_F(BackupEngineTest, ABackupOpensWithoutARestore) {
  MakeFamilies({"a"});
  OpenEngine();
  Put("default", "k", "1");
  Put("a", "in a table", "2");
  FlushFamily("a");
  Put("a", "in a log", "3");
  Backup();
  Put("default", "k", "later");
  const BackupInfo info = InfoOf(1);
  CloseAll();
  engine_.reset();

  options_.file_system = info.file_system_for_open;
  std::vector<ColumnFamilyHandle*> handles;
  ASSERT_TRUE(DB::OpenForReadOnly(options_, info.name_for_open,
                                  Descriptors({"a"}), &handles, &db_)
                  .ok());
  EXPECT_EQ(ContentsIn(db_.get(), handles[0]), "k=1");
  EXPECT_EQ(ContentsIn(db_.get(), handles[1]), "in a log=3 in a table=2");
  for (ColumnFamilyHandle* handle : handles) delete handle;
  db_.reset();
  const Status opened = DB::Open(options_, info.name_for_open, &db_);
  EXPECT_TRUE(opened.IsNotSupported()) << opened;
}

TEST_F(BackupEngineTest, DeletedBackupsFreeWhatNoOtherNeeds) {
  MakeFamilies({});
  OpenEngine();
  Put("default", "k", "1");
  Backup(true);
  Put("default", "l", "2");
  Backup(true);
  ASSERT_EQ(Names("shared_checksum").size(), 2u);
  Compact(/*force=*/true);
  Backup();
  ASSERT_EQ(Names("shared_checksum").size(), 3u);
  Backup();

  ASSERT_TRUE(engine_->DeleteBackup(1).ok());
  EXPECT_EQ(Names("shared_checksum").size(), 3u);
  EXPECT_EQ(Names("private"), (std::vector<std::string>{"2", "3", "4"}));
  EXPECT_TRUE(engine_->DeleteBackup(1).IsNotFound());
  ASSERT_TRUE(engine_->PurgeOldBackups(2).ok());
  EXPECT_EQ(Ids(), (std::vector<BackupID>{3, 4}));
  EXPECT_EQ(Names("shared_checksum").size(), 1u);
  ASSERT_TRUE(engine_->PurgeOldBackups(5).ok());
  EXPECT_EQ(Ids(), (std::vector<BackupID>{3, 4}));
  EXPECT_TRUE(engine_->VerifyBackup(4, true).ok());
  ASSERT_TRUE(engine_->PurgeOldBackups(0).ok());
  EXPECT_TRUE(Ids().empty());
  EXPECT_TRUE(Names("shared_checksum").empty());
  EXPECT_TRUE(Names("private").empty());
  EXPECT_EQ(Backup(), 1u);
}

TEST_F(BackupEngineTest, SeveralDatabasesShareADirectory) {
  MakeFamilies({});
  OpenEngine();
  Put("default", "k", "1");
  Backup(true);
  std::unique_ptr<DB> other;
  ASSERT_TRUE(DB::Open(options_, "/parent/other", &other).ok());
  ASSERT_TRUE(other->Put({}, "other", "2").ok());
  ASSERT_TRUE(engine_->CreateNewBackup(other.get(), true).ok());
  other.reset();
  EXPECT_EQ(Names("shared_checksum").size(), 2u);
  EXPECT_EQ(ContentsAfterRestore(2), "default: other=2");
  EXPECT_EQ(ContentsAfterRestore(1), "default: k=1");
}

TEST_F(BackupEngineTest, UnloggedWritesAreFlushed) {
  MakeFamilies({"a"});
  OpenEngine();
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_TRUE(PutInAll({"default", "a"}, "k", "1", unlogged).ok());
  Backup();
  EXPECT_EQ(ContentsAfterRestore(1), "default: k=1 | a: k=1");
}

TEST_F(BackupEngineTest, LogsStayOutOfABackupAndAreKeptByARestore) {
  backup_options_.backup_log_files = false;
  options_.WAL_size_limit_MB = 1;
  MakeFamilies({});
  OpenEngine();
  Put("default", "a", "1");
  FlushFamily("default");
  Put("default", "b", "2");
  Backup();
  for (const BackupFileInfo& file : InfoOf(1).file_details) {
    EXPECT_NE(file.file_type, kWalFile);
  }
  Put("default", "c", "3");
  FlushFamily("default");  // its log is archived
  Put("default", "d", "4");
  ASSERT_TRUE(TryRestore(1, RestoreOptions(/*keep=*/true)).ok());
  ReopenFamilies();
  EXPECT_EQ(AllContents(), "default: a=1 b=2 c=3 d=4");
  EXPECT_EQ(ContentsAfterRestore(1), "default: a=1");
}

TEST_F(BackupEngineTest, LogsOfADirectoryOfTheirOwnAreRestored) {
  options_.wal_dir = "/parent/logs";
  MakeFamilies({"a"});
  OpenEngine();
  Put("a", "k", "1");
  Backup();
  Put("a", "k", "2");
  CloseAll();
  ASSERT_TRUE(
      engine_->RestoreDBFromBackup(1, kTestDirectory, "/parent/logs").ok());
  ReopenFamilies();
  EXPECT_EQ(AllContents(), "default:  | a: k=1");
  // Elsewhere, with its logs inside.
  CloseAll();
  ASSERT_TRUE(
      engine_->RestoreDBFromBackup(1, "/parent/new", "/parent/new").ok());
  options_.wal_dir = "";
  std::vector<ColumnFamilyHandle*> handles;
  const Status status =
      DB::Open(options_, "/parent/new", Descriptors({"a"}), &handles, &db_);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(ContentsIn(db_.get(), handles[1]), "k=1");
  for (ColumnFamilyHandle* handle : handles) delete handle;
}

TEST_F(BackupEngineTest, ARestoreLeavesOtherFilesAlone) {
  MakeFamilies({});
  OpenEngine();
  Put("default", "k", "1");
  Backup(true);
  Put("default", "l", "2");
  FlushFamily("default");
  CloseAll();
  const std::string notes = std::string(kTestDirectory) + "/notes.txt";
  ASSERT_TRUE(WriteStringToFile(fs_.get(), "mine", notes, true).ok());
  Restore(1);
  std::string text;
  EXPECT_TRUE(fs_->GetContents(notes, &text).ok());
  std::vector<std::string> names;
  ASSERT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
  size_t tables = 0;
  for (const std::string& name : names) tables += name.ends_with(".sst");
  EXPECT_EQ(tables, 1u);
}

TEST_F(BackupEngineTest, AnOpenDatabaseIsNotRestored) {
  MakeFamilies({});
  OpenEngine();
  Put("default", "k", "1");
  Backup();
  Put("default", "k", "2");
  const Status status =
      engine_->RestoreDBFromBackup(1, kTestDirectory, kTestDirectory);
  EXPECT_TRUE(status.IsIOError()) << status;
  EXPECT_EQ(AllContents(), "default: k=2");
  ReopenFamilies();
  EXPECT_EQ(AllContents(), "default: k=2");
}

TEST_F(BackupEngineTest, ReportsProgressOrStops) {
  MakeFamilies({});
  backup_options_.callback_trigger_interval_size = 1000;
  OpenEngine();
  Put("default", "k", Noise(3'000'000, 1));
  FlushFamily("default");
  int calls = 0;
  CreateBackupOptions options;
  options.progress_callback = [&] { ++calls; };
  ASSERT_TRUE(engine_->CreateNewBackup(options, db_.get()).ok());
  EXPECT_GE(calls, 3);

  Put("default", "l", Noise(3'000'000, 2));
  FlushFamily("default");
  options.progress_callback = [&] { engine_->StopBackup(); };
  const Status stopped = engine_->CreateNewBackup(options, db_.get());
  EXPECT_EQ(stopped.ToString(), "Result incomplete: Backup stopped");
  EXPECT_EQ(Ids(), std::vector<BackupID>{1});
  EXPECT_EQ(Names("shared_checksum").size(), 1u);
  EXPECT_EQ(Names("private"), std::vector<std::string>{"1"});
  options.progress_callback = [] { throw std::runtime_error("tired"); };
  const Status thrown = engine_->CreateNewBackup(options, db_.get());
  EXPECT_TRUE(thrown.IsAborted()) << thrown;
  EXPECT_NE(thrown.ToString().find("tired"), std::string::npos);
  // None of them has an effect on the next.
  EXPECT_EQ(Backup(), 2u);
  // Deletions are enabled again.
  EXPECT_TRUE(db_->EnableFileDeletions().IsInvalidArgument());
}

// Counts what passes.
class CountingLimiter : public RateLimiter {
 public:
  CountingLimiter() : RateLimiter(Mode::kAllIo) {}
  void SetBytesPerSecond(int64_t /*bytes_per_second*/) override {}
  int64_t GetBytesPerSecond() const override { return 0; }
  int64_t GetSingleBurstBytes() const override { return 1 << 20; }
  using RateLimiter::Request;
  void Request(int64_t bytes, IOPriority priority,
               Statistics* /*statistics*/) override {
    EXPECT_EQ(priority, IO_LOW);
    bytes_ += bytes;
  }
  int64_t GetTotalBytesThrough(IOPriority /*priority*/) const override {
    return bytes_;
  }
  int64_t GetTotalRequests(IOPriority /*priority*/) const override { return 0; }
  Status GetTotalPendingRequests(int64_t* /*requests*/,
                                 IOPriority /*priority*/) const override {
    return Status::NotSupported("");
  }

 private:
  int64_t bytes_ = 0;
};

TEST_F(BackupEngineTest, LimitersSeeReadsAndWrites) {
  const auto backup = std::make_shared<CountingLimiter>();
  const auto restore = std::make_shared<CountingLimiter>();
  backup_options_.backup_rate_limiter = backup;
  backup_options_.restore_rate_limiter = restore;
  MakeFamilies({});
  OpenEngine();
  Put("default", "k", Noise(100'000, 1));
  Backup(true);
  const auto size = static_cast<int64_t>(InfoOf(1).size);
  EXPECT_GT(backup->GetTotalBytesThrough(IO_TOTAL), size + 100'000);
  EXPECT_LE(backup->GetTotalBytesThrough(IO_TOTAL), 2 * size);
  Restore(1);
  EXPECT_EQ(restore->GetTotalBytesThrough(IO_TOTAL), 2 * size);
}

TEST_F(BackupEngineTest, ARateLimitTakesItsTime) {
  backup_options_.backup_rate_limit = 1'000'000;
  MakeFamilies({});
  OpenEngine();
  Put("default", "k", Noise(300'000, 1));
  FlushFamily("default");
  const auto start = std::chrono::steady_clock::now();
  Backup();
  EXPECT_GT(std::chrono::steady_clock::now() - start,
            std::chrono::milliseconds(100));
}

TEST_F(BackupEngineTest, ReadOnlyEnginesSeeTheNewestGoodBackups) {
  std::unique_ptr<BackupEngineReadOnly> reader;
  EXPECT_EQ(
      BackupEngineReadOnly::Open(backup_options_, fs_, &reader).ToString(),
      "NotFound: /parent/backups/meta: is missing");
  EXPECT_EQ(reader, nullptr);
  MakeFamilies({});
  OpenEngine();
  for (int i = 1; i <= 4; ++i) {
    Put("default", "k", std::to_string(i));
    Backup(true);
  }
  ASSERT_TRUE(fs_->RemoveFile(TablePathOf(4)).ok());
  backup_options_.max_valid_backups_to_open = 2;
  const uint64_t calls = fs_->calls();
  ASSERT_TRUE(BackupEngineReadOnly::Open(backup_options_, fs_, &reader).ok());
  std::vector<BackupInfo> infos;
  reader->GetBackupInfo(&infos);
  ASSERT_EQ(infos.size(), 2u);
  EXPECT_EQ(infos[0].backup_id, 2u);
  std::vector<BackupID> corrupt;
  reader->GetCorruptedBackups(&corrupt);
  EXPECT_EQ(corrupt, std::vector<BackupID>{4});
  EXPECT_TRUE(reader->VerifyBackup(3, true).ok());
  EXPECT_EQ(fs_->calls(), calls) << "it changed something";
  CloseAll();
  ASSERT_TRUE(
      reader->RestoreDBFromLatestBackup("/parent/new", "/parent/new").ok());
  ASSERT_TRUE(DB::OpenForReadOnly(options_, "/parent/new", &db_).ok());
  EXPECT_EQ(Contents(), "k=3");
}

TEST_F(BackupEngineTest, TwoEnginesTakeTurns) {
  MakeFamilies({});
  OpenEngine();
  std::unique_ptr<BackupEngine> second;
  ASSERT_TRUE(BackupEngine::Open(backup_options_, fs_, &second).ok());
  Put("default", "k", "1");
  Backup(true);
  // It has not seen the first, but does not take its number or its files.
  BackupID id = 0;
  ASSERT_TRUE(
      second->CreateNewBackup(CreateBackupOptions(), db_.get(), &id).ok());
  EXPECT_EQ(id, 2u);
  ASSERT_TRUE(engine_->DeleteBackup(2).ok());
  EXPECT_TRUE(second->VerifyBackup(1, true).ok());

  CreateBackupOptions options;
  backup_options_.callback_trigger_interval_size = 1;
  OpenEngine();
  Status meanwhile;
  options.progress_callback = [&] {
    meanwhile = second->CreateNewBackup(CreateBackupOptions(), db_.get());
  };
  Put("default", "k", "2");
  FlushFamily("default");
  ASSERT_TRUE(engine_->CreateNewBackup(options, db_.get()).ok());
  EXPECT_TRUE(meanwhile.IsBusy()) << meanwhile;
}

TEST_F(BackupEngineTest, RefusesOptionsThatMeanNothing) {
  const auto refusal = [&](auto change) {
    BackupEngineOptions options(kBackups);
    options.backup_file_system = fs_;
    change(&options);
    std::unique_ptr<BackupEngine> engine;
    return BackupEngine::Open(options, fs_, &engine).ToString();
  };
  EXPECT_EQ(refusal([](auto* o) { o->backup_dir.clear(); }),
            "Invalid argument: BackupEngineOptions: backup_dir is empty");
  EXPECT_EQ(refusal([](auto* o) { o->max_background_operations = 0; }),
            "Invalid argument: BackupEngineOptions: max_background_operations "
            "must be > 0");
  EXPECT_EQ(refusal([](auto* o) { o->schema_version = 3; }),
            "Invalid argument: BackupEngineOptions: schema_version must be 1 "
            "or 2");
  EXPECT_NE(refusal([](auto* o) {
              o->share_files_with_checksum_naming =
                  BackupEngineOptions::kFlagIncludeFileSize;
            }).find("share_files_with_checksum_naming must be"),
            std::string::npos);
  EXPECT_EQ(refusal([](auto* o) { o->backup_dir = "/no/where"; }).substr(0, 8),
            "IO error");
  EXPECT_TRUE(
      fs_->FileExists(std::string(kBackups) + "/meta").IsPathNotFound());
}

TEST_F(BackupEngineTest, TheDirectoryMayBeInTheDatabasesButNotTheSame) {
  MakeFamilies({});
  Put("default", "k", "1");
  backup_options_.backup_dir = kTestDirectory;
  const Status status = TryOpenEngine();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  backup_options_.backup_dir += "/backups/";
  OpenEngine();
  Backup();
  Put("default", "k", "2");
  EXPECT_EQ(ContentsAfterRestore(1), "default: k=1");
  EXPECT_TRUE(engine_->VerifyBackup(1, true).ok());
}

TEST_F(BackupEngineTest, AReadOnlyDatabaseIsNotBackedUp) {
  MakeFamilies({});
  Put("default", "k", "1");
  CloseAll();
  ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &db_).ok());
  OpenEngine();
  const Status status =
      engine_->CreateNewBackup(CreateBackupOptions(), db_.get());
  EXPECT_TRUE(status.IsNotSupported()) << status;
  EXPECT_TRUE(Names("private").empty());
}

TEST_F(BackupEngineTest, SaysWhatItDoesInTheLog) {
  KeptLines lines;
  backup_options_.info_log = &lines;
  MakeFamilies({});
  OpenEngine();
  Backup();
  ASSERT_TRUE(engine_->DeleteBackup(1).ok());
  const std::vector<std::string> expected = {
      "Backup 1 in /parent/backups: OK",
      "Backup 1 in /parent/backups: deleted"};
  EXPECT_EQ(lines.lines(), expected);
  backup_options_.Dump(&lines);
  EXPECT_EQ(lines.lines()[2],
            "               Options.backup_dir: /parent/backups");
  engine_.reset();
}

}  // namespace
}  // namespace tamis
