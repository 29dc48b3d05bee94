// SPDX-License-Identifier: Apache-2.0
//
// What opening a database costs: time, memory and threads, for an empty one and
// for those of many tables.
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

using EngineFactory = std::function<std::unique_ptr<Engine>()>;

struct OpenConfig {
  WorkloadConfig work;  // without num
  EngineConfig engine;
  std::vector<uint64_t> tables;  // approximate numbers; 0: none
  int rounds = 5;
  std::string folder;  // of the databases; it exists
};

// Each open is in a process of its own, whose memory and threads are the
// engine's. Engines that lack small tables open only empty databases. REQUIRES:
// the calling process has not opened a database, and has one thread.
FlatTable RunOpen(const std::vector<EngineFactory>& engines,
                  const OpenConfig& config);

}  // namespace tamis::peers
