// SPDX-License-Identifier: Apache-2.0
//
// Merges within level 0 of tables that were ingested while a memtable held
// older and newer entries: level 0 stays in order
// (db/compaction/level0_merge.h), reads are right, writes go on.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/sst_file_writer.h"

#include "db/compaction/level0_merge.h"
#include "tests/db/test_db.h"
#include "util/base/random.h"

namespace tamis {
namespace {

class IngestMergeTest : public DBTest {
 protected:
  void UseUniversal() {
    options_.compaction_style = kCompactionStyleUniversal;
    options_.level0_file_num_compaction_trigger = 2;
    // Only runs of similar sizes are merged, so the large one stays.
    options_.compaction_options_universal.max_size_amplification_percent =
        10000;
  }
  void UseFifo() {
    options_.compaction_style = kCompactionStyleFIFO;
    options_.level0_file_num_compaction_trigger = 2;
    options_.compaction_options_fifo.allow_compaction = true;
    options_.compaction_options_fifo.max_table_files_size = 1 << 30;
  }
  void PutKey(int i, const std::string& value) {
    model_[Key(i)] = value;
    Put(Key(i), value);
  }
  // A large table of the even keys below 400. What is ingested in its range
  // goes to level 0.
  void MakeLargeTable() {
    for (int i = 0; i < 400; i += 2) {
      PutKey(i, Noise(1000, static_cast<uint64_t>(i)));
    }
    Flush();
  }
  // Ingests the even keys in [first, last).
  Status Ingest(int first, int last, const std::string& value,
                const IngestExternalFileOptions& options = {}) {
    const std::string path = "/parent/" + std::to_string(files_++) + ".sst";
    SstFileWriter writer(options_);
    EXPECT_EQ(writer.Open(path), Status::OK());
    for (int i = first; i < last; i += 2) {
      EXPECT_EQ(writer.Put(Key(i), value), Status::OK());
      model_[Key(i)] = value;
    }
    EXPECT_EQ(writer.Finish(), Status::OK());
    return db_->IngestExternalFile({path}, options);
  }
  // A large table, an entry of the memtable within its range, and two ingested
  // tables around it. Between their ingestions Key(0), of the first, may be
  // overwritten.
  void IngestAroundTheMemTable(const char* newer = nullptr) {
    MakeLargeTable();
    PutKey(51, "before");
    ASSERT_EQ(Ingest(0, 20, "first"), Status::OK());
    if (newer != nullptr) PutKey(0, newer);
    ASSERT_EQ(Ingest(100, 120, "second"), Status::OK());
  }
  int FilesAt0() {
    std::string count;
    EXPECT_TRUE(
        db_->GetProperty(DB::Properties::kNumFilesAtLevelPrefix + "0", &count));
    return std::stoi(count);
  }
  std::vector<LiveFileMetaData> TablesAt0() {
    std::vector<LiveFileMetaData> all;
    db_->GetLiveFilesMetaData(&all);
    std::erase_if(all, [](const auto& file) { return file.level != 0; });
    return all;
  }
  // Of two tables of level 0, newest first.
  Status Merge(size_t first, size_t second) {
    const std::vector<LiveFileMetaData> all = TablesAt0();
    return db_->CompactFiles({}, {all.at(first).name, all.at(second).name}, 0);
  }
  void ExpectEpochsAreInOrder() {
    const std::vector<LiveFileMetaData> all = TablesAt0();
    for (size_t i = 1; i < all.size(); ++i) {
      EXPECT_GT(all[i - 1].epoch_number, all[i].epoch_number);
    }
  }
  void ExpectModel() { ExpectReadsAs(model_, 400); }
  void ExpectHealthy() {
    EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);
    ExpectModel();
  }

  std::map<std::string, std::string> model_;
  int files_ = 0;
};

// The memtable's keys lie within the bounds of the merged table.
TEST_F(IngestMergeTest, UniversalMergesAfterTheFlushOfTheMemTableAround) {
  UseUniversal();
  Open();
  IngestAroundTheMemTable();
  PutKey(53, "after");
  RunJobs();
  EXPECT_EQ(FilesAt0(), 3);  // unmerged
  ExpectHealthy();
  Flush();
  RunJobs();
  EXPECT_EQ(FilesAt0(), 2);  // merged, with the flushed table
  ExpectHealthy();
  PutKey(55, "more");
  Flush();
  Reopen();
  RunJobs();
  ExpectHealthy();
}

// Key(0) of the first table is overwritten before the second one is ingested. A
// merge of the two would hide the newer value.
TEST_F(IngestMergeTest, AMergeDoesNotRaiseOldEntriesAboveTheMemTable) {
  for (const bool fifo : {false, true}) {
    SCOPED_TRACE(fifo);
    fifo ? UseFifo() : UseUniversal();
    Open();
    IngestAroundTheMemTable("newer");
    RunJobs();
    ExpectHealthy();
    Flush();
    ExpectHealthy();
    RunJobs();
    ExpectHealthy();
    Reopen();
    ExpectHealthy();
    Destroy();
    model_.clear();
  }
}

TEST_F(IngestMergeTest, FifoMergesAfterTheFlushOfTheMemTableAround) {
  UseFifo();
  Open();
  IngestAroundTheMemTable();
  PutKey(53, "after");
  RunJobs();
  EXPECT_EQ(FilesAt0(), 3);
  Flush();
  RunJobs();
  EXPECT_EQ(FilesAt0(), 1);  // merged, then with the large one
  ExpectHealthy();
}

// An empty memtable gets only newer entries.
TEST_F(IngestMergeTest, TablesBehindAnEmptyMemTableAreMergedAtOnce) {
  UseUniversal();
  Open();
  MakeLargeTable();
  ASSERT_EQ(Ingest(0, 20, "first"), Status::OK());
  ASSERT_EQ(Ingest(100, 120, "second"), Status::OK());
  PutKey(51, "after");
  RunJobs();
  EXPECT_EQ(FilesAt0(), 2);
  Flush();
  RunJobs();
  ExpectHealthy();
}

// Writes would wait for a merge, which would wait for their flush.
TEST_F(IngestMergeTest, WritesDoNotStopForTablesThatWaitForTheirFlush) {
  UseUniversal();
  options_.level0_slowdown_writes_trigger = 3;
  options_.level0_stop_writes_trigger = 3;
  options_.level0_file_num_compaction_trigger = 3;
  Open();
  MakeLargeTable();
  ASSERT_EQ(db_->SetOptions({{"write_buffer_size", "65536"}}), Status::OK());
  PutKey(51, "before");
  IngestExternalFileOptions unflushed;
  unflushed.allow_blocking_flush = false;
  for (int i = 0; i < 6; ++i) {
    ASSERT_EQ(Ingest(60 * i, 60 * i + 20, "ingested", unflushed), Status::OK());
  }
  EXPECT_GE(FilesAt0(), 6);
  for (int i = 0; i < 200; ++i) {
    PutKey(55, Noise(1000, static_cast<uint64_t>(i)));
  }
  RunJobs();
  EXPECT_LE(FilesAt0(), 3);
  ExpectHealthy();
}

TEST_F(IngestMergeTest, IngestionsFlushWhatKeepsTablesUnmerged) {
  for (const bool fifo : {false, true}) {
    SCOPED_TRACE(fifo);
    fifo ? UseFifo() : UseUniversal();
    options_.level0_file_num_compaction_trigger = 3;
    Open();
    MakeLargeTable();
    PutKey(51, "before");
    for (int i = 0; i < 19; ++i) {
      ASSERT_EQ(Ingest(20 * i, 20 * i + 10, "ingested"), Status::OK());
    }
    RunJobs();
    EXPECT_LE(FilesAt0(), 5);
    ExpectHealthy();
    Destroy();
    model_.clear();
  }
}

// The memtable's table is older than the ingested ones, under a higher epoch. A
// merge of these alone would have keys around the memtable's.
TEST_F(IngestMergeTest, AMergeIncludesTheOlderTableOfAHigherEpoch) {
  for (const bool fifo : {false, true}) {
    SCOPED_TRACE(fifo);
    fifo ? UseFifo() : UseUniversal();
    Open();
    MakeLargeTable();
    for (int i = 1; i < 400; i += 2) {
      PutKey(i, Noise(500, static_cast<uint64_t>(i)));
    }
    ASSERT_EQ(Ingest(100, 102, "first"), Status::OK());
    ASSERT_EQ(Ingest(104, 106, "second"), Status::OK());
    Flush();
    RunJobs();
    EXPECT_EQ(FilesAt0(), fifo ? 1 : 2);
    ExpectHealthy();
    ExpectEpochsAreInOrder();
    PutKey(55, "more");
    Flush();
    Reopen();
    RunJobs();
    ExpectHealthy();
    Destroy();
    model_.clear();
  }
}

// Key 51 has a newer version above the ingested table than below it. RocksDB
// would read the older one if it had the higher epoch.
TEST_F(IngestMergeTest, NamedTablesAreMergedWithTheOlderOneOfAHigherEpoch) {
  options_.disable_auto_compactions = true;
  Open();
  MakeLargeTable();
  PutKey(51, "old");
  PutKey(99, "old");
  ASSERT_EQ(Ingest(100, 102, "ingested"), Status::OK());
  Flush();
  PutKey(51, "new");
  Flush();
  ASSERT_EQ(FilesAt0(), 4);
  EXPECT_EQ(Merge(0, 1), Status::OK());
  EXPECT_EQ(FilesAt0(), 2);
  ExpectHealthy();
  ExpectEpochsAreInOrder();
  Reopen();
  ExpectHealthy();
}

TEST_F(IngestMergeTest, RandomMergesOfNamedTablesReadAsAMap) {
  options_.disable_auto_compactions = true;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Open();
    MakeLargeTable();
    int merged = 0;
    for (int i = 0; i < 150; ++i) {
      const int key = static_cast<int>(random.Uniform(20));
      const std::string value = std::to_string(i);
      const auto tables = static_cast<uint32_t>(FilesAt0());
      switch (random.Uniform(8)) {
        case 0:
        case 1:
          ASSERT_EQ(Ingest(2 * key, 2 * key + 2, value), Status::OK());
          break;
        case 2:
          if (random.OneIn(2)) Flush();
          break;
        case 3: {
          const Status status =
              Merge(random.Uniform(tables), random.Uniform(tables));
          ASSERT_TRUE(status.ok() || status.IsAborted()) << status;
          merged += status.ok() ? 1 : 0;
          break;
        }
        default:
          PutKey(2 * key + 1, value);
      }
    }
    EXPECT_GT(merged, 0);
    ExpectHealthy();
    Flush();
    Reopen();
    ExpectHealthy();
    Destroy();
    model_.clear();
  }
}

// The merge needs the flush, the ingestion does not.
TEST_F(IngestMergeTest, IngestionsDoNotWaitForAFlushThatOnlyMergesNeed) {
  for (const bool paused : {false, true}) {
    SCOPED_TRACE(paused);
    UseUniversal();
    Open();
    MakeLargeTable();
    RunJobs();
    PutKey(51, "before");
    if (paused) {
      ASSERT_EQ(db_->PauseBackgroundWork(), Status::OK());
    }
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(Ingest(100 * i, 100 * i + 2, "ingested"), Status::OK());
    }
    EXPECT_EQ(FilesAt0(), 5);
    EXPECT_EQ(Property(DB::Properties::kNumImmutableMemTable),
              paused ? 0u : 1u);
    if (paused) {
      ASSERT_EQ(db_->ContinueBackgroundWork(), Status::OK());
      ASSERT_EQ(Ingest(10, 12, "ingested"), Status::OK());
      EXPECT_EQ(Property(DB::Properties::kNumImmutableMemTable), 1u);
    }
    RunJobs();
    EXPECT_LE(FilesAt0(), 2);
    ExpectHealthy();
    Destroy();
    model_.clear();
  }
}

// Such a write would be refused until another one fills the memtable.
TEST_F(IngestMergeTest, LowPriorityDoesNotWaitForTablesThatWaitForTheirFlush) {
  UseUniversal();
  options_.level0_file_num_compaction_trigger = 3;
  options_.level0_slowdown_writes_trigger = 10;
  Open();
  MakeLargeTable();
  PutKey(51, "before");
  IngestExternalFileOptions unflushed;
  unflushed.allow_blocking_flush = false;
  for (int i = 0; i < 6; ++i) {
    ASSERT_EQ(Ingest(60 * i, 60 * i + 20, "ingested", unflushed), Status::OK());
  }
  RunJobs();
  EXPECT_EQ(FilesAt0(), 7);
  WriteOptions low;
  low.low_pri = true;
  low.no_slowdown = true;
  model_[Key(55)] = "low";
  EXPECT_EQ(db_->Put(low, Key(55), "low"), Status::OK());
  ExpectHealthy();
}

TEST_F(IngestMergeTest, RandomHistoriesReadAsAMap) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    seed % 2 == 0 ? UseFifo() : UseUniversal();
    options_.num_levels = seed % 4 == 1 ? 1 : 7;
    Open();
    MakeLargeTable();
    for (int i = 0; i < 120; ++i) {
      const int key = static_cast<int>(random.Uniform(200)) * 2;
      const std::string value = std::to_string(i);
      switch (random.Uniform(8)) {
        case 0:
        case 1:
          ASSERT_EQ(
              Ingest(key, key + 2 + 2 * static_cast<int>(random.Uniform(10)),
                     value),
              Status::OK());
          break;
        case 2:
          runner_->RunOne();
          break;
        case 3:
          if (random.OneIn(3)) Flush();
          break;
        default:
          PutKey(random.OneIn(2) ? key : key + 1, value);
      }
    }
    EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);
    ExpectReadsAs(model_, 430);
    RunJobs();
    Flush();
    RunJobs();
    EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);
    ExpectReadsAs(model_, 430);
    Reopen();
    ExpectReadsAs(model_, 430);
    Destroy();
    model_.clear();
  }
}

struct Numbers {
  uint64_t smallest;
  uint64_t largest;
  uint64_t epoch;
};

LevelFiles TablesWith(const std::vector<Numbers>& all) {
  LevelFiles files;
  for (const Numbers& numbers : all) {
    FileMetaData meta;
    meta.smallest_seqno = numbers.smallest;
    meta.largest_seqno = numbers.largest;
    meta.epoch_number = EpochNumber(numbers.epoch);
    files.push_back(std::make_shared<const TableFile>(meta, 0));
  }
  return files;
}

TEST(Level0MergeTest, AMergeIncludesNewerTablesThatBeginBeforeItsEnd) {
  const LevelFiles level0 = TablesWith(
      {{12, 12, 6}, {7, 11, 5}, {8, 8, 4}, {3, 6, 3}, {5, 5, 2}, {1, 2, 1}});
  const auto merge = [&level0](size_t i) {
    return MergeThatIncludes(level0, {i, i + 1});
  };
  EXPECT_EQ(merge(0), (Level0Range{0, 1}));
  EXPECT_EQ(merge(1), (Level0Range{1, 2}));
  EXPECT_EQ(merge(2), (Level0Range{1, 3}));
  EXPECT_EQ(merge(3), (Level0Range{3, 4}));
  EXPECT_EQ(merge(4), (Level0Range{3, 5}));
  EXPECT_EQ(merge(5), (Level0Range{5, 6}));
  EXPECT_EQ(TablesThatWaitForFlush(level0, kMaxSequenceNumber), 0u);
  EXPECT_EQ(TablesThatWaitForFlush(level0, 12), 1u);
  EXPECT_EQ(TablesThatWaitForFlush(level0, 8), 3u);
  EXPECT_EQ(TablesThatWaitForFlush(level0, 1), 6u);
}

TEST(Level0MergeTest, AMergeIncludesOlderTablesOfHigherEpochs) {
  const LevelFiles level0 = TablesWith({{22, 30, 9},
                                        {21, 21, 7},
                                        {20, 20, 6},
                                        {15, 19, 8},
                                        {14, 14, 4},
                                        {11, 13, 5},
                                        {1, 10, 3}});
  EXPECT_EQ(MergeThatIncludes(level0, {0, 1}), (Level0Range{0, 1}));
  EXPECT_EQ(MergeThatIncludes(level0, {0, 2}), (Level0Range{0, 4}));
  EXPECT_EQ(MergeThatIncludes(level0, {1, 3}), (Level0Range{1, 4}));
  EXPECT_EQ(MergeThatIncludes(level0, {3, 4}), (Level0Range{3, 4}));
  EXPECT_EQ(MergeThatIncludes(level0, {3, 5}), (Level0Range{3, 6}));
  EXPECT_EQ(MergeThatIncludes(level0, {6, 7}), (Level0Range{6, 7}));
}

// The included table nests with another one.
TEST(Level0MergeTest, BothSidesAreRepeated) {
  const LevelFiles level0 = TablesWith(
      {{40, 50, 9}, {30, 45, 7}, {44, 44, 5}, {20, 29, 6}, {1, 10, 1}});
  EXPECT_EQ(MergeThatIncludes(level0, {2, 3}), (Level0Range{0, 4}));
}

// Another program's table: it has epoch 2 by its oldest input.
TEST(Level0MergeTest, AMergeIncludesANewerTableOfALowerEpoch) {
  const LevelFiles level0 = TablesWith({{20, 30, 2}, {11, 12, 4}, {10, 10, 3}});
  EXPECT_EQ(MergeThatIncludes(level0, {1, 2}), (Level0Range{0, 3}));
}

}  // namespace
}  // namespace tamis
