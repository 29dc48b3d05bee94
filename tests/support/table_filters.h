// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a table's filters, for tests that compare them with another
// engine's.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "filter/filter_registry.h"
#include "table/block.h"
#include "table/index_format.h"
#include "tests/support/tables.h"

namespace tamis {

// The end of a filter partition (partitioned only), and the filter's bytes.
using TableFilters = std::vector<std::pair<std::string, std::string>>;

// All filter blocks of a table, without the index of partitions. *name: as in
// the metaindex; empty: no filter.
inline TableFilters FiltersOf(const TableReader& table,
                              const std::string& contents, std::string* name) {
  name->clear();
  const Result<TableLayout> layout = table.ReadLayout();
  EXPECT_TRUE(layout.ok()) << layout.status();
  if (!layout.ok()) return {};
  const auto bytes_at = [&](const BlockHandle& handle) {
    return contents.substr(handle.offset, handle.size);
  };
  for (const auto& [key, handle] : layout->metaindex) {
    const auto where = ParseMetaindexKey(key);
    if (!where) continue;
    *name = key;
    if (where->placement != FilterPlacement::kPartitioned) {
      return {{"", bytes_at(handle)}};
    }
    const IndexFormat format(*table.properties(), &Bytewise());
    const std::string file = "partitions";
    BlockIterator it;
    const std::string index = bytes_at(handle);
    it.Open(PinnedBytes::Borrow(index), format.top_level(),
            {&file, handle.offset});
    TableFilters filters;
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
      BlockHandle partition;
      EXPECT_TRUE(HandleOf(it, format.top_level(), &partition));
      filters.emplace_back(format.user_keys()
                               ? it.key().ToString()
                               : ExtractUserKey(it.key()).ToString(),
                           bytes_at(partition));
    }
    EXPECT_TRUE(it.status().ok()) << it.status();
    return filters;
  }
  return {};
}

}  // namespace tamis
