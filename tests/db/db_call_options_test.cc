// SPDX-License-Identifier: Apache-2.0
//
// ReadOptions, WriteOptions, FlushOptions and CompactRangeOptions: each has an
// effect. (Snapshots and bounds are tested with reads and iterators.)
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class DBCallOptionsTest : public DBTest {
 protected:
  void FillTable() {
    PutMany(200);
    Flush();
  }
  // Another byte in the first data block.
  void SpoilTable() {
    const std::string path =
        std::string(kTestDirectory) + "/" + FilesEndingIn(".sst")[0];
    std::string bytes;
    ASSERT_TRUE(fs_->GetContents(path, &bytes).ok());
    // Within the value of the first entry, where only a checksum detects it.
    bytes[60] = static_cast<char>(bytes[60] ^ 1);
    ASSERT_TRUE(fs_->SetContents(path, bytes).ok());
  }
};

TEST_F(DBCallOptionsTest, VerifyChecksumsFindsAFlippedBit) {
  options_.compression = kNoCompression;
  BlockBasedTableOptions table;
  table.no_block_cache = true;
  SetTable(table);
  Open();
  FillTable();
  ASSERT_TRUE(db_->Close().ok());
  SpoilTable();
  Reopen();
  ReadOptions options;
  std::string value;
  const Status status = db_->Get(options, Key(0), &value);
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find(".sst"), std::string::npos) << status;
  options.verify_checksums = false;
  ASSERT_TRUE(db_->Get(options, Key(0), &value).ok());
  EXPECT_NE(value, Noise(100, 0));
  EXPECT_EQ(value.size(), 100u);
}

TEST_F(DBCallOptionsTest, FillCacheKeepsBlocksThatWereRead) {
  Open();
  FillTable();
  Reopen();
  ReadOptions options;
  options.fill_cache = false;
  std::string value;
  ASSERT_TRUE(db_->Get(options, Key(5), &value).ok());  // opens the table
  for (const bool fill : {false, true}) {
    options.fill_cache = fill;
    const uint64_t before = Property(DB::Properties::kBlockCacheUsage);
    get_perf_context()->Reset();
    ASSERT_TRUE(db_->Get(options, Key(5), &value).ok());
    EXPECT_EQ(get_perf_context()->block_read_count, 1u) << fill;
    EXPECT_EQ(Property(DB::Properties::kBlockCacheUsage) > before, fill);
  }
  get_perf_context()->Reset();
  ASSERT_TRUE(db_->Get(options, Key(5), &value).ok());
  EXPECT_EQ(get_perf_context()->block_read_count, 0u);
  EXPECT_EQ(get_perf_context()->block_cache_hit_count, 1u);
}

TEST_F(DBCallOptionsTest, BlockCacheTierReadsNoFile) {
  Open();
  FillTable();
  Reopen();
  ReadOptions memory;
  memory.read_tier = kBlockCacheTier;
  std::string value;
  const uint64_t opened = Tick(NO_FILE_OPENS);
  get_perf_context()->Reset();
  // The table is not even open.
  EXPECT_TRUE(db_->Get(memory, Key(5), &value).IsIncomplete());
  std::unique_ptr<Iterator> it(db_->NewIterator(memory));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsIncomplete()) << it->status();
  EXPECT_EQ(get_perf_context()->block_read_count, 0u);
  EXPECT_EQ(Tick(NO_FILE_OPENS), opened);

  ASSERT_EQ(Get(Key(5)), Noise(100, 5));  // now it is, with one block
  EXPECT_TRUE(db_->Get(memory, Key(5), &value).ok());
  EXPECT_EQ(value, Noise(100, 5));
  EXPECT_TRUE(db_->Get(memory, Key(199), &value).IsIncomplete());
  it.reset(db_->NewIterator(memory));
  it->Seek(Key(5));
  EXPECT_TRUE(it->Valid());
  int steps = 0;
  while (it->Valid() && ++steps < 1000) it->Next();
  EXPECT_TRUE(it->status().IsIncomplete()) << it->status();
  Put("z", "2");
  EXPECT_TRUE(db_->Get(memory, "z", &value).ok());  // a memtable is memory
}

TEST_F(DBCallOptionsTest, SyncedWritesSurviveAPowerFailure) {
  WriteOptions sync;
  sync.sync = true;
  bool lost_some = false;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Open();
    ASSERT_TRUE(db_->Put(sync, "safe", std::to_string(seed)).ok());
    const uint64_t synced = Tick(WAL_FILE_SYNCED);
    EXPECT_EQ(synced, seed);
    for (int i = 0; i < 20; ++i) Put(Key(i), std::to_string(seed));
    fs_->CutPower();
    EXPECT_FALSE(db_->Put(sync, "late", "x").ok());
    db_.reset();
    fs_->Restart(seed);
    Open();
    EXPECT_EQ(Get("safe"), std::to_string(seed));
    EXPECT_EQ(Get("late"), "NOT_FOUND");
    // Of the others a prefix is there.
    bool end = false;
    for (int i = 0; i < 20; ++i) {
      const bool there = Get(Key(i)) == std::to_string(seed);
      EXPECT_FALSE(there && end) << i;
      end = end || !there;
    }
    lost_some = lost_some || end;
    db_.reset();
  }
  EXPECT_TRUE(lost_some);
}

TEST_F(DBCallOptionsTest, FlushWALSyncsEarlierWrites) {
  Open();
  Put("a", "1");
  ASSERT_TRUE(db_->FlushWAL(/*sync=*/false).ok());
  Put("b", "2");
  ASSERT_TRUE(db_->FlushWAL(/*sync=*/true).ok());
  fs_->CutPower();
  db_.reset();
  fs_->Restart(7);
  Open();
  EXPECT_EQ(Contents(), "a=1 b=2");
}

TEST_F(DBCallOptionsTest, FlushWaitsOnlyWhenAsked) {
  Open();
  Put("a", "1");
  FlushOptions options;
  options.wait = false;
  ASSERT_TRUE(db_->Flush(options).ok());
  EXPECT_EQ(Levels(), "");
  EXPECT_EQ(Property(DB::Properties::kNumImmutableMemTable), 1u);
  EXPECT_EQ(Property(DB::Properties::kMemTableFlushPending), 1u);
  EXPECT_EQ(Property(DB::Properties::kNumRunningFlushes), 1u);
  EXPECT_EQ(Get("a"), "1");
  RunJobs();
  EXPECT_EQ(Levels(), "1");
  EXPECT_EQ(Property(DB::Properties::kMemTableFlushPending), 0u);
  Put("b", "2");
  options.wait = true;
  ASSERT_TRUE(db_->Flush(options).ok());
  EXPECT_EQ(Levels(), "2");
  // Nothing to flush.
  ASSERT_TRUE(db_->Flush(options).ok());
  EXPECT_EQ(Levels(), "2");
}

TEST_F(DBCallOptionsTest, ForceRewritesTheDeepestLevel) {
  Open();
  FillTable();
  Compact();
  const uint64_t number = LiveFiles()[0].file_number;
  EXPECT_EQ(LiveFiles()[0].level, 1);
  Compact();
  EXPECT_EQ(LiveFiles()[0].file_number, number);
  Compact(/*force=*/true);
  EXPECT_NE(LiveFiles()[0].file_number, number);
  EXPECT_EQ(LiveFiles()[0].level, 1);
  EXPECT_EQ(LiveFiles().size(), 1u);
}

TEST_F(DBCallOptionsTest, ForcedCompactionUsesTheNewCodec) {
  options_.compression = kNoCompression;
  Open();
  for (int i = 0; i < 200; ++i) Put(Key(i), std::string(500, 'x'));
  Compact();
  const uint64_t large = LiveFiles()[0].size;
  options_.compression = kSnappyCompression;
  Reopen();
  Compact(/*force=*/true);
  EXPECT_LT(LiveFiles()[0].size, large / 4);
}

}  // namespace
}  // namespace tamis
