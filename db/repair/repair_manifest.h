// SPDX-License-Identifier: Apache-2.0
//
// The MANIFEST that a repair ends with: all that it lists lies in the directory
// already, and nothing names it yet.
//
// One thread.
#pragma once

#include <cstdint>
#include <map>

#include "db/repair/repair_families.h"

namespace tamis {

struct RepairCounters {
  uint64_t manifest_number = 0;
  uint64_t log_number = 0;  // older logs hold nothing that no table has
  uint64_t next_file_number = 0;
  SequenceNumber last_sequence = 0;
  uint32_t max_column_family = 0;
};

// Writes it as a scratch file, whole and durable. `name_database`: with the
// database's id.
Status WriteRepairedManifest(const DBContext& context,
                             const std::map<uint32_t, RepairFamily>& families,
                             const RepairCounters& counters,
                             bool name_database);

// Gives that file the name of a MANIFEST, durably. CURRENT stays as it is.
Status NameRepairedManifest(const DBContext& context, uint64_t number);

}  // namespace tamis
