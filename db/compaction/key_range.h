// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tamis/slice.h"

#include "db/version/version.h"

namespace tamis {

// Bounds of user keys, both inclusive. Valid as long as the tables.
struct UserKeyRange {
  Slice smallest;
  Slice largest;
};

// Returns the bounds of all keys of the tables. REQUIRES: there is a table.
UserKeyRange RangeOf(const KeyOrder& order, const LevelFiles& files);

}  // namespace tamis
