// SPDX-License-Identifier: Apache-2.0
//
// The layout of a table as plain data, for tools.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "table/format.h"

namespace tamis {

struct TableLayout {
  // A separator (user key or internal key, as stored) and its block.
  using Entry = std::pair<std::string, BlockHandle>;

  Footer footer;
  // Name to handle, as in the metaindex.
  std::vector<Entry> metaindex;
  bool index_key_is_user_key = false;
  // Index partitions; empty unless the index is two-level.
  std::vector<Entry> index_partitions;
  std::vector<Entry> data_blocks;
};

}  // namespace tamis
