// SPDX-License-Identifier: Apache-2.0
//
// Runs operations in an open loop. They arrive at times that do not depend on
// how long the previous ones took. The latency of an operation counts from its
// arrival, so a stall of the engine shows in every operation that arrives
// during the stall. A closed loop would not start these operations, and would
// see only one slow operation ("coordinated omission").
#pragma once

#include <cstdint>

#include "tools/latency_histogram.h"
#include "util/base/random.h"

namespace tamis::peers {

// Generates the arrival times of a Poisson process, with exponentially
// distributed gaps. One thread.
class PoissonArrivals {
 public:
  // REQUIRES: per_second > 0
  PoissonArrivals(double per_second, uint64_t seed)
      : mean_nanos_(1e9 / per_second), random_(seed) {}
  // Returns the next arrival, in nanoseconds from the start.
  uint64_t Next();

 private:
  const double mean_nanos_;
  Random random_;
  double now_ = 0;
};

struct OpenLoopResult {
  LatencyHistogram latency;     // nanoseconds from arrival to end
  LatencyHistogram call;        // the same from begin to end
  uint64_t finished_nanos = 0;  // the end of the last operation

  double PerSecond() const {
    return finished_nanos == 0 ? 0
                               : static_cast<double>(latency.count()) * 1e9 /
                                     static_cast<double>(finished_nanos);
  }
};

// Runs operation() once for each arrival before `end_nanos`, in the order of
// arrival and not before its arrival. Operations that are late at the end are
// run, too, unless that would be after `stop_nanos`.
//
// `arrivals` has uint64_t Next(), which never decreases. `clock` has uint64_t
// Nanos(), which counts from the start, and void WaitUntil(uint64_t nanos).
template <typename Clock, typename Arrivals, typename Operation>
OpenLoopResult RunOpenLoop(Clock& clock, Arrivals& arrivals, uint64_t end_nanos,
                           Operation&& operation,
                           uint64_t stop_nanos = UINT64_MAX) {
  OpenLoopResult result;
  for (;;) {
    const uint64_t arrival = arrivals.Next();
    if (arrival >= end_nanos || result.finished_nanos >= stop_nanos) {
      return result;
    }
    if (clock.Nanos() < arrival) clock.WaitUntil(arrival);
    const uint64_t begin = clock.Nanos();
    operation();
    result.finished_nanos = clock.Nanos();
    result.call.Add(result.finished_nanos - begin);
    result.latency.Add(result.finished_nanos - arrival);
  }
}

}  // namespace tamis::peers
