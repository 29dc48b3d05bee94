// SPDX-License-Identifier: Apache-2.0
#include "db/version/lookup_sampler.h"

#include <cstdint>
#include <set>

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(LookupSamplerTest, TheWeightsAddUpToTheLookups) {
  constexpr uint64_t kLookups = 1'000'000;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < kLookups; ++i) sum += LookupSampler::NextWeight();
  EXPECT_NEAR(static_cast<double>(sum), kLookups, 0.02 * kLookups);
}

// A workload that repeats itself has all its lookups picked alike.
TEST(LookupSamplerTest, NoPeriodIsPreferred) {
  for (const uint64_t period : {2u, 3u, 64u, 128u}) {
    uint64_t first = 0;
    constexpr uint64_t kRounds = 100'000;
    for (uint64_t i = 0; i < kRounds * period; ++i) {
      const uint64_t weight = LookupSampler::NextWeight();
      if (i % period == 0) first += weight;
    }
    EXPECT_NEAR(static_cast<double>(first), kRounds, 0.12 * kRounds) << period;
  }
}

TEST(LookupSamplerTest, GapsVary) {
  std::set<uint64_t> gaps;
  uint64_t gap = 0;
  for (int i = 0; i < 10000; ++i) {
    ++gap;
    if (LookupSampler::NextWeight() == 0) continue;
    gaps.insert(gap);
    gap = 0;
  }
  EXPECT_GT(gaps.size(), 50u);
  EXPECT_LE(*gaps.rbegin(), 2 * LookupSampler::kWeight - 1);
}

}  // namespace
}  // namespace tamis
