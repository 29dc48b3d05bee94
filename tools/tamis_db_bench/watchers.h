// SPDX-License-Identifier: Apache-2.0
//
// Threads that look at a benchmark's counters while it runs: one shows them on
// a terminal, one writes them to RocksDB's report file.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tools/tamis_db_bench/bench_stats.h"

namespace tamis::bench {

// Calls look() at intervals, from a thread of its own, until its destructor.
class Watcher {
 public:
  Watcher(std::chrono::milliseconds interval, std::function<void()> look);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  void Watch(std::chrono::milliseconds interval);

  const std::function<void()> look_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

// Shows the operations so far, if stderr is a terminal; otherwise nullptr.
std::unique_ptr<Watcher> ShowProgress(const std::string& name,
                                      const std::vector<ThreadStats>& threads);

// The file of --report_file: "secs_elapsed,interval_qps", then a line for each
// interval of every benchmark.
class IntervalReport {
 public:
  // False, with errno: the file cannot be written.
  bool Open(const std::string& path);
  // Writes lines until the Watcher ends.
  std::unique_ptr<Watcher> Watch(int seconds,
                                 const std::vector<ThreadStats>& threads);

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Closer> file_;
  uint64_t seconds_ = 0;
};

}  // namespace tamis::bench
