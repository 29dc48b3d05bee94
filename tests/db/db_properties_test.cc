// SPDX-License-Identifier: Apache-2.0
//
// Information about a database: properties, files, tables, LOG.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

using DBPropertiesTest = DBTest;
using P = DB::Properties;

TEST_F(DBPropertiesTest, EveryNameIsAnswered) {
  Open();
  Put("a", "1");
  Flush();
  const std::vector<const std::string*> numbers = {
      &P::kNumImmutableMemTable,
      &P::kMemTableFlushPending,
      &P::kNumRunningFlushes,
      &P::kCompactionPending,
      &P::kNumRunningCompactions,
      &P::kBackgroundErrors,
      &P::kCurSizeActiveMemTable,
      &P::kCurSizeAllMemTables,
      &P::kNumEntriesActiveMemTable,
      &P::kEstimateNumKeys,
      &P::kNumSnapshots,
      &P::kNumLiveVersions,
      &P::kTotalSstFilesSize,
      &P::kLiveSstFilesSize,
      &P::kBlockCacheCapacity,
      &P::kBlockCacheUsage,
      &P::kBlockCachePinnedUsage,
      &P::kEstimateTableReadersMem,
  };
  for (const std::string* name : numbers) {
    EXPECT_TRUE(name->starts_with("rocksdb.")) << *name;
    uint64_t number = 77;
    EXPECT_TRUE(db_->GetIntProperty(*name, &number)) << *name;
    std::string text;
    EXPECT_TRUE(db_->GetProperty(*name, &text)) << *name;
    EXPECT_EQ(text, std::to_string(number)) << *name;
  }
  for (const std::string* name :
       {&P::kSSTables, &P::kStats, &P::kLevelStats, &P::kBackgroundError}) {
    std::string text;
    EXPECT_TRUE(db_->GetProperty(*name, &text)) << *name;
    EXPECT_FALSE(text.empty()) << *name;
    uint64_t number = 0;
    EXPECT_FALSE(db_->GetIntProperty(*name, &number)) << *name;
  }
  std::string text;
  for (const char* name :
       {"", "rocksdb.", "rocksdb.no-such-thing", "rocksdb.num-files-at-level",
        "rocksdb.num-files-at-level7", "rocksdb.num-files-at-level-1",
        "rocksdb.num-files-at-level0x", "rocksdb.num-snapshots2"}) {
    EXPECT_FALSE(db_->GetProperty(name, &text)) << name;
  }
  EXPECT_TRUE(db_->GetProperty(P::kNumFilesAtLevelPrefix + "6", &text));
  EXPECT_EQ(text, "0");
}

TEST_F(DBPropertiesTest, NumbersFollowTheState) {
  Open();
  EXPECT_EQ(Property(P::kNumEntriesActiveMemTable), 0u);
  EXPECT_EQ(Property(P::kEstimateNumKeys), 0u);
  const uint64_t empty = Property(P::kCurSizeActiveMemTable);
  for (int i = 0; i < 100; ++i) Put(Key(i), Noise(1000, 1));
  EXPECT_EQ(Property(P::kNumEntriesActiveMemTable), 100u);
  EXPECT_EQ(Property(P::kEstimateNumKeys), 100u);
  EXPECT_GE(Property(P::kCurSizeActiveMemTable), empty + 100'000);
  EXPECT_EQ(Property(P::kCurSizeAllMemTables),
            Property(P::kCurSizeActiveMemTable));
  FlushOptions no_wait;
  no_wait.wait = false;
  ASSERT_TRUE(db_->Flush(no_wait).ok());
  EXPECT_EQ(Property(P::kNumImmutableMemTable), 1u);
  EXPECT_EQ(Property(P::kCurSizeActiveMemTable), empty);
  EXPECT_GE(Property(P::kCurSizeAllMemTables), empty + 100'000);
  EXPECT_EQ(Property(P::kEstimateNumKeys), 100u);
  RunJobs();
  EXPECT_EQ(Property(P::kNumImmutableMemTable), 0u);
  EXPECT_EQ(Property(P::kCurSizeAllMemTables), empty);
  EXPECT_EQ(Property(P::kEstimateNumKeys), 100u);
  EXPECT_EQ(Property(P::kLiveSstFilesSize), LiveFiles()[0].size);
  for (int i = 0; i < 40; ++i) Delete(Key(i));
  EXPECT_EQ(Property(P::kEstimateNumKeys), 60u);
  Get(Key(50));
  EXPECT_GT(Property(P::kEstimateTableReadersMem), 0u);
}

TEST_F(DBPropertiesTest, LiveFilesAreDescribed) {
  Open();
  Put("b", "1");
  Put("d", "1");
  Compact();
  Put("a", "2");
  Put("c", "2");
  Flush();
  const auto files = LiveFiles();
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].level, 0);
  EXPECT_EQ(files[0].smallestkey, "a");
  EXPECT_EQ(files[0].largestkey, "c");
  EXPECT_EQ(files[0].smallest_seqno, 3u);
  EXPECT_EQ(files[0].largest_seqno, 4u);
  EXPECT_EQ(files[0].column_family_name, "default");
  EXPECT_EQ(files[0].db_path, kTestDirectory);
  EXPECT_EQ(files[1].level, 1);
  EXPECT_EQ(files[1].smallestkey, "b");
  EXPECT_EQ(files[1].largestkey, "d");
  EXPECT_LT(files[1].epoch_number, files[0].epoch_number);
  for (const auto& file : files) {
    uint64_t size = 0;
    ASSERT_TRUE(fs_->GetFileSize(file.db_path + file.name, &size).ok());
    EXPECT_EQ(size, file.size);
    EXPECT_NE(file.name.find(std::to_string(file.file_number)),
              std::string::npos);
  }
  std::string text;
  ASSERT_TRUE(db_->GetProperty(P::kSSTables, &text));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  ASSERT_TRUE(db_->GetProperty(P::kLevelStats, &text));
  EXPECT_NE(text.find("\n  1        1        0\n"), std::string::npos) << text;
}

TEST_F(DBPropertiesTest, TablePropertiesNameCreatorAndTime) {
  Open();
  Put("a", "1");
  Put("b", "1");
  Delete("a");
  Flush();
  const auto tables = Tables();
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables.begin()->first,
            std::string(kTestDirectory) + LiveFiles()[0].name);
  const TableProperties& properties = tables.begin()->second;
  EXPECT_EQ(properties.num_entries, 2u);
  EXPECT_EQ(properties.num_deletions, 1u);
  EXPECT_EQ(properties.column_family_name, "default");
  EXPECT_EQ(properties.column_family_id, 0u);
  EXPECT_EQ(properties.comparator_name, "leveldb.BytewiseComparator");
  EXPECT_EQ(properties.creation_time, 1'700'000'000u);
  EXPECT_EQ(properties.orig_file_number, LiveFiles()[0].file_number);
  EXPECT_EQ(properties.db_session_id.size(), 20u);
  const std::string session = properties.db_session_id;
  Reopen();
  Put("c", "1");
  Flush();
  int others = 0;
  for (const auto& [name, p] : Tables()) {
    others += p.db_session_id != session ? 1 : 0;
  }
  EXPECT_EQ(others, 1);
}

TEST_F(DBPropertiesTest, TheLogPairsStartAndEndOfEachJob) {
  Open();
  Put("a", "1");
  Flush();
  Compact(/*force=*/true);
  EXPECT_EQ(LogLines("event=open_start").size(), 1u);
  EXPECT_EQ(LogLines("event=open_end status=OK").size(), 1u);
  const auto flush_start = LogLines("event=flush_start");
  const auto flush_end = LogLines("event=flush_end");
  ASSERT_EQ(flush_start.size(), 1u);
  ASSERT_EQ(flush_end.size(), 1u);
  EXPECT_NE(flush_start[0].find(" job=1 "), std::string::npos);
  EXPECT_NE(flush_end[0].find(" job=1 "), std::string::npos);
  EXPECT_EQ(LogLines("event=compaction_start").size(),
            LogLines("event=compaction_end").size());
  EXPECT_GE(LogLines("event=compaction_end").size(), 2u);
  // Of the last: how the levels look afterwards.
  const std::string last = LogLines("event=compaction_end").back();
  EXPECT_NE(last.find(" tables=0,1 level_bytes=0,"), std::string::npos) << last;
  EXPECT_NE(last.find(" micros="), std::string::npos) << last;
  EXPECT_GE(LogLines("event=file_deleted").size(), 2u);
  ASSERT_TRUE(db_->Close().ok());
  EXPECT_EQ(LogLines("event=close_end status=OK").size(), 1u);
}

}  // namespace
}  // namespace tamis
