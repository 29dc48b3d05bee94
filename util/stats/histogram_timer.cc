// SPDX-License-Identifier: Apache-2.0
#include "util/stats/histogram_timer.h"

#include "util/base/exceptions.h"

namespace tamis {

namespace {

bool IsDetailed(Histograms histogram) {
  return histogram == COMPRESSION_TIMES_NANOS ||
         histogram == DECOMPRESSION_TIMES_NANOS;
}

}  // namespace

void HistogramTimer::Start() noexcept {
  const StatsLevel needed =
      IsDetailed(histogram_) ? kExceptTimeForMutex : kExceptDetailedTimers;
  if (statistics_->get_stats_level() < needed) {
    statistics_ = nullptr;
  } else {
    start_ = std::chrono::steady_clock::now();
  }
}

void HistogramTimer::Stop() noexcept {
  const auto nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::steady_clock::now() - start_)
                         .count();
  const auto time =
      static_cast<uint64_t>(IsDetailed(histogram_) ? nanos : nanos / 1000);
  // A user's Statistics may throw.
  IgnoreExceptions([&] { statistics_->recordInHistogram(histogram_, time); });
}

}  // namespace tamis
