// SPDX-License-Identifier: Apache-2.0
//
// Assigns levels to the tables of a repaired family. Pure: from metadata to a
// plan.
//
//   as they were    if every table was listed at a level, or is newer than all
//                   listed ones, and the levels are still valid: each stays
//   by age          otherwise. A table is newer than another if all its
//                   sequence numbers are; the oldest go deepest:
//
//      50..59  ├────────────┤                      level 4
//      30..49        ├────────────┤                level 5
//      10..29  ├─────────┤   ├─────────┤           level 6
//
//                   Two tables that share keys, neither of them newer, have no
//                   valid order of levels: they are merged by the sequence
//                   numbers of their entries.
#pragma once

#include <cstddef>
#include <vector>

#include "db/manifest/version_edit.h"
#include "table/internal_key.h"

namespace tamis {

struct RepairTable {
  FileMetaData meta;  // with known sequence bounds
  // The listed level of it or of its source; -1: none.
  int level = -1;
};

struct RepairPlan {
  struct Run {
    int level = 0;
    std::vector<size_t> tables;  // indexes; to be merged if several
  };
  bool as_they_were = true;
  std::vector<Run> runs;  // oldest first
};

RepairPlan PlanRepair(const KeyOrder& order,
                      const std::vector<RepairTable>& tables);

// Assigns epoch numbers: one per level from the deepest up, then one per level
// 0 table, oldest first.
void NumberEpochs(std::vector<RepairTable>* tables);

}  // namespace tamis
