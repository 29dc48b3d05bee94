// SPDX-License-Identifier: Apache-2.0
//
// The key at which the next compaction of each level starts, so that
// compactions rotate through the key range (LevelDB: compact_pointer). Part of
// a family's state; the compaction picker reads and advances them.
#pragma once

#include <array>
#include <string>

#include "db/base/db_context.h"

namespace tamis {

// Per level, the largest user key of the last compaction's input. The next
// compaction starts after it.
using CompactionCursors = std::array<std::string, kNumLevels>;

}  // namespace tamis
