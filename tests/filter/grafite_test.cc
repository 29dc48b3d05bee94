// SPDX-License-Identifier: Apache-2.0
#include "filter/grafite.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/sanitizers.h"
#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {
namespace {

std::string KeyOf(uint64_t value) {
  std::string key = "table7/";
  PutFixed64(&key, __builtin_bswap64(value));
  return key;
}

std::string Build(const std::vector<uint64_t>& sorted, double bits_per_key) {
  const auto builder = GrafiteCodec()->NewBuilder(bits_per_key);
  for (const uint64_t value : sorted) builder->Add(KeyOf(value));
  return builder->Finish();
}

enum class Where { kAnywhere, kAfterAKey };

// Returns the share of empty ranges of `length` values that match.
double RateOf(const RangeFilterView& view, const std::vector<uint64_t>& keys,
              uint64_t length, Where where, Random* random) {
  int empty = 0;
  int matches = 0;
  while (empty < 2000) {
    const uint64_t begin =
        where == Where::kAnywhere
            ? random->Next()
            : keys[random->Uniform(keys.size())] + 1 + random->Uniform(16);
    if (begin > UINT64_MAX - length) continue;
    const auto next = std::ranges::lower_bound(keys, begin);
    if (next != keys.end() && *next < begin + length) continue;
    ++empty;
    if (view.MayMatch(KeyOf(begin), KeyOf(begin + length))) ++matches;
  }
  return matches / static_cast<double>(empty);
}

// The mean over 100 seeds; the last key determines the seed.
TEST(GrafiteTest, TheRateIsThatOfTheLengthWhereverTheRangesAre) {
  if (kSanitizer) GTEST_SKIP() << kNoOtherCode;
  constexpr size_t kKeys = 2000;
  constexpr uint32_t kLowBits = 10;
  for (const Where where : {Where::kAnywhere, Where::kAfterAKey}) {
    // Keys spread evenly, and in runs.
    for (const bool in_runs : {false, true}) {
      for (const uint64_t length : {1u, 16u, 128u}) {
        double sum = 0;
        for (uint64_t seed = 0; seed < 100; ++seed) {
          Random random(seed);
          std::vector<uint64_t> keys;
          uint64_t key = 0;
          for (size_t i = 0; i < kKeys; ++i) {
            const bool jump = !in_runs || i % 100 == 0;
            key = jump ? random.Next() : key + 500 + random.Uniform(1000);
            keys.push_back(key);
          }
          std::ranges::sort(keys);
          const std::string filter = Build(keys, kLowBits + 2.5);
          const RangeFilterView view = GrafiteCodec()->Open(filter);
          sum += RateOf(view, keys, length, where, &random);
        }
        const double mean = sum / 100;
        const double expected =
            static_cast<double>(length) / std::exp2(kLowBits);
        const double noise = 4 * std::sqrt(expected / 200000);
        EXPECT_LE(mean, 1.05 * expected + noise)
            << length << " values, runs: " << in_runs;
      }
    }
  }
}

TEST(GrafiteTest, TakesLittleMoreThanTheBitsAskedFor) {
  for (const size_t n : {10000u, 100000u}) {
    Random random(n);
    std::vector<uint64_t> keys(n);
    for (uint64_t& key : keys) key = random.Next();
    std::ranges::sort(keys);
    for (const double bits : {12.0, 16.0, 18.0}) {
      const std::string filter = Build(keys, bits + 0.25);
      EXPECT_LE(8.0 * static_cast<double>(filter.size()),
                (bits + 0.6) * static_cast<double>(n))
          << n << " keys, " << bits << " bits";
    }
  }
}

// Digits are numbers: a carry is no jump.
TEST(GrafiteTest, TheRateOfDecimalKeysIsThatOfTheLength) {
  constexpr uint32_t kLowBits = 12;
  constexpr int kKeys = 10000;
  const auto key_of = [](int number) {
    char key[16];
    std::snprintf(key, sizeof(key), "user%08d", number);
    return std::string(key);
  };
  const auto builder = GrafiteCodec()->NewBuilder(kLowBits + 2.5);
  for (int i = 0; i < kKeys; ++i) builder->Add(key_of(i * 9973));
  const std::string filter = builder->Finish();
  const RangeFilterView view = GrafiteCodec()->Open(filter);
  Random random(301);
  for (const int length : {1, 10, 100}) {
    constexpr int kRanges = 20000;
    int matches = 0;
    for (int i = 0; i < kRanges; ++i) {
      const auto key = static_cast<int>(random.Uniform(kKeys - 1));
      const auto after = static_cast<int>(1 + random.Uniform(9800));
      const int begin = key * 9973 + after;
      if (view.MayMatch(key_of(begin), key_of(begin + length))) ++matches;
    }
    const double expected = kRanges * length / std::exp2(kLowBits);
    EXPECT_LE(matches, 1.1 * expected + 4 * std::sqrt(expected)) << length;
  }
}

TEST(GrafiteTest, KeysThatDifferOnlyAfterWhatCountsGetNoFilter) {
  Random random(301);
  std::vector<std::string> keys;
  for (int i = 0; i < 50; ++i) {
    std::string folder(30, ' ');
    for (char& c : folder) c = static_cast<char>('a' + random.Uniform(26));
    for (int file = 100; file < 200; ++file) {
      keys.push_back(folder + std::to_string(file));
    }
  }
  std::ranges::sort(keys);
  const auto builder = GrafiteCodec()->NewBuilder(16);
  for (const std::string& key : keys) builder->Add(key);
  EXPECT_EQ(builder->Finish(), "");
}

// One value of many keys takes one code.
TEST(GrafiteTest, EqualValuesAreStoredOnce) {
  const auto size_with = [](int extra) {
    const auto builder = GrafiteCodec()->NewBuilder(16);
    for (int i = 10000; i < 20000; ++i) {
      builder->Add(std::to_string(i) + std::string(70, 'k'));
      if (i != 15000) continue;
      for (int k = 0; k < extra; ++k) {
        builder->Add(std::to_string(i) + std::string(70, 'k') +
                     std::to_string(10000 + k));
      }
    }
    return builder->Finish().size();
  };
  EXPECT_EQ(size_with(5000), size_with(1));
}

TEST(GrafiteTest, ARangeBeyondTheSharedPrefixIsExcluded) {
  const std::string filter = Build({1, 2, 3, 1000, 100000}, 16);
  const RangeFilterView view = GrafiteCodec()->Open(filter);
  EXPECT_FALSE(view.MayMatch("table6", "table7"));
  EXPECT_FALSE(view.MayMatch("table6", "table7/"));
  EXPECT_FALSE(view.MayMatch("table70", "table8"));
  EXPECT_TRUE(view.MayMatch("table6", "table8"));
  EXPECT_FALSE(view.MayMatch("", "a"));
}

// Also in bytes that no builder writes.
TEST(GrafiteTest, AllProbesAgree) {
  Random random(301);
  size_t excluded = 0;
  for (const double bits : {3.5, 6.0, 12.0, 20.0, 34.0}) {
    for (const uint64_t distance : {uint64_t{1}, uint64_t{2}, uint64_t{1000},
                                    uint64_t{1} << 40, uint64_t{1} << 53}) {
      std::vector<uint64_t> keys;
      uint64_t key = random.Uniform(distance);
      for (size_t i = 0; i < 2000; ++i) {
        key += 1 + random.Uniform(distance);
        keys.push_back(key);
      }
      std::string filter = Build(keys, bits);
      ASSERT_FALSE(filter.empty());
      for (int round = 0; round < 3; ++round) {
        const RangeFilterView view = GrafiteCodec()->Open(filter);
        const auto with = [&view](RangeProbe probe) {
          return RangeFilterView(probe, view.bytes(), view.state<ViewState>());
        };
        const RangeFilterView portable = with(GrafiteProbes().portable);
        for (int i = 0; i < 4000; ++i) {
          const uint64_t begin = keys[random.Uniform(keys.size())] +
                                 random.Uniform(2 * distance) - distance;
          const uint64_t length = 1 + (random.Next() >> random.Uniform(64));
          if (begin > UINT64_MAX - length) continue;
          const std::string from = KeyOf(begin);
          const std::string to = KeyOf(begin + length);
          const bool matches = portable.MayMatch(from, to);
          if (!matches) ++excluded;
          ASSERT_EQ(view.MayMatch(from, to), matches);
        }
        // Not those of the trailer, so that the view opens.
        for (int i = 0; i < 50; ++i) {
          filter[random.Uniform(filter.size() - 20)] =
              static_cast<char>(random.Next());
        }
      }
    }
  }
  EXPECT_GT(excluded, 1000u);
}

}  // namespace
}  // namespace tamis
