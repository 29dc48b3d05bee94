// SPDX-License-Identifier: Apache-2.0
//
// The same values show the same in Tamis's histograms as in RocksDB's: buckets,
// percentiles and text. Names are RocksDB's.
#include "tamis/statistics.h"

#include <map>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/statistics.h>

namespace {

TEST(StatisticsInteropTest, HistogramsOfTheSameValuesAreEqual) {
  for (const uint64_t max : {5u, 300u, 1'000'000u, 4'000'000'000u}) {
    SCOPED_TRACE(max);
    const auto ours = tamis::CreateDBStatistics();
    const auto theirs = rocksdb::CreateDBStatistics();
    std::mt19937_64 random(max);
    for (int i = 0; i < 3000; ++i) {
      const uint64_t value = random() % (random() % max + 1);
      ours->recordInHistogram(tamis::DB_GET, value);
      theirs->recordInHistogram(rocksdb::DB_GET, value);
    }
    tamis::HistogramData a;
    rocksdb::HistogramData b;
    ours->histogramData(tamis::DB_GET, &a);
    theirs->histogramData(rocksdb::DB_GET, &b);
    EXPECT_EQ(a.count, b.count);
    EXPECT_EQ(a.sum, b.sum);
    EXPECT_EQ(a.min, b.min);
    EXPECT_EQ(a.max, b.max);
    EXPECT_DOUBLE_EQ(a.median, b.median);
    EXPECT_DOUBLE_EQ(a.percentile95, b.percentile95);
    EXPECT_DOUBLE_EQ(a.percentile99, b.percentile99);
    EXPECT_DOUBLE_EQ(a.average, b.average);
    if (max < 1'000'000'000) {  // RocksDB's sum of squares overflows above
      EXPECT_DOUBLE_EQ(a.standard_deviation, b.standard_deviation);
      EXPECT_EQ(ours->getHistogramString(tamis::DB_GET),
                theirs->getHistogramString(rocksdb::DB_GET));
    }
  }
}

TEST(StatisticsInteropTest, EveryBucketLimitIsRocksDBs) {
  const auto ours = tamis::CreateDBStatistics();
  const auto theirs = rocksdb::CreateDBStatistics();
  for (uint64_t value = 1; value < (uint64_t{1} << 62);
       value += value / 7 + 1) {
    ours->recordInHistogram(tamis::DB_GET, value);
    theirs->recordInHistogram(rocksdb::DB_GET, value);
  }
  const auto buckets = [](const std::string& text) {
    return text.substr(text.find("---"));
  };
  EXPECT_EQ(buckets(ours->getHistogramString(tamis::DB_GET)),
            buckets(theirs->getHistogramString(rocksdb::DB_GET)));
}

TEST(StatisticsInteropTest, NamesAreKnownToRocksDB) {
  std::map<std::string, int> known;
  for (const auto& [ticker, name] : rocksdb::TickersNameMap) ++known[name];
  for (const auto& [histogram, name] : rocksdb::HistogramsNameMap) {
    ++known[name];
  }
  // These came after 7.8.3.
  known["rocksdb.bloom.filter.prefix.true.positive"] = 1;
  for (const auto& [ticker, name] : tamis::TickersNameMap) {
    EXPECT_EQ(known[name], 1) << name;
  }
  for (const auto& [histogram, name] : tamis::HistogramsNameMap) {
    EXPECT_EQ(known[name], 1) << name;
  }
}

TEST(StatisticsInteropTest, LinesOfToStringAreRocksDBs) {
  const auto ours = tamis::CreateDBStatistics();
  const auto theirs = rocksdb::CreateDBStatistics();
  for (const uint64_t value : {3u, 17u, 900u}) {
    ours->recordInHistogram(tamis::DB_GET, value);
    theirs->recordInHistogram(rocksdb::DB_GET, value);
    ours->recordTick(tamis::BYTES_READ, value);
    theirs->recordTick(rocksdb::BYTES_READ, value);
  }
  const auto line = [](const std::string& text, const std::string& name) {
    const size_t begin = text.find(name);
    return text.substr(begin, text.find('\n', begin) - begin + 1);
  };
  for (const char* name :
       {"rocksdb.db.get.micros", "rocksdb.bytes.read", "rocksdb.wal.synced"}) {
    EXPECT_EQ(line(ours->ToString(), name), line(theirs->ToString(), name));
  }
}

}  // namespace
