// SPDX-License-Identifier: Apache-2.0
//
// How the cost of an operation grows with the number of keys, and how much more
// an engine writes, reads and keeps than its user asked for.
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

struct GrowthConfig {
  WorkloadConfig work;  // without num
  EngineConfig engine;
  std::vector<uint64_t> sizes;  // numbers of keys
  int rounds = 1;
  std::string folder;  // of the databases; it exists
  std::function<void()> wait_until_idle;
};

// Each round: each size: each engine, starting with a different one.
FlatTable RunGrowth(const std::vector<std::unique_ptr<Engine>>& engines,
                    const GrowthConfig& config);

}  // namespace tamis::peers
