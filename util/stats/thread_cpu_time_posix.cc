// SPDX-License-Identifier: Apache-2.0
#include <ctime>

#include "util/stats/thread_cpu_time.h"

namespace tamis {

uint64_t ThreadCpuNanos() {
  struct timespec used = {};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0) return 0;
  return static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(used.tv_nsec);
}

}  // namespace tamis
