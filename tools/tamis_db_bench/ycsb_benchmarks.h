// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks ycsbload and ycsba to ycsbf: tools/ycsb_workload.h on a
// database, with the latencies and counters that show what filters and cache
// contribute.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tamis/db.h"
#include "tamis/perf_context.h"

#include "tools/latency_histogram.h"
#include "tools/tamis_db_bench/benchmarks.h"

namespace tamis::bench {

// Results of one thread.
struct YcsbResults {
  LatencyHistogram latency;  // of an operation
  uint64_t reads = 0;
  uint64_t found = 0;   // reads that found a value
  uint64_t absent = 0;  // reads of absent keys
  uint64_t updates = 0;
  uint64_t inserts = 0;
  uint64_t scans = 0;
  uint64_t scanned = 0;  // entries
  uint64_t read_modify_writes = 0;
  PerfContext perf;

  void Add(const YcsbResults& other);
};

// Writes the records of this thread's part.
void YcsbLoad(const ThreadContext& thread);

// Runs the workload of the name, 'a' to 'f'.
void YcsbRun(const ThreadContext& thread, char workload);

// Returns four lines: latencies, operations, cache, filters. `db`: for the size
// of its filters.
std::string YcsbReport(const std::string& name,
                       std::span<const YcsbResults> threads, DB* db);

}  // namespace tamis::bench
