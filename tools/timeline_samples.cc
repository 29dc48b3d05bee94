// SPDX-License-Identifier: Apache-2.0
#include "tools/timeline_samples.h"

#include <utility>

namespace tamis {

namespace {

void Merge(const TimelineSample& next, TimelineSample* into) {
  into->seconds = next.seconds;
  into->interval += next.interval;
  into->operations += next.operations;
  into->latency.Merge(next.latency);
  into->level_bytes = next.level_bytes;
  into->level_files = next.level_files;
  for (const auto& [ticker, count] : next.tickers) {
    into->tickers[ticker] += count;
  }
}

}  // namespace

void SampleList::Add(TimelineSample sample) {
  if (!samples_.empty() && samples_.back().benchmark == sample.benchmark &&
      samples_.back().interval < least_interval_) {
    Merge(sample, &samples_.back());
    return;
  }
  samples_.push_back(std::move(sample));
  if (samples_.size() <= most_) return;
  double seconds = 0;
  for (const TimelineSample& one : samples_) seconds += one.interval;
  least_interval_ = 2 * seconds / static_cast<double>(most_);
  std::vector<TimelineSample> merged;
  for (TimelineSample& one : samples_) {
    if (!merged.empty() && merged.back().benchmark == one.benchmark &&
        merged.back().interval + one.interval <= 1.01 * least_interval_) {
      Merge(one, &merged.back());
    } else {
      merged.push_back(std::move(one));
    }
  }
  samples_ = std::move(merged);
}

}  // namespace tamis
