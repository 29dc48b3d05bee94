// SPDX-License-Identifier: Apache-2.0
//
// Statistics over rounds: medians, spread, and ratios of one engine to another.
// Ratios are taken per round, so that a slow phase of the machine affects both
// sides.
#pragma once

#include <vector>

namespace tamis::peers {

struct Summary {
  double median = 0;
  double least = 0;
  double most = 0;
};
Summary Summarize(std::vector<double> values);

// How many times faster the first engine is than the other: the median over
// rounds, and the lower end of the 95 % confidence interval of the mean
// logarithm (Student's t). With one round, the bound is the value itself.
struct Ratio {
  double median = 0;
  double lower95 = 0;
};
Ratio Compare(const std::vector<double>& first,
              const std::vector<double>& other);

}  // namespace tamis::peers
