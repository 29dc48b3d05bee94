// SPDX-License-Identifier: Apache-2.0
//
// A manager counts the tables that there are, whatever a database does; and it
// deletes them slowly.
#include "tamis/sst_file_manager.h"

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/convenience.h"
#include "tamis/sst_file_writer.h"
#include "tamis/utilities/checkpoint.h"

#include "tests/db/test_families.h"
#include "tests/support/timer_runner.h"

namespace tamis {
namespace {

using Counts = std::map<std::string, uint64_t>;
constexpr char kOther[] = "/parent/other";

class SstFileManagerDBTest : public FamiliesTest {
 protected:
  SstFileManagerDBTest() {
    options_.stats_dump_period_sec = 0;
    options_.job_runner = timers_;
    options_.level0_file_num_compaction_trigger = 100;
    Make(0);
  }
  ~SstFileManagerDBTest() override { CloseAll(); }

  void Make(int64_t rate) {
    options_.sst_file_manager.reset(NewSstFileManager(
        clock_, timers_, nullptr, rate, /*max_trash_db_ratio=*/1e9,
        /*bytes_max_delete_chunk=*/0));
  }
  SstFileManager& manager() { return *options_.sst_file_manager; }
  // Of the tables, and their trash, that lie in the directories.
  Counts OnDisk(const std::vector<std::string>& directories) {
    Counts counts;
    for (const std::string& directory : directories) {
      std::vector<std::string> names;
      if (!fs_->GetChildren(directory, &names).ok()) continue;
      for (const std::string& name : names) {
        if (!name.ends_with(".sst") && !name.ends_with(".sst.trash")) continue;
        const std::string path = directory + "/" + name;
        EXPECT_TRUE(fs_->GetFileSize(path, &counts[path]).ok());
      }
    }
    return counts;
  }
  void ExpectCounted(const std::vector<std::string>& directories = {
                         kTestDirectory}) {
    const auto tracked = manager().GetTrackedFiles();
    const Counts counted(tracked.begin(), tracked.end());
    EXPECT_EQ(counted, OnDisk(directories));
    uint64_t total = 0;
    for (const auto& [path, bytes] : counted) total += bytes;
    EXPECT_EQ(manager().GetTotalSize(), total);
  }
  void FailTables(const std::string& operation) {
    fs_->SetFaultHook([=](const SimulatedFileSystem::Call& call) {
      return call.operation == operation && call.path.ends_with(".sst")
                 ? Status::IOError(call.path, "injected")
                 : Status::OK();
    });
  }
  void Heal() {
    fs_->SetFaultHook(nullptr);
    ASSERT_TRUE(db_->Resume().ok());
  }
  std::string MakeExternalFile(const std::string& key) {
    const std::string path = "/parent/external.sst";
    SstFileWriter writer(EnvOptions(), options_);
    EXPECT_TRUE(writer.Open(path).ok());
    EXPECT_TRUE(writer.Put(key, "v").ok());
    EXPECT_TRUE(writer.Finish().ok());
    return path;
  }

  const std::shared_ptr<TimerRunner> timers_ =
      std::make_shared<TimerRunner>(runner_);
};

TEST_F(SstFileManagerDBTest, CountsWhatJobsWriteAndDelete) {
  Open();
  ExpectCounted();
  MakeLevel0Files(3);
  EXPECT_EQ(manager().GetTrackedFiles().size(), 3u);
  ExpectCounted();
  Compact();
  EXPECT_EQ(manager().GetTrackedFiles().size(), 1u);
  ExpectCounted();
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  SetTable(table);
  Reopen();
  ASSERT_TRUE(
      db_->RewriteFilters(RewriteFiltersOptions(), nullptr, nullptr).ok());
  ExpectCounted();
  const RangePtr all(nullptr, nullptr);
  ASSERT_TRUE(
      DeleteFilesInRanges(db_.get(), db_->DefaultColumnFamily(), &all, 1).ok());
  EXPECT_EQ(manager().GetTotalSize(), 0u);
}

TEST_F(SstFileManagerDBTest, CountsAFileAsLongAsAReaderKeepsIt) {
  Open();
  MakeLevel0Files(2);
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  Compact();
  EXPECT_EQ(manager().GetTrackedFiles().size(), 3u);
  ExpectCounted();
  it.reset();
  RunJobs();
  EXPECT_EQ(manager().GetTrackedFiles().size(), 1u);
  ExpectCounted();
}

TEST_F(SstFileManagerDBTest, CountsRightAfterFailures) {
  for (const char* const operation : {"create", "append", "sync", "close"}) {
    SCOPED_TRACE(operation);
    Destroy();
    Open();
    MakeLevel0Files(2);
    FailTables(operation);
    Put("a", "x");
    EXPECT_TRUE(db_->Flush(FlushOptions()).IsIOError());
    ExpectCounted();
    Heal();
    ExpectCounted();
    FailTables(operation);
    EXPECT_TRUE(
        db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).IsIOError());
    ExpectCounted();
    Heal();
    // A table that cannot be removed takes space until it is.
    FailTables("remove");
    Compact();
    ExpectCounted();
    EXPECT_GT(manager().GetTrackedFiles().size(), 1u);
    fs_->SetFaultHook(nullptr);
    Reopen();
    ExpectCounted();
    EXPECT_EQ(manager().GetTrackedFiles().size(), 1u);
  }
}

// Throws where a compaction that has made its tables counts.
class ThrowingStatistics final : public Statistics {
 public:
  explicit ThrowingStatistics(bool of_tickers) : of_tickers_(of_tickers) {}
  void recordTick(uint32_t ticker, uint64_t) override {
    if (of_tickers_ && ticker == COMPACT_WRITE_BYTES) Throw();
  }
  void recordInHistogram(uint32_t histogram, uint64_t) override {
    if (!of_tickers_ && histogram == COMPACTION_CPU_TIME) Throw();
  }
  uint64_t getTickerCount(uint32_t) const override { return 0; }
  void setTickerCount(uint32_t, uint64_t) override {}
  uint64_t getAndResetTickerCount(uint32_t) override { return 0; }
  void histogramData(uint32_t, HistogramData* data) const override {
    *data = HistogramData();
  }
  Status Reset() override { return Status::OK(); }
  int thrown = 0;

 private:
  void Throw() {
    ++thrown;
    throw std::runtime_error("no count today");
  }
  const bool of_tickers_;
};

TEST_F(SstFileManagerDBTest, WhatStatisticsThrowLeavesNoTable) {
  for (const bool of_tickers : {false, true}) {
    const auto statistics = std::make_shared<ThrowingStatistics>(of_tickers);
    options_.statistics = statistics;
    Open();
    MakeLevel0Files(2);
    Compact();
    EXPECT_EQ(statistics->thrown, 1);
    ExpectCounted();
    EXPECT_EQ(manager().GetTrackedFiles().size(), 1u);
    Destroy();
  }
}

TEST_F(SstFileManagerDBTest, CountsIngestedFiles) {
  Open();
  const std::string path = MakeExternalFile("k");
  FailTables("sync");
  EXPECT_TRUE(
      db_->IngestExternalFile({path}, IngestExternalFileOptions()).IsIOError());
  fs_->SetFaultHook(nullptr);
  ExpectCounted();
  EXPECT_EQ(manager().GetTotalSize(), 0u);
  IngestExternalFileOptions move;
  move.move_files = true;
  ASSERT_TRUE(db_->IngestExternalFile({path}, move).ok());
  EXPECT_EQ(manager().GetTrackedFiles().size(), 1u);
  ExpectCounted();
}

TEST_F(SstFileManagerDBTest, CountsImportsAndDrops) {
  MakeFamilies({"a"});
  Put("a", "k", "v");
  ASSERT_TRUE(db_->Flush(FlushOptions(), Family("a")).ok());
  ExpectCounted();
  Checkpoint* made = nullptr;
  ASSERT_TRUE(Checkpoint::Create(db_.get(), &made).ok());
  const std::unique_ptr<Checkpoint> checkpoint(made);
  ASSERT_TRUE(checkpoint->CreateCheckpoint("/parent/copy").ok());
  ExportImportFilesMetaData* exported = nullptr;
  ASSERT_TRUE(
      checkpoint->ExportColumnFamily(Family("a"), "/parent/export", &exported)
          .ok());
  const std::unique_ptr<ExportImportFilesMetaData> metadata(exported);
  ExpectCounted();  // and no copies
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamilyWithImport(options_, "b",
                                                ImportColumnFamilyOptions(),
                                                *metadata, &handle)
                  .ok());
  EXPECT_EQ(manager().GetTrackedFiles().size(), 2u);
  ExpectCounted();
  ASSERT_TRUE(db_->DropColumnFamily(handle).ok());
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
  RunJobs();
  EXPECT_EQ(manager().GetTrackedFiles().size(), 1u);
  ExpectCounted();
}

TEST_F(SstFileManagerDBTest, AnOpenCountsWhatItFinds) {
  options_.sst_file_manager.reset();
  Open();
  MakeLevel0Files(2);
  db_.reset();
  Make(0);
  std::unique_ptr<DB> reader;
  ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &reader).ok());
  EXPECT_EQ(manager().GetTotalSize(), 0u);
  reader.reset();
  Open();
  EXPECT_EQ(manager().GetTrackedFiles().size(), 2u);
  ExpectCounted();
  // A closed database takes space, too.
  const uint64_t total = manager().GetTotalSize();
  db_.reset();
  EXPECT_EQ(manager().GetTotalSize(), total);
  // What others did meanwhile is found.
  ASSERT_TRUE(WriteStringToFile(fs_.get(), "orphan",
                                std::string(kTestDirectory) + "/000099.sst",
                                false)
                  .ok());
  Open();
  EXPECT_EQ(manager().GetTotalSize(), total);
  ExpectCounted();
  Put("a", "in the log");
  Reopen();  // makes a table of it
  EXPECT_EQ(manager().GetTrackedFiles().size(), 3u);
  ExpectCounted();
}

TEST_F(SstFileManagerDBTest, DestroyDBEndsTheCount) {
  Open();
  MakeLevel0Files(2);
  Destroy();
  EXPECT_EQ(manager().GetTotalSize(), 0u);
  EXPECT_TRUE(manager().GetTrackedFiles().empty());
}

// Somebody else may have removed tables, or everything.
TEST_F(SstFileManagerDBTest, DestroyDBEndsTheCountOfMissingFiles) {
  for (const bool all : {false, true}) {
    Open();
    MakeLevel0Files(2);
    db_.reset();
    std::vector<std::string> names;
    ASSERT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
    for (const std::string& name : names) {
      if (!all && !name.ends_with(".sst")) continue;
      const std::string path = std::string(kTestDirectory) + "/" + name;
      ASSERT_TRUE(fs_->RemoveFile(path).ok()) << path;
    }
    if (all) {
      ASSERT_TRUE(fs_->RemoveDir(kTestDirectory).ok());
    }
    EXPECT_GT(manager().GetTotalSize(), 0u);
    Destroy();
    EXPECT_EQ(manager().GetTotalSize(), 0u);
  }
}

TEST_F(SstFileManagerDBTest, RepairDBKeepsTheCount) {
  Open();
  MakeLevel0Files(2);
  Put("a", "in the log");
  db_.reset();
  ASSERT_TRUE(RepairDB(kTestDirectory, options_).ok());
  ExpectCounted();
}

TEST_F(SstFileManagerDBTest, DatabasesShareIt) {
  for (const bool first_closes_first : {false, true}) {
    Make(/*rate=*/1000);
    Open();
    MakeLevel0Files(2);
    std::unique_ptr<DB> other;
    ASSERT_TRUE(DB::Open(options_, kOther, &other).ok());
    ASSERT_TRUE(other->Put(WriteOptions(), "a", "1").ok());
    ASSERT_TRUE(other->Flush(FlushOptions()).ok());
    ExpectCounted({kTestDirectory, kOther});
    Compact();  // leaves trash
    EXPECT_GT(manager().GetTotalTrashSize(), 0u);
    ExpectCounted({kTestDirectory, kOther});
    if (first_closes_first) {
      db_.reset();
      timers_->Expire();
      other.reset();
    } else {
      other.reset();
      timers_->Expire();
      db_.reset();
    }
    // Trash of closed databases is deleted, too.
    while (manager().GetTotalTrashSize() > 0) {
      ASSERT_FALSE(timers_->delays.empty());
      timers_->Expire();
    }
    ExpectCounted({kTestDirectory, kOther});
    EXPECT_TRUE(FilesEndingIn(".trash").empty());
    ASSERT_TRUE(DestroyDB(kOther, options_).ok());
    ExpectCounted();
    Destroy();
    EXPECT_EQ(manager().GetTotalSize(), 0u);
  }
}

TEST_F(SstFileManagerDBTest, TablesAndLogsAreDeletedSlowly) {
  Make(/*rate=*/1);
  Open();
  MakeLevel0Files(2);
  const std::vector<std::string> tables = FilesEndingIn(".sst");
  Compact();
  std::vector<std::string> trash = FilesEndingIn(".sst.trash");
  EXPECT_EQ(trash, (std::vector<std::string>{tables[0] + ".trash",
                                             tables[1] + ".trash"}));
  EXPECT_EQ(FilesEndingIn(".log.trash").size(), 2u);
  EXPECT_EQ(Tick(FILES_MARKED_TRASH), 4u);
  ExpectCounted();
  EXPECT_EQ(Contents(), "a=1 z=1");
  // The next manager takes over what this one leaves.
  db_.reset();
  Make(/*rate=*/1000);
  Open();
  EXPECT_EQ(FilesEndingIn(".sst.trash"), trash);
  ExpectCounted();
  while (manager().GetTotalTrashSize() > 0) {
    ASSERT_FALSE(timers_->delays.empty());
    timers_->Expire();
  }
  EXPECT_TRUE(FilesEndingIn(".trash").empty());
  ExpectCounted();
  EXPECT_EQ(Contents(), "a=1 z=1");
}

TEST_F(SstFileManagerDBTest, DestroyDBDeletesTrashAtOnce) {
  Make(/*rate=*/1);
  Open();
  MakeLevel0Files(2);
  Compact();
  EXPECT_FALSE(FilesEndingIn(".trash").empty());
  Destroy();
  EXPECT_TRUE(fs_->FileExists(kTestDirectory).IsPathNotFound());
  EXPECT_EQ(manager().GetTotalSize(), 0u);
  EXPECT_EQ(manager().GetTotalTrashSize(), 0u);
  timers_->Expire();
}

// A power failure during the slow deletion loses nothing.
TEST_F(SstFileManagerDBTest, APowerFailureLeavesTrashOrTables) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Make(/*rate=*/1);
    OpenFamilies({});
    MakeLevel0Files(3);
    Compact();
    timers_->Expire();
    PowerCut(seed);
    Make(/*rate=*/1);
    OpenFamilies({});
    EXPECT_EQ(Contents(), "a=2 z=2");
    ExpectCounted();
    CloseAll();
    Destroy();
  }
}

}  // namespace
}  // namespace tamis
