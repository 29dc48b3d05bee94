// SPDX-License-Identifier: Apache-2.0
//
// Commands that show which levels a family's tables are in, or change it.
#pragma once

#include <string>

#include "tamis/db.h"

#include "tools/command_table.h"

namespace tamis {

// Draws the levels on the terminal or, with --html, in a page.
int DrawShape(const Call& call);
int Compact(const Call& call);
int ReduceLevels(const Call& call);
int ChangeCompactionStyle(const Call& call);

// Tables by level, "4,1,0,0,0,0,0".
std::string FilesPerLevel(DB* db, ColumnFamilyHandle* family);

}  // namespace tamis
