// SPDX-License-Identifier: Apache-2.0
//
// Counts for the PerfContext of the calling thread and for Statistics. A
// counter or timer that is off costs one predictable branch. util/io/file_io.h
// counts for the IOStatsContext.
#pragma once

#include <cstdint>

#include "tamis/iostats_context.h"
#include "tamis/perf_context.h"
#include "tamis/statistics.h"

#include "util/base/mutex.h"
#include "util/base/nanos_timer.h"
#include "util/stats/thread_cpu_time.h"

namespace tamis {

// constinit: otherwise each access would check for a dynamic initializer.
extern constinit thread_local PerfLevel tls_perf_level;
extern constinit thread_local PerfContext tls_perf_context;
extern constinit thread_local IOStatsContext tls_iostats_context;

inline bool PerfCounts() { return tls_perf_level >= kEnableCount; }

// Returns this thread's counters for `level`, or nullptr if counting is off or
// `level` is out of range.
inline PerfContextByLevel* PerfByLevel(int level) {
  if (!PerfCounts() || level < 0 || level >= PerfContext::kLevels ||
      !tls_perf_context.per_level_perf_context_enabled) {
    return nullptr;
  }
  return &tls_perf_context.level_to_perf_context[static_cast<size_t>(level)];
}

inline void RecordTick(Statistics* statistics, Tickers ticker,
                       uint64_t count = 1) {
  if (statistics != nullptr) statistics->recordTick(ticker, count);
}

// From the level on, adds the time of its lifetime to *counter.
class PerfTimer : public NanosTimer {
 public:
  explicit PerfTimer(uint64_t* counter,
                     PerfLevel level = kEnableTimeExceptForMutex)
      : NanosTimer(tls_perf_level >= level ? counter : nullptr) {}
};

// At kEnableTimeAndCPUTimeExceptForMutex, adds the CPU time that the thread
// uses during its lifetime to *counter.
class PerfCpuTimer {
 public:
  explicit PerfCpuTimer(uint64_t* counter)
      : counter_(tls_perf_level >= kEnableTimeAndCPUTimeExceptForMutex
                     ? counter
                     : nullptr) {
    if (counter_ != nullptr) [[unlikely]]
      start_ = ThreadCpuNanos();
  }
  ~PerfCpuTimer() {
    if (counter_ != nullptr) [[unlikely]]
      *counter_ += ThreadCpuNanos() - start_;
  }
  PerfCpuTimer(const PerfCpuTimer&) = delete;
  PerfCpuTimer& operator=(const PerfCpuTimer&) = delete;

 private:
  uint64_t* const counter_;
  uint64_t start_ = 0;
};

// At kEnableTime: the times of the PerfContext for the mutex of a database.
extern const MutexTimes kDBMutexTimes;

}  // namespace tamis

#define TAMIS_PERF_COUNT(metric, amount)                                     \
  do {                                                                       \
    if (::tamis::PerfCounts()) ::tamis::tls_perf_context.metric += (amount); \
  } while (false)

#define TAMIS_PERF_TIMER(name, metric) \
  ::tamis::PerfTimer name(&::tamis::tls_perf_context.metric)
