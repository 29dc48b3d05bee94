// SPDX-License-Identifier: Apache-2.0
//
// What several rounds of several engines say: medians, spread, and the ratio
// of the first engine to each of the others, round by round, so that a machine
// that slows down slows both sides of a ratio.
#pragma once

#include <string>
#include <vector>

namespace tamis::peers {

// Microseconds per operation, by engine and round.
struct Measurement {
  std::string workload;
  std::vector<std::vector<double>> micros;
};

struct Summary {
  double median = 0;
  double least = 0;
  double most = 0;
};
Summary Summarize(std::vector<double> values);

// How many times faster the first engine is than the other: the median over
// rounds, and the lower end of the 95 % confidence interval of the mean of the
// logarithms (Student's t). With one round the bound is the value itself.
struct Ratio {
  double median = 0;
  double lower95 = 0;
};
Ratio Compare(const std::vector<double>& first,
              const std::vector<double>& other);

// For people, and for programs. `settings`: what all engines were given.
std::string ToText(const std::vector<std::string>& engines,
                   const std::vector<Measurement>& measurements,
                   const std::string& settings);
std::string ToJson(const std::vector<std::string>& engines,
                   const std::vector<Measurement>& measurements,
                   const std::string& settings);

}  // namespace tamis::peers
