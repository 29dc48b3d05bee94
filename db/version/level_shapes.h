// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a version's levels in entries, for policies of filters.
#pragma once

#include <vector>

#include "tamis/filter_policy.h"

#include "db/version/version.h"

namespace tamis {

// Returns the levels from 0 on. Counts the entries of open tables. Estimates
// those of others by their bytes, without opening them. Any thread.
std::vector<LevelShape> LevelShapesOf(const Version& version);

}  // namespace tamis
