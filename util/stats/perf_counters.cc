// SPDX-License-Identifier: Apache-2.0
//
// The thread-local counters.
#include "util/stats/perf_counters.h"

namespace tamis {

constinit thread_local PerfLevel tls_perf_level = kEnableCount;
constinit thread_local PerfContext tls_perf_context;

void SetPerfLevel(PerfLevel level) { tls_perf_level = level; }
PerfLevel GetPerfLevel() { return tls_perf_level; }
PerfContext* get_perf_context() { return &tls_perf_context; }

}  // namespace tamis
