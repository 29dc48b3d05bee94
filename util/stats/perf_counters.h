// SPDX-License-Identifier: Apache-2.0
//
// Counts for the PerfContext of the calling thread and for Statistics. A
// counter that is off costs one predictable branch.
#pragma once

#include <chrono>
#include <cstdint>

#include "tamis/perf_context.h"
#include "tamis/statistics.h"

namespace tamis {

// constinit: otherwise each access would check for a dynamic initializer.
extern constinit thread_local PerfLevel tls_perf_level;
extern constinit thread_local PerfContext tls_perf_context;

inline bool PerfCounts() { return tls_perf_level >= kEnableCount; }

// Returns this thread's counters for `level`, or nullptr if counting is off or
// `level` is out of range.
inline PerfContextByLevel* PerfByLevel(int level) {
  if (!PerfCounts() || level < 0 || level >= PerfContext::kLevels) {
    return nullptr;
  }
  return &tls_perf_context.level_to_perf_context[static_cast<size_t>(level)];
}

inline void RecordTick(Statistics* statistics, Tickers ticker,
                       uint64_t count = 1) {
  if (statistics != nullptr) statistics->recordTick(ticker, count);
}

// At kEnableTime, adds the time from its construction to Stop() or its
// destruction to *counter.
class PerfTimer {
 public:
  explicit PerfTimer(uint64_t* counter)
      : counter_(tls_perf_level >= kEnableTime ? counter : nullptr) {
    if (counter_ != nullptr) start_ = Now();
  }
  ~PerfTimer() { Stop(); }
  PerfTimer(const PerfTimer&) = delete;
  PerfTimer& operator=(const PerfTimer&) = delete;

  void Stop() {
    if (counter_ == nullptr) return;
    *counter_ += Now() - start_;
    counter_ = nullptr;
  }

 private:
  static uint64_t Now() {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::steady_clock::now().time_since_epoch())
            .count());
  }

  uint64_t* counter_;
  uint64_t start_ = 0;
};

}  // namespace tamis

#define TAMIS_PERF_COUNT(metric, amount)                                     \
  do {                                                                       \
    if (::tamis::PerfCounts()) ::tamis::tls_perf_context.metric += (amount); \
  } while (false)

#define TAMIS_PERF_TIMER(name, metric) \
  ::tamis::PerfTimer name(&::tamis::tls_perf_context.metric)
