// SPDX-License-Identifier: Apache-2.0
#include "tools/mix_workload.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "util/base/random.h"

namespace tamis::mix {

double Pareto::Sample(double u) const {
  if (k == 0) return theta - sigma * std::log(u);
  return theta + sigma * (std::pow(u, -k) - 1) / k;
}

KeySampler::KeySampler(const KeyModel& model, uint64_t seed)
    : model_(model), shares_(model.ranges), order_(model.ranges) {
  std::vector<double> weights(model.ranges);
  for (uint64_t i = 0; i < model.ranges; ++i) {
    const auto x = static_cast<double>(i + 1);
    weights[i] = model.range_a * std::exp(model.range_b * x) +
                 model.range_c * std::exp(model.range_d * x);
    weights[i] = std::max(weights[i], 0.0);
  }
  double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(sum > 0) || !std::isfinite(sum)) {
    std::fill(weights.begin(), weights.end(), 1.0);
    sum = static_cast<double>(model.ranges);
  }
  double so_far = 0;
  for (uint64_t i = 0; i < model.ranges; ++i) {
    so_far += weights[i];
    shares_[i] = so_far / sum;
    order_[i] = i;
  }
  shares_.back() = 1;
  Random random(seed);
  for (uint64_t i = model.ranges; i > 1; --i) {
    std::swap(order_[i - 1], order_[random.Uniform(i)]);
  }
}

uint64_t KeySampler::Sample(double u_range, double u_key) const {
  const auto at = std::lower_bound(shares_.begin(), shares_.end(), u_range);
  const uint64_t range = order_[static_cast<size_t>(
      std::min(at, shares_.end() - 1) - shares_.begin())];
  const uint64_t begin = model_.keys / model_.ranges * range;
  // The last range has the rest.
  const uint64_t keys = range + 1 == model_.ranges
                            ? model_.keys - begin
                            : model_.keys / model_.ranges;
  if (model_.key_a == 0 || model_.key_b == 0) {
    const auto key = static_cast<uint64_t>(u_key * static_cast<double>(keys));
    return begin + std::min(key, keys - 1);
  }
  const double rank = std::pow(u_key / model_.key_a, 1 / model_.key_b);
  constexpr double kRankMax = 9e18;
  const auto whole = static_cast<uint64_t>(std::min(rank, kRankMax));
  return begin + Random(whole).Uniform(keys);
}

double SineRate::At(double seconds) const {
  return std::max(a * std::sin(b * seconds + c) + d, 1.0);
}

}  // namespace tamis::mix
