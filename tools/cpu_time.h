// SPDX-License-Identifier: Apache-2.0
//
// CPU time of the calling thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <limits>

namespace tamis {

// In ns.
inline double CpuTime() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

// Returns the least time of several rounds, divided by `per`.
template <typename Run>
double LeastCpuTime(int rounds, size_t per, Run run) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < rounds; ++i) {
    const double begin = CpuTime();
    run();
    least = std::min(least, CpuTime() - begin);
  }
  return least / static_cast<double>(per);
}

}  // namespace tamis
