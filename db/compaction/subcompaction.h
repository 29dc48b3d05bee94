// SPDX-License-Identifier: Apache-2.0
//
// Divides a compaction into parts that run in parallel:
//
//   inputs    ├───a───┼───────b───────┼──c──┤
//              ├──d──┼─────e─────┼────f────┤
//   parts     ├──────────┼──────────┼───────┤   of about equal size
//
// A cut is the first user key of a part, so that all versions of a key are in
// one part.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "db/compaction/compaction.h"
#include "db/version/table_cache.h"
#include "util/base/result.h"

namespace tamis {

// Returns the cuts, at most parts_max - 1 user keys, ascending. Chooses so few
// parts that each reads about plan.part_bytes_min or more. Returns an error if
// the index of an input cannot be read.
Result<std::vector<std::string>> SubcompactionCuts(const Compaction& plan,
                                                   const KeyOrder& order,
                                                   const TableCache& tables,
                                                   size_t parts_max);

}  // namespace tamis
