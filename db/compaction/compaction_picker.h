// SPDX-License-Identifier: Apache-2.0
//
// Picks the next compaction. Pure functions of a Version, the busy files, the
// options and the cursors.
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

// How urgently a level needs compaction; due at 1 or more. Level 0 counts its
// files, other levels their bytes.
double CompactionScore(const Version& version, int level,
                       const ColumnFamilyOptions& options);
// The target size of a level in bytes. REQUIRES: level >= 1
uint64_t LevelBytesMax(int level, const ColumnFamilyOptions& options);

// Picks the most urgent compaction without busy files, and advances the cursor
// of its level. Files of level 0 that may move (db/compaction/trivial_move.h)
// are moved first; the others are merged, all together, when the level is due
// again.
std::optional<Compaction> PickCompaction(const VersionPtr& version,
                                         const BusyFiles& busy,
                                         const ColumnFamilyOptions& options,
                                         CompactionCursors* cursors);

// Picks all files of `level` that overlap [begin, end]. They go to the first
// level below that overlaps the key range of these files, or to `deepest` if
// none above it does: stopping at an empty level would only write the data
// twice. With `level` == `deepest`, the files are rewritten in place. nullopt:
// there are none, or one is busy. At the bottom no file is just moved, because
// a rewrite drops its tombstones. REQUIRES: level <= deepest
std::optional<Compaction> PickRange(const VersionPtr& version,
                                    const BusyFiles& busy,
                                    const ColumnFamilyOptions& options,
                                    int level, int deepest, const Slice* begin,
                                    const Slice* end);

}  // namespace tamis
