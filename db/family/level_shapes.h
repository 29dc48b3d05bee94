// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a family's levels in entries, for policies of filters.
#pragma once

#include <functional>
#include <vector>

#include "tamis/filter_policy.h"

#include "db/family/column_family.h"

namespace tamis {

// Returns the levels from 0 on. Counts the entries of tables that were opened
// before. Estimates those of others by their bytes. Opens no table. Any thread.
std::vector<LevelShape> LevelShapesOf(const Version& version);

// Returns a function that returns the levels of the family's current version,
// which must outlive it. Any thread, without the database's mutex.
std::function<std::vector<LevelShape>()> LevelsOf(const ColumnFamily* family);

}  // namespace tamis
