// SPDX-License-Identifier: Apache-2.0
#include "filter/filter_budget.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "util/base/check.h"

namespace tamis {

namespace {

constexpr double kRateMin = 1.0 / (1 << 16);
constexpr double kRateMax = 0.5;

// The runs of a level that has entries.
struct Runs {
  size_t level;
  double count;
  double entries;  // of one run
};

double RateFor(const Runs& runs, double rate_per_entry) {
  return std::clamp(rate_per_entry * runs.entries, kRateMin, kRateMax);
}

// Returns the bits of the filters per bit of c.
double BitsOf(std::span<const Runs> runs, double rate_per_entry) {
  double bits = 0;
  for (const Runs& one : runs) {
    bits += one.count * one.entries * -std::log2(RateFor(one, rate_per_entry));
  }
  return bits;
}

// Returns the least rate per entry with which these runs' filters take no more
// than `bits`, or infinity if there is none.
double RatePerEntry(std::span<const Runs> runs, double bits) {
  // Runs ascend by size. Bits fall as the rate rises.
  const double highest = kRateMax / runs.front().entries;
  if (BitsOf(runs, highest) > bits) {
    return std::numeric_limits<double>::infinity();
  }
  double low = std::log2(kRateMin / runs.back().entries);
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
  const double rate_per_entry = RatePerEntry(runs.first(with), bits);
  if (std::isinf(rate_per_entry)) return rates;
  for (size_t i = 0; i < with; ++i) rates[i] = RateFor(runs[i], rate_per_entry);
  return rates;
}

double WastedReads(std::span<const Runs> runs,
                   const std::vector<double>& rates) {
  double sum = 0;
  for (size_t i = 0; i < runs.size(); ++i) sum += runs[i].count * rates[i];
  return sum;
}

std::vector<Runs> RunsBySize(std::span<const LevelShape> levels) {
  std::vector<Runs> runs;
  for (size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].sorted_runs <= 0 || levels[i].entries == 0) continue;
    const double count = levels[i].sorted_runs;
    runs.push_back({.level = i,
                    .count = count,
                    .entries = static_cast<double>(levels[i].entries) / count});
  }
  std::ranges::stable_sort(runs, {}, &Runs::entries);
  return runs;
}

}  // namespace

std::vector<double> DivideFilterBudget(std::span<const LevelShape> levels,
                                       double budget_bits,
                                       double bits_per_halving) {
  TAMIS_CHECK(bits_per_halving > 0);
  const std::vector<Runs> runs = RunsBySize(levels);
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
