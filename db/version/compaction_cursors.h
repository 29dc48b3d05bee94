// SPDX-License-Identifier: Apache-2.0
//
// CompactionCursors make the compactions of a level rotate through its key
// range (LevelDB: compact_pointer). They are part of a family's state; the
// compaction picker reads and advances them.
#pragma once

#include <string>

#include "db/base/numbers.h"

namespace tamis {

// For each level, the largest user key of the input of the last compaction that
// was picked. The next one starts at the first file that ends after this key.
// Empty until a compaction is picked; not used for level 0.
using CompactionCursors = PerLevel<std::string>;

}  // namespace tamis
