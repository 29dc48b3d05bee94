// SPDX-License-Identifier: Apache-2.0
//
// Where in a tree the tables of a repaired family go. Pure: metadata in, a plan
// out.
//
//   as they were    every table was listed at a level, or is newer than all
//                   that were, and the levels still hold: each stays
//   by age          otherwise. A table is newer than another when all its
//                   sequence numbers are; the oldest go deepest:
//
//      50..59  ├────────────┤                      level 4
//      30..49        ├────────────┤                level 5
//      10..29  ├─────────┤   ├─────────┤           level 6
//
//                   Where two share keys and neither is newer, no level could
//                   tell which version of a key counts: they are merged, and
//                   the sequence numbers of the entries decide.
#pragma once

#include <cstddef>
#include <vector>

#include "db/manifest/version_edit.h"
#include "table/internal_key.h"

namespace tamis {

struct RepairTable {
  FileMetaData meta;  // seqnos are known
  // Where it is listed, or what it is made of was; -1: nowhere.
  int level = -1;
};

struct RepairPlan {
  struct Run {
    int level = 0;
    std::vector<size_t> tables;  // of the input; several: to be merged
  };
  bool as_they_were = true;
  std::vector<Run> runs;  // oldest first
};

RepairPlan PlanRepair(const KeyOrder& order,
                      const std::vector<RepairTable>& tables);

// Gives every table its epoch: one for each level from the deepest up, then one
// for each table of level 0, oldest first.
void NumberEpochs(std::vector<RepairTable>* tables);

}  // namespace tamis
