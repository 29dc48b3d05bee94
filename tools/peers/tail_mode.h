// SPDX-License-Identifier: Apache-2.0
//
// Measures the tail of latencies under a mixed load. For minutes, one thread
// reads and one overwrites, at rates that the engine can sustain.
//
// First, both threads work as fast as they can, which measures the capacity.
// Then reads and writes arrive at a share of it, in an open loop (open_loop.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/peers/engine.h"
#include "tools/peers/flat_table.h"
#include "tools/peers/workload.h"

namespace tamis::peers {

struct TailConfig {
  WorkloadConfig work;
  EngineConfig engine;
  double capacity_seconds = 600;
  double seconds = 180;
  double load = 0.8;  // share of the capacity
  // If above 0, operations per second instead of a share of the capacity.
  double read_rate = 0;
  double write_rate = 0;
  std::string folder;  // of the databases; it exists
  // Returns when no engine works in the background.
  std::function<void()> wait_until_idle;
};

// Measures one engine after the other.
FlatTable RunTail(const std::vector<std::unique_ptr<Engine>>& engines,
                  const TailConfig& config);

}  // namespace tamis::peers
