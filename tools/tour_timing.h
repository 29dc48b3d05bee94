// SPDX-License-Identifier: Apache-2.0
//
// Repeatable timing. The same reads are timed in several rounds, in batches of
// some hundred microseconds. Each batch is represented by its quartiles over
// the rounds. Disturbances in some rounds (another process, an interrupt) thus
// do not count; costs in every round (a block read) do.
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

// rounds[r][b]: time of batch b in round r. Returns the sums over batches.
// REQUIRES: all rounds have the same number of batches.
Quartiles SumOfQuartiles(const std::vector<std::vector<double>>& rounds);

}  // namespace tamis
