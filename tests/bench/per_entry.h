// SPDX-License-Identifier: Apache-2.0
//
// Reports the time per entry of benchmarks whose rounds process many entries.
#pragma once

#include <cstddef>

#include <benchmark/benchmark.h>

namespace tamis {

// Time an entry, however many a round has.
inline void ReportPerEntry(benchmark::State& state, size_t entries) {
  state.counters["per_entry"] =
      benchmark::Counter(static_cast<double>(entries),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}

}  // namespace tamis
