// SPDX-License-Identifier: Apache-2.0
//
// Chooses in which of the family's paths (ColumnFamilyOptions::cf_paths) a
// compaction writes its tables. The rules are RocksDB's, and know nothing of
// what the directories have: they look at what a complete tree would need.
//
//   leveled    L0 and L1 need max_bytes_for_level_base each, deeper levels
//              their targets. Each path gets the levels that still fit.
//   universal  the first path that would hold the output, and beside which
//              the merges of newer data that come before the output is merged
//              again have room
//
// In both, the last path takes what fits nowhere. A table moves to another
// level without being written only if that is in the same path. Pure functions.
#pragma once

#include <cstdint>

#include "tamis/options.h"

#include "db/base/numbers.h"

namespace tamis {

// Return the path id of a level, and of a merge that writes `bytes`. `options`
// are complete.
uint8_t PathOfLevel(Level level, const ColumnFamilyOptions& options);
uint8_t PathOfMerge(uint64_t bytes, const ColumnFamilyOptions& options);

// Returns that of the style for a compaction into the level that writes
// `bytes`.
uint8_t PathOfOutput(Level level, uint64_t bytes,
                     const ColumnFamilyOptions& options);

}  // namespace tamis
