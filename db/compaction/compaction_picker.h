// SPDX-License-Identifier: Apache-2.0
//
// Decides what to compact next. Pure functions of a Version, the files that
// are busy, and options: they read no clock and hold no state but the cursors
// they are given.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "tamis/options.h"

#include "db/compaction/compaction.h"
#include "db/version/compaction_cursors.h"

namespace tamis {

// Numbers of tables that a running compaction reads.
using BusyFiles = std::set<uint64_t>;

// How much a level is in need of compaction; 1 and more: it is due. Level 0 by
// its number of files, the others by their bytes.
double CompactionScore(const Version& version, int level,
                       const ColumnFamilyOptions& options);
// Bytes a level is meant to hold. REQUIRES: level >= 1
uint64_t LevelBytesMax(int level, const ColumnFamilyOptions& options);

// The compaction that is most due and collides with no busy file; moves the
// cursor of its level. Files of level 0 that may move
// (db/compaction/trivial_move.h) do so first; what is left is merged as a whole
// when it is due again.
std::optional<Compaction> PickCompaction(const VersionPtr& version,
                                         const BusyFiles& busy,
                                         const ColumnFamilyOptions& options,
                                         CompactionCursors* cursors);

// All files of `level` that overlap [begin, end], into the first level below
// that overlaps what these files span: levels between hold none of it, and a
// stop there would only write the data once more. No deeper than `deepest`,
// which is where they go when no level in between overlaps them. With `level`
// == `deepest` the files are rewritten in place. nullopt: there are none, or
// one is busy. At the bottom no file is merely moved: a merge drops the
// tombstones in it. REQUIRES: level <= deepest
std::optional<Compaction> PickRange(const VersionPtr& version,
                                    const BusyFiles& busy,
                                    const ColumnFamilyOptions& options,
                                    int level, int deepest, const Slice* begin,
                                    const Slice* end);

}  // namespace tamis
