// SPDX-License-Identifier: Apache-2.0
//
// WriteRepairedManifest, then NameRepairedManifest, create the MANIFEST of a
// repair, after all tables that it lists are durable. One thread.
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

// Writes the complete MANIFEST to a scratch file and syncs it. If
// `name_database`, the MANIFEST has the database's id. Returns the errors of
// the file system.
Status WriteRepairedManifest(const DBContext& context,
                             const std::map<FamilyId, RepairFamily>& families,
                             const RepairCounters& counters,
                             bool name_database);

// Durably renames the scratch file to MANIFEST-<number>. Does not change
// CURRENT.
Status NameRepairedManifest(const DBContext& context, FileNumber number);

}  // namespace tamis
