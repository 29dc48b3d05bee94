// SPDX-License-Identifier: Apache-2.0
//
// Measures wall time, and CPU time of the process. CPU time includes that of
// background threads, which wall time hides if processors are idle.
#pragma once

#include <chrono>
#include <cstdint>

#include "tools/process_usage.h"

namespace tamis::peers {

// Microseconds per operation.
struct Cost {
  double wall = 0;
  double cpu = 0;
};

// Starts when it is constructed. One thread.
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
