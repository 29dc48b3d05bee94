// SPDX-License-Identifier: Apache-2.0
//
// Where the next compaction of each level starts, so that compactions take
// turns over the whole key range. Part of a family's state; the compaction
// picker reads and moves them.
#pragma once

#include <array>
#include <string>

#include "db/base/db_context.h"

namespace tamis {

// Per level, the largest user key of the last compaction's input. The next
// compaction starts behind it.
using CompactionCursors = std::array<std::string, kNumLevels>;

}  // namespace tamis
