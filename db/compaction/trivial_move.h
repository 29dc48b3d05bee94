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
//   * The output level's codec differs from that of the table's level.
//   * The family's SstPartitioner does not allow it.
//   * The compaction is manual, no level below the output level overlaps the
//     table, and a rewrite there may change something: several tables are
//     compacted, the table exceeds table_bytes_max, it is not known to have one
//     value for each key, or bottommost tables are compressed in another way.
//   * The table is due by age, and no level below the output level overlaps it.
//
// Tables overlap if their ranges of user keys do; these ranges include range
// tombstones, except for their exclusive ends. One shared user key is an
// overlap: its versions could end up in the wrong order.
//
// Adjacent tables of a sorted level may share the user key at their boundary.
// The rule does not compare them: the caller moves them together, which keeps
// them in order, or not at all (Version::SharingKeysWith).
//
// A table that moves keeps its format and its filters, whatever the policy
// would choose for the level, even at the last level with
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
  uint64_t table_bytes_max = 0;                        // of the output level
  uint8_t path_id = 0;                                 // of the output
  const SstPartitionerFactory* partitioner = nullptr;  // the family's
  bool manual = false;      // requested by CompactRange
  bool due_by_age = false;  // ttl or periodic_compaction_seconds
  // Whether both levels use the same codec: for a table that some deeper level
  // overlaps, and for one that none overlaps.
  bool same_codec = true;
  bool same_codec_at_bottom = true;
  // Whether bottommost tables of the output level have the same codec and
  // CompressionOptions as all tables of `level`. Used only if `manual`.
  bool same_compression_at_bottom = true;
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
