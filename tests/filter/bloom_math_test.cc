// SPDX-License-Identifier: Apache-2.0
#include "filter/bloom_math.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace tamis {

TEST(BloomMathTest, BitsPerKeyAreExactToAThousandthWithinBounds) {
  const struct {
    double bits_per_key;
    uint32_t millibits;
  } cases[] = {{-1, 0},
               {0, 0},
               {0.499, 0},
               {0.5, 1000},
               {0.999, 1000},
               {1, 1000},
               {9.9, 9900},
               {10.0714, 10071},
               {10.0715, 10072},
               {99.9996, 100000},
               {100, 100000},
               {1000, 100000},
               {std::numeric_limits<double>::infinity(), 100000},
               {std::nan(""), 100000}};
  for (const auto& c : cases) {
    EXPECT_EQ(BloomMillibits(c.bits_per_key), c.millibits) << c.bits_per_key;
  }
  EXPECT_EQ(BuilderMillibits(0.1), 1000u);
  EXPECT_EQ(BuilderMillibits(12.5), 12500u);
}

TEST(BloomMathTest, WholeBitsRoundHalfUp) {
  EXPECT_EQ(BloomWholeBits(0), 1u);
  EXPECT_EQ(BloomWholeBits(2499), 2u);
  EXPECT_EQ(BloomWholeBits(2500), 3u);
  EXPECT_EQ(BloomWholeBits(100000), 100u);
}

TEST(BloomMathTest, ProbesStepWhereRocksDBSteps) {
  const struct {
    uint32_t millibits;
    uint32_t probes;
  } cases[] = {{1000, 1},   {2080, 1},   {2081, 2},   {3580, 2},   {3581, 3},
               {5100, 3},   {6640, 4},   {8300, 5},   {10000, 6},  {10070, 6},
               {10071, 7},  {11720, 7},  {14001, 8},  {16050, 9},  {18300, 10},
               {22001, 11}, {25501, 12}, {25502, 11}, {28000, 12}, {28001, 13},
               {50000, 23}, {50001, 24}, {100000, 24}};
  for (const auto& c : cases) {
    EXPECT_EQ(FastLocalBloomProbes(c.millibits), c.probes) << c.millibits;
  }
  EXPECT_EQ(PlainBloomProbes(1), 1u);
  EXPECT_EQ(PlainBloomProbes(10), 6u);
  EXPECT_EQ(PlainBloomProbes(100), 30u);
}

TEST(BloomMathTest, FastLocalBloomIsWholeLinesBelowFourGibibytes) {
  EXPECT_EQ(FastLocalBloomBytes(0, 10000), 0u);
  EXPECT_EQ(FastLocalBloomBytes(1, 10000), 64u);
  EXPECT_EQ(FastLocalBloomBytes(51, 10000), 64u);
  EXPECT_EQ(FastLocalBloomBytes(52, 10000), 128u);
  EXPECT_EQ(FastLocalBloomBytes(uint64_t{1} << 40, 10000), 0xffffffc0u);
}

TEST(BloomMathTest, RatesAreThoseOfTheLiterature) {
  EXPECT_NEAR(PlainBloomFalsePositiveRate(10, 7), 0.0082, 0.0001);
  EXPECT_NEAR(PlainBloomFalsePositiveRate(10, 6), 0.0084, 0.0001);
  // Lines of one cache line cost a little.
  EXPECT_NEAR(CacheLocalBloomFalsePositiveRate(10, 6, 512), 0.0095, 0.0003);
  // As lines grow, the cost goes away.
  EXPECT_NEAR(CacheLocalBloomFalsePositiveRate(10, 6, 1e12), 0.0084, 0.0001);
  // Fewer keys than lines: no rate below zero, none above one.
  const double sparse = CacheLocalBloomFalsePositiveRate(5000, 6, 512);
  EXPECT_GE(sparse, 0);
  EXPECT_LT(sparse, 1e-6);
  // Steps that come back early, and those of other keys, set a floor.
  EXPECT_NEAR(SteppingBloomFalsePositiveRate(30, 20, 512), 0.0021, 0.0002);
  EXPECT_NEAR(SteppingBloomFalsePositiveRate(14, 9, 512), 0.0041, 0.0002);
  EXPECT_NEAR(SteppingBloomFalsePositiveRate(10, 6, 512), 0.0115, 0.0005);
  EXPECT_NEAR(HashCollisionRate(1 << 20, 32), 0.000244, 0.000001);
  EXPECT_DOUBLE_EQ(EitherRate(0.5, 0.5), 0.75);
}

}  // namespace tamis
