// SPDX-License-Identifier: Apache-2.0
//
// What happens over time while benchmarks run, for --report: a sample every
// interval of what threads did and of the database, and when flushes,
// compactions and stalls began and ended.
//
//   threads ──operations, latencies──▶
//   database ──levels, tickers───────▶ Timeline ──▶ bench_report.h
//   listener ──jobs, stalls──────────▶
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tamis/db.h"
#include "tamis/listener.h"
#include "tamis/statistics.h"

#include "tools/svg_chart.h"
#include "tools/tamis_db_bench/bench_stats.h"
#include "tools/tamis_db_bench/watchers.h"
#include "tools/timeline_samples.h"

namespace tamis::bench {

class Timeline {
 public:
  Timeline();

  // Gets told of jobs and stalls; for DBOptions::listeners.
  std::shared_ptr<EventListener> listener() const;

  // Samples until the Watcher ends. The arguments must outlive it; `db` may be
  // nullptr.
  std::unique_ptr<Watcher> Watch(const std::string& benchmark,
                                 std::chrono::milliseconds interval,
                                 const std::vector<ThreadStats>& threads,
                                 DB* db, Statistics* statistics);
  // Takes a last sample of the benchmark that Watch was called for last.
  void End();

  // REQUIRES, for all below: no Watcher is there.
  const std::vector<TimelineSample>& samples() const { return samples_.all(); }
  const std::vector<Chart::Mark>& benchmarks() const { return benchmarks_; }
  // Of jobs and stalls; those that have not ended end now.
  std::vector<ChartBand> Bands(const std::vector<std::string>& kinds) const;

 private:
  using Clock = std::chrono::steady_clock;
  class Events;
  double Now() const;
  void Sample();

  const Clock::time_point start_;
  const std::shared_ptr<Events> events_;
  SampleList samples_{400};
  std::vector<Chart::Mark> benchmarks_;

  // Of the benchmark that runs.
  const std::vector<ThreadStats>* threads_ = nullptr;
  DB* db_ = nullptr;
  Statistics* statistics_ = nullptr;
  double last_seconds_ = 0;
  uint64_t last_operations_ = 0;
  std::vector<LatencyHistogram> last_latencies_;
  std::map<Tickers, uint64_t> last_tickers_;
};

}  // namespace tamis::bench
