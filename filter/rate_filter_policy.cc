// SPDX-License-Identifier: Apache-2.0
#include "filter/rate_filter_policy.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "filter/binary_fuse.h"
#include "filter/builtin_filter_bits.h"
#include "filter/bumped_ribbon.h"
#include "filter/filter_budget.h"
#include "filter/filter_policy_id.h"
#include "filter/homogeneous_ribbon.h"
#include "filter/ribbon.h"
#include "filter/ribbon_math.h"
#include "filter/xor_filter.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

double InRange(double fpr) {
  return !std::isnan(fpr) ? std::clamp(fpr, kFilterRateMin, kFilterRateMax)
                          : FilterPolicyOptions().fpr;
}

// Returns the bits per key at which FastLocalBloom has this rate: the unit in
// which all codecs take their target. REQUIRES: kFilterRateMin to 1.
double BloomBitsFor(double fpr) {
  const double one_in = 1 / fpr;
  double low = 1;
  double high = 100;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (RibbonOneIn(middle) < one_in ? low : high) = middle;
  }
  return high;
}

// Returns the bits per key that halve the rate, for filters of many keys.
double BitsPerHalving(FilterFormat format) {
  switch (format) {
    case FilterFormat::kBloom:
      return 1.5;
    case FilterFormat::kRibbon:
      return 1.05;
    case FilterFormat::kHomogeneousRibbon:
      return 1.13;
    case FilterFormat::kBumpedRibbon:
      return 1.01;
    case FilterFormat::kBinaryFuse:
      return 1.1;
    case FilterFormat::kXor:
      return 1.23;
    case FilterFormat::kByLevel:
      return 1.03;
  }
  return 1.5;
}

// Whether compaction soon rewrites the table.
bool LivesShort(const FilterBuildingContext& context) {
  constexpr int kDeepLevel = 2;
  if (context.is_flush) return true;
  return !context.is_bottommost && context.level_at_creation >= 0 &&
         context.level_at_creation < kDeepLevel;
}

// Returns printf's text of a number.
std::string Text(const char* format, double number) {
  char text[32];
  std::snprintf(text, sizeof(text), format, number);
  return text;
}

// Returns the keys of a typical table of a level: those of this table, or of a
// run if that has more, up to a number at which size no longer matters.
uint64_t KeysOfATable(const LevelShape& level,
                      const FilterBuildingContext& context) {
  constexpr uint64_t kKeysMax = 100000;
  const auto runs = static_cast<uint64_t>(std::max(level.sorted_runs, 1));
  return std::max(context.expected_keys,
                  std::min(level.entries / runs, kKeysMax));
}

// Describes the share of a level.
std::string ShareOf(uint64_t budget_bytes, int level,
                    const std::vector<LevelShape>& levels) {
  const LevelShape& shape = levels[static_cast<size_t>(level)];
  std::string text = "share of " + std::to_string(budget_bytes) +
                     " bytes for level " + std::to_string(level) + " with " +
                     std::to_string(shape.entries) + " entries";
  if (shape.negative_lookups >= 0) {
    text += " and " + Text("%.3g", shape.negative_lookups) +
            " negative lookups each";
  }
  return text;
}

}  // namespace

const FilterCodec* RateFilterPolicyBase::CodecFor(
    const FilterBuildingContext& context) const {
  switch (format_) {
    case FilterFormat::kBloom:
      return BloomCodecFor(context);
    case FilterFormat::kRibbon:
      return RibbonCodec();
    case FilterFormat::kHomogeneousRibbon:
      return HomogeneousRibbonCodec();
    case FilterFormat::kBumpedRibbon:
      return BumpedRibbonCodec();
    case FilterFormat::kBinaryFuse:
      return BinaryFuseCodec();
    case FilterFormat::kXor:
      return XorCodec();
    case FilterFormat::kByLevel:
      break;
  }
  return LivesShort(context) ? HomogeneousRibbonCodec() : BumpedRibbonCodec();
}

FilterBitsBuilder* RateFilterPolicyBase::NewBuilder(
    double fpr, const std::string& why,
    const FilterBuildingContext& context) const {
  if (fpr >= 1) {
    return new BuiltinFilterBitsBuilder(nullptr, 0, "none: " + why);
  }
  const FilterCodec* const codec = CodecFor(context);
  std::string reason =
      std::string(codec->name()) + ": rate " + Text("%.4g", fpr) + ", " + why;
  if (format_ == FilterFormat::kByLevel) {
    reason +=
        LivesShort(context) ? "; a short-lived table" : "; a long-lived table";
  }
  return new BuiltinFilterBitsBuilder(codec, BloomBitsFor(fpr),
                                      std::move(reason));
}

double RateFilterPolicyBase::BitsPerKey(
    double fpr, const FilterBuildingContext& context) const {
  constexpr uint64_t kKeysIfUnknown = 100000;
  const uint64_t keys =
      context.expected_keys != 0 ? context.expected_keys : kKeysIfUnknown;
  const size_t bytes =
      CodecFor(context)->EstimateSizeBytes(BloomBitsFor(fpr), keys);
  return 8 * static_cast<double>(bytes) / static_cast<double>(keys);
}

RateFilterPolicy::RateFilterPolicy(const FilterPolicyOptions& options)
    : RateFilterPolicyBase(options.format), fpr_(InRange(options.fpr)) {}

const char* RateFilterPolicy::Name() const { return "tamis.RateFilterPolicy"; }

std::string RateFilterPolicy::GetId() const {
  return std::string(Name()) + ":" + ShortestDecimal(fpr_) + ":" +
         std::string(FilterFormatName(format()));
}

FilterBitsBuilder* RateFilterPolicy::GetBuilderWithContext(
    const FilterBuildingContext& context) const {
  return NewBuilder(fpr_, "of the policy", context);
}

const char* BudgetFilterPolicy::Name() const {
  return "tamis.BudgetFilterPolicy";
}

std::string BudgetFilterPolicy::GetId() const {
  return std::string(Name()) + ":" + std::to_string(bytes_) + ":" +
         std::string(FilterFormatName(format()));
}

FilterBitsBuilder* BudgetFilterPolicy::GetBuilderWithContext(
    const FilterBuildingContext& context) const {
  const int level = context.is_flush ? 0 : context.level_at_creation;
  std::vector<LevelShape> levels;
  if (level >= 0 && context.levels) levels = context.levels();
  const std::vector<double> rates = RatesWithin(levels, context);
  if (static_cast<size_t>(level) >= rates.size()) {
    return NewBuilder(FilterPolicyOptions().fpr,
                      "as no level is known to have entries", context);
  }
  return NewBuilder(rates[static_cast<size_t>(level)],
                    ShareOf(bytes_, level, levels), context);
}

// Filters of few keys, and those of formats with whole bits, take more bits
// than BitsPerHalving says. Corrects the budget by what the filters would take.
// Returns the rates that come nearest to it without exceeding it by more than a
// twentieth: a correction may drop a level, and the next one overshoot.
std::vector<double> BudgetFilterPolicy::RatesWithin(
    const std::vector<LevelShape>& levels,
    const FilterBuildingContext& context) const {
  constexpr int kCorrections = 4;
  constexpr double kExcessMax = 1.05;
  const double budget = 8 * static_cast<double>(bytes_);
  double nominal = budget;
  std::vector<double> best;
  double least_error = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kCorrections; ++i) {
    std::vector<double> rates =
        DivideFilterBudget(levels, nominal, BitsPerHalving(format()));
    const double bits = BitsOf(levels, rates, context);
    // Too many bits are worse than any number too few.
    const double error =
        bits > kExcessMax * budget ? budget + bits : std::abs(budget - bits);
    if (error < least_error) {
      least_error = error;
      best = std::move(rates);
    }
    if (bits <= 0) break;
    nominal *= budget / bits;
  }
  return best;
}

double BudgetFilterPolicy::BitsOf(const std::vector<LevelShape>& levels,
                                  const std::vector<double>& rates,
                                  const FilterBuildingContext& context) const {
  double bits = 0;
  for (size_t level = 0; level < rates.size(); ++level) {
    if (rates[level] >= 1 || levels[level].entries == 0) continue;
    FilterBuildingContext there(context);
    there.level_at_creation = static_cast<int>(level);
    there.is_flush = level == 0;
    there.is_bottommost = level + 1 == rates.size();
    there.expected_keys = KeysOfATable(levels[level], context);
    bits += static_cast<double>(levels[level].entries) *
            BitsPerKey(rates[level], there);
  }
  return bits;
}

const FilterPolicy* NewFilterPolicy(const FilterPolicyOptions& options) {
  return new RateFilterPolicy(options);
}

const FilterPolicy* NewBudgetFilterPolicy(uint64_t bytes, FilterFormat format) {
  return new BudgetFilterPolicy(bytes, format);
}

}  // namespace tamis
