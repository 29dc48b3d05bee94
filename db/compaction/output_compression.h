// SPDX-License-Identifier: Apache-2.0
//
// Which codec a table of a flush or a compaction gets, and how it is used. A
// pure function of the family's options and of the table's place in the tree.
#pragma once

#include "tamis/options.h"

#include "db/base/numbers.h"

namespace tamis {

struct OutputCompression {
  CompressionType type = kNoCompression;
  CompressionOptions options;
};

// `base` is the level that level 0 is compacted into. `bottommost`: no deeper
// level overlaps the table, and it is not that of a flush.
OutputCompression CompressionOf(const ColumnFamilyOptions& options, Level level,
                                Level base, bool bottommost);
// The same for the table of a flush.
OutputCompression CompressionOfFlush(const ColumnFamilyOptions& options);

}  // namespace tamis
