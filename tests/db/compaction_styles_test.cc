// SPDX-License-Identifier: Apache-2.0
//
// Databases under each compaction style, and under the options that shape
// levels. The pickers alone: simulation_test.cc.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "util/base/random.h"

namespace tamis {
namespace {

class CompactionStylesTest : public DBTest {
 protected:
  void UseSmallTree() {
    options_.write_buffer_size = 64 << 10;
    options_.target_file_size_base = 16 << 10;
    options_.max_bytes_for_level_base = 64 << 10;
    options_.max_bytes_for_level_multiplier = 4;
    options_.level0_file_num_compaction_trigger = 2;
    options_.compression = kNoCompression;
  }
  // Puts and deletes among Key(0) to Key(499), and flushes now and then.
  void Change(int n, uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < n; ++i) {
      const std::string key = Key(static_cast<int>(random.Uniform(500)));
      if (random.OneIn(5)) {
        Delete(key);
        model_.erase(key);
      } else if (random.OneIn(100)) {
        const std::string end = key + "5";
        DeleteRange(key, end);
        model_.erase(model_.lower_bound(key), model_.lower_bound(end));
      } else {
        model_[key] = Noise(random.Uniform(300), random.Next());
        Put(key, model_[key]);
      }
      if (random.OneIn(100)) Flush();
      if (random.OneIn(20)) runner_->RunOne();
    }
    RunJobs();
  }
  void ExpectModel() {
    ExpectReadsAs(model_, 500);
    std::string expected;
    for (const auto& [key, value] : model_) {
      expected += (expected.empty() ? "" : " ") + key + "=" + value;
    }
    EXPECT_EQ(Contents(), expected);
  }
  int FilesAt(int level) {
    std::string count;
    EXPECT_TRUE(db_->GetProperty(
        DB::Properties::kNumFilesAtLevelPrefix + std::to_string(level),
        &count));
    return std::stoi(count);
  }
  // A table of level 0 that holds the keys `first` to `last`.
  void MakeTable(int first, int last) {
    for (int i = first; i <= last; ++i) {
      Put(Key(i), Noise(1000, static_cast<uint64_t>(i)));
    }
    Flush();
  }

  std::map<std::string, std::string> model_;
};

TEST_F(CompactionStylesTest, EachStyleAnswersLikeAMapAfterEachOther) {
  UseSmallTree();
  options_.level_compaction_dynamic_level_bytes = true;
  uint64_t seed = 1;
  for (const CompactionStyle style :
       {kCompactionStyleUniversal, kCompactionStyleLevel,
        kCompactionStyleUniversal, kCompactionStyleNone, kCompactionStyleFIFO,
        kCompactionStyleLevel}) {
    SCOPED_TRACE(int{style});
    options_.compaction_style = style;
    Reopen();
    RunJobs();
    ExpectModel();
    const Snapshot* snapshot = db_->GetSnapshot();
    const auto before = model_;
    Change(2000, seed++);
    ExpectModel();
    for (const auto& [key, value] : before) {
      ASSERT_EQ(Get(key, snapshot), value);
    }
    db_->ReleaseSnapshot(snapshot);
    EXPECT_EQ(Property(DB::Properties::kCompactionPending), 0u);
  }
  Compact(/*force=*/true);
  ExpectModel();
}

TEST_F(CompactionStylesTest, UniversalMergesRunsOfLevel0AndGoesDown) {
  options_.compaction_style = kCompactionStyleUniversal;
  options_.level0_file_num_compaction_trigger = 3;
  options_.compaction_options_universal.max_size_amplification_percent = 1000;
  Open();
  MakeTable(0, 99);
  MakeTable(0, 9);
  RunJobs();
  EXPECT_EQ(Levels(), "2");  // too few
  MakeTable(0, 9);
  RunJobs();
  // The two small ones become one; the large one stays as it is.
  EXPECT_EQ(Levels(), "2");
  MakeTable(100, 199);
  RunJobs();
  MakeTable(200, 299);
  RunJobs();
  EXPECT_LE(FilesAt(0), 3);
  Compact();
  EXPECT_EQ(Levels().substr(0, 12), "0,0,0,0,0,0,");
}

TEST_F(CompactionStylesTest, UniversalKeepsDeletionsAboveOlderTables) {
  options_.compaction_style = kCompactionStyleUniversal;
  options_.level0_file_num_compaction_trigger = 3;
  options_.compaction_options_universal.max_size_amplification_percent = 10000;
  Open();
  MakeTable(0, 99);
  Delete(Key(5));
  Put("x", "1");
  Flush();
  DeleteRange(Key(7), Key(9));
  Put("x", "2");
  Flush();
  RunJobs();
  ASSERT_EQ(Levels(), "2");  // merged above the oldest table
  EXPECT_EQ(Get(Key(5)), "NOT_FOUND");
  EXPECT_EQ(Get(Key(7)), "NOT_FOUND");
  EXPECT_EQ(Get(Key(9)), Noise(1000, 9));
  EXPECT_EQ(Get("x"), "2");
  Reopen();
  EXPECT_EQ(Get(Key(5)), "NOT_FOUND");
  Compact();
  EXPECT_EQ(Get(Key(7)), "NOT_FOUND");
  EXPECT_EQ(OnlyTable().num_deletions, 0u);
}

TEST_F(CompactionStylesTest, UniversalOfOneLevelStaysInLevel0) {
  options_.compaction_style = kCompactionStyleUniversal;
  options_.num_levels = 1;
  UseSmallTree();
  Open();
  Change(2000, 7);
  ExpectModel();
  Compact();
  EXPECT_EQ(Levels(), "1");
  ExpectModel();
  Reopen();
  ExpectModel();
}

TEST_F(CompactionStylesTest, UniversalMovesTablesThatDoNotOverlap) {
  for (const bool move : {false, true}) {
    options_.compaction_style = kCompactionStyleUniversal;
    options_.level0_file_num_compaction_trigger = 3;
    options_.compaction_options_universal.allow_trivial_move = move;
    Open();
    const uint64_t written = Tick(COMPACT_WRITE_BYTES);
    MakeTable(0, 9);
    MakeTable(10, 19);
    MakeTable(20, 29);
    RunJobs();
    EXPECT_EQ(FilesAt(0), 0);
    EXPECT_EQ(FilesAt(6), move ? 3 : 1);
    EXPECT_EQ(Tick(COMPACT_WRITE_BYTES) == written, move);
    Destroy();
  }
}

TEST_F(CompactionStylesTest, UniversalLeavesTheNewestShareUncompressed) {
  options_.compaction_style = kCompactionStyleUniversal;
  options_.level0_file_num_compaction_trigger = 100;
  options_.compaction_options_universal.compression_size_percent = 50;
  Open();
  for (int i = 0; i < 1000; ++i) Put(Key(i), "compresses well");
  Flush();
  EXPECT_EQ(OnlyTable().compression_name, "NoCompression");
  Compact();
  EXPECT_EQ(OnlyTable().compression_name, "Snappy");
}

TEST_F(CompactionStylesTest, FifoDeletesTheOldestTables) {
  options_.compaction_style = kCompactionStyleFIFO;
  options_.compression = kNoCompression;
  options_.compaction_options_fifo.max_table_files_size = 100 << 10;
  options_.level0_slowdown_writes_trigger = 2;  // without effect
  options_.level0_stop_writes_trigger = 3;
  Open();
  for (int i = 0; i < 50; ++i) MakeTable(10 * i, 10 * i + 9);
  RunJobs();
  EXPECT_LE(LiveBytes(), 100u << 10);
  EXPECT_GE(LiveBytes(), 80u << 10);
  EXPECT_EQ(Get(Key(0)), "NOT_FOUND");
  EXPECT_EQ(Get(Key(499)), Noise(1000, 499));
  EXPECT_EQ(TablesOnDisk(), LiveFiles().size());
  EXPECT_EQ(Tick(COMPACT_WRITE_BYTES), 0u);
  EXPECT_EQ(Tick(STALL_MICROS), 0u);
  Compact();
  EXPECT_EQ(FilesAt(0), static_cast<int>(LiveFiles().size()));
}

TEST_F(CompactionStylesTest, FifoDeletesTablesOlderThanTheirTtl) {
  options_.compaction_style = kCompactionStyleFIFO;
  options_.ttl = 3600;
  Open();
  MakeTable(0, 9);
  clock_->SleepForMicroseconds(uint64_t{3000} * 1'000'000);
  MakeTable(10, 19);
  RunJobs();
  EXPECT_EQ(FilesAt(0), 2);
  clock_->SleepForMicroseconds(uint64_t{1000} * 1'000'000);
  MakeTable(20, 29);
  RunJobs();
  EXPECT_EQ(Get(Key(0)), "NOT_FOUND");
  EXPECT_EQ(Get(Key(10)), Noise(1000, 10));
  EXPECT_EQ(FilesAt(0), 2);
}

TEST_F(CompactionStylesTest, FifoMergesSmallTablesIfAllowed) {
  for (const bool allow : {false, true}) {
    options_.compaction_style = kCompactionStyleFIFO;
    options_.compaction_options_fifo.allow_compaction = allow;
    Open();
    for (int i = 0; i < 20; ++i) MakeTable(0, 9);
    RunJobs();
    if (allow) {
      EXPECT_LE(FilesAt(0), 8);
    } else {
      EXPECT_EQ(FilesAt(0), 20);
    }
    EXPECT_EQ(Get(Key(3)), Noise(1000, 3));
    Destroy();
  }
}

TEST_F(CompactionStylesTest, NoStyleCompactsOnlyOnRequest) {
  options_.compaction_style = kCompactionStyleNone;
  options_.level0_file_num_compaction_trigger = 2;
  options_.level0_stop_writes_trigger = 4;
  Open();
  MakeLevel0Files(10);
  RunJobs();
  EXPECT_EQ(Levels(), "10");
  Compact();
  EXPECT_EQ(Levels(), "0,1");
}

TEST_F(CompactionStylesTest, DynamicLevelsGrowFromTheLastOneUp) {
  UseSmallTree();
  options_.level_compaction_dynamic_level_bytes = true;
  Open();
  MakeTable(0, 9);
  MakeTable(0, 9);
  RunJobs();
  EXPECT_EQ(Levels(), "0,0,0,0,0,0,1");
  for (int round = 0; round < 8; ++round) {
    for (int i = 0; i < 600; i += 50) MakeTable(i, i + 49);
    RunJobs();
  }
  // 600 KiB, 150 and 37: the last is below the base of 64 KiB.
  EXPECT_EQ(FilesAt(3), 0);
  EXPECT_GT(FilesAt(5), 0);
  EXPECT_GT(FilesAt(6), 20);
}

TEST_F(CompactionStylesTest, AStaticTreeOpensAsADynamicOneAndBack) {
  UseSmallTree();
  Open();
  Change(3000, 3);
  ASSERT_GT(FilesAt(1), 0);
  ASSERT_EQ(FilesAt(6), 0);
  options_.level_compaction_dynamic_level_bytes = true;
  Reopen();
  RunJobs();
  ExpectModel();
  EXPECT_EQ(FilesAt(1), 0);
  EXPECT_GT(FilesAt(6), 0);
  Change(3000, 4);
  ExpectModel();
  options_.level_compaction_dynamic_level_bytes = false;
  Reopen();
  ExpectModel();
  Change(3000, 5);
  EXPECT_GT(FilesAt(1), 0);
  ExpectModel();
}

TEST_F(CompactionStylesTest, LevelsOutsideNumLevelsAreRefused) {
  options_.level_compaction_dynamic_level_bytes = true;
  Open();
  MakeTable(0, 9);
  Compact();
  ASSERT_EQ(FilesAt(6), 1);
  options_.num_levels = 4;
  db_.reset();
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.ToString().find("set it to 7 or more"), std::string::npos)
      << status;
  options_.num_levels = 7;
  Destroy();
  options_.num_levels = 4;
  Open();
  MakeTable(0, 9);
  Compact();
  EXPECT_EQ(Levels(), "0,0,0,1");
}

TEST_F(CompactionStylesTest, NumLevelsIsClamped) {
  options_.num_levels = 0;
  Open();
  EXPECT_EQ(db_->GetOptions().num_levels, 2);
  options_.compaction_style = kCompactionStyleUniversal;
  Reopen();
  EXPECT_EQ(db_->GetOptions().num_levels, 1);
  options_.num_levels = 30;
  Reopen();
  EXPECT_EQ(db_->GetOptions().num_levels, 7);
  EXPECT_EQ(LogLines("option=num_levels given=30 used=7").size(), 1u);
}

TEST_F(CompactionStylesTest, DeeperLevelsHaveLargerTables) {
  for (const int multiplier : {1, 4}) {
    UseSmallTree();
    options_.target_file_size_base = 8 << 10;
    options_.max_bytes_for_level_base = 16 << 10;
    options_.target_file_size_multiplier = multiplier;
    Open();
    Change(4000, 9);
    uint64_t largest = 0;
    for (const auto& file : LiveFiles()) {
      if (file.level > 1) largest = std::max(largest, file.size);
    }
    if (multiplier == 1) {
      EXPECT_LT(largest, 16u << 10);
    } else {
      EXPECT_GT(largest, 24u << 10);
    }
    model_.clear();
    Destroy();
  }
}

TEST_F(CompactionStylesTest, AdditionalMultipliersWidenLevels) {
  for (const int more : {1, 8}) {
    UseSmallTree();
    options_.max_bytes_for_level_multiplier = 1;
    options_.max_bytes_for_level_multiplier_additional = {1, more};
    Open();
    for (int i = 0; i < 500; i += 50) MakeTable(i, i + 49);
    RunJobs();
    EXPECT_EQ(FilesAt(3) == 0, more == 8) << Levels();
    Destroy();
  }
}

TEST_F(CompactionStylesTest, OldDeletionsGoDown) {
  for (const uint64_t ttl : {0u, 3600u}) {
    options_.ttl = ttl;
    Open();
    MakeTable(0, 9);
    Compact();
    Delete(Key(3));
    Flush();
    clock_->SleepForMicroseconds(uint64_t{3000} * 1'000'000);
    Put("x", "1");
    Flush();
    RunJobs();
    EXPECT_EQ(Levels(), "2,1");
    clock_->SleepForMicroseconds(uint64_t{1000} * 1'000'000);
    Put("x", "2");
    Flush();
    RunJobs();
    // Before the last flush, which made it due.
    EXPECT_EQ(Levels(), ttl == 0 ? "3,1" : "1,1");
    EXPECT_EQ(LogLines("reason=age").empty(), ttl == 0);
    EXPECT_EQ(Get(Key(3)), "NOT_FOUND");
    EXPECT_EQ(Get("x"), "2");
    EXPECT_EQ(Property(DB::Properties::kCompactionPending), 0u);
    Destroy();
  }
}

TEST_F(CompactionStylesTest, TablesAreRewrittenPeriodically) {
  for (const uint64_t seconds : {0u, 3600u}) {
    options_.periodic_compaction_seconds = seconds;
    Open();
    MakeTable(0, 9);
    Compact();
    const std::string name = LiveFiles()[0].name;
    for (int hour = 0; hour < 3; ++hour) {
      clock_->SleepForMicroseconds(uint64_t{1900} * 1'000'000);
      MakeTable(20, 29);
      RunJobs();
      Compact();
    }
    const auto files = LiveFiles();
    const bool kept =
        std::any_of(files.begin(), files.end(),
                    [&name](const auto& file) { return file.name == name; });
    EXPECT_EQ(kept, seconds == 0);
    EXPECT_EQ(Levels(), "0,2");
    EXPECT_EQ(Property(DB::Properties::kCompactionPending), 0u);
    Destroy();
  }
}

TEST_F(CompactionStylesTest, UnusableOptionsAreRejectedByName) {
  const auto rejects = [this](const std::string& name) {
    const Status status = TryOpen();
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    EXPECT_NE(status.ToString().find(name), std::string::npos) << status;
    options_.compaction_options_universal = {};
    options_.target_file_size_multiplier = 1;
    options_.max_bytes_for_level_multiplier_additional.clear();
    options_.compaction_style = kCompactionStyleLevel;
    options_.compaction_pri = kRoundRobin;
  };
  options_.compaction_options_universal.min_merge_width = 1;
  rejects("min_merge_width");
  options_.compaction_options_universal.max_merge_width = 1;
  rejects("max_merge_width");
  options_.compaction_options_universal.compression_size_percent = 101;
  rejects("compression_size_percent");
  options_.target_file_size_multiplier = 0;
  rejects("target_file_size_multiplier");
  options_.max_bytes_for_level_multiplier_additional = {1, 0};
  rejects("max_bytes_for_level_multiplier_additional");
  options_.compaction_style = static_cast<CompactionStyle>(9);
  rejects("compaction_style");
  options_.compaction_pri = static_cast<CompactionPri>(9);
  rejects("compaction_pri");
  Open();
}

}  // namespace
}  // namespace tamis
