// SPDX-License-Identifier: Apache-2.0
//
// Helpers for the filters that are ribbons of width 64.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "filter/retrieval_codec.h"
#include "filter/ribbon64_probe.h"
#include "filter/ribbon_math.h"
#include "tests/filter/filter_test_util.h"
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

inline uint8_t MarkerOf(const std::string& filter) {
  return static_cast<uint8_t>(filter[filter.size() - 5]);
}
inline uint8_t SeedOf(const std::string& filter) {
  return static_cast<uint8_t>(filter[filter.size() - 6]);
}
inline uint32_t ResultBitsOf(const std::string& filter) {
  return DecodeFixed16(filter.data() + filter.size() - 8);
}

inline void ExpectAllMatch(const FilterCodec& codec, const std::string& filter,
                           const std::vector<std::string>& keys) {
  const FilterView view = codec.Open(filter);
  for (const std::string& key : keys) ASSERT_TRUE(Matches(view, key));
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

// Tests that all probes give equal answers, on a block of exactly the filter's
// size, so that AddressSanitizer sees one byte read too far.
inline void ExpectProbesAgree(const FilterCodec& codec,
                              const RibbonProbes& probes,
                              const std::string& filter,
                              const std::vector<std::string>& keys) {
  const auto exact = std::make_unique<char[]>(filter.size());
  std::ranges::copy(filter, exact.get());
  const FilterView view = codec.Open(Slice(exact.get(), filter.size()));
  const auto twin = [&view](FilterView::Probe probe) {
    return FilterView(probe, view.bytes(), view.state<ViewState>());
  };
  const FilterView portable = twin(probes.portable);
  for (const std::string& text : keys) {
    const FilterKey key(text);
    view.PrefetchFor(key);
    const bool expected = portable.MayMatch(key);
    ASSERT_EQ(view.MayMatch(key), expected);
    for (const FilterView::Probe probe : {probes.avx2, probes.avx512}) {
      if (probe != nullptr) {
        ASSERT_EQ(twin(probe).MayMatch(key), expected);
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

}  // namespace tamis
