// SPDX-License-Identifier: Apache-2.0
//
// Measures wall time, CPU time of the process, and what it writes. CPU time
// includes that of background threads, which wall time hides if processors are
// idle.
#pragma once

#include <chrono>
#include <cstdint>

#include "tools/process_usage.h"

namespace tamis::peers {

// Of one operation.
struct Cost {
  double wall = 0;  // microseconds
  double cpu = 0;
  double stored = 0;  // bytes written to storage (StoredBytes)
  double kept = 0;    // bytes of files at the end, if it may write
};

// Starts when it is constructed. One thread.
class StopWatch {
 public:
  Cost PerOperation(uint64_t operations) const {
    const std::chrono::duration<double, std::micro> wall =
        std::chrono::steady_clock::now() - start_;
    const double cpu = (CpuSeconds() - cpu_start_) * 1e6;
    const auto count = static_cast<double>(operations);
    const auto stored = static_cast<double>(StoredBytes() - stored_start_);
    return {.wall = wall.count() / count,
            .cpu = cpu / count,
            .stored = stored / count};
  }

 private:
  const uint64_t stored_start_ = StoredBytes();
  const double cpu_start_ = CpuSeconds();
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

}  // namespace tamis::peers
