// SPDX-License-Identifier: Apache-2.0
//
// The shape that leveled compaction gives a tree: how many bytes each level may
// have, and into which one level 0 is compacted, the base. Pure functions of a
// Version and options.
//
//   static                        level_compaction_dynamic_level_bytes
//   L0 ──▶ L1   base              L0 ──▶ L4   base: L5 / 10, not below
//          L2   10 × base                L5   L6 / 10        the option
//          L3   100 × base               L6   what it has
#pragma once

#include <cstdint>

#include "tamis/options.h"

#include "db/version/version.h"

namespace tamis {

struct LevelTargets {
  // Level 0 is compacted into it. Those between are empty.
  Level base{1};
  // LastLevelOf the options.
  Level last = kLastLevel;
  bool dynamic = false;
  // The first level that the data needs. Those above it hold tables of a tree
  // that was static; they move down.
  Level needed{1};
  PerLevel<uint64_t> bytes_max{};  // 0 above `base`
};

// REQUIRES: options.num_levels is 2 or more
LevelTargets LevelTargetsOf(const Version& version,
                            const ColumnFamilyOptions& options);

// Returns the target size of a level in bytes in a static tree. REQUIRES: level
// >= 1
uint64_t LevelBytesMax(Level level, const ColumnFamilyOptions& options);

// Returns how many bytes leveled compaction has to rewrite until no level is
// too large: what each level has too much, with what it overlaps one level
// down, and so on downwards. An estimate: levels are supposed to overlap
// evenly.
uint64_t PendingCompactionBytes(const Version& version,
                                const ColumnFamilyOptions& options);

// Returns the last level that compactions may write to: the last of num_levels,
// unless that is kept for files of IngestExternalFileOptions::ingest_behind.
Level LastLevelOf(const ColumnFamilyOptions& options);

// Returns the bytes at which a compaction into the level starts a new table.
// Level 0 counts as the base: its tables are not cut.
uint64_t TableBytesMax(Level level, Level base,
                       const ColumnFamilyOptions& options);

// Returns max_compaction_bytes, or what 0 means. Saturates.
uint64_t CompactionBytesMax(const ColumnFamilyOptions& options);

}  // namespace tamis
