// SPDX-License-Identifier: Apache-2.0
//
// Measures reads among many range deletions: 100,000 of them in a memtable or
// in a table, one more between any two reads, and seeks to keys that one range
// deletion hides.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/peers/engine.h"
#include "tools/peers/flat_table.h"
#include "tools/peers/workload.h"

namespace tamis::peers {

struct RangesConfig {
  WorkloadConfig work;  // reads: of each kind
  EngineConfig engine;  // its write buffer holds all
  uint64_t ranges = 100'000;
  double seconds =
      20;  // after which a kind of read ends, however many were done
  std::string folder;  // of the databases; it exists
  // Returns when no engine works in the background.
  std::function<void()> wait_until_idle;
};

// Measures one engine after the other. Leaves out engines without range
// deletions.
FlatTable RunRanges(const std::vector<std::unique_ptr<Engine>>& engines,
                    const RangesConfig& config);

}  // namespace tamis::peers
