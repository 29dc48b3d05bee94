// SPDX-License-Identifier: Apache-2.0
//
// Filters that are built with helpers have the bytes of those that are not.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/job_runner.h"

#include "filter/binary_fuse.h"
#include "filter/bumped_ribbon.h"
#include "filter/checked_builder.h"
#include "filter/fast_local_bloom.h"
#include "filter/homogeneous_ribbon.h"
#include "filter/ribbon.h"
#include "filter/ribbon_halves.h"
#include "filter/xor_filter.h"
#include "tests/filter/filter_test_util.h"
#include "tests/support/busy_runner.h"

namespace tamis {
namespace {

class FilterHelpersTest
    : public ::testing::TestWithParam<const FilterCodec* (*)()> {
 protected:
  // `head_start`: a helper begins before the caller does.
  std::string Build(const std::vector<std::string>& keys, JobRunner* runner,
                    bool head_start = false, bool checked = false) {
    const auto builder = checked ? NewCheckedBuilder(GetParam()(), 9.8)
                                 : GetParam()()->NewBuilder(9.8);
    AddAll(keys, builder.get());
    Helpers helpers = HelpersOn(runner);
    if (runner != nullptr) {
      helpers.schedule = [this, head_start,
                          schedule = helpers.schedule](auto job) {
        ++jobs_;
        schedule(std::move(job));
        if (head_start) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      };
    }
    builder->UseHelpers(helpers);
    Result<std::string> filter = builder->Finish();
    EXPECT_TRUE(filter.ok());
    return filter.ok() ? std::move(filter).value() : "";
  }

  std::atomic<int> jobs_ = 0;
};

TEST_P(FilterHelpersTest, TheBytesAreTheSame) {
  const auto thread = NewThreadJobRunner(1, 1);
  const auto too_late = NewDeterministicJobRunner(301);
  for (const size_t n : {size_t{1000}, kRibbonHalvesMin - 1, kRibbonHalvesMin,
                         size_t{50'000}, size_t{160'000}}) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < n; ++i) keys.push_back(Numbered("key", i));
    const std::string alone = Build(keys, nullptr);
    EXPECT_FALSE(alone.empty());
    EXPECT_TRUE(Build(keys, thread.get()) == alone) << n;
    EXPECT_TRUE(Build(keys, thread.get(), /*head_start=*/true) == alone) << n;
    EXPECT_TRUE(Build(keys, too_late.get()) == alone) << n;
  }
}

TEST_P(FilterHelpersTest, RibbonsAskThem) {
  const auto thread = NewThreadJobRunner(1, 1);
  std::vector<std::string> keys;
  for (size_t i = 0; i < 160'000; ++i) keys.push_back(Numbered("key", i));
  Build(keys, thread.get(), /*head_start=*/false, /*checked=*/true);
  const std::string name(GetParam()()->name());
  const bool is_ribbon = name.find("Ribbon") != std::string::npos;
  EXPECT_EQ(jobs_ > 0, is_ribbon) << name;
}

INSTANTIATE_TEST_SUITE_P(
    Codecs, FilterHelpersTest,
    ::testing::Values(FastLocalBloomCodec, RibbonCodec, BumpedRibbonCodec,
                      HomogeneousRibbonCodec, BinaryFuseCodec, XorCodec),
    [](const auto& codec) { return std::string(codec.param()->name()); });

}  // namespace
}  // namespace tamis
