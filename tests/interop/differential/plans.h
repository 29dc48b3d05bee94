// SPDX-License-Identifier: Apache-2.0
//
// Draws the keys and the options of scripts: those of an open, those that a
// family has from then on, and those that SetOptions changes. Not drawn, as the
// answers would depend on which files an engine has and when it compacts them:
// FIFO compaction that removes files, compaction filters, DeleteFilesInRange,
// ignore_range_deletions, table_filter, max_skippable_internal_keys,
// snapshot_consistency = false.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/interop/differential/dice.h"
#include "tests/interop/differential/script.h"

namespace tamis::differential {

// What holds for all of a script.
struct PlanLimits {
  bool short_keys = false;  // some are shorter than a fixed prefix
  bool manual = false;      // nothing is flushed or compacted by itself
  bool atomic_flush = false;
  bool fifo = false;  // families may have FIFO compaction
};

// Draws at most `count` keys, in order. Without limits.short_keys each is at
// least as long as a fixed prefix.
std::vector<std::string> DrawKeys(const PlanLimits& limits, uint64_t count,
                                  Dice* dice);

// Draws everything that may change from one open to the next.
void DrawTables(const PlanLimits& limits, Dice* dice, FamilyPlan* plan);

// Without families.
OpenPlan DrawOpen(const PlanLimits& limits, Dice* dice);

// Draws an option of SetOptions; once in eight times one that is refused.
// Options that decide when compactions run only if not `limits.manual`.
std::pair<std::string, std::string> DrawSetting(const PlanLimits& limits,
                                                Dice* dice);

}  // namespace tamis::differential
