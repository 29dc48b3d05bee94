// SPDX-License-Identifier: Apache-2.0
#include "tools/repeated_runs.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tamis {

namespace {

// Student's t, 97.5 % quantile, by degrees of freedom, starting at 1.
constexpr double kStudentT[] = {12.706, 4.303, 3.182, 2.776, 2.571,
                                2.447,  2.365, 2.306, 2.262, 2.228};
constexpr double kNormal = 1.96;

double Quantile(size_t degrees) {
  return degrees <= std::size(kStudentT) ? kStudentT[degrees - 1] : kNormal;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

}  // namespace

Summary Summarize(std::vector<double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {.median = Median(values), .least = *least, .most = *most};
}

Mean MeanOf(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Mean mean;
  for (const double value : values) mean.value += value / count;
  if (values.size() == 1) return mean;
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean.value) * (value - mean.value);
  }
  mean.reach =
      Quantile(values.size() - 1) * std::sqrt(squares / (count - 1) / count);
  return mean;
}

Ratio Compare(const std::vector<double>& first,
              const std::vector<double>& other) {
  std::vector<double> ratios;
  std::vector<double> logarithms;
  for (size_t i = 0; i < first.size(); ++i) {
    ratios.push_back(other[i] / first[i]);
    logarithms.push_back(std::log(ratios.back()));
  }
  const Mean mean = MeanOf(logarithms);
  return {.median = Median(ratios),
          .lower95 = std::exp(mean.value - mean.reach)};
}

}  // namespace tamis
