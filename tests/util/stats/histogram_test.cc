// SPDX-License-Identifier: Apache-2.0
//
// Histograms: exact counts, percentiles within their buckets, levels, names.
#include "util/stats/histogram.h"

#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "util/stats/histogram_timer.h"

namespace tamis {
namespace {

HistogramData DataOf(const Statistics& statistics, Histograms histogram) {
  HistogramData data;
  statistics.histogramData(histogram, &data);
  return data;
}

TEST(HistogramTest, ExactNumbersAreExactAndPercentilesInTheirBuckets) {
  const auto statistics = CreateDBStatistics();
  for (uint64_t i = 1; i <= 1000; ++i) {
    statistics->recordInHistogram(DB_GET, i);
  }
  const HistogramData data = DataOf(*statistics, DB_GET);
  EXPECT_EQ(data.count, 1000u);
  EXPECT_EQ(data.sum, 500500u);
  EXPECT_EQ(data.min, 1);
  EXPECT_EQ(data.max, 1000);
  EXPECT_DOUBLE_EQ(data.average, 500.5);
  EXPECT_NEAR(data.standard_deviation, 288.675, 0.001);
  EXPECT_NEAR(data.median, 500, 10);
  // Both are in the bucket from 870 to 1300, of which 1000 is the largest.
  EXPECT_NEAR(data.percentile95, 950, 50);
  EXPECT_NEAR(data.percentile99, 990, 10);
}

TEST(HistogramTest, NoValuesAndExtremeValues) {
  const auto statistics = CreateDBStatistics();
  HistogramData data = DataOf(*statistics, DB_WRITE);
  EXPECT_EQ(data.count, 0u);
  EXPECT_EQ(data.min, 0);
  EXPECT_EQ(data.median, 0);
  EXPECT_EQ(data.standard_deviation, 0);
  statistics->recordInHistogram(DB_WRITE, 0);
  statistics->recordInHistogram(DB_WRITE, UINT64_MAX);
  data = DataOf(*statistics, DB_WRITE);
  EXPECT_EQ(data.count, 2u);
  EXPECT_EQ(data.min, 0);
  EXPECT_EQ(data.max, static_cast<double>(UINT64_MAX));
}

TEST(HistogramTest, ValuesOfAllThreadsAddUpAndResetForgetsThem) {
  const auto statistics = CreateDBStatistics();
  std::vector<std::thread> threads;
  for (int t = 0; t < 40; ++t) {
    threads.emplace_back([&statistics] {
      for (uint64_t i = 1; i <= 100; ++i) {
        RecordInHistogram(statistics.get(), BYTES_PER_READ, i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  RecordInHistogram(nullptr, BYTES_PER_READ, 1);
  const HistogramData data = DataOf(*statistics, BYTES_PER_READ);
  EXPECT_EQ(data.count, 4000u);
  EXPECT_EQ(data.sum, 40 * 5050u);
  EXPECT_EQ(data.min, 1);
  EXPECT_EQ(data.max, 100);
  EXPECT_EQ(DataOf(*statistics, BYTES_PER_WRITE).count, 0u);
  ASSERT_TRUE(statistics->Reset().ok());
  EXPECT_EQ(DataOf(*statistics, BYTES_PER_READ).count, 0u);
  RecordInHistogram(statistics.get(), BYTES_PER_READ, 7);
  EXPECT_EQ(DataOf(*statistics, BYTES_PER_READ).min, 7);
  EXPECT_EQ(DataOf(*statistics, BYTES_PER_READ).max, 7);
}

TEST(HistogramTest, LevelsExcludeTickersHistogramsAndTimers) {
  const struct {
    StatsLevel level;
    bool ticker, value, time, detail;
  } kCases[] = {
      {kDisableAll, false, false, false, false},
      {kExceptHistogramOrTimers, true, false, false, false},
      {kExceptTimers, true, true, false, false},
      {kExceptDetailedTimers, true, true, true, false},
      {kExceptTimeForMutex, true, true, true, true},
      {kAll, true, true, true, true},
  };
  const auto statistics = CreateDBStatistics();
  EXPECT_EQ(statistics->get_stats_level(), kExceptDetailedTimers);
  for (const auto& c : kCases) {
    SCOPED_TRACE(static_cast<int>(c.level));
    ASSERT_TRUE(statistics->Reset().ok());
    statistics->set_stats_level(c.level);
    statistics->recordTick(BYTES_READ);
    statistics->recordInHistogram(BYTES_PER_READ, 1);
    statistics->reportTimeToHistogram(WRITE_STALL, 1);
    { const HistogramTimer timing(statistics.get(), DB_GET); }
    { const HistogramTimer timing(statistics.get(), COMPRESSION_TIMES_NANOS); }
    EXPECT_EQ(statistics->getTickerCount(BYTES_READ), c.ticker ? 1u : 0u);
    EXPECT_EQ(DataOf(*statistics, BYTES_PER_READ).count, c.value ? 1u : 0u);
    EXPECT_EQ(DataOf(*statistics, WRITE_STALL).count, c.time ? 1u : 0u);
    EXPECT_EQ(DataOf(*statistics, DB_GET).count, c.time ? 1u : 0u);
    EXPECT_EQ(DataOf(*statistics, COMPRESSION_TIMES_NANOS).count,
              c.detail ? 1u : 0u);
  }
  const HistogramTimer without(nullptr, DB_GET);
}

TEST(HistogramTest, NamesAreDistinctAndInAllLists) {
  const auto names = HistogramNames();
  ASSERT_EQ(names.size(), size_t{HISTOGRAM_ENUM_MAX});
  EXPECT_EQ(std::set<std::string_view>(names.begin(), names.end()).size(),
            names.size());
  EXPECT_EQ(names[DB_GET], "rocksdb.db.get.micros");
  EXPECT_EQ(names[DECOMPRESSION_TIMES_NANOS],
            "rocksdb.decompression.times.nanos");
  ASSERT_EQ(HistogramsNameMap.size(), names.size());
  ASSERT_EQ(TickersNameMap.size(), TickerNames().size());
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(HistogramsNameMap[i].first, i);
    EXPECT_EQ(HistogramsNameMap[i].second, names[i]);
  }
  for (size_t i = 0; i < TickersNameMap.size(); ++i) {
    EXPECT_EQ(TickersNameMap[i].first, i);
    EXPECT_EQ(TickersNameMap[i].second, TickerNames()[i]);
  }
}

TEST(HistogramTest, TickersAreSetAndListed) {
  const auto statistics = CreateDBStatistics();
  statistics->recordTick(BYTES_READ, 3);
  statistics->setTickerCount(BYTES_READ, 40);
  statistics->recordTick(BYTES_READ, 2);
  std::map<std::string, uint64_t> tickers;
  ASSERT_TRUE(statistics->getTickerMap(&tickers));
  EXPECT_EQ(tickers.size(), size_t{TICKER_ENUM_MAX});
  EXPECT_EQ(tickers["rocksdb.bytes.read"], 42u);
  EXPECT_EQ(tickers["rocksdb.bytes.written"], 0u);
}

TEST(HistogramTest, ToStringHasALineForEach) {
  const auto statistics = CreateDBStatistics();
  statistics->recordInHistogram(DB_GET, 5);
  EXPECT_NE(statistics->ToString().find(
                "rocksdb.db.get.micros P50 : 5.000000 P95 : 5.000000 P99 : "
                "5.000000 P100 : 5.000000 COUNT : 1 SUM : 5\n"),
            std::string::npos)
      << statistics->ToString();
}

}  // namespace
}  // namespace tamis
