// SPDX-License-Identifier: Apache-2.0
//
// The policies that take a false-positive rate, or a budget from which rates
// follow, instead of bits per key: NewFilterPolicy and NewBudgetFilterPolicy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "filter/bloom_filter_policy.h"
#include "filter/filter_codec.h"

namespace tamis {

// The common base: creates builders for a format and a rate. Immutable; any
// thread.
class RateFilterPolicyBase : public BuiltinFilterPolicy {
 protected:
  explicit RateFilterPolicyBase(FilterFormat format)
      : BuiltinFilterPolicy(/*bits_per_key=*/10), format_(format) {}

  FilterFormat format() const { return format_; }
  // Returns a builder of no filter if the rate is 1. `why` ends the builder's
  // reason.
  FilterBitsBuilder* NewBuilder(double fpr, const std::string& why,
                                const FilterBuildingContext& context) const;
  // Returns about what filters of this rate take, if their tables have
  // context.expected_keys. REQUIRES: fpr is 2^-16 to 1/2.
  double BitsPerKey(double fpr, const FilterBuildingContext& context) const;

 private:
  const FilterCodec* CodecFor(const FilterBuildingContext& context) const;

  const FilterFormat format_;
};

class RateFilterPolicy final : public RateFilterPolicyBase {
 public:
  explicit RateFilterPolicy(const FilterPolicyOptions& options);

  const char* Name() const override;
  // Returns "tamis.RateFilterPolicy:<rate>:<format>".
  std::string GetId() const override;
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override;

 private:
  const double fpr_;
};

class BudgetFilterPolicy final : public RateFilterPolicyBase {
 public:
  BudgetFilterPolicy(uint64_t bytes, FilterFormat format)
      : RateFilterPolicyBase(format), bytes_(bytes) {}

  const char* Name() const override;
  // Returns "tamis.BudgetFilterPolicy:<bytes>:<format>".
  std::string GetId() const override;
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override;
  uint64_t FilterBudgetBytes() const override { return bytes_; }

 private:
  std::vector<double> RatesWithin(const std::vector<LevelShape>& levels,
                                  const FilterBuildingContext& context) const;
  double BitsOf(const std::vector<LevelShape>& levels,
                const std::vector<double>& rates,
                const FilterBuildingContext& context) const;

  const uint64_t bytes_;
};

}  // namespace tamis
