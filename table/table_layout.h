// SPDX-License-Identifier: Apache-2.0
//
// What stands where in a table, as plain data: for tools that show files.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "table/format.h"

namespace tamis {

struct TableLayout {
  // A separator, a user key or an internal key as the file has it, and the
  // block whose keys it ends.
  using Entry = std::pair<std::string, BlockHandle>;

  Footer footer;
  // Name to handle, as in the metaindex.
  std::vector<Entry> metaindex;
  bool index_key_is_user_key = false;
  // Two-level: the partitions of the index. Else empty.
  std::vector<Entry> index_partitions;
  std::vector<Entry> data_blocks;
};

}  // namespace tamis
