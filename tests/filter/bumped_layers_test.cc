// SPDX-License-Identifier: Apache-2.0
#include "filter/bumped_layers.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/job_runner.h"

#include "filter/bumped_ribbon.h"
#include "tests/filter/filter_test_util.h"
#include "tests/support/busy_runner.h"
#include "util/base/random.h"

namespace tamis {
namespace {

// Distinct: the layers are of hashes without repetitions, mostly.
std::vector<uint64_t> SomeHashes(size_t n) {
  Random random(n);
  std::vector<uint64_t> hashes;
  for (size_t i = 0; i < n; ++i) hashes.push_back(random.Next());
  return hashes;
}

// Returns an empty string if the hashes do not fit.
std::string BodyOf(const std::vector<uint64_t>& hashes,
                   const Helpers& helpers) {
  const BumpedLayout layout(hashes.size(), 7 * kRibbon64BitUnit);
  std::string body(layout.bytes(), '\0');
  const bool fits = BuildBumpedLayers(layout, hashes, helpers, body.data());
  return fits ? body : "";
}

// The sizes around that of the first layer with two sections, and one with
// parts of several buckets.
const size_t kSizes[] = {5000, 136'000, 137'000, 140'000, 160'001, 600'000};

TEST(BumpedLayersTest, TheBytesDoNotDependOnHelpers) {
  const auto thread = NewThreadJobRunner(1, 1);
  const auto too_late = NewDeterministicJobRunner(301);
  for (const size_t n : kSizes) {
    const std::vector<uint64_t> hashes = SomeHashes(n);
    const std::string alone = BodyOf(hashes, {});
    EXPECT_FALSE(alone.empty()) << n;
    EXPECT_TRUE(BodyOf(hashes, HelpersOn(thread.get())) == alone) << n;
    EXPECT_TRUE(BodyOf(hashes, HelpersOn(too_late.get())) == alone) << n;
  }
}

TEST(BumpedLayersTest, HelpersAreAskedForTheSecondSectionAlone) {
  const auto thread = NewThreadJobRunner(1, 1);
  Helpers counted = HelpersOn(thread.get());
  std::atomic<int> jobs = 0;
  counted.schedule = [&jobs, schedule = counted.schedule](auto job) {
    ++jobs;
    schedule(std::move(job));
  };
  EXPECT_FALSE(BodyOf(SomeHashes(136'336), counted).empty());
  EXPECT_EQ(jobs, 0);
  EXPECT_FALSE(BodyOf(SomeHashes(136'337), counted).empty());
  EXPECT_EQ(jobs, 1);
}

TEST(BumpedLayersTest, HelpersThatCannotBeScheduledAreNotMissed) {
  const auto thread = NewThreadJobRunner(1, 1);
  const std::vector<uint64_t> hashes = SomeHashes(160'000);
  Helpers none = HelpersOn(thread.get());
  none.schedule = [](auto) { throw std::bad_alloc(); };
  EXPECT_TRUE(BodyOf(hashes, none) == BodyOf(hashes, {}));
}

// A bucket whose last group has far more keys than rows fails, in either
// section; the other one does not hide it.
TEST(BumpedLayersTest, KeysThatDoNotFitFailInEitherSection) {
  const auto thread = NewThreadJobRunner(1, 1);
  const size_t n = 160'000;
  const uint64_t starts =
      BumpedLayout(n, 7 * kRibbon64BitUnit).LayerOf(0).num_starts();
  for (const uint64_t bucket : {10u, 590u}) {
    std::vector<uint64_t> hashes = SomeHashes(n);
    const uint64_t first = UINT64_MAX / starts * (bucket * 256 + 250);
    for (size_t i = 0; i < 1000; ++i) hashes[i] = first + i * 1000;
    EXPECT_TRUE(BodyOf(hashes, {}).empty()) << bucket;
    EXPECT_TRUE(BodyOf(hashes, HelpersOn(thread.get())).empty()) << bucket;
  }
}

// Those that start where two sections meet, too.
TEST(BumpedLayersTest, EveryKeyMatches) {
  const auto thread = NewThreadJobRunner(1, 1);
  for (const size_t n : kSizes) {
    const auto builder = BumpedRibbonCodec()->NewBuilder(9.8);
    std::vector<std::string> keys;
    for (size_t i = 0; i < n; ++i) keys.push_back(Numbered("key", i));
    AddAll(keys, builder.get());
    builder->UseHelpers(HelpersOn(thread.get()));
    const Result<std::string> filter = builder->Finish();
    ASSERT_TRUE(filter.ok());
    const FilterView view = BumpedRibbonCodec()->Open(*filter);
    size_t missing = 0;
    for (const std::string& key : keys) {
      if (!view.MayMatch(FilterKey(key))) ++missing;
    }
    EXPECT_EQ(missing, 0u) << n;
    size_t matches = 0;
    for (size_t i = 0; i < n; ++i) {
      if (view.MayMatch(FilterKey(Numbered("absent", i)))) ++matches;
    }
    const double rate =
        BumpedRibbonCodec()->PredictedFalsePositiveRate(*filter, n);
    EXPECT_NEAR(static_cast<double>(matches) / static_cast<double>(n), rate,
                rate / 2)
        << n;
  }
}

}  // namespace
}  // namespace tamis
