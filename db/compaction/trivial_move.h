// SPDX-License-Identifier: Apache-2.0
//
// A trivial move changes the level of tables by an edit alone, without reading
// or writing them. This file has the rule for which tables may move, and makes
// the edit.
//
// A table is rewritten instead of moved if one of these holds:
//   * The level stays the same: the caller wants a rewrite (kForce).
//   * It overlaps another table of level 0, or a table of any level below down
//     to the output level. A range tombstone counts with its whole extent, up
//     to its end, which is exclusive. One shared user key is an overlap: its
//     versions could end up in the wrong order.
//   * It overlaps more than grandparent_bytes_max in the level below the output
//     level. Its next compaction would have to rewrite all of that.
//   * The compaction is manual, and no level below the output level overlaps
//     the table. A rewrite there drops tombstones, a move keeps them.
//
// Two tables of a sorted level may share a user key at their border. They move
// together or not at all (Version::SharingKeysWith); moved together they stay
// in order.
//
// All levels have the same codec, filter policy and table format, so a table
// fits any level. An option that makes levels differ must be compared here. A
// table that moves to the last level keeps its filter even with
// optimize_filters_for_hits, as in RocksDB.
#pragma once

#include <cstdint>

#include "db/compaction/compaction.h"
#include "db/manifest/version_edit.h"

namespace tamis {

struct TableMove {
  int level = 0;
  int output_level = 0;
  uint64_t grandparent_bytes_max = 0;
  // Requested by CompactRange.
  bool manual = false;
};

// Those of `files` that may move, in the same order. They do not overlap each
// other, so all may move at once. REQUIRES: files of move.level
LevelFiles MovableFiles(const Version& version, const LevelFiles& files,
                        const TableMove& move);

// REQUIRES: plan.trivial_move
VersionEdit TrivialMoveEdit(const Compaction& plan);

}  // namespace tamis
