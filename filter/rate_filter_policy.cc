// SPDX-License-Identifier: Apache-2.0
#include "filter/rate_filter_policy.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "filter/binary_fuse.h"
#include "filter/builtin_filter_bits.h"
#include "filter/bumped_ribbon.h"
#include "filter/filter_budget.h"
#include "filter/homogeneous_ribbon.h"
#include "filter/ribbon.h"
#include "filter/ribbon_math.h"
#include "filter/xor_filter.h"

namespace tamis {

namespace {

constexpr double kFprMin = 1.0 / (1 << 16);
constexpr double kFprMax = 0.5;

double InRange(double fpr) {
  return !std::isnan(fpr) ? std::clamp(fpr, kFprMin, kFprMax)
                          : FilterPolicyOptions().fpr;
}

// Returns the bits per key at which FastLocalBloom has this rate: the unit in
// which all codecs take their target. REQUIRES: kFprMin to 1.
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
    double fpr, const FilterBuildingContext& context) const {
  return new BuiltinFilterBitsBuilder(fpr >= 1 ? nullptr : CodecFor(context),
                                      BloomBitsFor(fpr));
}

RateFilterPolicy::RateFilterPolicy(const FilterPolicyOptions& options)
    : RateFilterPolicyBase(options.format), fpr_(InRange(options.fpr)) {}

const char* RateFilterPolicy::Name() const { return "tamis.RateFilterPolicy"; }

FilterBitsBuilder* RateFilterPolicy::GetBuilderWithContext(
    const FilterBuildingContext& context) const {
  return NewBuilder(fpr_, context);
}

const char* BudgetFilterPolicy::Name() const {
  return "tamis.BudgetFilterPolicy";
}

FilterBitsBuilder* BudgetFilterPolicy::GetBuilderWithContext(
    const FilterBuildingContext& context) const {
  const int level = context.is_flush ? 0 : context.level_at_creation;
  std::vector<double> rates;
  if (level >= 0 && context.levels) {
    rates =
        DivideFilterBudget(context.levels(), 8 * static_cast<double>(bytes_),
                           BitsPerHalving(format()));
  }
  const bool known = static_cast<size_t>(level) < rates.size();
  return NewBuilder(
      known ? rates[static_cast<size_t>(level)] : FilterPolicyOptions().fpr,
      context);
}

const FilterPolicy* NewFilterPolicy(const FilterPolicyOptions& options) {
  return new RateFilterPolicy(options);
}

const FilterPolicy* NewBudgetFilterPolicy(uint64_t bytes, FilterFormat format) {
  return new BudgetFilterPolicy(bytes, format);
}

}  // namespace tamis
