// SPDX-License-Identifier: Apache-2.0
#include "tools/tour_timing.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(TourTimingTest, DisturbancesOfSomeRoundsDoNotCount) {
  // The second batch costs more in each round, by itself.
  std::vector<std::vector<double>> rounds(5, {10, 30});
  rounds[0] = {10, 9000};
  rounds[3] = {5000, 31};
  const Quartiles sum = SumOfQuartiles(rounds);
  EXPECT_DOUBLE_EQ(sum.lower, 40);
  EXPECT_DOUBLE_EQ(sum.median, 40);
  EXPECT_DOUBLE_EQ(sum.upper, 41);
}

TEST(TourTimingTest, QuartilesSpanTheMiddleHalfOfTheRounds) {
  const Quartiles sum =
      SumOfQuartiles({{9}, {8}, {7}, {6}, {5}, {4}, {3}, {2}, {1}});
  EXPECT_DOUBLE_EQ(sum.lower, 3);
  EXPECT_DOUBLE_EQ(sum.median, 5);
  EXPECT_DOUBLE_EQ(sum.upper, 7);
}

TEST(TourTimingTest, OneRoundIsEveryQuartile) {
  const Quartiles sum = SumOfQuartiles({{1, 2, 3}});
  EXPECT_DOUBLE_EQ(sum.lower, 6);
  EXPECT_DOUBLE_EQ(sum.median, 6);
  EXPECT_DOUBLE_EQ(sum.upper, 6);
  EXPECT_DOUBLE_EQ(SumOfQuartiles({}).median, 0);
}

}  // namespace
}  // namespace tamis
