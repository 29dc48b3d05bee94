// SPDX-License-Identifier: Apache-2.0
//
// Measures how the cost of an operation grows with the number of keys, and the
// write, read and space amplification of an engine.
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
  // Returns when no engine works in the background.
  std::function<void()> wait_until_idle;
};

// Measures every engine with every size, in each round. Each round starts with
// a different engine.
FlatTable RunGrowth(const std::vector<std::unique_ptr<Engine>>& engines,
                    const GrowthConfig& config);

}  // namespace tamis::peers
