// SPDX-License-Identifier: Apache-2.0
//
// A HistogramTimer adds the time from its construction to its destruction to a
// histogram of Statistics. Without Statistics, or at a level that excludes it,
// it reads no clock.
#pragma once

#include <chrono>
#include <cstdint>

#include "tamis/statistics.h"

namespace tamis {

class HistogramTimer {
 public:
  HistogramTimer(Statistics* statistics, Histograms histogram)
      : statistics_(statistics), histogram_(histogram) {
    if (statistics_ != nullptr) [[unlikely]]
      Start();
  }
  ~HistogramTimer() {
    if (statistics_ != nullptr) [[unlikely]]
      Stop();
  }
  HistogramTimer(const HistogramTimer&) = delete;
  HistogramTimer& operator=(const HistogramTimer&) = delete;

 private:
  void Start() noexcept;
  void Stop() noexcept;

  Statistics* statistics_;  // nullptr: does nothing
  const Histograms histogram_;
  std::chrono::steady_clock::time_point start_;
};

// Adds a value to a histogram. `statistics` may be nullptr.
inline void RecordInHistogram(Statistics* statistics, Histograms histogram,
                              uint64_t value) {
  if (statistics != nullptr) statistics->recordInHistogram(histogram, value);
}

// Adds a time that was measured otherwise, if the level does not exclude it.
inline void RecordTimeToHistogram(Statistics* statistics, Histograms histogram,
                                  uint64_t time) {
  if (statistics != nullptr) {
    statistics->reportTimeToHistogram(histogram, time);
  }
}

}  // namespace tamis
