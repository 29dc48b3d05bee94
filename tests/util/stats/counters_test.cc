// SPDX-License-Identifier: Apache-2.0
//
// Statistics and PerfContext return what was counted.
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/perf_context.h"
#include "tamis/statistics.h"

#include "util/stats/perf_counters.h"

namespace tamis {
namespace {

TEST(StatisticsTest, CountsOfAllThreadsAddUp) {
  const auto statistics = CreateDBStatistics();
  std::vector<std::thread> threads;
  for (int t = 0; t < 40; ++t) {
    threads.emplace_back([&statistics] {
      for (int i = 0; i < 1000; ++i) {
        statistics->recordTick(BLOOM_FILTER_USEFUL);
        RecordTick(statistics.get(), BYTES_READ, 3);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  RecordTick(nullptr, BYTES_READ, 3);
  EXPECT_EQ(statistics->getTickerCount(BLOOM_FILTER_USEFUL), 40000u);
  EXPECT_EQ(statistics->getTickerCount(BYTES_READ), 120000u);
  EXPECT_EQ(statistics->getTickerCount(NUMBER_BLOCK_NOT_COMPRESSED), 0u);
  EXPECT_EQ(statistics->getAndResetTickerCount(BYTES_READ), 120000u);
  EXPECT_EQ(statistics->getTickerCount(BYTES_READ), 0u);
  ASSERT_TRUE(statistics->Reset().ok());
  EXPECT_EQ(statistics->getTickerCount(BLOOM_FILTER_USEFUL), 0u);
}

TEST(StatisticsTest, EveryTickerHasItsOwnName) {
  const auto names = TickerNames();
  ASSERT_EQ(names.size(), size_t{TICKER_ENUM_MAX});
  EXPECT_EQ(std::set<std::string_view>(names.begin(), names.end()).size(),
            names.size());
  const struct {
    Tickers ticker;
    const char* name;
  } kCases[] = {
      {BLOCK_CACHE_MISS, "rocksdb.block.cache.miss"},
      {BLOOM_FILTER_USEFUL, "rocksdb.bloom.filter.useful"},
      {BLOOM_FILTER_FULL_TRUE_POSITIVE,
       "rocksdb.bloom.filter.full.true.positive"},
      {GET_HIT_L2_AND_UP, "rocksdb.l2andup.hit"},
      {COMPACTION_KEY_DROP_OBSOLETE, "rocksdb.compaction.key.drop.obsolete"},
      {COMPACTION_KEY_DROP_RANGE_DEL, "rocksdb.compaction.key.drop.range_del"},
      {COMPACTION_KEY_DROP_USER, "rocksdb.compaction.key.drop.user"},
      {NUMBER_DB_SEEK, "rocksdb.number.db.seek"},
      {NO_FILE_OPENS, "rocksdb.no.file.opens"},
      {WAL_FILE_SYNCED, "rocksdb.wal.synced"},
      {WRITE_WITH_WAL, "rocksdb.write.wal"},
      {FLUSH_WRITE_BYTES, "rocksdb.flush.write.bytes"},
      {NUMBER_BLOCK_NOT_COMPRESSED, "rocksdb.number.block.not_compressed"},
  };
  for (const auto& c : kCases) EXPECT_EQ(names[c.ticker], c.name);
  const auto statistics = CreateDBStatistics();
  statistics->recordTick(STALL_MICROS, 12);
  EXPECT_NE(statistics->ToString().find("rocksdb.stall.micros COUNT : 12\n"),
            std::string::npos);
}

TEST(PerfContextTest, CountsBelongToTheThreadAndToItsLevel) {
  get_perf_context()->Reset();
  TAMIS_PERF_COUNT(block_read_count, 2);
  PerfByLevel(3)->bloom_filter_useful += 5;
  std::thread([] {
    EXPECT_EQ(get_perf_context()->block_read_count, 0u);
    SetPerfLevel(kDisable);
    TAMIS_PERF_COUNT(block_read_count, 2);
    EXPECT_EQ(get_perf_context()->block_read_count, 0u);
    EXPECT_EQ(PerfByLevel(3), nullptr);
  }).join();
  EXPECT_EQ(GetPerfLevel(), kEnableCount);
  EXPECT_EQ(get_perf_context()->ToString(/*exclude_zero_counters=*/true),
            "block_read_count = 2, bloom_filter_useful = 5@level3");
  EXPECT_NE(get_perf_context()->ToString().find("write_delay_time = 0, "),
            std::string::npos);
  EXPECT_EQ(PerfByLevel(-1), nullptr);
  EXPECT_EQ(PerfByLevel(PerfContext::kLevels), nullptr);
  get_perf_context()->Reset();
  EXPECT_EQ(get_perf_context()->ToString(true), "");
}

TEST(PerfContextTest, BoundsOfTheLevelsAreNotSet) {
  SetPerfLevel(kEnableWait);
  SetPerfLevel(kUninitialized);
  EXPECT_EQ(GetPerfLevel(), kEnableWait);
  SetPerfLevel(kOutOfBounds);
  EXPECT_EQ(GetPerfLevel(), kEnableWait);
  SetPerfLevel(kEnableCount);
}

TEST(PerfContextTest, TimersRunOnlyAtEnableTime) {
  get_perf_context()->Reset();
  for (const PerfLevel level : {kEnableCount, kEnableTime}) {
    SetPerfLevel(level);
    {
      TAMIS_PERF_TIMER(timer, block_read_time);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    EXPECT_EQ(get_perf_context()->block_read_time > 0, level == kEnableTime);
  }
  SetPerfLevel(kEnableCount);
  get_perf_context()->Reset();
}

}  // namespace
}  // namespace tamis
