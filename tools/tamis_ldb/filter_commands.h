// SPDX-License-Identifier: Apache-2.0
//
// The command that shows the filters of a database's tables, without opening
// the database.
#pragma once

#include "tools/command_table.h"

namespace tamis {

// Prints a line for each table of each family, by level, with its filters, and
// sums for each level and family.
int Filters(const Call& call);

}  // namespace tamis
