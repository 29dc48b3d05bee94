// SPDX-License-Identifier: Apache-2.0
#include "tools/tour_timing.h"

#include <algorithm>

namespace tamis {

Quartiles SumOfQuartiles(const std::vector<std::vector<double>>& rounds) {
  Quartiles sum;
  if (rounds.empty()) return sum;
  const size_t last = rounds.size() - 1;
  for (size_t batch = 0; batch < rounds[0].size(); batch++) {
    std::vector<double> times;
    for (const std::vector<double>& round : rounds) {
      times.push_back(round[batch]);
    }
    std::sort(times.begin(), times.end());
    sum.lower += times[last / 4];
    sum.median += times[last / 2];
    sum.upper += times[last - last / 4];
  }
  return sum;
}

}  // namespace tamis
