// SPDX-License-Identifier: Apache-2.0
//
// The choosers' frequencies against the published distributions, by
// chi-square and by bands. Seeds are fixed.
#include "tools/ycsb_choosers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace tamis::ycsb {
namespace {

using Counts = std::vector<uint64_t>;

Counts CountsOf(Chooser* chooser, uint64_t items, uint64_t draws,
                uint64_t seed = 301) {
  Random random(seed);
  Counts counts(items);
  for (uint64_t i = 0; i < draws; ++i) {
    const uint64_t item = chooser->Next(items, &random);
    EXPECT_LT(item, items);
    if (item < items) ++counts[item];
  }
  return counts;
}

// Returns how many standard deviations chi-square is above its expectation.
// REQUIRES: each expected count is 5 or more.
double ChiSquareDeviation(const Counts& counts,
                          const std::vector<double>& expected) {
  double chi_square = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double d = static_cast<double>(counts[i]) - expected[i];
    chi_square += d * d / expected[i];
  }
  const auto degrees = static_cast<double>(counts.size() - 1);
  return (chi_square - degrees) / std::sqrt(2 * degrees);
}

double Share(const Counts& counts, size_t begin, size_t end, uint64_t draws) {
  return static_cast<double>(std::accumulate(
             counts.begin() + static_cast<ptrdiff_t>(begin),
             counts.begin() + static_cast<ptrdiff_t>(end), uint64_t{0})) /
         static_cast<double>(draws);
}

// Item i against 1 / ((i + 1)^theta * zeta(n)): exact for the first two, and
// within bands beyond, where Gray's generator approximates.
void ExpectZipfian(const Counts& counts, uint64_t draws, double theta) {
  const uint64_t n = counts.size();
  const double zeta = Zeta(n, theta);
  const auto all = static_cast<double>(draws);
  for (uint64_t i = 0; i < n; ++i) {
    const double p = std::pow(static_cast<double>(i + 1), -theta) / zeta;
    const double band = i < 2 ? 0 : i < 5 ? 0.2 : i < 20 ? 0.1 : 0.06;
    const double noise = 5 * std::sqrt(all * p) + 1;
    EXPECT_NEAR(static_cast<double>(counts[i]), all * p, band * all * p + noise)
        << "item " << i;
  }
  // Summed, the approximation is closer.
  double expected = 0;
  size_t begin = 0;
  for (const size_t end : {n / 100, n / 10, n}) {
    for (size_t i = begin; i < end; ++i) {
      expected += std::pow(static_cast<double>(i + 1), -theta) / zeta;
    }
    EXPECT_NEAR(Share(counts, 0, end, draws), expected, 0.02) << end;
    begin = end;
  }
}

TEST(YcsbZetaTest, EqualsTheSum) {
  for (const double theta : {0.5, 0.99}) {
    double sum = 0;
    for (uint64_t n = 1; n <= 200000; ++n) {
      sum += std::pow(static_cast<double>(n), -theta);
      if (n < 5 || n == 1024 || n == 1025 || n == 200000) {
        EXPECT_NEAR(Zeta(n, theta), sum, 1e-9) << n;
      }
    }
  }
  // YCSB's constant for 10^10 items.
  EXPECT_NEAR(Zeta(10'000'000'000, 0.99), 26.46902820178302, 1e-8);
}

TEST(YcsbUniformTest, EveryItemIsEquallyLikely) {
  constexpr uint64_t kItems = 1000;
  constexpr uint64_t kDraws = 200 * kItems;
  UniformChooser chooser;
  EXPECT_LT(std::abs(ChiSquareDeviation(CountsOf(&chooser, kItems, kDraws),
                                        std::vector<double>(kItems, 200))),
            4);
}

TEST(YcsbZipfianTest, FrequenciesAreThoseOfThePaper) {
  constexpr uint64_t kDraws = 2'000'000;
  for (const double theta : {0.5, 0.8, kZipfianTheta}) {
    ZipfianChooser chooser(theta);
    ExpectZipfian(CountsOf(&chooser, 1000, kDraws), kDraws, theta);
  }
}

// Item by item against the probabilities of Gray's generator.
TEST(YcsbZipfianTest, FrequenciesAreGraysByChiSquare) {
  constexpr uint64_t kItems = 1000;
  constexpr uint64_t kDraws = 2'000'000;
  ZipfianChooser chooser;
  const Counts counts = CountsOf(&chooser, kItems, kDraws);
  const double zeta = Zeta(kItems, kZipfianTheta);
  std::vector<double> expected = {kDraws / zeta,
                                  kDraws * std::pow(2, -kZipfianTheta) / zeta};
  for (uint64_t i = 2; i < kItems; ++i) {
    expected.push_back(
        kDraws * (chooser.ProbabilityBelow(static_cast<double>(i + 1), kItems) -
                  chooser.ProbabilityBelow(static_cast<double>(i), kItems)));
  }
  EXPECT_NEAR(std::accumulate(expected.begin(), expected.end(), 0.0), kDraws,
              1e-3);
  EXPECT_LT(std::abs(ChiSquareDeviation(counts, expected)), 4);
}

// A chooser whose items were added one by one, or in large steps, draws as one
// that had them all from the start.
TEST(YcsbZipfianTest, AddedItemsCountAsIfTheyHadAlwaysBeenThere) {
  for (const uint64_t step : {1u, 7u, 500u}) {
    ZipfianChooser grown;
    Random random(1);
    for (uint64_t items = 1; items < 5000; items += step) {
      EXPECT_LT(grown.Next(items, &random), items);
    }
    ZipfianChooser fresh;
    Random first(2);
    Random second(2);
    for (int i = 0; i < 10000; ++i) {
      EXPECT_EQ(grown.Next(5000, &first), fresh.Next(5000, &second));
    }
  }
}

TEST(YcsbZipfianTest, OneAndTwoItems) {
  ZipfianChooser chooser;
  EXPECT_EQ(CountsOf(&chooser, 1, 100), Counts{100});
  ExpectZipfian(CountsOf(&chooser, 2, 100000), 100000, kZipfianTheta);
  EXPECT_GT(CountsOf(&chooser, 3, 100000)[2], 10000u);
}

TEST(YcsbPermutationTest, EachNumberOccursOnce) {
  for (uint64_t n = 1; n <= 300; ++n) {
    const Permutation permutation(n);
    std::vector<bool> seen(n);
    for (uint64_t i = 0; i < n; ++i) {
      ASSERT_LT(permutation[i], n);
      EXPECT_FALSE(seen[permutation[i]]) << n;
      seen[permutation[i]] = true;
    }
  }
}

// The same draws fall on the same ranks; only the items differ.
TEST(YcsbScrambledZipfianTest, PopularityIsZipfians) {
  constexpr uint64_t kItems = 1000;
  constexpr uint64_t kDraws = 2'000'000;
  ScrambledZipfianChooser scrambled(kItems);
  ZipfianChooser zipfian;
  Counts counts = CountsOf(&scrambled, kItems, kDraws);
  Counts plain = CountsOf(&zipfian, kItems, kDraws);
  EXPECT_NE(counts, plain);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  std::sort(plain.begin(), plain.end(), std::greater<>());
  EXPECT_EQ(counts, plain);
}

// Of 100,000 items in 100 parts of the key space, the 1000 most popular are
// spread as if by chance, and so are the draws of the others.
TEST(YcsbScrambledZipfianTest, PopularItemsAreSpreadOverTheKeySpace) {
  constexpr uint64_t kItems = 100000;
  constexpr size_t kParts = 100;
  const Permutation permutation(kItems);
  Counts parts(kParts);
  for (uint64_t rank = 0; rank < 1000; ++rank) {
    ++parts[permutation[rank] * kParts / kItems];
  }
  EXPECT_LT(ChiSquareDeviation(parts, std::vector<double>(kParts, 10)), 4);
  EXPECT_GT(permutation[0], kItems / 100);
  EXPECT_LT(permutation[0], kItems - kItems / 100);
}

TEST(YcsbScrambledZipfianTest, ItemsThatDoNotExistYetAreNotChosen) {
  constexpr uint64_t kDraws = 200000;
  ScrambledZipfianChooser chooser(1000);
  const Counts counts = CountsOf(&chooser, 600, kDraws);
  EXPECT_GT(std::count_if(counts.begin(), counts.end(),
                          [](uint64_t count) { return count > 0; }),
            590);
}

TEST(YcsbLatestTest, PopularityFollowsRecency) {
  constexpr uint64_t kDraws = 2'000'000;
  LatestChooser chooser;
  // As the key count grows.
  for (const uint64_t items : {500u, 501u, 1000u}) {
    Counts counts = CountsOf(&chooser, items, kDraws);
    std::reverse(counts.begin(), counts.end());
    ExpectZipfian(counts, kDraws, kZipfianTheta);
  }
}

TEST(YcsbDistributionTest, NamesAreParsed) {
  Distribution distribution = Distribution::kUniform;
  EXPECT_TRUE(ParseDistribution("latest", &distribution));
  EXPECT_EQ(distribution, Distribution::kLatest);
  EXPECT_TRUE(ParseDistribution("scrambled_zipfian", &distribution));
  EXPECT_EQ(distribution, Distribution::kScrambledZipfian);
  EXPECT_TRUE(ParseDistribution("zipfian", &distribution));
  EXPECT_EQ(distribution, Distribution::kZipfian);
  EXPECT_TRUE(ParseDistribution("uniform", &distribution));
  EXPECT_EQ(distribution, Distribution::kUniform);
  EXPECT_FALSE(ParseDistribution("", &distribution));
  EXPECT_FALSE(ParseDistribution("gauss", &distribution));
  for (const Distribution each :
       {Distribution::kUniform, Distribution::kZipfian,
        Distribution::kScrambledZipfian, Distribution::kLatest}) {
    Random random(1);
    EXPECT_LT(NewChooser(each, 10)->Next(10, &random), 10u);
  }
}

}  // namespace
}  // namespace tamis::ycsb
