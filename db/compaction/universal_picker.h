// SPDX-License-Identifier: Apache-2.0
//
// Picks the next compaction of kCompactionStyleUniversal. Pure functions of a
// Version, the busy files and the options.
//
// The tree is a list of sorted runs, newest first: the tables of level 0, then
// the deeper levels with tables. A compaction merges neighbours of that list.
//
//   runs      9  8  7 │ L4 │ L6        merged     written to
//   level     0  0  0    4    6        9 8        level 0, as one table
//                                      9 8 7      level 3, above the next run
//                                      all        the last level
//
// A merge that stays in level 0 takes no table that is newer than an entry in
// memory, and may include newer tables for the order of sequence numbers
// (level0_merge.h). At most one compaction of the tree runs at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tamis/options.h"

#include "db/compaction/compaction.h"
#include "db/compaction/compaction_picker.h"

namespace tamis {

struct SortedRun {
  Level level = kLevelZero;
  LevelFiles files;
  uint64_t bytes = 0;
};

// Returns the sorted runs, newest first.
std::vector<SortedRun> SortedRunsOf(const Version& version,
                                    Level last = kLastLevel);

// Picks what the rules of universal_compaction.h say; nullopt if nothing is due
// or a file of the tree is busy. `unflushed`: see level0_merge.h.
std::optional<Compaction> PickUniversal(const VersionPtr& version,
                                        const BusyFiles& busy,
                                        const ColumnFamilyOptions& options,
                                        SequenceNumber unflushed);

// Picks all runs, if a table overlaps [begin, end], where nullptr means
// unbounded. Returns nullopt also if a file is busy. If there is only level 0,
// picks only tables that are older than `unflushed`.
std::optional<Compaction> PickUniversalRange(const VersionPtr& version,
                                             const BusyFiles& busy,
                                             const ColumnFamilyOptions& options,
                                             const Slice* begin,
                                             const Slice* end,
                                             SequenceNumber unflushed);

}  // namespace tamis
