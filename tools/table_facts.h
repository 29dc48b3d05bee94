// SPDX-License-Identifier: Apache-2.0
//
// Facts about a table's filter, and its predicted false-positive rate.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tamis/table_properties.h"

#include "filter/filter_registry.h"
#include "tools/raw_table.h"
#include "util/base/result.h"

namespace tamis {

struct RangeFilterFacts {
  std::string name;  // in the metaindex
  std::string codec;
  std::string parameters;
  uint64_t bytes = 0;
  double predicted_fpr = 1;  // of empty ranges of one possible key
};

struct FilterFacts {
  std::optional<FilterLocator> where;  // nullopt: the table has no filter
  std::string codec = "none";          // "unknown" if not built in
  uint64_t filters = 0;                // number of chunks or partitions, or 1
  uint64_t bytes = 0;  // including trailers and their index, without `range`
  uint64_t keys = 0;
  double predicted_fpr = 1;  // of all filters, weighted by size
  std::string parameters;    // of the first filter; empty: unknown
  uint64_t smallest = 0;     // bytes of the smallest and the largest filter,
  uint64_t largest = 0;      // without trailers
  std::optional<RangeFilterFacts> range;  // nullopt: no range filter

  double bits_per_key() const {
    return keys == 0
               ? 0
               : 8 * static_cast<double>(bytes) / static_cast<double>(keys);
  }
};

struct TableFacts {
  std::shared_ptr<const TableProperties> properties;
  FilterFacts filter;
};

// The bytes of a table's filters.
struct FilterContents {
  std::vector<std::string> filters;  // chunks, partitions, or the only one
  std::vector<std::string> range;    // partitions, or the only one
  // Of each partition of the range filter; none if it is not partitioned.
  std::vector<std::string> range_last_keys;
};

// Sets *contents too, if it is not nullptr.
Result<FilterFacts> ReadFilterFacts(const RawTable& table,
                                    FilterContents* contents = nullptr);
Result<TableFacts> ReadTableFacts(const std::string& path);

}  // namespace tamis
