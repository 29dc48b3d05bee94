// SPDX-License-Identifier: Apache-2.0
//
// Runs benchmarks one after the other on one database, and prints or keeps the
// results.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/db.h"

#include "tools/tamis_db_bench/bench_database.h"
#include "tools/tamis_db_bench/bench_results.h"
#include "tools/tamis_db_bench/benchmarks.h"
#include "tools/tamis_db_bench/timeline.h"
#include "tools/tamis_db_bench/watchers.h"
#include "tools/ycsb_workload.h"

namespace tamis::bench {

// A benchmark of the list, as RocksDB writes it: "name", or "name[X5-W2]" for
// five runs after two that are not counted.
struct Order {
  const Benchmark* benchmark = nullptr;
  int runs = 1;
  int warmups = 0;
};

struct RunnerSettings {
  std::string directory;
  Options options;  // with which the database is opened
  DatabaseKind kind;
  bool use_existing_db = false;
  bool statistics = false;     // print options.statistics with stats
  bool interval_only = false;  // of benchmarks that run several times
  bool json = false;           // print no lines, but all results at the end
  int report_interval_seconds = 0;  // 0: no report file
  std::string report_file;
  std::string report_page;             // empty: none
  std::shared_ptr<Timeline> timeline;  // of the page, else nullptr
};

class BenchRunner {
 public:
  BenchRunner(RunnerSettings settings, Settings work);

  // Runs them all. Returns an ExitCode; an error is on stderr.
  int Run(const std::vector<Order>& orders);

 private:
  Status Open(bool fresh);
  int RunOrder(const Order& order);
  // Runs the benchmark once; adds it to *result unless that is nullptr.
  int RunOnce(const Benchmark& benchmark, BenchResult* result);
  void RunThreads(const Benchmark& benchmark, size_t counted,
                  std::vector<ThreadStats>* stats,
                  std::vector<YcsbResults>* ycsb);
  void PrintRun(const Benchmark& benchmark, size_t counted,
                const std::vector<ThreadStats>& stats,
                const std::vector<YcsbResults>& ycsb, const OneRun& run);
  int PrintProperties(const Benchmark& benchmark);
  // Writes --report's page.
  Status WritePage() const;
  void Say(const std::string& text) const;

  const RunnerSettings settings_;
  const Settings work_;
  BenchDatabase db_;
  std::unique_ptr<ycsb::Records> records_;
  IntervalReport interval_report_;
  std::vector<BenchResult> results_;
  uint64_t runs_ = 0;
};

}  // namespace tamis::bench
