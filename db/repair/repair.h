// SPDX-License-Identifier: Apache-2.0
//
// Builds a database from what is left in a directory:
//
//   1  MANIFEST   its readable part: families, levels, deletions
//   2  tables     reads each to the end; salvages damaged ones, block by block,
//                 into new tables
//   3  logs       writes every readable record to new tables
//   4  levels     as they were, or by age (repair_layout.h)
//   5  write      a new MANIFEST under a scratch name, then renames it
//   6  move       old MANIFESTs, then replaced logs and tables, to lost/
//   7  CURRENT
//
// Until the rename in step 5 the directory only gains tables. After it, old
// MANIFESTs are moved first. If the machine stops during steps 6 or 7, an open
// fails, and a second repair finds the new MANIFEST and completes the work.
//
// Tables that no MANIFEST lists are used if the MANIFEST may have lost them:
// all of them, unless it is complete and the logs continue where it ends. An
// obsolete input of a compaction would resurrect deleted keys.
#pragma once

#include <string>
#include <vector>

#include "tamis/db.h"

namespace tamis {

struct RepairRequest {
  std::string directory;
  DBOptions options;
  std::vector<ColumnFamilyDescriptor> families;
  // For families found but not named in `families`.
  ColumnFamilyOptions unknown_family;
};
// Implements the overloads of RepairDB.
Status RepairDirectory(RepairRequest request);

}  // namespace tamis
