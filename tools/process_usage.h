// SPDX-License-Identifier: Apache-2.0
//
// Measures what the process uses: CPU time, threads, memory and storage.
#pragma once

#include <cstdint>

namespace tamis {

// What all threads have used so far. Bytes are 0 if the system does not count
// them.
struct ProcessUsage {
  double user_seconds = 0;
  double system_seconds = 0;
  uint64_t read_bytes = 0;     // by calls, from the page cache too
  uint64_t written_bytes = 0;  // by calls
  uint64_t device_read_bytes = 0;
  uint64_t device_written_bytes = 0;  // in whole pages; mapped ones too

  ProcessUsage Since(const ProcessUsage& before) const;
};
ProcessUsage UsageSoFar();

// Returns user and system time of all threads so far, in seconds.
double CpuSeconds();

// Returns the number of threads that the process has now.
int ThreadCount();

// Returns the memory of the process that is resident now, in bytes.
uint64_t ResidentBytes();
// Returns that part of it that is no copy of a file, as pages of code are.
uint64_t AnonymousResidentBytes();

// Returns the most memory that was resident at once.
uint64_t PeakResidentBytes();

// Returns the bytes that the process has written to storage, in whole pages.
// They include logs and tables, written or mapped, but not files in memory.
// Returns 0 if the system does not count them.
uint64_t StoredBytes();

// Waits until the process has used less than a hundredth of a processor for
// this many seconds. No flush and no compaction of any engine runs then.
void WaitUntilIdle(double seconds);

}  // namespace tamis
