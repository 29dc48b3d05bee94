// SPDX-License-Identifier: Apache-2.0
//
// Counts the stores of reads to cache lines that another thread's reads store
// to as well. These lines limit how reads scale with processors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/peers/engine.h"
#include "tools/peers/flat_table.h"
#include "tools/peers/workload.h"

namespace tamis::peers {

struct StoresConfig {
  WorkloadConfig work;  // reads: operations of each kind
  EngineConfig engine;  // its cache holds everything
  std::string folder;   // of the databases; it exists
};

// Counts for one engine after the other. REQUIRES: CanCountStores()
FlatTable RunStores(const std::vector<std::unique_ptr<Engine>>& engines,
                    const StoresConfig& config);

}  // namespace tamis::peers
