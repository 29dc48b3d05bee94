// SPDX-License-Identifier: Apache-2.0
//
// What a program did in each of the intervals of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tamis/statistics.h"

#include "tools/latency_histogram.h"

namespace tamis {

struct TimelineSample {
  size_t benchmark = 0;  // samples of different ones are not merged
  double seconds = 0;    // since the first benchmark began
  double interval = 0;
  uint64_t operations = 0;  // of the interval
  LatencyHistogram latency;
  std::vector<uint64_t> level_bytes;
  std::vector<uint64_t> level_files;
  std::map<Tickers, uint64_t> tickers;  // of the interval
};

// The samples of a run of any length, in bounded memory: when there are more
// than `most`, neighbours are merged, and from then on each takes twice as
// long.
class SampleList {
 public:
  explicit SampleList(size_t most) : most_(most) {}
  void Add(TimelineSample sample);
  const std::vector<TimelineSample>& all() const { return samples_; }

 private:
  const size_t most_;
  double least_interval_ = 0;
  std::vector<TimelineSample> samples_;
};

}  // namespace tamis
