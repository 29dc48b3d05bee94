// SPDX-License-Identifier: Apache-2.0
//
// Measures the memory of a process whose engine has one budget for blocks,
// tables and memtables, and what the budget costs reads. Beside it, the same
// database with a budget that is larger by what the tables take, as if these
// were pinned beside the cache, and with a cache that holds everything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/peers/engine.h"
#include "tools/peers/flat_table.h"
#include "tools/peers/open_mode.h"
#include "tools/peers/workload.h"

namespace tamis::peers {

struct MemoryConfig {
  WorkloadConfig work;
  EngineConfig engine;     // its cache: the budget
  uint64_t tables = 2000;  // approximate
  std::string folder;      // of the databases; it exists
};

// Measures each engine in processes of its own. Leaves out engines without a
// budget. REQUIRES: as for RunOpen.
FlatTable RunMemory(const std::vector<EngineFactory>& engines,
                    const MemoryConfig& config);

}  // namespace tamis::peers
