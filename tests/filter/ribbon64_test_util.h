// SPDX-License-Identifier: Apache-2.0
//
// Helpers for the filters that are ribbons of width 64.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "filter/ribbon64.h"
#include "filter/ribbon_math.h"
#include "filter/ribbon_probe.h"
#include "tests/filter/retrieval_test_util.h"
#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {

// The bits per key for which a filter's result has `bits` bits.
inline double BitsPerKeyOfResult(double bits) {
  double low = 1;
  double high = 60;
  while (high - low > 1e-9) {
    const double middle = (low + high) / 2;
    (std::log2(RibbonOneIn(middle)) < bits ? low : high) = middle;
  }
  return (low + high) / 2;
}

inline std::string RandomKey(Random* random) {
  std::string key;
  PutFixed64(&key, random->Next());
  return key;
}
inline std::vector<std::string> RandomKeys(uint64_t seed, size_t count) {
  Random random(seed);
  std::vector<std::string> keys(count);
  for (std::string& key : keys) key = RandomKey(&random);
  return keys;
}

// The share of absent keys that match.
inline double RateOf(const FilterView& view, size_t asked) {
  Random random(99991);
  size_t matches = 0;
  for (size_t i = 0; i < asked; ++i) {
    if (Matches(view, RandomKey(&random))) ++matches;
  }
  return static_cast<double>(matches) / static_cast<double>(asked);
}

// Tests that all probes give equal answers.
inline void ExpectProbesAgree(const FilterCodec& codec,
                              const RibbonProbes& probes,
                              const std::string& filter,
                              const std::vector<std::string>& keys) {
  const ExactView view(codec, filter);
  const FilterView portable = view.With(probes.portable);
  for (const std::string& text : keys) {
    const FilterKey key(text);
    (*view).PrefetchFor(key);
    const bool expected = portable.MayMatch(key);
    ASSERT_EQ((*view).MayMatch(key), expected);
    for (const FilterView::Probe probe : {probes.vector, probes.avx512}) {
      if (probe != nullptr) {
        ASSERT_EQ(view.With(probe).MayMatch(key), expected);
      }
    }
  }
}

// Replaces the body by random bytes.
inline std::string WithRandomBody(std::string filter, Random* random) {
  for (size_t i = 0; i + kRetrievalTrailerBytes < filter.size(); ++i) {
    filter[i] = static_cast<char>(random->Next());
  }
  return filter;
}

// Whole bits of result, and fractions.
inline std::vector<double> AllResultBits() {
  std::vector<double> all{1.25, 3.5, 6.75, 8.125, 9.25, 12.625};
  for (int bits = 1; bits <= 16; ++bits) all.push_back(bits);
  return all;
}

// A ribbon codec, and how its filters differ from those of the other.
struct Ribbon64Case {
  const FilterCodec& codec;
  RibbonProbes probes;
  uint8_t marker;
};

// With every number of bits, all keys match, and absent ones at the predicted
// rate, except for `deviation`.
inline void ExpectEveryNumberOfBitsWorks(const Ribbon64Case& ribbon,
                                         double deviation) {
  constexpr size_t kKeys = 5000;
  const FilterCodec& codec = ribbon.codec;
  const auto keys = RandomKeys(2, kKeys);
  for (double bits : AllResultBits()) {
    SCOPED_TRACE(testing::Message() << bits << " bits of result");
    // Bloom filters of few bits are smaller; the codec is not asked then.
    const std::string filter =
        BuildFilter(codec, BitsPerKeyOfResult(bits), keys);
    if (bits >= 2) {
      ASSERT_EQ(MarkerOf(filter), ribbon.marker);
    }
    ExpectAllMatch(codec, filter, keys);
    const double predicted = codec.PredictedFalsePositiveRate(filter, kKeys);
    constexpr size_t kAsked = 200000;
    EXPECT_NEAR(RateOf(codec.Open(filter), kAsked), predicted,
                5 * std::sqrt(predicted / kAsked) + deviation * predicted);
  }
  const std::string most = BuildFilter(codec, 100, keys);
  EXPECT_EQ(ResultBitsOf(most), 16 * kRibbon64BitUnit);
  ExpectAllMatch(codec, most, keys);
}

// Of filters with any number of bits, and of random bodies.
inline void ExpectAllProbesAgree(const Ribbon64Case& ribbon) {
  Random random(301);
  for (size_t count : {300u, 2000u, 40000u}) {
    const auto keys = RandomKeys(3, count);
    auto asked = RandomKeys(4, 3000);
    asked.insert(asked.end(), keys.begin(), keys.begin() + 300);
    auto all_bits_per_key = AllResultBits();
    for (double& bits : all_bits_per_key) bits = BitsPerKeyOfResult(bits);
    all_bits_per_key.push_back(100);
    for (double bits_per_key : all_bits_per_key) {
      SCOPED_TRACE(testing::Message() << count << " keys, " << bits_per_key);
      const std::string filter = BuildFilter(ribbon.codec, bits_per_key, keys);
      ExpectProbesAgree(ribbon.codec, ribbon.probes, filter, asked);
      if (bits_per_key == 100) {
        ExpectProbesAgree(ribbon.codec, ribbon.probes, filter, keys);
      }
      if (MarkerOf(filter) != ribbon.marker) continue;
      ExpectProbesAgree(ribbon.codec, ribbon.probes,
                        WithRandomBody(filter, &random), asked);
    }
  }
}

// Of 3000 sets of keys, one needs another seed; its filter is as good as those
// of seed 0, except for `deviation` in its rate.
inline void ExpectAnotherSeedWorks(const Ribbon64Case& ribbon, size_t num_keys,
                                   double deviation) {
  for (uint64_t set = 0; set < 3000; ++set) {
    const auto keys = RandomKeys(set, num_keys);
    const std::string filter = BuildFilter(ribbon.codec, 10, keys);
    ASSERT_EQ(MarkerOf(filter), ribbon.marker);
    if (SeedOf(filter) == 0) continue;
    ExpectAllMatch(ribbon.codec, filter, keys);
    ExpectProbesAgree(ribbon.codec, ribbon.probes, filter, keys);
    const double predicted =
        ribbon.codec.PredictedFalsePositiveRate(filter, num_keys);
    EXPECT_NEAR(RateOf(ribbon.codec.Open(filter), 100000), predicted,
                deviation * predicted);
    return;
  }
  FAIL() << "seed 0 was always taken";
}

}  // namespace tamis
