// SPDX-License-Identifier: Apache-2.0
//
// The counter of rows whose rounds go over many entries.
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
