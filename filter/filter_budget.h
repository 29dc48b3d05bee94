// SPDX-License-Identifier: Apache-2.0
//
// Divides a budget of filter bytes among the sorted runs of a column family.
//
// An absent key is looked up in every run, so it costs as many wasted reads as
// the sum of the runs' false-positive rates p. A run of n entries takes
// n * c * log2(1 / p) bits. Under a fixed sum of bits, the sum of the rates is
// least if each p is proportional to n (Monkey, SIGMOD 2017), as long as no
// rate exceeds 1:
//
//   p = min(1, lambda * n),   lambda such that the bits add up to the budget
//
// Pure functions; any thread.
#pragma once

#include <optional>
#include <span>

#include "tamis/filter_policy.h"

namespace tamis {

// Returns lambda; infinity if the budget suffices for no filter.
// bits_per_halving is c, the bits per entry that halve a filter's rate. No rate
// is below 1 / 2^16. REQUIRES: some level has entries; bits_per_halving > 0.
double RatePerEntry(std::span<const LevelShape> levels, double budget_bits,
                    double bits_per_halving);

// Returns the rate for a run of the level; 1 if it should have no filter. If
// the level is empty, its runs are taken to be as large as those of the next
// level that is not. Returns nullopt if no level has entries.
std::optional<double> RateForLevel(std::span<const LevelShape> levels,
                                   int level, double budget_bits,
                                   double bits_per_halving);

}  // namespace tamis
