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
// A filter that lets more than this pass is not worth its probe.
constexpr double kRateMax = 0.5;

double RunEntries(const LevelShape& level) {
  return level.sorted_runs > 0
             ? static_cast<double>(level.entries) / level.sorted_runs
             : 0;
}

double RateFor(double run_entries, double rate_per_entry) {
  const double rate = rate_per_entry * run_entries;
  return rate > kRateMax ? 1 : std::max(rate, kRateMin);
}

double BitsOfAll(std::span<const LevelShape> levels, double rate_per_entry,
                 double bits_per_halving) {
  double bits = 0;
  for (const LevelShape& level : levels) {
    if (level.sorted_runs == 0 || level.entries == 0) continue;
    const double rate = RateFor(RunEntries(level), rate_per_entry);
    bits += static_cast<double>(level.entries) * bits_per_halving *
            std::log2(1 / rate);
  }
  return bits;
}

}  // namespace

double RatePerEntry(std::span<const LevelShape> levels, double budget_bits,
                    double bits_per_halving) {
  TAMIS_CHECK(bits_per_halving > 0);
  if (!(budget_bits > 0)) return std::numeric_limits<double>::infinity();
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0;
  for (const LevelShape& level : levels) {
    if (level.sorted_runs == 0 || level.entries == 0) continue;
    smallest = std::min(smallest, RunEntries(level));
    largest = std::max(largest, RunEntries(level));
  }
  TAMIS_CHECK(largest > 0);
  // Bits fall as lambda rises. Bisects its logarithm.
  double low = std::log2(kRateMin / largest);  // every rate is the least
  double high = std::log2(1 / smallest);       // no run has a filter
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    const bool fits =
        BitsOfAll(levels, std::exp2(middle), bits_per_halving) <= budget_bits;
    (fits ? high : low) = middle;
  }
  return std::exp2(high);
}

std::optional<double> RateForLevel(std::span<const LevelShape> levels,
                                   int level, double budget_bits,
                                   double bits_per_halving) {
  TAMIS_CHECK(level >= 0);
  // The level itself, deeper ones, then those above it.
  const size_t begin = std::min(static_cast<size_t>(level), levels.size());
  double entries = 0;
  for (size_t i = begin; i < levels.size() && entries == 0; ++i) {
    entries = RunEntries(levels[i]);
  }
  for (size_t i = begin; i > 0 && entries == 0; --i) {
    entries = RunEntries(levels[i - 1]);
  }
  if (entries == 0) return std::nullopt;
  return RateFor(entries, RatePerEntry(levels, budget_bits, bits_per_halving));
}

}  // namespace tamis
