// SPDX-License-Identifier: Apache-2.0
//
// The workloads, each a function of an engine alone: the same keys, in the
// same order, whoever is asked. They check the answers they get.
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

// What a workload finds, and leaves.
enum class Stage {
  kFillAndForget,  // a new database, which goes away with it
  kFill,           // a new database, which those after it find
  kSettle,         // the database just filled; settled from then on
  kRead,           // the settled database, all cached
};

struct Workload {
  const char* name;
  Stage stage;
  const char* what;
  // Returns the number of operations done.
  uint64_t (*run)(Engine& engine, const WorkloadConfig& config);
};

// In the order in which they are run; the last one, a scan of everything, also
// before the other readers.
const std::vector<Workload>& Workloads();

}  // namespace tamis::peers
