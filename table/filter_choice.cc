// SPDX-License-Identifier: Apache-2.0
#include "table/filter_choice.h"

#include <utility>

#include "filter/bloom_filter_policy.h"
#include "util/base/check.h"

namespace tamis {

namespace {

FilterBuildingContext ContextOf(const TableBuildOptions& options) {
  FilterBuildingContext context(options.table);
  context.level_at_creation = options.level;
  context.is_flush = options.is_flush;
  context.is_bottommost = options.is_bottommost;
  context.expected_keys = options.expected_keys;
  context.levels = options.levels;
  if (options.table.filter_policy != nullptr) {
    context.filter_budget_bytes =
        options.table.filter_policy->FilterBudgetBytes();
  }
  return context;
}

}  // namespace

bool FiltersApply(const KeyOrder& order, const FilterPolicy* policy,
                  std::string* why) {
  switch (order.equal_keys()) {
    case EqualKeys::kHaveEqualBytes:
      return true;
    case EqualKeys::kMayDiffer:
      if (why != nullptr) {
        *why =
            "the comparator says that keys that differ in bytes may be equal";
      }
      return false;
    case EqualKeys::kNotDeclared:
      break;
  }
  if (policy != nullptr && !IsDefaultFilterPolicy(policy)) return true;
  if (why != nullptr) {
    *why =
        "the comparator does not override "
        "CanKeysWithDifferentByteContentsBeEqual, and filter_policy is not set";
  }
  return false;
}

Result<FilterChoice> ChooseFilter(const TableBuildOptions& options) {
  FilterChoice choice;
  if (options.skip_filters) {
    choice.reason = "optimize_filters_for_hits";
    return choice;
  }
  const FilterPolicy* const policy = options.table.filter_policy.get();
  if (policy != nullptr &&
      !FiltersApply(options.order, policy, &choice.reason)) {
    return choice;
  }
  Result<FilterPlan> plan =
      PlanFilter(ContextOf(options), options.prefix_extractor);
  if (!plan.ok()) return plan.status();
  choice.plan = *std::move(plan);
  choice.reason = std::move(choice.plan.reason);
  if (!choice.reason.empty()) return choice;
  choice.reason = policy == nullptr ? "no filter_policy"
                                    : "policy " + choice.plan.policy_name;
  return choice;
}

bool IsOffByMoreThan(double factor, const FilterChoice& choice,
                     const PresentFilter& present) {
  TAMIS_CHECK(factor >= 1);
  const FilterPlan& plan = choice.plan;
  if (plan.empty() || present.metaindex_key.empty()) {
    return plan.empty() != present.metaindex_key.empty();
  }
  if (plan.codec == nullptr ||
      MetaindexKey(plan.placement, plan.family) != present.metaindex_key) {
    return true;
  }
  const auto wanted = static_cast<double>(
      plan.codec->EstimateSizeBytes(plan.bits_per_key, present.keys));
  const auto bytes = static_cast<double>(present.bytes);
  return bytes > factor * wanted || wanted > factor * bytes;
}

}  // namespace tamis
