// SPDX-License-Identifier: Apache-2.0
#include "filter/filter_budget.h"

#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/table.h"

namespace tamis {
namespace {

using Levels = std::vector<LevelShape>;

// Level 0 is empty, and each level has ten times the entries of the one above.
Levels TenFold(uint64_t entries_of_level1, int deepest) {
  Levels levels(7);
  for (int level = 1; level <= deepest; ++level) {
    levels[static_cast<size_t>(level)] = {.entries = entries_of_level1,
                                          .sorted_runs = 1};
    entries_of_level1 *= 10;
  }
  return levels;
}

double EntriesOf(const Levels& levels) {
  double sum = 0;
  for (const LevelShape& level : levels) {
    sum += static_cast<double>(level.entries);
  }
  return sum;
}

// The bits that the rates take, and the reads that an absent key wastes.
struct Outcome {
  double bits = 0;
  double wasted = 0;
};
Outcome Divide(const Levels& levels, double budget_bits,
               double bits_per_halving) {
  Outcome outcome;
  const std::vector<double> rates =
      DivideFilterBudget(levels, budget_bits, bits_per_halving);
  for (size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].sorted_runs == 0) continue;
    const double rate = rates[i];
    outcome.bits += static_cast<double>(levels[i].entries) * bits_per_halving *
                    std::log2(1 / rate);
    outcome.wasted += rate * levels[i].sorted_runs;
  }
  return outcome;
}

TEST(FilterBudgetTest, TheBudgetIsSpent) {
  for (const int deepest : {1, 2, 4}) {
    Levels levels = TenFold(10000, deepest);
    levels[0] = {.entries = 3000, .sorted_runs = 3};
    for (const double bits_per_entry : {1.02, 1.2, 1.4, 2.0, 5.0, 10.0, 14.0}) {
      const double budget = bits_per_entry * EntriesOf(levels);
      const Outcome outcome = Divide(levels, budget, 1.01);
      EXPECT_LE(outcome.bits, budget * 1.0001) << bits_per_entry;
      EXPECT_GE(outcome.bits, budget * 0.99) << bits_per_entry;
    }
  }
}

// No other division that a search finds wastes fewer reads.
TEST(FilterBudgetTest, NoOtherDivisionIsBetter) {
  const Levels levels = TenFold(10000, 3);
  for (const double bits_per_entry : {0.3, 0.8, 1.2, 1.4, 3.0, 10.0}) {
    const double budget = bits_per_entry * EntriesOf(levels);
    const double ours = Divide(levels, budget, 1.03).wasted;
    // Bits per entry of levels 1 and 2, in steps; level 3 gets the rest.
    const auto rate = [](double bits) {
      const double p = std::exp2(-bits / 1.03);
      return p > 0.5 ? 1 : std::max(p, std::exp2(-16));
    };
    for (double first = 0; first <= 17; first += 0.25) {
      for (double second = 0; second <= 17; second += 0.25) {
        const double rest = budget - 10000 * first - 100000 * second;
        if (rest < 0) continue;
        const double wasted = rate(first) + rate(second) + rate(rest / 1000000);
        ASSERT_LE(ours, wasted + 1e-9) << first << " and " << second;
      }
    }
  }
}

TEST(FilterBudgetTest, RatesAreProportionalToTheRuns) {
  const Levels levels = TenFold(10000, 4);
  const std::vector<double> rates =
      DivideFilterBudget(levels, 10 * EntriesOf(levels), 1.01);
  EXPECT_NEAR(rates[4] / rates[3], 10, 0.001);
  // The least rate is 2^-16.
  EXPECT_EQ(rates[1], std::exp2(-16));
}

// Lookups that find their keys elsewhere waste nothing there.
TEST(FilterBudgetTest, RatesAreInverseToTheNegativeLookups) {
  Levels levels = TenFold(100000, 3);
  levels[1].negative_lookups = 0.5;
  levels[2].negative_lookups = 1;
  levels[3].negative_lookups = 0.05;
  const std::vector<double> rates =
      DivideFilterBudget(levels, 4 * EntriesOf(levels), 1.01);
  EXPECT_NEAR(rates[2] / rates[1], 5, 0.001);
  EXPECT_NEAR(rates[3] / rates[2], 200, 0.001);
}

TEST(FilterBudgetTest, ALevelThatIsNeverSearchedInVainNeedsNoFilter) {
  Levels levels = TenFold(10000, 3);
  levels[1].negative_lookups = 1;
  levels[2].negative_lookups = 1;
  levels[3].negative_lookups = 0;
  const std::vector<double> rates =
      DivideFilterBudget(levels, EntriesOf(levels), 1.01);
  EXPECT_LT(rates[1], 0.002);
  EXPECT_LT(rates[2], 0.002);
  EXPECT_EQ(rates[3], 1);
}

// The runs of level 0 share its lookups.
TEST(FilterBudgetTest, NegativeLookupsAreThoseOfAllRuns) {
  Levels levels = TenFold(10000, 2);
  levels[0] = {.entries = 4000, .sorted_runs = 4, .negative_lookups = 4};
  levels[1].negative_lookups = 1;
  levels[2].negative_lookups = 1;
  const std::vector<double> rates =
      DivideFilterBudget(levels, 8 * EntriesOf(levels), 1.01);
  EXPECT_NEAR(rates[1] / rates[0], 10, 0.001);
}

TEST(FilterBudgetTest, UnknownNegativeLookupsCountAsEqual) {
  const Levels unknown = TenFold(10000, 3);
  const std::vector<double> expected =
      DivideFilterBudget(unknown, 4 * EntriesOf(unknown), 1.01);
  Levels none = unknown;
  for (LevelShape& level : none) level.negative_lookups = 0;
  EXPECT_EQ(DivideFilterBudget(none, 4 * EntriesOf(none), 1.01), expected);
  Levels partly = none;
  partly[1].negative_lookups = 0.1;
  partly[2].negative_lookups = -1;
  EXPECT_EQ(DivideFilterBudget(partly, 4 * EntriesOf(partly), 1.01), expected);
}

// Four full levels, absent keys: against Bloom filters of 10 bits per key in
// each, whose rate is 0.95 %.
TEST(FilterBudgetTest, AbsentKeysWasteFarFewerReads) {
  constexpr double kUniform = 4 * 0.0095;
  const Levels levels = TenFold(10000, 4);
  const double ten_bits = 10 * EntriesOf(levels);
  const double ribbon = Divide(levels, ten_bits, 1.03).wasted;
  EXPECT_GE(kUniform / ribbon, 8);
  const double less = Divide(levels, 0.75 * ten_bits, 1.03).wasted;
  EXPECT_GE(kUniform / less, 2);
  const double bloom = Divide(levels, ten_bits, 1.5).wasted;
  EXPECT_GE(kUniform / bloom, 2.3);
}

TEST(FilterBudgetTest, ASmallBudgetLeavesTheLargestLevelWithout) {
  const Levels levels = TenFold(10000, 3);
  const std::vector<double> rates =
      DivideFilterBudget(levels, 0.5 * EntriesOf(levels), 1.01);
  EXPECT_EQ(rates[3], 1);
  EXPECT_LT(rates[2], 0.1);
  for (const double rate : DivideFilterBudget(levels, 0, 1.01)) {
    EXPECT_EQ(rate, 1);
  }
}

// Returns the bytes of filters of this policy for all entries of a level.
double BytesOf(const FilterPolicy& policy,
               const BlockBasedTableOptions& options, const Levels& levels,
               int level) {
  FilterBuildingContext context(options);
  context.level_at_creation = level;
  context.is_bottommost = static_cast<size_t>(level) + 1 == levels.size();
  context.levels = [&levels] { return levels; };
  const std::unique_ptr<FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  constexpr double kBytes = 100000;
  const auto keys = static_cast<double>(builder->ApproximateNumEntries(100000));
  // The builder of no filter fits no keys.
  return keys == 0 ? 0
                   : kBytes / keys *
                         static_cast<double>(
                             levels[static_cast<size_t>(level)].entries);
}

// The upper level is as small as it takes for the last one to get a filter or
// none.
TEST(FilterBudgetTest, NoShapeOfLevelsExceedsTheBudget) {
  const BlockBasedTableOptions options;
  for (const FilterFormat format :
       {FilterFormat::kBloom, FilterFormat::kByLevel, FilterFormat::kXor,
        FilterFormat::kBinaryFuse}) {
    for (const double share : {0.0005, 0.002, 0.01, 0.05, 0.1}) {
      for (double bits = 0.5; bits <= 6; bits += 0.25) {
        constexpr uint64_t kEntries = 10000000;
        Levels levels(3);
        levels[1] = {static_cast<uint64_t>(share * kEntries), 1};
        levels[2] = {kEntries, 1};
        const auto budget = static_cast<uint64_t>(bits / 8 * kEntries);
        const std::unique_ptr<const FilterPolicy> policy(
            NewBudgetFilterPolicy(budget, format));
        const double bytes = BytesOf(*policy, options, levels, 1) +
                             BytesOf(*policy, options, levels, 2);
        EXPECT_LE(bytes, 1.1 * static_cast<double>(budget))
            << static_cast<int>(format) << ", " << share << ", " << bits;
      }
    }
  }
}

TEST(FilterBudgetTest, AnEmptyLevelIsLikeTheNextOne) {
  const Levels levels = TenFold(10000, 3);
  const std::vector<double> rates =
      DivideFilterBudget(levels, 8 * EntriesOf(levels), 1.01);
  ASSERT_EQ(rates.size(), 7u);
  EXPECT_EQ(rates[0], rates[1]);
  EXPECT_EQ(rates[6], rates[3]);
  EXPECT_TRUE(DivideFilterBudget(Levels(7), 100, 1.01).empty());
  EXPECT_TRUE(DivideFilterBudget({}, 100, 1.01).empty());
}

}  // namespace
}  // namespace tamis
