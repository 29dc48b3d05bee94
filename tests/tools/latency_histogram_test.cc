// SPDX-License-Identifier: Apache-2.0
#include "tools/latency_histogram.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "util/base/random.h"

namespace tamis {
namespace {

TEST(LatencyHistogramTest, EmptyIsZero) {
  const LatencyHistogram empty;
  EXPECT_EQ(empty.Quantile(0.99), 0u);
  EXPECT_EQ(empty.Mean(), 0);
}

TEST(LatencyHistogramTest, SmallValuesAreExact) {
  LatencyHistogram histogram;
  for (uint64_t nanos = 1; nanos <= 100; ++nanos) histogram.Add(nanos);
  EXPECT_EQ(histogram.Quantile(0), 1u);
  EXPECT_EQ(histogram.Quantile(0.5), 50u);
  EXPECT_EQ(histogram.Quantile(0.99), 99u);
  EXPECT_EQ(histogram.Quantile(1), 100u);
  EXPECT_EQ(histogram.Mean(), 50.5);
}

// Of values of every size, quantiles are right to 1/64, and never too low.
TEST(LatencyHistogramTest, QuantilesAreNearThoseOfTheValues) {
  Random random(301);
  std::vector<uint64_t> values;
  LatencyHistogram parts[2];
  for (size_t i = 0; i < 20000; ++i) {
    values.push_back(random.Next() >> (4 + random.Uniform(60)));
    parts[i % 2].Add(values.back());
  }
  parts[0].Merge(parts[1]);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(parts[0].count(), values.size());
  EXPECT_EQ(parts[0].most(), values.back());
  for (size_t i = 0; i < values.size(); i += 7) {
    const double share =
        (static_cast<double>(i) + 0.5) / static_cast<double>(values.size());
    const uint64_t quantile = parts[0].Quantile(share);
    EXPECT_GE(quantile, values[i]);
    EXPECT_LE(quantile, values[i] + values[i] / 64);
  }
}

TEST(LatencyHistogramTest, TheLargestValuesFit) {
  LatencyHistogram histogram;
  histogram.Add(std::numeric_limits<uint64_t>::max());
  histogram.Add(uint64_t{1} << 63);
  EXPECT_EQ(histogram.Quantile(1), std::numeric_limits<uint64_t>::max());
  EXPECT_GE(histogram.Quantile(0.5), uint64_t{1} << 63);
}

}  // namespace
}  // namespace tamis
