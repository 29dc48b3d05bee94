// SPDX-License-Identifier: Apache-2.0
#include "filter/rate_filter_policy.h"

#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tamis/table.h"

#include "filter/filter_placement.h"
#include "filter/filter_registry.h"

namespace tamis {
namespace {

constexpr FilterFormat kFormats[] = {
    FilterFormat::kBloom,
    FilterFormat::kRibbon,
    FilterFormat::kHomogeneousRibbon,
    FilterFormat::kBumpedRibbon,
    FilterFormat::kBinaryFuse,
    FilterFormat::kXor,
    FilterFormat::kByLevel,
};

BlockBasedTableOptions WithPolicy(const FilterPolicy* policy) {
  BlockBasedTableOptions options;
  options.filter_policy.reset(policy);
  return options;
}

std::string BuildFilter(const FilterPlan& plan, int num_keys) {
  const auto builder = plan.new_builder();
  for (int i = 0; i < num_keys; ++i) {
    builder->Add(FilterKey("key" + std::to_string(i)));
  }
  Result<std::string> filter = builder->Finish();
  EXPECT_TRUE(filter.ok());
  return *std::move(filter);
}

double RateOf(const FilterView& view) {
  constexpr int kProbes = 100000;
  int matches = 0;
  for (int i = 0; i < kProbes; ++i) {
    if (view.MayMatch(FilterKey("absent" + std::to_string(i)))) ++matches;
  }
  return matches / static_cast<double>(kProbes);
}

TEST(RateFilterPolicyTest, EveryFormatKeepsTheRate) {
  for (const FilterFormat format : kFormats) {
    for (const double fpr : {0.05, 0.01, 0.001}) {
      const BlockBasedTableOptions options =
          WithPolicy(NewFilterPolicy({.fpr = fpr, .format = format}));
      const auto plan = PlanFilter(FilterBuildingContext(options), nullptr);
      ASSERT_TRUE(plan.ok()) << plan.status();
      const std::string filter = BuildFilter(*plan, 20000);
      const FilterLocator where{plan->placement, plan->family};
      const FilterCodec* const codec = FindCodec(where, filter);
      ASSERT_NE(codec, nullptr);
      SCOPED_TRACE(std::string(codec->name()) + ", " + std::to_string(fpr));
      EXPECT_EQ(codec->family(), plan->family);
      EXPECT_LE(codec->PredictedFalsePositiveRate(filter, 20000), 1.05 * fpr);
      const FilterView view = OpenFilter(where, filter);
      EXPECT_LE(RateOf(view), 1.15 * fpr + 4 * std::sqrt(fpr / 100000));
      for (int i = 0; i < 20000; ++i) {
        ASSERT_TRUE(view.MayMatch(FilterKey("key" + std::to_string(i))));
      }
    }
  }
}

// These formats have whole bits: a rate of 1/128 needs 7, not 8.
TEST(RateFilterPolicyTest, PowersOfTwoTakeNoBitTooMany) {
  const auto rate_for = [](FilterFormat format, double fpr) {
    const BlockBasedTableOptions options =
        WithPolicy(NewFilterPolicy({.fpr = fpr, .format = format}));
    const auto plan = PlanFilter(FilterBuildingContext(options), nullptr);
    EXPECT_TRUE(plan.ok());
    const std::string filter = BuildFilter(*plan, 20000);
    return FindCodec({plan->placement, plan->family}, filter)
        ->PredictedFalsePositiveRate(filter, 20000);
  };
  for (int bits = 5; bits <= 12; ++bits) {
    const double fpr = std::ldexp(1.0, -bits);
    EXPECT_NEAR(rate_for(FilterFormat::kBinaryFuse, fpr), fpr, 1e-3 * fpr)
        << bits;
  }
  for (const double fpr : {1.0 / 256, 1.0 / 65536}) {
    EXPECT_NEAR(rate_for(FilterFormat::kXor, fpr), fpr, 1e-3 * fpr);
  }
}

TEST(RateFilterPolicyTest, ByLevelTakesTheSmallestWhereTablesLiveLong) {
  const struct {
    bool is_flush;
    int level;
    bool bottommost;
    std::string_view codec;
  } cases[] = {
      {true, 0, false, "HomogeneousRibbon"},
      {true, 0, true, "HomogeneousRibbon"},
      {false, 0, false, "HomogeneousRibbon"},
      {false, 1, false, "HomogeneousRibbon"},
      {false, 1, true, "BumpedRibbon"},
      {false, 2, false, "BumpedRibbon"},
      {false, 6, true, "BumpedRibbon"},
      {false, -1, false, "BumpedRibbon"},  // an SstFileWriter's
  };
  const BlockBasedTableOptions options = WithPolicy(NewFilterPolicy());
  for (const auto& c : cases) {
    FilterBuildingContext context(options);
    context.is_flush = c.is_flush;
    context.level_at_creation = c.level;
    context.is_bottommost = c.bottommost;
    const auto plan = PlanFilter(context, nullptr);
    ASSERT_TRUE(plan.ok());
    const std::string filter = BuildFilter(*plan, 5000);
    const auto* const codec =
        FindCodec({plan->placement, plan->family}, filter);
    ASSERT_NE(codec, nullptr);
    EXPECT_EQ(codec->name(), c.codec) << c.level;
  }
}

TEST(RateFilterPolicyTest, RatesOutOfRangeCountAsTheNearest) {
  const auto rate_for = [](double fpr) {
    const BlockBasedTableOptions options = WithPolicy(
        NewFilterPolicy({.fpr = fpr, .format = FilterFormat::kBumpedRibbon}));
    const auto plan = PlanFilter(FilterBuildingContext(options), nullptr);
    EXPECT_TRUE(plan.ok());
    const std::string filter = BuildFilter(*plan, 20000);
    return FindCodec({plan->placement, plan->family}, filter)
        ->PredictedFalsePositiveRate(filter, 20000);
  };
  EXPECT_EQ(rate_for(0), rate_for(1.0 / 65536));
  EXPECT_EQ(rate_for(-1), rate_for(1.0 / 65536));
  EXPECT_EQ(rate_for(1), rate_for(0.5));
  EXPECT_EQ(rate_for(std::nan("")), rate_for(0.01));
}

// A user's policy may mix formats: each table names its own.
class Mixed final : public FilterPolicy {
 public:
  const char* Name() const override { return "my.Mixed"; }
  const char* CompatibilityName() const override {
    return bloom_->CompatibilityName();
  }
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override {
    return (context.is_flush ? bloom_ : ribbon_)
        ->GetBuilderWithContext(context);
  }

 private:
  const std::unique_ptr<const FilterPolicy> bloom_{NewBloomFilterPolicy(10)};
  const std::unique_ptr<const FilterPolicy> ribbon_{NewFilterPolicy()};
};

TEST(RateFilterPolicyTest, AUsersPolicyMayMixFormats) {
  const BlockBasedTableOptions options = WithPolicy(new Mixed());
  FilterBuildingContext context(options);
  context.is_flush = true;
  EXPECT_EQ(PlanFilter(context, nullptr)->family, "rocksdb.BuiltinBloomFilter");
  context.is_flush = false;
  EXPECT_EQ(PlanFilter(context, nullptr)->family, "tamis.BumpedRibbon");
}

// A user's policy may pass on a builder that wants no filter.
TEST(RateFilterPolicyTest, EveryKeyMatchesWhereThePolicyWantsNoFilter) {
  const BlockBasedTableOptions options;
  FilterBuildingContext context(options);
  context.level_at_creation = 3;
  context.levels = [] {
    return std::vector<LevelShape>{{}, {}, {}, {1000000, 1}};
  };
  for (const FilterPolicy* const made :
       {NewBudgetFilterPolicy(1000), NewBloomFilterPolicy(0)}) {
    const std::unique_ptr<const FilterPolicy> policy(made);
    const std::unique_ptr<FilterBitsBuilder> builder(
        policy->GetBuilderWithContext(context));
    builder->AddKey("present");
    std::unique_ptr<const char[]> owner;
    const Slice filter = builder->Finish(&owner);
    const std::unique_ptr<FilterBitsReader> reader(
        policy->GetFilterBitsReader(filter));
    EXPECT_TRUE(reader->MayMatch("present"));
    // A policy's filter of five bytes or fewer would mean: no key.
    EXPECT_GT(filter.size(), 5u);
  }
}

// A user's policy may read filters of these builders under its own name.
TEST(RateFilterPolicyTest, ItsReaderTellsFormatsApartByTheTrailer) {
  for (const FilterFormat format : kFormats) {
    const std::unique_ptr<const FilterPolicy> policy(
        NewFilterPolicy({.format = format}));
    for (const int num_keys : {3, 5000}) {
      const std::unique_ptr<FilterBitsBuilder> builder(
          policy->GetFilterBitsBuilder());
      for (int i = 0; i < num_keys; ++i) {
        builder->AddKey("key" + std::to_string(i));
      }
      std::unique_ptr<const char[]> owner;
      const Slice filter = builder->Finish(&owner);
      const std::unique_ptr<FilterBitsReader> reader(
          policy->GetFilterBitsReader(filter));
      int matches = 0;
      for (int i = 0; i < num_keys; ++i) {
        ASSERT_TRUE(reader->MayMatch("key" + std::to_string(i)));
      }
      for (int i = 0; i < 5000; ++i) {
        if (reader->MayMatch("absent" + std::to_string(i))) ++matches;
      }
      EXPECT_LT(matches, 150);
    }
  }
}

}  // namespace
}  // namespace tamis
