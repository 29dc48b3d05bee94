// SPDX-License-Identifier: Apache-2.0
//
// Times that repeat: the same reads are timed in several rounds, in batches of
// some hundred microseconds. A batch counts with its quartiles over the rounds,
// so what disturbs a batch in some rounds (another process, an interrupt) does
// not count, and what a batch costs in each (a block that is read) does.
#pragma once

#include <cstddef>
#include <vector>

namespace tamis {

constexpr size_t kTimedBatch = 256;  // reads

struct Quartiles {
  double lower = 0;
  double median = 0;
  double upper = 0;
};

// rounds[r][b]: what batch b took in round r. The sums over the batches.
// REQUIRES: all rounds have the same number of batches
Quartiles SumOfQuartiles(const std::vector<std::vector<double>>& rounds);

}  // namespace tamis
