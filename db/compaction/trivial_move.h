// SPDX-License-Identifier: Apache-2.0
//
// A trivial move changes the level of tables by an edit alone, without reading
// or writing them. This file has the rule for which tables may move, and makes
// the edit.
//
// A table is rewritten instead of moved if one of these holds:
//   * The output level is the table's level: the caller wants a rewrite
//     (kForce).
//   * The table is in level 0 and overlaps another table there.
//   * The table overlaps a table of a level between its own and the output
//     level, or of the output level.
//   * The table overlaps more than grandparent_bytes_max in the grandparent
//     level, the one below the output level. The next compaction would have to
//     rewrite all of that.
//   * The table is in another path than new tables of the output level
//     (output_path.h).
//   * The codec of new tables of the output level differs.
//   * The family's SstPartitioner does not allow it.
//   * The compaction is manual, and no level below the output level overlaps
//     the table. A rewrite there drops tombstones, a move keeps them.
//
// Tables overlap if their ranges of user keys do; these ranges include range
// tombstones, except for their exclusive ends. One shared user key is an
// overlap: its versions could end up in the wrong order.
//
// Adjacent tables of a sorted level may share the user key at their boundary.
// The rule does not compare them: the caller moves them together, which keeps
// them in order, or not at all (Version::SharingKeysWith).
//
// All levels have the same filter policy and table format, so that a table fits
// any level. An option that makes levels differ must be compared here. A
// table that moves to the last level keeps its filter even with
// optimize_filters_for_hits, as in RocksDB.
#pragma once

#include <cstdint>

#include "tamis/sst_partitioner.h"

#include "db/compaction/compaction.h"
#include "db/manifest/version_edit.h"

namespace tamis {

struct TableMove {
  Level level = kLevelZero;
  Level output_level = kLevelZero;
  uint64_t grandparent_bytes_max = 0;
  uint8_t path_id = 0;                                 // of the output
  const SstPartitionerFactory* partitioner = nullptr;  // the family's
  // The tables are to be rewritten: requested by CompactRange, or due by age.
  bool manual = false;
  // The codec of the two levels is the same: for a table that some deeper level
  // overlaps, and for others.
  bool same_codec = true;
  bool same_codec_at_bottom = true;
};

// Returns the tables of `files` that may move, in the same order. They share
// user keys only at the boundaries described above, so one edit may move all.
// REQUIRES: `files` are of move.level; in a sorted level, a caller that moves a
// table moves all tables that share its user keys.
LevelFiles MovableFiles(const Version& version, const LevelFiles& files,
                        const TableMove& move);

// Returns whether the table overlaps one of a level below `level`.
bool OverlapsBelow(const Version& version, Level level, const TableFile& file);

// Adds the deletion of all inputs to the edit.
void DeleteInputs(const Compaction& plan, VersionEdit* edit);

// Returns the edit that moves all inputs to plan.output_level, or deletes them.
// REQUIRES: plan.NeedsNoTables()
VersionEdit EditWithoutTables(const Compaction& plan);

}  // namespace tamis
