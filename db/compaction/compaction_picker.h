// SPDX-License-Identifier: Apache-2.0
//
// Picks the next compaction of kCompactionStyleLevel. Pure functions of a
// Version, the busy files, the options and the cursors.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "tamis/options.h"

#include "db/base/numbers.h"
#include "db/compaction/compaction.h"
#include "db/version/compaction_cursors.h"

namespace tamis {

// Numbers of tables that a running compaction reads.
using BusyFiles = std::set<FileNumber>;

// Returns how urgently a level needs compaction, which is due at 1 or more. For
// level 0 the number of files decides, for other levels their bytes.
double CompactionScore(const Version& version, Level level,
                       const ColumnFamilyOptions& options);

// Picks the most urgent compaction without busy files, and advances the cursor
// of its level; nullopt if there is none. Files of level 0 that may move
// (db/compaction/trivial_move.h) are moved first; the others are merged, all
// together, when the level is due again.
std::optional<Compaction> PickCompaction(const VersionPtr& version,
                                         const BusyFiles& busy,
                                         const ColumnFamilyOptions& options,
                                         CompactionCursors* cursors);

// Picks a file that is older than ttl or periodic_compaction_seconds, where
// those apply; nullopt if there is none. Files of unknown age have none.
std::optional<Compaction> PickOld(const VersionPtr& version,
                                  const BusyFiles& busy,
                                  const ColumnFamilyOptions& options,
                                  uint64_t now_seconds);

// Picks a file of *marked, or that a TablePropertiesCollector has marked, to be
// compacted into the next level; nullopt if there is none above the deepest
// level that has files, or those left are busy. Removes the picked files from
// *marked, and those that are gone or in the deepest level.
std::optional<Compaction> PickMarked(const VersionPtr& version,
                                     const BusyFiles& busy,
                                     const ColumnFamilyOptions& options,
                                     std::set<FileNumber>* marked);

// A level of CompactRange.
struct ManualStep {
  Level level = kLevelZero;
  Level deepest = kLevelZero;
  const Slice* begin = nullptr;  // nullptr means unbounded
  const Slice* end = nullptr;
  // Tables from this number on are not rewritten where they are.
  FileNumber first_new = kFileNumberMax;
  uint8_t path_id = 0;  // of the outputs
};

// Picks all files of `level` that overlap [begin, end]; if some file of level 0
// does, picks all files of that level. Their output level is the first one
// below that overlaps their key range, or `deepest` if none above it does:
// stopping at an empty level would only write the data twice. With `level` ==
// `deepest`, the files are rewritten in place. At the bottom, a file is
// rewritten rather than moved, to drop tombstones. Files from number
// `first_new` on are not rewritten in place, unless they share a user key with
// others that are. Returns nullopt if there is no such file or one is busy.
// REQUIRES: level <= deepest
std::optional<Compaction> PickRange(const VersionPtr& version,
                                    const BusyFiles& busy,
                                    const ColumnFamilyOptions& options,
                                    const ManualStep& step);

}  // namespace tamis
