// SPDX-License-Identifier: Apache-2.0
//
// Makes a database of what is left in a directory:
//
//   1  MANIFEST   as far as it reads: families, levels, what was deleted
//   2  tables     each read to its end; the damaged ones are saved, block by
//                 block, into new ones
//   3  logs       every record that reads becomes part of a new table
//   4  levels     as they were, or by age (repair_layout.h)
//   5  write      MANIFEST, under another name, then renamed
//   6  move       old MANIFESTs, then logs and tables that are replaced, to
//                 lost/
//   7  CURRENT
//
// Until the MANIFEST of 5 has its name, the directory is what it was but for
// new tables. From then on the old MANIFESTs go first: whatever of 6 and 7 is
// not done when the machine stops, an open fails, and a second repair finds the
// new MANIFEST and ends the work.
//
// Of the tables that no MANIFEST lists, those count that it may not have heard
// of: all, unless it reads to its end and the logs go on where it ends. A
// leftover of a compaction would bring deleted keys back.
#pragma once

#include <string>
#include <vector>

#include "tamis/db.h"

namespace tamis {

struct RepairRequest {
  std::string directory;
  DBOptions options;
  std::vector<ColumnFamilyDescriptor> families;
  // Of families that are found and not named.
  ColumnFamilyOptions unknown_family;
};
// What the overloads of RepairDB do.
Status RepairDirectory(RepairRequest request);

}  // namespace tamis
