// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/bench_stats.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "util/stats/histogram.h"

namespace tamis::bench {

namespace {
constexpr double kMegabyte = 1048576;
}  // namespace

Report::Report(std::span<const ThreadStats> threads) {
  auto first = threads[0].start_;
  auto last = threads[0].finish_;
  for (const ThreadStats& thread : threads) {
    const std::chrono::duration<double> spent = thread.finish_ - thread.start_;
    thread_seconds_ += spent.count();
    operations_ += thread.operations();
    bytes_ += thread.bytes_;
    found_ += thread.found_;
    first = std::min(first, thread.start_);
    last = std::max(last, thread.finish_);
    if (thread.latency_ != nullptr) latency_.Merge(*thread.latency_);
    messages_ += thread.messages_;
    if (error_.empty()) error_ = thread.error_;
  }
  seconds_ = std::chrono::duration<double>(last - first).count();
}

double Report::MicrosPerOperation() const {
  return thread_seconds_ * 1e6 /
         static_cast<double>(std::max<uint64_t>(1, operations_));
}

double Report::OperationsPerSecond() const {
  return static_cast<double>(operations_) / std::max(seconds_, 1e-9);
}

double Report::MegabytesPerSecond() const {
  return static_cast<double>(bytes_) / kMegabyte / std::max(seconds_, 1e-9);
}

std::string Report::Line(const std::string& name, bool lookups) const {
  char text[256];
  int n = std::snprintf(
      text, sizeof(text),
      "%-12s : %11.3f micros/op %.0f ops/sec %.3f seconds %" PRIu64
      " operations;",
      name.c_str(), MicrosPerOperation(), OperationsPerSecond(), seconds_,
      operations_);
  std::string line(text, static_cast<size_t>(n));
  if (bytes_ > 0) {
    n = std::snprintf(text, sizeof(text), " %6.1f MB/s", MegabytesPerSecond());
    line.append(text, static_cast<size_t>(n));
  }
  if (lookups) {
    line += " (" + std::to_string(found_) + " of " +
            std::to_string(operations_) + " found)";
  }
  return line;
}

std::string Report::Histogram() const {
  if (latency_.count() == 0) return "";
  const auto micros = [this](double share) {
    return latency_.QuantileMicros(share);
  };
  HistogramTotals micros_totals;
  latency_.ForEach([&](uint64_t nanos, uint64_t times) {
    micros_totals.Add(nanos / 1000, times);
  });
  char text[512];
  const int n = std::snprintf(
      text, sizeof(text),
      "Microseconds per operation:\n"
      "Count: %" PRIu64
      " Average: %.4f  StdDev: %.2f\n"
      "Min: %.3f  Median: %.4f  Max: %.3f\n"
      "Percentiles: P50: %.2f P75: %.2f P99: %.2f P99.9: %.2f P99.99: %.2f\n",
      latency_.count(), latency_.Mean() / 1e3,
      micros_totals.Summary().standard_deviation, micros(0), micros(0.5),
      static_cast<double>(latency_.most()) / 1e3, micros(0.5), micros(0.75),
      micros(0.99), micros(0.999), micros(0.9999));
  return std::string(text, static_cast<size_t>(n)) + micros_totals.Buckets();
}

std::string UsageLine(const ProcessUsage& usage) {
  const auto megabytes = [](uint64_t bytes) {
    return static_cast<double>(bytes) / kMegabyte;
  };
  char text[256];
  const int n = std::snprintf(
      text, sizeof(text),
      "Process: %.3f user and %.3f system seconds of processors; by calls %.1f "
      "MB read and %.1f MB written, by the device %.1f MB and %.1f MB\n",
      usage.user_seconds, usage.system_seconds, megabytes(usage.read_bytes),
      megabytes(usage.written_bytes), megabytes(usage.device_read_bytes),
      megabytes(usage.device_written_bytes));
  return {text, static_cast<size_t>(n)};
}

}  // namespace tamis::bench
