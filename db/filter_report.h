// SPDX-License-Identifier: Apache-2.0
//
// What the filters of an open family hold, promise and do: the property
// tamis.filter-report. docs/filters.md explains the columns.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "db/family/column_family.h"

namespace tamis {

// The sum of FilterTallies.
struct FilterUse {
  uint64_t saved = 0;   // searches of tables that filters excluded
  uint64_t wasted = 0;  // searches that they passed in vain

  void Add(const FilterTally& tally) {
    saved += tally.excluded();
    wasted += tally.in_vain();
  }
};

// The tables of one level whose filters have one codec. A table with a point
// filter and a range filter has a line of each.
struct FilterReportLine {
  int level = 0;
  std::string codec;
  uint64_t tables = 0;
  uint64_t keys = 0;  // entries of a point filter; else entries of the tables
  uint64_t bytes = 0;
  double passed = 0;  // predicted false-positive rates, weighted by keys
  FilterUse gets;
  FilterUse seeks;
};

// Opens the tables and reads their filters. REQUIRES: no mutex is held.
Result<std::vector<FilterReportLine>> MakeFilterReport(
    const ColumnFamily& family);

std::string FilterReportText(const std::vector<FilterReportLine>& report);
void FilterReportMap(const std::vector<FilterReportLine>& report,
                     std::map<std::string, std::string>* values);

}  // namespace tamis
