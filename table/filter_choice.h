// SPDX-License-Identifier: Apache-2.0
//
// The point filter of a table, as options and policy choose it, and how far the
// filter of a table that was written before is from it.
#pragma once

#include <cstdint>
#include <string>

#include "filter/filter_placement.h"
#include "table/table_builder.h"

namespace tamis {

struct FilterChoice {
  FilterPlan plan;     // empty() if there is no filter
  std::string reason;  // for LOG; never empty
};

// Returns whether tables of that order may have point filters, and whether
// those that they have may be probed. A comparator that does not say whether
// equal keys have equal bytes gets the filters of a policy that was set, as in
// RocksDB, but not those of the default policy: without filters it is right in
// any case. If not, sets *why, unless it is nullptr, to the reason in words.
bool FiltersApply(const KeyOrder& order, const FilterPolicy* policy,
                  std::string* why = nullptr);

// Asks the policy of the options. Returns InvalidArgument as PlanFilter does.
// REQUIRES: the options outlive the plan's builders.
Result<FilterChoice> ChooseFilter(const TableBuildOptions& options);

// A point filter that a table has.
struct PresentFilter {
  std::string metaindex_key;  // empty: none
  uint64_t bytes = 0;
  uint64_t keys = 0;  // estimated, of the table
};

// Returns whether the choice is a filter of another format or placement, or
// takes more than `factor` times as many bytes, or as few. Returns true if that
// cannot be known, as of a user's format. REQUIRES: factor >= 1
bool IsOffByMoreThan(double factor, const FilterChoice& choice,
                     const PresentFilter& present);

}  // namespace tamis
