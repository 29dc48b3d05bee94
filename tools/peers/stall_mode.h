// SPDX-License-Identifier: Apache-2.0
//
// Measures how an engine slows down writers that write more than it can
// compact: evenly, or with long waits.
//
// One thread writes random keys as fast as it can, which measures the rate that
// the engine sustains. Then writes arrive at this rate, and at twice of it, in
// an open loop (open_loop.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/peers/engine.h"
#include "tools/peers/flat_table.h"
#include "tools/peers/workload.h"

namespace tamis::peers {

struct StallConfig {
  WorkloadConfig work;
  EngineConfig engine;
  double seconds = 60;  // of each load
  std::string folder;   // of the databases; it exists
  // Returns when no engine works in the background.
  std::function<void()> wait_until_idle;
};

// Measures one engine after the other.
FlatTable RunStall(const std::vector<std::unique_ptr<Engine>>& engines,
                   const StallConfig& config);

}  // namespace tamis::peers
