// SPDX-License-Identifier: Apache-2.0
//
// What operations add to histograms and tickers, and the dump to LOG. The times
// themselves are not tested, only that they were taken.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_db.h"
#include "tests/support/wrapped_job_runner.h"

namespace tamis {
namespace {

class DBStatisticsTest : public DBTest {
 protected:
  HistogramData Data(Histograms histogram) {
    HistogramData data;
    options_.statistics->histogramData(histogram, &data);
    return data;
  }
  uint64_t Count(Histograms histogram) { return Data(histogram).count; }
  void Reset() { ASSERT_TRUE(options_.statistics->Reset().ok()); }
};

TEST_F(DBStatisticsTest, ReadsAndWrites) {
  Open();
  Reset();
  Put("a", "12345");
  Put("b", "1");
  EXPECT_EQ(Count(DB_WRITE), 2u);
  EXPECT_EQ(Count(BYTES_PER_WRITE), 2u);
  EXPECT_EQ(Data(BYTES_PER_WRITE).sum, Tick(BYTES_WRITTEN));
  EXPECT_EQ(Get("a"), "12345");
  EXPECT_EQ(Get("c"), "NOT_FOUND");
  EXPECT_EQ(Count(DB_GET), 2u);
  EXPECT_EQ(Count(BYTES_PER_READ), 1u);
  EXPECT_EQ(Data(BYTES_PER_READ).sum, 5u);
  EXPECT_EQ(Count(READ_NUM_MERGE_OPERANDS), 0u);
}

TEST_F(DBStatisticsTest, MultiGetHasCountersOfItsOwn) {
  Open();
  Put("a", "12345");
  Put("b", "1");
  Reset();
  std::vector<std::string> values;
  for (const bool by_family : {false, true}) {
    SCOPED_TRACE(by_family);
    Reset();
    if (by_family) {
      db_->MultiGet({}, {3, db_->DefaultColumnFamily()}, {"a", "b", "c"},
                    &values);
    } else {
      db_->MultiGet({}, {"a", "b", "c"}, &values);
    }
    EXPECT_EQ(Count(DB_MULTIGET), 1u);
    EXPECT_EQ(Tick(NUMBER_MULTIGET_CALLS), 1u);
    EXPECT_EQ(Tick(NUMBER_MULTIGET_KEYS_READ), 3u);
    EXPECT_EQ(Tick(NUMBER_MULTIGET_KEYS_FOUND), 2u);
    EXPECT_EQ(Tick(NUMBER_MULTIGET_BYTES_READ), 6u);
    EXPECT_EQ(Data(BYTES_PER_MULTIGET).sum, 6u);
    EXPECT_EQ(Count(BYTES_PER_MULTIGET), 1u);
    EXPECT_EQ(Tick(NUMBER_KEYS_READ), 0u);
    EXPECT_EQ(Tick(BYTES_READ), 0u);
    EXPECT_EQ(Count(DB_GET), 0u);
  }
}

TEST_F(DBStatisticsTest, MergeOperandsOfARead) {
  options_.merge_operator = MergeOperators::CreateStringAppendOperator();
  Open();
  Merge("a", "1");
  Merge("a", "2");
  Merge("a", "3");
  EXPECT_EQ(Get("a"), "1,2,3");
  EXPECT_EQ(Count(READ_NUM_MERGE_OPERANDS), 1u);
  EXPECT_EQ(Data(READ_NUM_MERGE_OPERANDS).sum, 3u);
}

TEST_F(DBStatisticsTest, IteratorsAndTheirSeeks) {
  Open();
  Put("a", "1");
  {
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->SeekToFirst();
    it->SeekToLast();
    it->Seek("a");
    it->SeekForPrev("a");
    it->Next();
    EXPECT_EQ(Tick(NO_ITERATOR_CREATED), 1u);
    EXPECT_EQ(Tick(NO_ITERATOR_DELETED), 0u);
  }
  EXPECT_EQ(Tick(NO_ITERATOR_DELETED), 1u);
  EXPECT_EQ(Count(DB_SEEK), 4u);
}

TEST_F(DBStatisticsTest, FlushesAndCompactions) {
  options_.disable_auto_compactions = true;
  Open();
  MakeLevel0Files(1);  // begins a MANIFEST
  Reset();
  MakeLevel0Files(3);
  EXPECT_EQ(Count(FLUSH_TIME), 3u);
  EXPECT_EQ(Count(TABLE_SYNC_MICROS), 3u);
  EXPECT_EQ(Count(COMPACTION_TIME), 0u);
  EXPECT_GE(Count(WAL_FILE_SYNC_MICROS), 3u);  // at each switch
  EXPECT_EQ(Count(MANIFEST_FILE_SYNC_MICROS), 3u);
  Compact();
  EXPECT_EQ(Count(COMPACTION_TIME), 1u);
  EXPECT_EQ(Count(COMPACTION_OUTFILE_SYNC_MICROS), 1u);
  EXPECT_EQ(Count(TABLE_SYNC_MICROS), 3u);
  EXPECT_EQ(Data(NUM_FILES_IN_SINGLE_COMPACTION).sum, 4u);
  EXPECT_EQ(Data(NUM_SUBCOMPACTIONS_SCHEDULED).sum, 1u);
  EXPECT_EQ(Count(MANIFEST_FILE_SYNC_MICROS), 4u);
}

TEST_F(DBStatisticsTest, BlocksReadAndCached) {
  Open();
  PutMany(1);
  Flush();
  Reopen();
  Reset();
  EXPECT_EQ(Get(Key(0)), Noise(100, 0));
  EXPECT_GE(Count(SST_READ_MICROS), 1u);
  EXPECT_EQ(Tick(BLOCK_CACHE_DATA_ADD), 1u);
  EXPECT_GT(Tick(BLOCK_CACHE_DATA_BYTES_INSERT), 100u);
  EXPECT_EQ(Tick(BLOCK_CACHE_ADD), Tick(BLOCK_CACHE_DATA_ADD) +
                                       Tick(BLOCK_CACHE_INDEX_ADD) +
                                       Tick(BLOCK_CACHE_FILTER_ADD));
  EXPECT_GE(Tick(BLOCK_CHECKSUM_COMPUTE_COUNT), 1u);
  const uint64_t reads = Count(SST_READ_MICROS);
  EXPECT_EQ(Get(Key(0)), Noise(100, 0));
  EXPECT_EQ(Count(SST_READ_MICROS), reads);
}

TEST_F(DBStatisticsTest, TablesAreOpenedOnceAndCodecsTimedIfAskedFor) {
  options_.statistics->set_stats_level(kAll);
  Open();
  for (int i = 0; i < 100; ++i) Put(Key(i), std::string(100, 'x'));
  Flush();
  EXPECT_GE(Count(COMPRESSION_TIMES_NANOS), 1u);
  Reopen();
  EXPECT_EQ(Get(Key(0)), std::string(100, 'x'));
  EXPECT_GE(Count(DECOMPRESSION_TIMES_NANOS), 1u);
  EXPECT_EQ(Count(TABLE_OPEN_IO_MICROS), Tick(NO_FILE_OPENS));
}

TEST_F(DBStatisticsTest, StallsAndErrors) {
  options_.level0_file_num_compaction_trigger = 2;
  options_.level0_slowdown_writes_trigger = 2;
  Open();
  MakeLevel0Files(2);
  Reset();
  Put("a", "1");
  EXPECT_EQ(Count(WRITE_STALL), 1u);
  EXPECT_EQ(Data(WRITE_STALL).sum, Tick(STALL_MICROS));
  EXPECT_EQ(Tick(ERROR_HANDLER_BG_ERROR_COUNT), 0u);
}

// A runner with a timer that the test lets expire.
class TimedRunner final : public WrappedJobRunner {
 public:
  using WrappedJobRunner::WrappedJobRunner;
  bool ScheduleAfter(uint64_t micros, std::function<void()> job) override {
    micros_ = micros;
    timer_ = std::move(job);
    return true;
  }
  bool WaitFor(std::unique_lock<std::mutex>& lock,
               std::condition_variable& changed, Clock& clock, uint64_t micros,
               const std::function<bool()>& predicate) override {
    return base()->WaitFor(lock, changed, clock, micros, predicate);
  }
  void Expire() { std::exchange(timer_, nullptr)(); }

  std::function<void()> timer_;
  uint64_t micros_ = 0;
};

TEST_F(DBStatisticsTest, AreDumpedToLogAtIntervals) {
  const auto runner = std::make_shared<TimedRunner>(runner_);
  options_.job_runner = runner;
  options_.stats_dump_period_sec = 7;
  Open();
  EXPECT_EQ(runner->micros_, 7'000'000u);
  Put("a", "12345");
  EXPECT_TRUE(LogLines("event=statistics").empty());
  EXPECT_TRUE(LogLines("DUMPING STATS").empty());
  runner->Expire();
  EXPECT_EQ(LogLines("------- DUMPING STATS -------").size(), 1u);
  EXPECT_EQ(LogLines("** Compaction Stats [default] **").size(), 2u);
  EXPECT_EQ(LogLines("Level    Files   Size     Score Read(GB)").size(), 1u);
  EXPECT_EQ(LogLines("** DB Stats **").size(), 1u);
  EXPECT_EQ(LogLines("Interval writes: 1 writes, 1 keys").size(), 1u);
  EXPECT_EQ(LogLines("Block cache TamisBlockCache@").size(), 1u);
  EXPECT_EQ(LogLines("name=rocksdb.number.keys.written count=1").size(), 1u);
  EXPECT_EQ(LogLines("name=rocksdb.db.write.micros p50=").size(), 1u);
  EXPECT_TRUE(LogLines("name=rocksdb.number.keys.read ").empty());  // it is 0
  EXPECT_EQ(Get("a"), "12345");
  runner->Expire();
  EXPECT_EQ(LogLines("name=rocksdb.number.keys.written count=1").size(), 2u);
  EXPECT_EQ(LogLines("name=rocksdb.number.keys.read count=1").size(), 1u);
  // A timer that expires after Close does nothing.
  const std::function<void()> late = runner->timer_;
  ASSERT_TRUE(db_->Close().ok());
  const size_t lines = LogLines("event=statistics").size();
  late();
  EXPECT_EQ(LogLines("event=statistics").size(), lines);
}

TEST_F(DBStatisticsTest, TheIntervalOfDumpsChanges) {
  const auto runner = std::make_shared<TimedRunner>(runner_);
  options_.job_runner = runner;
  options_.stats_dump_period_sec = 600;
  Open();
  Put("a", "12345");
  const std::function<void()> old = runner->timer_;
  const auto set = [this](const char* seconds) {
    return db_->SetDBOptions({{"stats_dump_period_sec", seconds}});
  };
  ASSERT_EQ(set("3"), Status::OK());
  EXPECT_EQ(runner->micros_, 3'000'000u);
  EXPECT_EQ(db_->GetDBOptions().stats_dump_period_sec, 3u);
  old();
  EXPECT_TRUE(LogLines("DUMPING STATS").empty()) << "by the old timer";
  runner->Expire();
  EXPECT_EQ(LogLines("DUMPING STATS").size(), 1u);
  EXPECT_EQ(runner->micros_, 3'000'000u);
  const std::function<void()> last = runner->timer_;
  ASSERT_EQ(set("0"), Status::OK());
  last();
  EXPECT_EQ(LogLines("DUMPING STATS").size(), 1u) << "0: never";
  ASSERT_EQ(set("5"), Status::OK());
  EXPECT_EQ(runner->micros_, 5'000'000u);
  runner->Expire();
  EXPECT_EQ(LogLines("DUMPING STATS").size(), 2u);
  // None begins in a database that is closed.
  ASSERT_TRUE(db_->Close().ok());
  EXPECT_FALSE(set("7").ok());
  EXPECT_EQ(runner->micros_, 5'000'000u);
}

TEST_F(DBStatisticsTest, NoDumpWithoutAnIntervalOrWithoutStatistics) {
  const auto runner = std::make_shared<TimedRunner>(runner_);
  options_.job_runner = runner;
  options_.stats_dump_period_sec = 0;
  Open();
  EXPECT_EQ(runner->timer_, nullptr);
  db_.reset();
  options_.stats_dump_period_sec = 600;
  options_.statistics = nullptr;
  Open();
  EXPECT_EQ(runner->timer_, nullptr);
}

TEST_F(DBStatisticsTest, EachFamilyHasItsTableInTheDump) {
  const auto runner = std::make_shared<TimedRunner>(runner_);
  options_.job_runner = runner;
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_EQ(db_->CreateColumnFamily(ColumnFamilyOptions(), "other", &other),
            Status::OK());
  EXPECT_EQ(runner->micros_, 600'000'000u);
  runner->Expire();
  EXPECT_EQ(LogLines("** Compaction Stats [default] **").size(), 2u);
  EXPECT_EQ(LogLines("** Compaction Stats [other] **").size(), 2u);
  runner->Expire();
  EXPECT_EQ(LogLines("** Compaction Stats [default] **").size(), 4u);
  ASSERT_EQ(db_->DestroyColumnFamilyHandle(other), Status::OK());
}

}  // namespace
}  // namespace tamis
