// SPDX-License-Identifier: Apache-2.0
//
// The OPTIONS files of a database follow its options and families, and nothing
// depends on them.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/checkpoint.h"
#include "tamis/utilities/options_util.h"

#include "tests/db/test_db.h"
#include "tests/support/wrapped_file_system.h"

namespace tamis {
namespace {

// Calls a function before the creation of an OPTIONS file, and fails it, while
// told to.
class NoOptionsFileSystem final : public WrappedFileSystem {
 public:
  using WrappedFileSystem::WrappedFileSystem;
  bool fails = false;
  std::function<void()> before;
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    if (path.find("OPTIONS-") != std::string::npos) {
      if (before) before();
      if (fails) return Status::IOError(path, "refused");
    }
    return WrappedFileSystem::NewWritableFile(path, file);
  }
};

class OptionsFilesTest : public DBTest {
 protected:
  // The names of OPTIONS files, in order.
  std::vector<std::string> Files(
      const std::string& directory = kTestDirectory) {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(directory, &names).ok());
    std::erase_if(names, [](const std::string& name) {
      return !name.starts_with("OPTIONS-");
    });
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string Newest() {
    std::string text;
    EXPECT_TRUE(ReadFileToString(
                    fs_.get(),
                    std::string(kTestDirectory) + "/" + Files().back(), &text)
                    .ok());
    return text;
  }
  // Leaves a database whose newest OPTIONS file lists a dropped family.
  void MakeStale() {
    Open();
    ColumnFamilyHandle* handle = nullptr;
    ASSERT_TRUE(db_->CreateColumnFamily({}, "users", &handle).ok());
    const std::string text = Newest();
    ASSERT_TRUE(db_->DropColumnFamily(handle).ok());
    EXPECT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
    db_.reset();
    ASSERT_TRUE(WriteStringToFile(
                    fs_.get(), text,
                    std::string(kTestDirectory) + "/OPTIONS-000900", false)
                    .ok());
  }
  bool NewestHas(const std::string& part) {
    return Newest().find(part) != std::string::npos;
  }
};

TEST_F(OptionsFilesTest, AnOpenWritesTheOptionsInUse) {
  options_.write_buffer_size = 1;  // is clamped
  Open();
  ASSERT_EQ(Files().size(), 1u);
  EXPECT_TRUE(NewestHas("\n  write_buffer_size=65536\n")) << Newest();
  ConfigOptions config(options_);
  EXPECT_EQ(
      CheckOptionsCompatibility(config, kTestDirectory, db_->GetDBOptions(),
                                {{"default", db_->GetOptions()}})
          .ToString(),
      "OK");
}

TEST_F(OptionsFilesTest, AnOpenWithEqualOptionsWritesNone) {
  Open();
  const std::vector<std::string> files = Files();
  Reopen();
  Put("a", "1");
  Flush();
  Reopen();
  EXPECT_EQ(Files(), files);
  EXPECT_EQ(LogLines("event=options_written").size(), 0u);
  options_.max_open_files = 77;
  Reopen();
  EXPECT_EQ(Files().size(), 2u);
  EXPECT_TRUE(NewestHas("\n  max_open_files=77\n"));
  EXPECT_EQ(LogLines("event=options_written").size(), 1u);
}

TEST_F(OptionsFilesTest, AnOpenReplacesADamagedFile) {
  Open();
  const std::string text = Newest();
  const std::vector<std::string> first = Files();
  for (const std::string& damaged :
       {std::string(), std::string(text.size(), '\0'),
        text.substr(0, text.size() - 1)}) {
    db_.reset();
    ASSERT_TRUE(WriteStringToFile(
                    fs_.get(), damaged,
                    std::string(kTestDirectory) + "/" + Files().back(), false)
                    .ok());
    Open();
    EXPECT_EQ(Newest(), text) << damaged.size() << " bytes";
    EXPECT_NE(Files().back(), first.back());
  }
}

TEST_F(OptionsFilesTest, TheTwoNewestAreKept) {
  for (int n = 10; n < 15; ++n) {
    options_.max_open_files = n;
    Open();
    db_.reset();
    EXPECT_EQ(Files().size(), std::min<size_t>(2, static_cast<size_t>(n) - 9));
    EXPECT_TRUE(NewestHas("max_open_files=" + std::to_string(n)));
  }
}

TEST_F(OptionsFilesTest, AnotherEnginesFileIsOlderAfterwards) {
  Open();
  db_.reset();
  ASSERT_TRUE(
      WriteStringToFile(fs_.get(), "[DBOptions]\n[CFOptions \"default\"]\n",
                        std::string(kTestDirectory) + "/OPTIONS-000900", false)
          .ok());
  ASSERT_TRUE(WriteStringToFile(
                  fs_.get(), "unfinished",
                  std::string(kTestDirectory) + "/OPTIONS-000901.dbtmp", false)
                  .ok());
  Open();
  ASSERT_EQ(Files().size(), 2u) << "the unfinished one is removed";
  EXPECT_EQ(Files()[0], "OPTIONS-000900");
  EXPECT_TRUE(NewestHas("#tamis: "));
}

TEST_F(OptionsFilesTest, FamiliesAreListed) {
  Open();
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily({}, "users", &handle).ok());
  EXPECT_TRUE(NewestHas("[CFOptions \"users\"]"));
  ASSERT_TRUE(db_->DropColumnFamily(handle).ok());
  EXPECT_FALSE(NewestHas("users"));
  EXPECT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
}

TEST_F(OptionsFilesTest, AFailureLosesNothing) {
  const auto fs = std::make_shared<NoOptionsFileSystem>(fs_);
  options_.file_system = fs;
  Open();
  db_.reset();
  fs->fails = true;
  options_.max_open_files = 99;
  Open();
  EXPECT_EQ(LogLines("event=options_not_written").size(), 1u);
  EXPECT_EQ(Files().size(), 1u) << "the old file stays";
  Put("a", "1");
  // RocksDB's tools reject a file with other families than the MANIFEST's.
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily({}, "users", &handle).ok());
  EXPECT_EQ(Files().size(), 0u);
  EXPECT_EQ(Files(std::string(kTestDirectory) + "/lost").size(), 1u);
  fs->fails = false;
  ASSERT_TRUE(db_->DropColumnFamily(handle).ok());
  EXPECT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
  EXPECT_EQ(Files().size(), 1u);
  Reopen();
  EXPECT_EQ(Get("a"), "1");
}

// As if the process had ended between the edit of the MANIFEST and the file.
TEST_F(OptionsFilesTest, AStaleListOfFamiliesDoesNotOutliveAnOpen) {
  const auto fs = std::make_shared<NoOptionsFileSystem>(fs_);
  options_.file_system = fs;
  MakeStale();
  Open();
  EXPECT_FALSE(NewestHas("users"));
  Destroy();
  MakeStale();
  fs->fails = true;
  Open();
  EXPECT_EQ(Files().size(), 0u) << "none rather than a wrong one";
}

TEST_F(OptionsFilesTest, ARepairMovesAStaleListOfFamilies) {
  MakeStale();
  ASSERT_TRUE(RepairDB(kTestDirectory, options_).ok());
  EXPECT_EQ(Files().size(), 0u);
  EXPECT_GE(Files(std::string(kTestDirectory) + "/lost").size(), 2u);
  Open();
  EXPECT_EQ(Files().size(), 1u);
  db_.reset();
  ASSERT_TRUE(RepairDB(kTestDirectory, options_).ok());
  EXPECT_EQ(Files().size(), 1u) << "it lists the families";
}

TEST_F(OptionsFilesTest, WritesDoNotWaitForAFileOfFamilies) {
  const auto fs = std::make_shared<NoOptionsFileSystem>(fs_);
  options_.file_system = fs;
  Open();
  int stores = 0;
  fs->before = [&] { Put(std::to_string(++stores), "while it is stored"); };
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily({}, "users", &handle).ok());
  ASSERT_TRUE(db_->DropColumnFamily(handle).ok());
  EXPECT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
  EXPECT_EQ(stores, 2);
  EXPECT_EQ(Get("2"), "while it is stored");
}

TEST_F(OptionsFilesTest, AnOpenForReadingOnlyWritesNone) {
  Open();
  const std::vector<std::string> files = Files();
  db_.reset();
  options_.max_open_files = 99;
  ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &db_).ok());
  EXPECT_EQ(Files(), files);
}

TEST_F(OptionsFilesTest, ACheckpointHasOne) {
  options_.max_open_files = 55;
  Open();
  std::unique_ptr<Checkpoint> checkpoint;
  ASSERT_TRUE(Checkpoint::Create(db_.get(), &checkpoint).ok());
  ASSERT_TRUE(checkpoint->CreateCheckpoint("/parent/copy").ok());
  DBOptions database;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_TRUE(LoadLatestOptions(ConfigOptions(options_), "/parent/copy",
                                &database, &families)
                  .ok());
  EXPECT_EQ(database.max_open_files, 55);
}

TEST_F(OptionsFilesTest, AfterAPowerCutOneOfTheTwoIsThere) {
  Open();
  db_.reset();
  options_.max_open_files = 44;
  Open();
  db_.reset();
  fs_->CutPower();
  fs_->Restart(301);
  DBOptions database;
  std::vector<ColumnFamilyDescriptor> families;
  EXPECT_TRUE(LoadLatestOptions(ConfigOptions(options_), kTestDirectory,
                                &database, &families)
                  .ok());
}

// Each seed decides anew which names of files that were not synced are lost.
TEST_F(OptionsFilesTest, AfterAPowerCutDuringSetOptionsThereIsOne) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Open();
    for (const char* size : {"1M", "2M", "3M", "4M"}) {
      ASSERT_TRUE(db_->SetOptions({{"write_buffer_size", size}}).ok());
    }
    fs_->CutPower();
    db_.reset();
    fs_->Restart(seed);
    DBOptions database;
    std::vector<ColumnFamilyDescriptor> families;
    const Status status = LoadLatestOptions(
        ConfigOptions(options_), kTestDirectory, &database, &families);
    ASSERT_TRUE(status.ok()) << status << ", seed " << seed;
    ASSERT_GE(families[0].options.write_buffer_size, size_t{2} << 20);
    Destroy();
  }
}

TEST_F(OptionsFilesTest, IgnoredOptionsAreInLog) {
  options_.allow_concurrent_memtable_write = false;
  options_.max_sequential_skip_in_iterations = 3;
  BlockBasedTableOptions table;
  table.read_amp_bytes_per_bit = 8;
  table.block_cache_compressed = NewLRUCache(1 << 20);
  SetTable(table);
  options_.row_cache = NewLRUCache(1 << 20);
  Open();
  EXPECT_EQ(LogLines("event=option_ignored").size(), 5u);
  EXPECT_EQ(LogLines("option=row_cache given=").size(), 1u);
  EXPECT_EQ(LogLines("option=read_amp_bytes_per_bit given=8").size(), 1u);
  EXPECT_EQ(
      LogLines("option=allow_concurrent_memtable_write given=false").size(),
      1u);
}

}  // namespace
}  // namespace tamis
