// SPDX-License-Identifier: Apache-2.0
//
// Where a compaction is cut into parts that run at the same time:
//
//   inputs    ├───a───┼───────b───────┼──c──┤
//              ├──d──┼─────e─────┼────f────┤
//   parts     ├──────────┼──────────┼───────┤   of about the same bytes
//
// A cut is a user key that begins a part: all versions of a key are in one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "db/compaction/compaction.h"
#include "db/version/table_cache.h"
#include "util/base/result.h"

namespace tamis {

// At most parts_max - 1 user keys, ascending. A part gets at least as much to
// read as an output file holds.
Result<std::vector<std::string>> SubcompactionCuts(const Compaction& plan,
                                                   const KeyOrder& order,
                                                   const TableCache& tables,
                                                   size_t parts_max);

}  // namespace tamis
