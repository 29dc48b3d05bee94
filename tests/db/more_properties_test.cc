// SPDX-License-Identifier: Apache-2.0
//
// Properties that change with time, stalls, readers and compression.
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

using MorePropertiesTest = DBTest;
using P = DB::Properties;

TEST_F(MorePropertiesTest, OldestSnapshotTimeIsThatOfItsTaking) {
  Open();
  EXPECT_EQ(Property(P::kOldestSnapshotTime), 0u);
  const Snapshot* const first = db_->GetSnapshot();
  const int64_t taken = first->GetUnixTime();
  EXPECT_EQ(taken, static_cast<int64_t>(clock_->NowMicros() / 1'000'000));
  clock_->SleepForMicroseconds(7'000'000);
  Put("a", "1");
  const Snapshot* const second = db_->GetSnapshot();
  EXPECT_EQ(second->GetUnixTime(), taken + 7);
  EXPECT_EQ(Property(P::kOldestSnapshotTime), static_cast<uint64_t>(taken));
  db_->ReleaseSnapshot(first);
  EXPECT_EQ(Property(P::kOldestSnapshotTime), static_cast<uint64_t>(taken + 7));
  db_->ReleaseSnapshot(second);
  EXPECT_EQ(Property(P::kOldestSnapshotTime), 0u);
}

TEST_F(MorePropertiesTest, SuperVersionNumberGrowsWithMemtablesAndTables) {
  Open();
  const uint64_t before = Property(P::kCurrentSuperVersionNumber);
  Put("a", "1");
  EXPECT_EQ(Property(P::kCurrentSuperVersionNumber), before);
  Flush();
  EXPECT_GT(Property(P::kCurrentSuperVersionNumber), before);
}

TEST_F(MorePropertiesTest, MemtablesThatReadersHoldCount) {
  Open();
  PutMany(100, 1000);
  EXPECT_EQ(Property(P::kSizeAllMemTables), Property(P::kCurSizeAllMemTables));
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  Flush();
  EXPECT_EQ(Property(P::kNumImmutableMemTable), 0u);
  EXPECT_EQ(Property(P::kNumImmutableMemTableFlushed), 1u);
  EXPECT_GE(Property(P::kSizeAllMemTables),
            Property(P::kCurSizeAllMemTables) + 100'000);
  it.reset();
  Put("a", "1");
  Flush();
  EXPECT_EQ(Property(P::kNumImmutableMemTableFlushed), 0u);
  EXPECT_EQ(Property(P::kSizeAllMemTables), Property(P::kCurSizeAllMemTables));
}

TEST_F(MorePropertiesTest, StoppedWritesAreTold) {
  Open();
  EXPECT_EQ(Property(P::kIsWriteStopped), 0u);
  // Without a wait, no job runs.
  FlushOptions no_wait;
  no_wait.wait = false;
  Put("a", "1");
  ASSERT_TRUE(db_->Flush(no_wait).ok());
  EXPECT_EQ(Property(P::kIsWriteStopped), 1u) << "one of two memtables is full";
  RunJobs();
  EXPECT_EQ(Property(P::kIsWriteStopped), 0u);
}

TEST_F(MorePropertiesTest, SlowWritesHaveARate) {
  options_.disable_auto_compactions = true;
  options_.level0_file_num_compaction_trigger = 2;
  options_.level0_slowdown_writes_trigger = 2;
  options_.level0_stop_writes_trigger = 100;
  options_.delayed_write_rate = 5'000'000;
  Open();
  MakeLevel0Files(3);
  EXPECT_EQ(Property(P::kActualDelayedWriteRate), 0u)
      << "compactions are not automatic";
  const Status set = db_->SetOptions({{"disable_auto_compactions", "false"}});
  ASSERT_TRUE(set.ok()) << set;
  EXPECT_EQ(Property(P::kActualDelayedWriteRate), 5'000'000u);
  RunJobs();
  EXPECT_EQ(Property(P::kActualDelayedWriteRate), 0u);
}

TEST_F(MorePropertiesTest, OldestKeyTimeIsForFifo) {
  Open();
  Put("a", "1");
  Flush();
  uint64_t value = 0;
  EXPECT_FALSE(db_->GetIntProperty(P::kEstimateOldestKeyTime, &value));
  db_.reset();
  options_.compaction_style = kCompactionStyleFIFO;
  Open();
  const uint64_t first = Property(P::kEstimateOldestKeyTime);
  EXPECT_GT(first, 0u);
  EXPECT_LE(first, clock_->NowMicros() / 1'000'000);
  clock_->SleepForMicroseconds(100'000'000);
  Put("b", "1");
  Flush();
  EXPECT_EQ(Property(P::kEstimateOldestKeyTime), first);
}

TEST_F(MorePropertiesTest, ObsoleteTablesCountUntilTheyAreDeleted) {
  options_.disable_auto_compactions = true;
  Open();
  MakeLevel0Files(2);
  ColumnFamilyHandle* other = nullptr;
  ASSERT_EQ(db_->CreateColumnFamily(ColumnFamilyOptions(), "other", &other),
            Status::OK());
  EXPECT_EQ(Property(P::kObsoleteSstFilesSize), 0u);
  const uint64_t before = LiveBytes();
  ASSERT_EQ(db_->DisableFileDeletions(), Status::OK());
  Compact();
  EXPECT_EQ(Property(P::kObsoleteSstFilesSize), before);
  EXPECT_EQ(Property(P::kTotalSstFilesSize), LiveBytes());
  uint64_t all = 0;
  ASSERT_TRUE(db_->GetAggregatedIntProperty(P::kObsoleteSstFilesSize, &all));
  EXPECT_EQ(all, before) << "it is the database's: it counts once";
  ASSERT_EQ(db_->EnableFileDeletions(), Status::OK());
  EXPECT_EQ(Property(P::kObsoleteSstFilesSize), 0u);
  EXPECT_EQ(Property(P::kMinObsoleteSstNumberToKeep), UINT64_MAX);
  ASSERT_TRUE(
      db_->GetAggregatedIntProperty(P::kMinObsoleteSstNumberToKeep, &all));
  EXPECT_EQ(all, UINT64_MAX);
  ASSERT_EQ(db_->DestroyColumnFamilyHandle(other), Status::OK());
}

TEST_F(MorePropertiesTest, TablesHaveNoTemperatureAndThereAreNoBlobs) {
  Open();
  Put("a", "1");
  Flush();
  const auto text = [&](const std::string& name) {
    std::string value;
    return db_->GetProperty(name, &value) ? value : "none";
  };
  const std::string& temperature = P::kLiveSstFilesSizeAtTemperature;
  EXPECT_EQ(text(temperature + "0"), std::to_string(LiveBytes()));
  EXPECT_EQ(text(temperature + "4"), "0");
  EXPECT_EQ(text(temperature), "none");
  EXPECT_EQ(text(temperature + "x"), "none");
  for (const std::string& name :
       {P::kNumBlobFiles, P::kTotalBlobFileSize, P::kLiveBlobFileSize,
        P::kLiveBlobFileGarbageSize}) {
    EXPECT_EQ(Property(name), 0u);
    EXPECT_EQ(text(name), "0");
  }
  EXPECT_TRUE(text(P::kBlobStats).starts_with("Number of blob files: 0\n"));
}

TEST_F(MorePropertiesTest, TheBlockCacheByRole) {
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(8 << 20);
  table.cache_index_and_filter_blocks = true;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  SetTable(table);
  Open();
  PutMany(1000, 1000);
  Flush();
  for (int i = 0; i < 1000; ++i) Get(Key(i));
  for (const std::string& name :
       {P::kBlockCacheEntryStats, P::kFastBlockCacheEntryStats}) {
    std::map<std::string, std::string> map;
    ASSERT_TRUE(db_->GetMapProperty(name, &map));
    EXPECT_EQ(map["count.data-block"],
              std::to_string(Tick(BLOCK_CACHE_DATA_ADD)));
    EXPECT_GT(std::stoul(map["count.data-block"]), 100u);
    EXPECT_GT(std::stoul(map["bytes.data-block"]), 900'000u);
    EXPECT_NEAR(std::stod(map["percent.data-block"]),
                std::stod(map["bytes.data-block"]) * 100 / (8 << 20), 1e-4);
    EXPECT_EQ(map["count.index-block"], "1");
    EXPECT_EQ(map["count.filter-block"], "1");
    EXPECT_GT(std::stoul(map["bytes.block-based-table-reader"]), 0u);
    EXPECT_EQ(map["capacity"], std::to_string(8 << 20));
    EXPECT_EQ(map["count.misc"], "0");
    std::string text;
    ASSERT_TRUE(db_->GetProperty(name, &text));
    EXPECT_TRUE(text.starts_with("Block cache TamisBlockCache@")) << text;
    EXPECT_NE(text.find(" DataBlock(" + map["count.data-block"] + ","),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(" FilterBlock(1,"), std::string::npos) << text;
    EXPECT_EQ(text.find("Misc"), std::string::npos) << text;
  }
}

TEST_F(MorePropertiesTest, CompressionRatioIsOfALevel) {
  options_.compression = kSnappyCompression;
  Open();
  const std::string level0 = P::kCompressionRatioAtLevelPrefix + "0";
  std::string text;
  ASSERT_TRUE(db_->GetProperty(level0, &text));
  EXPECT_EQ(text, "-1.000000");
  for (int i = 0; i < 1000; ++i) Put(Key(i), std::string(1000, 'x'));
  Flush();
  Get(Key(1));
  ASSERT_TRUE(db_->GetProperty(level0, &text));
  EXPECT_GT(std::stod(text), 5);
  ASSERT_TRUE(db_->GetProperty(P::kCompressionRatioAtLevelPrefix + "1", &text));
  EXPECT_EQ(text, "-1.000000");
  EXPECT_FALSE(db_->GetProperty(P::kCompressionRatioAtLevelPrefix, &text));
}

}  // namespace
}  // namespace tamis
