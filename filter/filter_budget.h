// SPDX-License-Identifier: Apache-2.0
//
// Divides a budget of filter bytes among the sorted runs of a column family.
//
// A lookup that searches a run in vain wastes a read with the run's
// false-positive rate p. If w is the average number of such searches per
// lookup, a lookup wastes the sum of w * p over the runs. A run of n entries
// takes n * c * log2(1 / p) bits. Under a fixed sum of bits, the sum of the
// wasted reads is least if each p is proportional to n / w. (Monkey, SIGMOD
// 2017, assumes w = 1: absent keys only, and each run searched.) A filter that
// lets more than half of the keys pass is not worth its probe: runs that would
// need one get none. These are the ones with the largest n / w, and how many
// there are is tried out.
//
// Pure functions; any thread.
#pragma once

#include <span>
#include <vector>

#include "tamis/filter_policy.h"

namespace tamis {

// The false-positive rates that filters may be asked for. A filter that lets
// more than half of the keys pass is not worth its probe.
inline constexpr double kFilterRateMin = 1.0 / (1 << 16);
inline constexpr double kFilterRateMax = 0.5;

// Returns the rate for the runs of each level: 2^-16 to 1/2, or 1 if they
// should have no filter. An empty level gets the rate of the next level that is
// not. Returns an empty vector if no level has entries. w is negative_lookups
// of the level by its runs; 1 for all if some level's is unknown, or if all are
// 0. bits_per_halving is c, the bits per entry that halve a filter's rate.
// REQUIRES: it is above 0.
std::vector<double> DivideFilterBudget(std::span<const LevelShape> levels,
                                       double budget_bits,
                                       double bits_per_halving);

}  // namespace tamis
