// SPDX-License-Identifier: Apache-2.0
//
// DBOptions::db_paths and ColumnFamilyOptions::cf_paths: which directory gets
// which tables, and that every call finds them there.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/sst_file_manager.h"
#include "tamis/sst_file_writer.h"
#include "tamis/utilities/backup_engine.h"
#include "tamis/utilities/checkpoint.h"

#include "tests/db/db_paths_fixture.h"

namespace tamis {
namespace {

class DbPathsTest : public DbPathsFixture {};

TEST_F(DbPathsTest, DeepLevelsGoToTheSecondPath) {
  Open();
  constexpr int kKeys = 20000;
  PutMany(kKeys);
  Flush();
  RunJobs();
  auto live = TablesByDirectory();
  EXPECT_FALSE(live[kSlow].empty());
  EXPECT_TRUE(live[kTestDirectory].empty());
  size_t deep = 0;
  for (const LiveFileMetaData& file : LiveFiles()) {
    EXPECT_EQ(file.directory, file.level < 2 ? kFast : kSlow) << file.level;
    deep += file.level >= 2 ? 1 : 0;
  }
  EXPECT_EQ(deep, live[kSlow].size());
  Reopen();
  EXPECT_EQ(TablesByDirectory(), live);
  ExpectAll(kKeys);
  ASSERT_EQ(db_->VerifyChecksum(), Status::OK());
}

TEST_F(DbPathsTest, MergesOfUniversalGoByTheirSize) {
  options_.compaction_style = kCompactionStyleUniversal;
  options_.db_paths = {{kFast, 100 << 10}, {kSlow, 1 << 30}};
  Open();
  Put("a", "1");
  Flush();
  Put("a", "2");
  Flush();
  EXPECT_EQ(TablesByDirectory()[kFast].size(), 2u);
  PutMany(2000);
  Flush();
  for (int i = 0; i < 10; ++i) {
    Put("b" + std::to_string(i), "");
    Flush();
    RunJobs();
  }
  EXPECT_FALSE(TablesByDirectory()[kSlow].empty());
  Reopen();
  ExpectAll(2000);
}

TEST_F(DbPathsTest, TheCallSaysWhere) {
  Open();
  PutMany(10);
  Flush();
  EXPECT_EQ(TablesByDirectory()[kFast].size(), 1u);
  // A move would leave the table where it is.
  CompactTo(1, /*force=*/false);
  EXPECT_EQ(TablesByDirectory()[kSlow].size(), 1u);
  CompactTo(0);
  EXPECT_EQ(TablesByDirectory()[kFast].size(), 1u);
  const LiveFileMetaData only = LiveFiles().at(0);
  std::vector<std::string> outputs;
  ASSERT_EQ(db_->CompactFiles({}, db_->DefaultColumnFamily(), {only.name},
                              only.level, 1, &outputs),
            Status::OK());
  const auto live = TablesByDirectory();
  EXPECT_EQ(outputs,
            std::vector<std::string>{kSlow + "/" + live.at(kSlow).at(0)});
  // By the rule for level 1.
  ASSERT_EQ(db_->CompactFiles({}, db_->DefaultColumnFamily(),
                              {LiveFiles().at(0).name}, 1),
            Status::OK());
  EXPECT_EQ(TablesByDirectory()[kFast].size(), 1u);
  Reopen();
  ExpectAll(10);
}

TEST_F(DbPathsTest, PathsThatDoNotExistAreRefused) {
  Open();
  PutMany(10);
  Flush();
  CompactRangeOptions options;
  options.target_path_id = 2;
  ExpectRefused(db_->CompactRange(options, nullptr, nullptr), "2 paths");
  for (const int path : {2, -2}) {
    ExpectRefused(db_->CompactFiles({}, db_->DefaultColumnFamily(),
                                    {LiveFiles().at(0).name}, 1, path),
                  std::to_string(path));
  }
}

TEST_F(DbPathsTest, OptionsAreChecked) {
  options_.compaction_style = kCompactionStyleFIFO;
  EXPECT_TRUE(TryOpen().IsNotSupported());
  options_.compaction_style = kCompactionStyleLevel;
  options_.db_paths.assign(5, {kFast, 1});
  EXPECT_TRUE(TryOpen().IsNotSupported());
  options_.db_paths = {{"", 1}};
  EXPECT_TRUE(TryOpen().IsInvalidArgument());
  // One path suits every style.
  options_.compaction_style = kCompactionStyleFIFO;
  options_.db_paths = {{kFast, 1}};
  Open();
  Put("a", "1");
  Flush();
  EXPECT_EQ(TablesByDirectory()[kFast].size(), 1u);
}

TEST_F(DbPathsTest, DynamicLevelsAreTurnedOffForSeveralPaths) {
  options_.level_compaction_dynamic_level_bytes = true;
  Open();
  EXPECT_FALSE(db_->GetOptions().level_compaction_dynamic_level_bytes);
  EXPECT_EQ(LogLines("level_compaction_dynamic_level_bytes").size(), 1u);
  Destroy();
  options_.db_paths.resize(1);
  Open();
  EXPECT_TRUE(db_->GetOptions().level_compaction_dynamic_level_bytes);
}

TEST_F(DbPathsTest, TheDatabasesOwnDirectoryMayBeAPath) {
  options_.db_paths = {{std::string(kTestDirectory) + "/", 1}, {kSlow, 1}};
  Open();
  PutMany(10);
  Flush();
  EXPECT_EQ(TablesByDirectory()[kTestDirectory].size(), 1u);
  CompactTo(1);
  EXPECT_EQ(TablesByDirectory()[kSlow].size(), 1u);
  Reopen();
  ExpectAll(10);
}

TEST_F(DbPathsTest, WithoutThePathsAnOpenNamesTheTable) {
  options_.db_paths[0].path = kTestDirectory;
  Open();
  PutMany(10);
  Flush();
  CompactTo(1);
  db_.reset();
  const auto paths = options_.db_paths;
  for (const int given : {0, 1}) {
    options_.db_paths.assign(paths.begin(), paths.begin() + given);
    const Status status = TryOpen();
    EXPECT_TRUE(status.IsCorruption()) << status;
    EXPECT_NE(status.message().find("db_paths[1]"), std::string::npos)
        << status;
    const Status repaired = RepairDB(kTestDirectory, options_);
    EXPECT_TRUE(repaired.IsInvalidArgument()) << repaired;
  }
  // All tables in one place are found without paths.
  options_.db_paths.clear();
  for (const std::string& name : NamesIn(kSlow)) {
    ASSERT_EQ(fs_->RenameFile(kSlow + "/" + name,
                              std::string(kTestDirectory) + "/" + name),
              Status::OK());
  }
  Open();
  ExpectAll(10);
  Put("b", "2");
  Flush();
  // The ids are gone, too.
  db_.reset();
  options_.db_paths = paths;
  Open();
  ExpectAll(10);
}

TEST_F(DbPathsTest, ObsoleteTablesGoFromWhereTheyAre) {
  Open();
  PutMany(10);
  Flush();
  CompactTo(1);
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  CompactTo(1);
  EXPECT_EQ(NamesIn(kSlow).size(), 2u);  // the iterator has the old one
  ASSERT_TRUE(it->Valid());
  it.reset();
  RunJobs();
  EXPECT_EQ(TablesByDirectory()[kSlow].size(), 1u);
}

TEST_F(DbPathsTest, AnOpenRemovesTablesThatNothingLists) {
  Open();
  PutMany(10);
  Flush();
  CompactTo(1);
  db_.reset();
  for (const std::string& directory : {kFast, kSlow}) {
    ASSERT_EQ(WriteStringToFile(fs_.get(), "x", directory + "/000999.sst",
                                /*sync=*/true),
              Status::OK());
  }
  ASSERT_EQ(WriteStringToFile(fs_.get(), "x", kSlow + "/notes", false),
            Status::OK());
  Open();
  TablesByDirectory();
  EXPECT_EQ(NamesIn(kSlow, "notes").size(), 1u);
  // Its number is not given again.
  Put("b", "2");
  Flush();
  EXPECT_GT(LiveFiles().front().file_number, 999u);
  ExpectAll(10);
}

// A power failure may undo the removal of a table of which the number was then
// given again.
TEST_F(DbPathsTest, ATableOfALiveNumberInAnotherDirectoryGoes) {
  Open();
  PutMany(10);
  Flush();
  const std::string name = LiveFiles().at(0).name;
  db_.reset();
  ASSERT_EQ(WriteStringToFile(fs_.get(), "x", kSlow + name, /*sync=*/true),
            Status::OK());
  ASSERT_EQ(RepairDB(kTestDirectory, options_), Status::OK());
  EXPECT_TRUE(NamesIn(kSlow).empty());
  ASSERT_EQ(WriteStringToFile(fs_.get(), "x", kSlow + name, /*sync=*/true),
            Status::OK());
  Open();
  EXPECT_TRUE(TablesByDirectory()[kSlow].empty());
  ExpectAll(10);
}

TEST_F(DbPathsTest, ADirectoryServesOneDatabase) {
  Open();
  PutMany(10);
  Flush();
  Options other = options_;
  std::unique_ptr<DB> second;
  Status status = DB::Open(other, "/parent/second", &second);
  EXPECT_TRUE(status.IsIOError()) << status;  // locked
  db_.reset();
  ExpectRefused(DB::Open(other, "/parent/second", &second),
                "belongs to another database");
  // RocksDB marks nothing.
  for (const std::string& directory : {kFast, kSlow}) {
    ASSERT_EQ(fs_->RemoveFile(directory + "/IDENTITY"), Status::OK());
  }
  ExpectRefused(DB::Open(other, "/parent/second", &second), "lists none");
  other.db_paths = {{kTestDirectory, 1}};
  ExpectRefused(DB::Open(other, "/parent/second", &second),
                "is the directory of a database");
  Open();
  ExpectAll(10);
  EXPECT_EQ(NamesIn(kFast, "IDENTITY").size(), 1u);
}

TEST_F(DbPathsTest, FamiliesMayHaveTheirOwn) {
  Open();
  ColumnFamilyOptions options = options_;
  options.cf_paths = {{"/disk/family", 1}};
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_EQ(db_->CreateColumnFamily(options, "family", &handle), Status::OK());
  ASSERT_EQ(db_->Put(WriteOptions(), handle, "a", "1"), Status::OK());
  Put("b", "2");
  ASSERT_EQ(db_->Flush(FlushOptions(), handle), Status::OK());
  Flush();
  EXPECT_EQ(NamesIn("/disk/family").size(), 1u);
  EXPECT_EQ(NamesIn(kFast).size(), 1u);
  delete handle;
  db_.reset();

  std::vector<ColumnFamilyHandle*> handles;
  ASSERT_EQ(
      DB::Open(options_, kTestDirectory,
               {{kDefaultColumnFamilyName, options_}, {"family", options}},
               &handles, &db_),
      Status::OK());
  std::string value;
  ASSERT_EQ(db_->Get(ReadOptions(), handles[1], "a", &value), Status::OK());
  EXPECT_EQ(value, "1");
  ASSERT_EQ(db_->DropColumnFamily(handles[1]), Status::OK());
  for (ColumnFamilyHandle* one : handles) delete one;
  RunJobs();
  EXPECT_TRUE(NamesIn("/disk/family").empty());
}

TEST_F(DbPathsTest, AFamilyGetsNoDirectoryOfAnother) {
  ASSERT_EQ(fs_->CreateDirIfMissing("/disk/family"), Status::OK());
  ASSERT_EQ(WriteStringToFile(fs_.get(), "x", "/disk/family/000007.sst", true),
            Status::OK());
  Open();
  ColumnFamilyOptions options = options_;
  options.cf_paths = {{"/disk/family", 1}};
  ColumnFamilyHandle* handle = nullptr;
  ExpectRefused(db_->CreateColumnFamily(options, "family", &handle),
                "/disk/family/000007.sst");
  options.cf_paths = {{"/disk/free", 1}};
  ASSERT_EQ(db_->CreateColumnFamily(options, "family", &handle), Status::OK());
  delete handle;
}

TEST_F(DbPathsTest, IngestedAndImportedFilesGoToTheFirst) {
  Open();
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_EQ(writer.Open("/disk/in.sst"), Status::OK());
  ASSERT_EQ(writer.Put("a", "1"), Status::OK());
  ASSERT_EQ(writer.Finish(), Status::OK());
  ASSERT_EQ(db_->IngestExternalFile({"/disk/in.sst"}, {}), Status::OK());
  EXPECT_EQ(TablesByDirectory()[kFast].size(), 1u);
  CompactTo(1);
  EXPECT_EQ(TablesByDirectory()[kSlow].size(), 1u);

  Checkpoint* raw = nullptr;
  ASSERT_EQ(Checkpoint::Create(db_.get(), &raw), Status::OK());
  const std::unique_ptr<Checkpoint> checkpoint(raw);
  ExportImportFilesMetaData* exported = nullptr;
  ASSERT_EQ(checkpoint->ExportColumnFamily(db_->DefaultColumnFamily(),
                                           "/disk/export", &exported),
            Status::OK());
  const std::unique_ptr<ExportImportFilesMetaData> owned(exported);
  ColumnFamilyOptions options = options_;
  options.cf_paths = {{"/disk/family", 1}};
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_EQ(db_->CreateColumnFamilyWithImport(options, "family", {}, *exported,
                                              &handle),
            Status::OK());
  EXPECT_EQ(NamesIn("/disk/family").size(), 1u);
  std::string value;
  EXPECT_EQ(db_->Get(ReadOptions(), handle, "a", &value), Status::OK());
  EXPECT_EQ(value, "1");
  delete handle;
}

TEST_F(DbPathsTest, ACheckpointHasAllTablesInItsDirectory) {
  Open();
  PutMany(10);
  Flush();
  CompactTo(1);
  Put("b", "2");
  Flush();
  Checkpoint* raw = nullptr;
  ASSERT_EQ(Checkpoint::Create(db_.get(), &raw), Status::OK());
  const std::unique_ptr<Checkpoint> checkpoint(raw);
  ASSERT_EQ(checkpoint->CreateCheckpoint("/parent/checkpoint"), Status::OK());
  EXPECT_EQ(NamesIn("/parent/checkpoint").size(), 2u);
  std::vector<std::string> names;
  uint64_t manifest_bytes = 0;
  EXPECT_TRUE(db_->GetLiveFiles(names, &manifest_bytes).IsNotSupported());
  db_.reset();
  options_.db_paths.clear();
  ASSERT_EQ(DB::Open(options_, "/parent/checkpoint", &db_), Status::OK());
  ExpectAll(10);
  EXPECT_EQ(Get("b"), "2");
}

TEST_F(DbPathsTest, ABackupIsRestoredIntoOneDirectory) {
  Open();
  PutMany(10);
  Flush();
  CompactTo(1);
  Put("b", "2");
  Flush();
  BackupEngineOptions backups("/disk/backups");
  backups.backup_file_system = fs_;
  std::unique_ptr<BackupEngine> engine;
  ASSERT_EQ(BackupEngine::Open(backups, fs_, &engine), Status::OK());
  ASSERT_EQ(engine->CreateNewBackup(db_.get()), Status::OK());
  ASSERT_EQ(
      engine->RestoreDBFromLatestBackup("/parent/restored", "/parent/restored"),
      Status::OK());
  db_.reset();
  options_.db_paths.clear();
  ASSERT_EQ(DB::Open(options_, "/parent/restored", &db_), Status::OK());
  ExpectAll(10);
  EXPECT_EQ(Get("b"), "2");
}

TEST_F(DbPathsTest, LogsMayBeInADirectoryOfTables) {
  options_.wal_dir = kFast;
  Open();
  PutMany(10);
  Flush();
  Put("b", "2");
  EXPECT_EQ(NamesIn(kFast, ".log").size(), 1u);
  Reopen();
  ExpectAll(10);
  EXPECT_EQ(Get("b"), "2");
  Destroy();
  EXPECT_TRUE(fs_->FileExists(kFast).IsPathNotFound());
}

TEST_F(DbPathsTest, ReadOnlyOpensFindTheTables) {
  Open();
  PutMany(10);
  Flush();
  CompactTo(1);
  db_.reset();
  ASSERT_EQ(DB::OpenForReadOnly(options_, kTestDirectory, &db_), Status::OK());
  ExpectAll(10);
}

TEST_F(DbPathsTest, TheSpaceOfAllDirectoriesCounts) {
  options_.sst_file_manager.reset(NewSstFileManager(nullptr, fs_));
  Open();
  PutMany(300);
  Flush();
  CompactTo(1);
  Put("b", "2");
  Flush();
  EXPECT_EQ(options_.sst_file_manager->GetTotalSize(), LiveBytes());
  db_.reset();
  options_.sst_file_manager.reset(NewSstFileManager(nullptr, fs_));
  Open();
  EXPECT_EQ(options_.sst_file_manager->GetTotalSize(), LiveBytes());
  Destroy();
  EXPECT_EQ(options_.sst_file_manager->GetTotalSize(), 0u);
}

TEST_F(DbPathsTest, NewFiltersStayWhereTheirTableIs) {
  Open();
  PutMany(300);
  Flush();
  CompactTo(1);
  db_.reset();
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  SetTable(table);
  Open();
  const std::string before = LiveFiles().at(0).name;
  ASSERT_EQ(db_->RewriteFilters(RewriteFiltersOptions()), Status::OK());
  EXPECT_NE(LiveFiles().at(0).name, before);
  EXPECT_EQ(TablesByDirectory()[kSlow].size(), 1u);
  Reopen();
  ExpectAll(300);
}

// A table's name is durable before the MANIFEST has it.
TEST_F(DbPathsTest, TablesSurviveAPowerCut) {
  WriteOptions sync;
  sync.sync = true;
  Open();
  PutMany(300);
  Flush();
  CompactTo(1);
  ASSERT_EQ(db_->Put(sync, "b", "2"), Status::OK());
  for (int round = 0; round < 2; ++round) {
    fs_->CutPower();
    db_.reset();
    fs_->Restart(301, CrashStyle::kDropAll);
    Open();
    ExpectAll(300);
    EXPECT_EQ(Get("b"), "2");
    EXPECT_EQ(TablesByDirectory()[kSlow].size(), 1u);
  }
}

}  // namespace
}  // namespace tamis
