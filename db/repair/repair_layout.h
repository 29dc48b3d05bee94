// SPDX-License-Identifier: Apache-2.0
//
// PlanRepair assigns levels to the tables of a repaired family. It is a pure
// function of their metadata.
//
//   as they were    Each listed table stays at its level, and unlisted tables
//                   are placed in level 0. This requires that the levels are
//                   valid, and that unlisted tables are newer than all listed
//                   ones and have disjoint sequence ranges.
//   by age          Otherwise, each table is placed above all older ones that
//                   share its keys, as deep as possible. A table is newer than
//                   another if all its sequence numbers are:
//
//      50..59  ├────────────┤                      level 4
//      30..49        ├────────────┤                level 5
//      10..29  ├─────────┤   ├─────────┤           level 6
//
//                   Two tables that share keys, neither of them newer, have no
//                   valid order of levels. A merge orders their entries by
//                   sequence number. Two tables in level 0 are also merged if
//                   the sequence range of one contains the other's.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "db/manifest/version_edit.h"
#include "table/internal_key.h"

namespace tamis {

struct RepairTable {
  FileMetaData meta;  // with known sequence bounds
  // The level at which the MANIFEST lists the table, or the table that it was
  // salvaged from; nullopt if there is none.
  std::optional<Level> level;
};

struct RepairRun {
  Level level = kLevelZero;
  std::vector<size_t> tables;  // indexes; several are to be merged
};

// Returns the plan for one family, oldest run first. REQUIRES: the tables have
// known bounds.
std::vector<RepairRun> PlanRepair(const KeyOrder& order,
                                  const std::vector<RepairTable>& tables);

// Assigns epoch numbers: one per level from the deepest up, then one per
// level-0 table, oldest first. REQUIRES: each table has its new level.
void NumberEpochs(std::vector<RepairTable>* tables);

}  // namespace tamis
