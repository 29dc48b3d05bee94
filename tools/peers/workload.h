// SPDX-License-Identifier: Apache-2.0
//
// The workloads. Each depends only on the engine, uses the same keys in the
// same order for all engines, and checks the results.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peers/engine.h"

namespace tamis::peers {

struct WorkloadConfig {
  uint64_t num = 2'000'000;  // keys
  uint64_t reads = 500'000;  // of each random reading workload
  int key_size = 16;         // decimal digits
  int value_size = 100;      // half of it compressible
  uint64_t seed = 1;
};

// The database that a workload starts from, and what it leaves.
enum class Stage {
  kFillAndForget,  // a new database, deleted afterwards
  kFill,           // a new database, used by later workloads
  kSettle,         // the filled database; fully compacted afterwards
  kRead,           // the compacted database, fully cached
};

struct Workload {
  const char* name;
  Stage stage;
  const char* what;
  // Returns the number of operations.
  uint64_t (*run)(Engine& engine, const WorkloadConfig& config);
};

// In execution order. The last one, a full scan, also runs before the other
// readers.
const std::vector<Workload>& Workloads();

}  // namespace tamis::peers
