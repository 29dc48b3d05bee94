// SPDX-License-Identifier: Apache-2.0
//
// Writes a repair's MANIFEST, after all files that it lists; nothing refers to
// it yet.
//
// One thread.
#pragma once

#include <cstdint>
#include <map>

#include "db/repair/repair_families.h"

namespace tamis {

struct RepairCounters {
  uint64_t manifest_number = 0;
  uint64_t log_number = 0;  // tables contain everything in older logs
  uint64_t next_file_number = 0;
  SequenceNumber last_sequence = 0;
  uint32_t max_column_family = 0;
};

// Writes the complete MANIFEST as a scratch file and syncs it. `name_database`:
// includes the database's id.
Status WriteRepairedManifest(const DBContext& context,
                             const std::map<uint32_t, RepairFamily>& families,
                             const RepairCounters& counters,
                             bool name_database);

// Durably renames that file to a MANIFEST. Does not change CURRENT.
Status NameRepairedManifest(const DBContext& context, uint64_t number);

}  // namespace tamis
