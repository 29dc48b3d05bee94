// SPDX-License-Identifier: Apache-2.0
//
// What the process uses: CPU time of all its threads, threads, memory.
#pragma once

#include <cstdint>

namespace tamis::peers {

// Returns user and system time of all threads so far, in seconds.
double CpuSeconds();

// Waits until the process uses less than a hundredth of a processor for that
// many seconds: no flush and no compaction of any engine runs then.
void WaitUntilIdle(double seconds);

}  // namespace tamis::peers
