// SPDX-License-Identifier: Apache-2.0
//
// Divides a budget of filter bytes among the sorted runs of a column family.
//
// An absent key is looked up in every run, so it costs as many wasted reads as
// the sum of the runs' false-positive rates p. A run of n entries takes
// n * c * log2(1 / p) bits. Under a fixed sum of bits, the sum of the rates is
// least if each p is proportional to n (Monkey, SIGMOD 2017). A filter that
// lets more than half of the keys pass is not worth its probe: runs that would
// need one get none. These are the largest, and how many there are is tried
// out.
//
// Pure functions; any thread.
#pragma once

#include <span>
#include <vector>

#include "tamis/filter_policy.h"

namespace tamis {

// Returns the rate for the runs of each level: 2^-16 to 1/2, or 1 if they
// should have no filter. An empty level gets the rate of the next level that is
// not. Returns an empty vector if no level has entries. bits_per_halving is c,
// the bits per entry that halve a filter's rate. REQUIRES: it is above 0.
std::vector<double> DivideFilterBudget(std::span<const LevelShape> levels,
                                       double budget_bits,
                                       double bits_per_halving);

}  // namespace tamis
