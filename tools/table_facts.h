// SPDX-License-Identifier: Apache-2.0
//
// What a table's filter is, and what it should let through.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tamis/table_properties.h"

#include "filter/filter_registry.h"
#include "tools/raw_table.h"
#include "util/base/result.h"

namespace tamis {

struct FilterFacts {
  std::optional<FilterLocator> where;  // nullopt: the table carries none
  std::string codec = "none";          // "unknown" when not one of ours
  uint64_t filters = 0;                // chunks, partitions, or the one
  uint64_t bytes = 0;                  // with trailers and their index
  uint64_t keys = 0;
  double predicted_fpr = 1;  // over all of them, by size
  uint32_t probes = 0;       // bits looked at for a key; 0: it does not say
  uint64_t smallest = 0;     // bytes of the smallest and largest of them,
  uint64_t largest = 0;      // trailers apart

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

Result<FilterFacts> ReadFilterFacts(const RawTable& table);
Result<TableFacts> ReadTableFacts(const std::string& path);

}  // namespace tamis
