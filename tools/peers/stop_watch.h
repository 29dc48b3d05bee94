// SPDX-License-Identifier: Apache-2.0
//
// Measures wall time, and CPU time of the process, beside each other. CPU time
// includes what background threads spend meanwhile, so it is also a cost that
// wall time hides where processors are idle.
#pragma once

#include <chrono>
#include <cstdint>

#include "tools/peers/process_usage.h"

namespace tamis::peers {

// Microseconds per operation.
struct Cost {
  double wall = 0;
  double cpu = 0;
};

// One thread. Starts when it is made.
class StopWatch {
 public:
  Cost PerOperation(uint64_t operations) const {
    const std::chrono::duration<double, std::micro> wall =
        std::chrono::steady_clock::now() - start_;
    const double cpu = (CpuSeconds() - cpu_start_) * 1e6;
    const auto count = static_cast<double>(operations);
    return {.wall = wall.count() / count, .cpu = cpu / count};
  }

 private:
  const double cpu_start_ = CpuSeconds();
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

}  // namespace tamis::peers
