// SPDX-License-Identifier: Apache-2.0
//
// Properties of memtables, snapshots and pending work, and sums over tables and
// families.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/db/test_families.h"

namespace tamis {
namespace {

class AggregatedPropertiesTest : public FamiliesTest {
 protected:
  uint64_t Number(const std::string& property) {
    uint64_t number = 0;
    EXPECT_TRUE(db_->GetIntProperty(property, &number)) << property;
    return number;
  }
  uint64_t Sum(const std::string& property) {
    uint64_t sum = 0;
    EXPECT_TRUE(db_->GetAggregatedIntProperty(property, &sum)) << property;
    return sum;
  }
};

TEST_F(AggregatedPropertiesTest, EntriesAndDeletionsOfMemTables) {
  Open();
  Put("a", "1");
  Put("b", "1");
  Delete("a");
  DeleteRange("c", "d");
  EXPECT_EQ(Number("rocksdb.num-entries-active-mem-table"), 4u);
  EXPECT_EQ(Number("rocksdb.num-deletes-active-mem-table"), 2u);
  EXPECT_EQ(Number("rocksdb.num-entries-imm-mem-tables"), 0u);
  FlushOptions later;
  later.wait = false;
  ASSERT_EQ(db_->PauseBackgroundWork(), Status::OK());
  ASSERT_EQ(db_->Flush(later), Status::OK());
  EXPECT_EQ(Number("rocksdb.num-entries-active-mem-table"), 0u);
  EXPECT_EQ(Number("rocksdb.num-deletes-active-mem-table"), 0u);
  EXPECT_EQ(Number("rocksdb.num-entries-imm-mem-tables"), 4u);
  EXPECT_EQ(Number("rocksdb.num-deletes-imm-mem-tables"), 2u);
}

TEST_F(AggregatedPropertiesTest, SnapshotsAndLogs) {
  Open();
  EXPECT_EQ(Number("rocksdb.oldest-snapshot-sequence"), 0u);
  Put("a", "1");
  Put("a", "2");
  const Snapshot* const older = db_->GetSnapshot();
  Put("a", "3");
  const Snapshot* const newer = db_->GetSnapshot();
  EXPECT_EQ(Number("rocksdb.oldest-snapshot-sequence"), 2u);
  db_->ReleaseSnapshot(older);
  EXPECT_EQ(Number("rocksdb.oldest-snapshot-sequence"), 3u);
  db_->ReleaseSnapshot(newer);
  const uint64_t log = Number("rocksdb.min-log-number-to-keep");
  Flush();
  EXPECT_GT(Number("rocksdb.min-log-number-to-keep"), log);
  EXPECT_EQ(Number("rocksdb.base-level"), 1u);
}

TEST_F(AggregatedPropertiesTest, PendingBytesAreThoseOfDueCompactions) {
  const std::string kPending = "rocksdb.estimate-pending-compaction-bytes";
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  MakeLevel0Files(1);
  EXPECT_EQ(Number(kPending), 0u);
  MakeLevel0Files(1);
  EXPECT_EQ(Number(kPending), Number("rocksdb.live-sst-files-size"));
  RunJobs();
  EXPECT_EQ(Number(kPending), 0u);
  // A level that is too large.
  db_.reset();
  options_.max_bytes_for_level_base = 1;
  options_.disable_auto_compactions = true;
  Open();
  EXPECT_EQ(Number(kPending), 0u);
  db_.reset();
  options_.disable_auto_compactions = false;
  Open();
  EXPECT_GT(Number(kPending), 0u);
}

TEST_F(AggregatedPropertiesTest, LiveDataIsWhatNothingDeeperOverlaps) {
  options_.disable_auto_compactions = true;
  Open();
  PutMany(100);
  Flush();
  Compact();
  const uint64_t deep = Number("rocksdb.live-sst-files-size");
  EXPECT_EQ(Number("rocksdb.estimate-live-data-size"), deep);
  PutMany(50);
  Flush();
  EXPECT_GT(Number("rocksdb.live-sst-files-size"), deep);
  EXPECT_EQ(Number("rocksdb.estimate-live-data-size"), deep);
  Put("zzz", "beside");
  Flush();
  EXPECT_GT(Number("rocksdb.estimate-live-data-size"), deep);
}

TEST_F(AggregatedPropertiesTest, PropertiesOfTablesAreAddedUp) {
  options_.disable_auto_compactions = true;
  Open();
  Put("a", "1");
  Put("b", "1");
  Flush();
  Compact();
  Delete("a");
  Flush();
  std::map<std::string, std::string> values;
  ASSERT_TRUE(
      db_->GetMapProperty("rocksdb.aggregated-table-properties", &values));
  EXPECT_EQ(values["num_entries"], "3");
  EXPECT_EQ(values["num_deletions"], "1");
  EXPECT_EQ(values["num_data_blocks"], "2");
  EXPECT_EQ(values["raw_value_size"], "2");
  EXPECT_FALSE(db_->GetMapProperty("rocksdb.stats", &values));
  EXPECT_TRUE(values.empty());
  std::string text;
  ASSERT_TRUE(db_->GetProperty("rocksdb.aggregated-table-properties", &text));
  std::string level0;
  std::string level1;
  const std::string at_level = "rocksdb.aggregated-table-properties-at-level";
  ASSERT_TRUE(db_->GetProperty(at_level + "0", &level0));
  ASSERT_TRUE(db_->GetProperty(at_level + "1", &level1));
  EXPECT_NE(text, level0);
  EXPECT_NE(level0, level1);
  ASSERT_TRUE(db_->GetMapProperty(at_level + "0", &values));
  EXPECT_EQ(values["num_entries"], "1");
  EXPECT_EQ(values["num_deletions"], "1");
  ASSERT_TRUE(db_->GetMapProperty(at_level + "1", &values));
  EXPECT_EQ(values["num_entries"], "2");
  EXPECT_FALSE(db_->GetMapProperty(at_level + "7", &values));
  EXPECT_FALSE(db_->GetProperty(at_level + "7", &level0));
  EXPECT_FALSE(db_->GetProperty(at_level, &level0));
}

TEST_F(AggregatedPropertiesTest, StatisticsAreAProperty) {
  Open();
  Put("a", "1");
  std::string text;
  ASSERT_TRUE(db_->GetProperty("rocksdb.options-statistics", &text));
  EXPECT_EQ(text, options_.statistics->ToString());
  options_.statistics = nullptr;
  Reopen();
  EXPECT_FALSE(db_->GetProperty("rocksdb.options-statistics", &text));
}

TEST_F(AggregatedPropertiesTest, FamiliesAreAddedUpAndTheDatabaseCountsOnce) {
  MakeFamilies({"f", "g"});
  Put("a", "1");
  Put("f", "a", "1");
  Put("f", "b", "1");
  EXPECT_EQ(Sum("rocksdb.num-entries-active-mem-table"), 3u);
  EXPECT_EQ(Sum("rocksdb.num-live-versions"), 3u);
  const Snapshot* const snapshot = db_->GetSnapshot();
  EXPECT_EQ(Sum("rocksdb.num-snapshots"), 1u);
  db_->ReleaseSnapshot(snapshot);
  EXPECT_EQ(Sum("rocksdb.is-file-deletions-enabled"), 1u);
  // All families share a cache.
  EXPECT_EQ(Sum("rocksdb.block-cache-capacity"),
            Number("rocksdb.block-cache-capacity"));
  uint64_t sum = 0;
  EXPECT_FALSE(db_->GetAggregatedIntProperty("rocksdb.stats", &sum));
}

}  // namespace
}  // namespace tamis
