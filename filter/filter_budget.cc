// SPDX-License-Identifier: Apache-2.0
#include "filter/filter_budget.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "util/base/check.h"

namespace tamis {

namespace {

// The runs of a level that has entries.
struct Runs {
  size_t level;
  double count;
  double entries;  // of one run
  double weight;   // searches of one run in vain, per lookup; above 0

  // The rate is proportional to this.
  double share() const { return entries / weight; }
};

double RateFor(const Runs& runs, double rate_per_share) {
  return std::clamp(rate_per_share * runs.share(), kFilterRateMin,
                    kFilterRateMax);
}

// Returns the bits of the filters per bit of c.
double BitsOf(std::span<const Runs> runs, double rate_per_share) {
  double bits = 0;
  for (const Runs& one : runs) {
    bits += one.count * one.entries * -std::log2(RateFor(one, rate_per_share));
  }
  return bits;
}

// Returns the least rate per share with which these runs' filters take no more
// than `bits`, or infinity if there is none.
double RatePerShare(std::span<const Runs> runs, double bits) {
  // Runs ascend by share. Bits fall as the rate rises.
  const double highest = kFilterRateMax / runs.front().share();
  if (BitsOf(runs, highest) > bits) {
    return std::numeric_limits<double>::infinity();
  }
  double low = std::log2(kFilterRateMin / runs.back().share());
  double high = std::log2(highest);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (BitsOf(runs, std::exp2(middle)) <= bits ? high : low) = middle;
  }
  return std::exp2(high);
}

// Returns the rates of the runs, if the first `with` of them get filters.
std::vector<double> RatesOf(std::span<const Runs> runs, size_t with,
                            double bits) {
  std::vector<double> rates(runs.size(), 1);
  if (with == 0) return rates;
  const double rate_per_share = RatePerShare(runs.first(with), bits);
  if (std::isinf(rate_per_share)) return rates;
  for (size_t i = 0; i < with; ++i) rates[i] = RateFor(runs[i], rate_per_share);
  return rates;
}

double WastedReads(std::span<const Runs> runs,
                   const std::vector<double>& rates) {
  double sum = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    sum += runs[i].count * runs[i].weight * rates[i];
  }
  return sum;
}

// Replaces weights that are unknown or of no use: all by 1 if some are unknown
// or none is above 0. Keeps those of 0 so far above it that their shares can be
// compared.
void SettleWeights(std::vector<Runs>* runs) {
  constexpr double kLeast = 1e-6;
  const auto [least, most] =
      std::ranges::minmax_element(*runs, {}, &Runs::weight);
  const bool known = least->weight >= 0 && most->weight > 0;
  const double floor = most->weight * kLeast;
  for (Runs& one : *runs) {
    one.weight = known ? std::max(one.weight, floor) : 1;
  }
}

std::vector<Runs> RunsByShare(std::span<const LevelShape> levels) {
  std::vector<Runs> runs;
  for (size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].sorted_runs <= 0 || levels[i].entries == 0) continue;
    const double count = levels[i].sorted_runs;
    runs.push_back({.level = i,
                    .count = count,
                    .entries = static_cast<double>(levels[i].entries) / count,
                    .weight = levels[i].negative_lookups / count});
  }
  if (runs.empty()) return runs;
  SettleWeights(&runs);
  std::ranges::stable_sort(runs, {}, &Runs::share);
  return runs;
}

}  // namespace

std::vector<double> DivideFilterBudget(std::span<const LevelShape> levels,
                                       double budget_bits,
                                       double bits_per_halving) {
  TAMIS_CHECK(bits_per_halving > 0);
  const std::vector<Runs> runs = RunsByShare(levels);
  if (runs.empty()) return {};
  std::vector<double> best = RatesOf(runs, 0, 0);
  for (size_t with = 1; with <= runs.size(); ++with) {
    std::vector<double> rates =
        RatesOf(runs, with, budget_bits / bits_per_halving);
    if (WastedReads(runs, rates) < WastedReads(runs, best)) {
      best = std::move(rates);
    }
  }
  std::vector<double> by_level(levels.size(), 0);
  for (size_t i = 0; i < runs.size(); ++i) by_level[runs[i].level] = best[i];
  // The next deeper level, or else the next one above.
  for (size_t i = by_level.size() - 1; i-- > 0;) {
    if (by_level[i] == 0) by_level[i] = by_level[i + 1];
  }
  for (size_t i = 1; i < by_level.size(); ++i) {
    if (by_level[i] == 0) by_level[i] = by_level[i - 1];
  }
  return by_level;
}

}  // namespace tamis
