// SPDX-License-Identifier: Apache-2.0
//
// The thread-local counters.
#include "util/stats/perf_counters.h"

namespace tamis {

constinit thread_local PerfLevel tls_perf_level = kEnableCount;
constinit thread_local PerfContext tls_perf_context;
constinit thread_local IOStatsContext tls_iostats_context;

constinit const MutexTimes kDBMutexTimes = {
    .locking =
        [] {
          return tls_perf_level >= kEnableTime
                     ? &tls_perf_context.db_mutex_lock_nanos
                     : nullptr;
        },
    .waiting =
        [] {
          return tls_perf_level >= kEnableTime
                     ? &tls_perf_context.db_condition_wait_nanos
                     : nullptr;
        },
};

void SetPerfLevel(PerfLevel level) {
  if (level > kUninitialized && level < kOutOfBounds) tls_perf_level = level;
}
PerfLevel GetPerfLevel() { return tls_perf_level; }
PerfContext* get_perf_context() { return &tls_perf_context; }
IOStatsContext* get_iostats_context() { return &tls_iostats_context; }

}  // namespace tamis
