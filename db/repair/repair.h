// SPDX-License-Identifier: Apache-2.0
//
// A repair builds a database from the readable files of a directory:
//
//   1  reads the readable part of the MANIFEST: families, levels, deletions
//   2  reads each table to the end, and salvages damaged ones, block by block,
//      into new tables
//   3  writes every readable record of the logs to new tables
//   4  leaves the tables at their levels, or orders them by age
//      (repair_layout.h), which may merge some
//   5  writes a new MANIFEST under a scratch name, and renames it
//   6  moves old MANIFESTs, then logs and replaced tables, to lost/, and the
//      OPTIONS files if the newest lists other families
//   7  points CURRENT to the new MANIFEST
//
// Until the rename in step 5, the repair only adds files; if it fails, it
// removes the tables that it added. If the machine stops in step 6 or 7, an
// open fails as soon as the MANIFEST that CURRENT names was moved, and a second
// repair finds the new MANIFEST and completes the work.
//
// A table that the MANIFEST does not list may be obsolete, such as an input of
// a compaction, which would resurrect deleted keys. Or the MANIFEST may have
// lost the edit that lists it. The repair therefore ignores such tables if the
// MANIFEST is complete and no file shows that it lost edits
// (repair_families.h). Otherwise it uses all of them, except those that an edit
// deleted and those of dropped families.
#pragma once

#include <string>
#include <vector>

#include "tamis/db.h"

namespace tamis {

struct RepairRequest {
  std::string directory;
  DBOptions options;
  std::vector<ColumnFamilyDescriptor> families;
  // The options of families that are found but not named in `families`.
  ColumnFamilyOptions unknown_family;
};
// Implements the overloads of RepairDB. Damage is no error. Returns the errors
// of the file system; Corruption if the directory has no files of a database;
// InvalidArgument if options are invalid or a comparator differs; NotSupported
// if a family needs a feature that this release lacks, or LevelDB wrote the
// directory and upgrade_leveldb is not set.
Status RepairDirectory(RepairRequest request);

}  // namespace tamis
