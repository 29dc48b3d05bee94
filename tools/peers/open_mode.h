// SPDX-License-Identifier: Apache-2.0
//
// Measures the time, memory and threads that opening a database takes, for an
// empty database and for databases with many tables.
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
  std::vector<uint64_t> tables;  // approximate; 0 means an empty database
  int rounds = 5;
  std::string folder;  // of the databases; it exists
};

// Measures each open in a process of its own, so that additional memory and
// threads are the engine's. Engines that cannot make tables of a few KiB open
// only empty databases. REQUIRES: the calling process has not opened a
// database, and has one thread.
FlatTable RunOpen(const std::vector<EngineFactory>& engines,
                  const OpenConfig& config);

}  // namespace tamis::peers
