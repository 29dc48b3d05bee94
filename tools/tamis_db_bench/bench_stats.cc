// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/bench_stats.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace tamis::bench {

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
    if (error_.empty()) error_ = thread.error_;
  }
  seconds_ = std::chrono::duration<double>(last - first).count();
}

std::string Report::Line(const std::string& name, bool lookups) const {
  const auto operations =
      static_cast<double>(std::max<uint64_t>(1, operations_));
  const double seconds = std::max(seconds_, 1e-9);
  char text[256];
  int n = std::snprintf(
      text, sizeof(text),
      "%-12s : %11.3f micros/op %.0f ops/sec %.3f seconds %" PRIu64
      " operations;",
      name.c_str(), thread_seconds_ * 1e6 / operations, operations / seconds,
      seconds_, operations_);
  std::string line(text, static_cast<size_t>(n));
  if (bytes_ > 0) {
    n = std::snprintf(text, sizeof(text), " %6.1f MB/s",
                      static_cast<double>(bytes_) / 1048576.0 / seconds);
    line.append(text, static_cast<size_t>(n));
  }
  if (lookups) {
    line += " (" + std::to_string(found_) + " of " +
            std::to_string(operations_) + " found)";
  }
  return line;
}

}  // namespace tamis::bench
