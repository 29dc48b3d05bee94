// SPDX-License-Identifier: Apache-2.0
//
// Properties that change with time, stalls, readers and compression.
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
