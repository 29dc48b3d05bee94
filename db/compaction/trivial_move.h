// SPDX-License-Identifier: Apache-2.0
//
// A trivial move gives tables another level by an edit alone: no table is read
// or written. This is the rule that says which tables may move, and the edit.
//
// A table is written again, and not moved, when one of these holds:
//   * The level stays the same. The caller asked for a rewrite (kForce).
//   * It overlaps another table of level 0, or a table of any level below down
//     to the output level. A range tombstone counts with its whole extent, up
//     to its end, which is exclusive. One shared user key is an overlap: its
//     versions could end up in the wrong order.
//   * It overlaps more than grandparent_bytes_max in the level below the output
//     level. Its next compaction would have to rewrite all of that.
//   * The caller asked for the compaction, and no level below the output level
//     overlaps the table. A rewrite there drops tombstones, a move keeps them.
//
// Two tables of a sorted level may share a user key at their border. They move
// together or not at all (Version::SharingKeysWith); moved together they stay
// in order.
//
// All levels have the same codec, filter policy and table format, so no output
// level asks for another encoding. An option that lets levels differ has to be
// compared here. A table that moves to the last level keeps its filter with
// optimize_filters_for_hits too, as in RocksDB.
#pragma once

#include <cstdint>

#include "db/compaction/compaction.h"
#include "db/manifest/version_edit.h"

namespace tamis {

struct TableMove {
  int level = 0;
  int output_level = 0;
  uint64_t grandparent_bytes_max = 0;
  // CompactRange wants it; otherwise the state of the tree does.
  bool manual = false;
};

// Those of `files` that may move, in the same order. All of these may move at
// once: they do not overlap each other. REQUIRES: files of move.level
LevelFiles MovableFiles(const Version& version, const LevelFiles& files,
                        const TableMove& move);

// REQUIRES: plan.trivial_move
VersionEdit TrivialMoveEdit(const Compaction& plan);

}  // namespace tamis
