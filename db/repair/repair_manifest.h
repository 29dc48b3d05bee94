// SPDX-License-Identifier: Apache-2.0
//
// Writes a repair's MANIFEST, after all files that it lists; nothing refers to
// it yet.
//
// One thread.
#pragma once

#include <cstdint>
#include <map>

#include "db/base/numbers.h"
#include "db/repair/repair_families.h"

namespace tamis {

struct RepairCounters {
  FileNumber manifest_number;
  FileNumber log_number;  // tables contain everything in older logs
  FileNumber next_file_number;
  SequenceNumber last_sequence = 0;
  FamilyId max_column_family;
};

// Writes the complete MANIFEST as a scratch file and syncs it. `name_database`:
// includes the database's id.
Status WriteRepairedManifest(const DBContext& context,
                             const std::map<FamilyId, RepairFamily>& families,
                             const RepairCounters& counters,
                             bool name_database);

// Durably renames that file to a MANIFEST. Does not change CURRENT.
Status NameRepairedManifest(const DBContext& context, FileNumber number);

}  // namespace tamis
