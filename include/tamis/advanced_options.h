// SPDX-License-Identifier: Apache-2.0
//
// Types of those options of a column family that choose compactions.
#pragma once

#include <cstdint>

#include "tamis/export.h"

namespace tamis {

// How compactions are chosen. A database may be opened with another style than
// it was written with. See num_levels for the one condition.
enum CompactionStyle : char {
  // Each level below 0 is sorted and about ten times as large as the one above
  // it. The fewest runs to read, and the least space.
  kCompactionStyleLevel = 0x0,
  // Runs of similar age are merged: fewer bytes written, more runs and space.
  // One compaction of a family runs at a time. See universal_compaction.h.
  kCompactionStyleUniversal = 0x1,
  // Deletes the oldest tables: a cache of the newest writes. See
  // CompactionOptionsFIFO. Level 0 neither slows nor stops writes.
  kCompactionStyleFIFO = 0x2,
  // Compacts only in CompactRange, as if disable_auto_compactions were set.
  kCompactionStyleNone = 0x3,
};

// Which table of a level that is too large is compacted first.
enum CompactionPri : char {
  // The largest. (RocksDB adds to the size for deletions.)
  kByCompensatedSize = 0x0,
  // The one whose newest entry is oldest. For updates of a few key ranges.
  kOldestLargestSeqFirst = 0x1,
  // The one whose oldest entry is oldest. For updates over all keys.
  kOldestSmallestSeqFirst = 0x2,
  // That with the fewest bytes to rewrite below it, for its size.
  kMinOverlappingRatio = 0x3,
  // One after the other through the level, from where the last one ended. (In
  // RocksDB, the place outlasts a close.)
  kRoundRobin = 0x4,
};

// Options of kCompactionStyleFIFO, under which all tables stay in level 0. In a
// directory that another style wrote, the tables of the deepest level are
// deleted first, from the smallest key on.
struct TAMIS_EXPORT CompactionOptionsFIFO {
  CompactionOptionsFIFO() = default;
  // Sets the members of these names.
  CompactionOptionsFIFO(uint64_t table_files_bytes, bool compact)
      : max_table_files_size(table_files_bytes), allow_compaction(compact) {}

  // Deletes the oldest tables while all have more bytes than this together.
  uint64_t max_table_files_size = 1024 * 1024 * 1024;
  // Merges the newest tables of level 0 when at least
  // level0_file_num_compaction_trigger of them are small: when that reads at
  // most write_buffer_size bytes for each table that it saves. Keeps the number
  // of tables low if memtables are flushed before they are full.
  bool allow_compaction = false;
};

}  // namespace tamis
