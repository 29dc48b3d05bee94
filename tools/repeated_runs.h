// SPDX-License-Identifier: Apache-2.0
//
// Statistics over runs of the same work: medians, spread, means, and ratios of
// one engine to another. Ratios are taken per round, so that a slow phase of
// the machine affects both sides. REQUIRES of all: at least one value.
#pragma once

#include <vector>

namespace tamis {

struct Summary {
  double median = 0;
  double least = 0;
  double most = 0;
};
Summary Summarize(std::vector<double> values);

// The mean, and how far its 95 % confidence interval (Student's t) reaches to
// either side: 0 with one value.
struct Mean {
  double value = 0;
  double reach = 0;
};
Mean MeanOf(const std::vector<double>& values);

// How many times faster the first engine is than the other: the median over
// rounds, and the lower end of the 95 % confidence interval of the mean
// logarithm (Student's t). With one round, the bound is the value itself.
struct Ratio {
  double median = 0;
  double lower95 = 0;
};
Ratio Compare(const std::vector<double>& first,
              const std::vector<double>& other);

}  // namespace tamis
