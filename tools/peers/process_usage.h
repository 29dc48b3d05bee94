// SPDX-License-Identifier: Apache-2.0
//
// What the process uses: CPU time of all its threads, threads, memory.
#pragma once

#include <cstdint>

namespace tamis::peers {

// Returns user and system time of all threads so far, in seconds.
double CpuSeconds();

// Returns the threads that the process has now.
int ThreadCount();

// Returns the memory of the process that is resident now, in bytes.
uint64_t ResidentBytes();

// Returns the bytes that the process has handed to storage, in whole pages:
// logs and tables, written or mapped. 0 where the system does not tell, and for
// files in memory.
uint64_t StoredBytes();

// Waits until the process uses less than a hundredth of a processor for that
// many seconds: no flush and no compaction of any engine runs then.
void WaitUntilIdle(double seconds);

}  // namespace tamis::peers
