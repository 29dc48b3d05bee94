// SPDX-License-Identifier: Apache-2.0
//
// Counts the work of a benchmark's threads, and formats the result as RocksDB's
// line, which scripts parse. A line of its own tells what the process used.
//
//   readrandom   :       2.345 micros/op 426439 ops/sec 2.345 seconds
//                1000000 operations;   47.2 MB/s (1000000 of 1000000 found)
//   Process: 2.190 user and 0.151 system seconds of processors; by calls 0.0 MB
//                read and 0.0 MB written, by the device 0.0 MB and 0.0 MB
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/latency_histogram.h"
#include "tools/process_usage.h"

namespace tamis::bench {

// One thread counts; others may read operations() and latency() concurrently.
class ThreadStats {
 public:
  // Makes each call of Done record the time since the previous call.
  void KeepLatencies() { latency_ = std::make_unique<LatencyHistogram>(); }
  void Start() { start_ = last_ = Clock::now(); }
  void Stop() { finish_ = Clock::now(); }
  void Done(uint64_t operations, uint64_t bytes) {
    if (latency_ != nullptr) AddLatency();
    operations_.store(operations_.load(std::memory_order_relaxed) + operations,
                      std::memory_order_relaxed);
    bytes_ += bytes;
  }
  void Found() { ++found_; }
  // The next call of Done counts its time from here.
  void Intended(std::chrono::steady_clock::time_point start) { last_ = start; }
  void Message(const std::string& text) { messages_ += text; }
  // Ends the thread's work; the first message is reported.
  void Fail(const std::string& message) {
    if (error_.empty()) error_ = message;
  }

  uint64_t operations() const {
    return operations_.load(std::memory_order_relaxed);
  }
  // nullptr: not kept. Others may take snapshots of it.
  const LatencyHistogram* latency() const { return latency_.get(); }
  bool failed() const { return !error_.empty(); }

 private:
  friend class Report;
  using Clock = std::chrono::steady_clock;
  void AddLatency() {
    const Clock::time_point now = Clock::now();
    const std::chrono::nanoseconds spent = now - last_;
    latency_->Add(static_cast<uint64_t>(spent.count()));
    last_ = now;
  }

  Clock::time_point start_;
  Clock::time_point last_;
  std::unique_ptr<LatencyHistogram> latency_;  // nullptr: not kept
  Clock::time_point finish_;
  std::atomic<uint64_t> operations_{0};
  uint64_t bytes_ = 0;
  uint64_t found_ = 0;
  std::string messages_;
  std::string error_;
};

// Combines the threads of a benchmark. REQUIRES: they have finished.
class Report {
 public:
  explicit Report(std::span<const ThreadStats> threads);
  // `lookups`: adds how many keys were found.
  std::string Line(const std::string& name, bool lookups) const;
  // Returns the lines of RocksDB's --histogram, with times below a microsecond
  // as fractions, or an empty string if no thread kept latencies.
  std::string Histogram() const;
  const std::string& error() const { return error_; }
  const std::string& messages() const { return messages_; }

  double seconds() const { return seconds_; }
  double MicrosPerOperation() const;
  double OperationsPerSecond() const;
  double MegabytesPerSecond() const;
  uint64_t operations() const { return operations_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t found() const { return found_; }
  const LatencyHistogram& latency() const { return latency_; }

 private:
  double thread_seconds_ = 0;  // summed: micros/op is per thread, as in RocksDB
  double seconds_ = 0;         // from the first start to the last stop
  uint64_t operations_ = 0;
  uint64_t bytes_ = 0;
  uint64_t found_ = 0;
  LatencyHistogram latency_;
  std::string messages_;
  std::string error_;
};

std::string UsageLine(const ProcessUsage& usage);

}  // namespace tamis::bench
