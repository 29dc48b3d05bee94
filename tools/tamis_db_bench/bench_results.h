// SPDX-License-Identifier: Apache-2.0
//
// The results of a benchmark that ran several times: RocksDB's lines of
// averages and medians, and the JSON that --json prints and `compare` reads:
//
//   {"tool": "tamis_db_bench", "version": "0.1.0", "date": ..., "cpu": ...,
//    "processors": 2, "seed": 301, "flags": {"num": "1000", ...},
//    "benchmarks": [
//      {"name": "readrandom", "runs": [{"operations": 1000, "seconds": ...,
//         "ops_per_second": ..., "micros_per_operation": ..., "bytes": ...,
//         "found": ..., "user_seconds": ..., "system_seconds": ...,
//         "read_bytes": ..., "written_bytes": ..., "device_read_bytes": ...,
//         "device_written_bytes": ..., "latency_micros": {"p50": ...}}],
//       "ops_per_second": {"median": ..., "mean": ..., "reach95": ...}}]}
//
// latency_micros is there with --histogram. reach95: how far the 95 %
// confidence interval of the mean reaches to either side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/process_usage.h"
#include "tools/tamis_db_bench/bench_stats.h"

namespace tamis::bench {

struct OneRun {
  Report report;
  ProcessUsage usage;
};

struct BenchResult {
  std::string name;
  std::vector<OneRun> runs;  // at least one
};

// "readrandom [AVG    3 runs] : 426439 (± 1234) ops/sec; ...", and the median;
// or "readrandom [CI95 3 runs] : (425205, 427673) ops/sec; ..." alone, as
// RocksDB's --confidence_interval_only. Empty for one run.
std::string AverageLines(const BenchResult& result, bool interval_only);

std::string ToJson(const std::vector<BenchResult>& results, uint64_t seed);

}  // namespace tamis::bench
