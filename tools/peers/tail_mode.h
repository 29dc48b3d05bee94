// SPDX-License-Identifier: Apache-2.0
//
// The tail of latencies under a mixed load: one thread reads, one overwrites,
// both at rates that the engine can hold, for minutes.
//
// The capacity is measured first, with both threads as fast as they can. Then
// reads and writes arrive at a share of it, in an open loop (open_loop.h).
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
  double capacity_seconds = 30;
  double seconds = 180;
  double load = 0.8;  // share of the capacity
  // Above 0: operations per second, instead of a share of the capacity.
  double read_rate = 0;
  double write_rate = 0;
  std::string folder;  // of the databases; it exists
  std::function<void()> wait_until_idle;
};

// Runs one engine after the other.
FlatTable RunTail(const std::vector<std::unique_ptr<Engine>>& engines,
                  const TailConfig& config);

}  // namespace tamis::peers
