// SPDX-License-Identifier: Apache-2.0
//
// A range filter whose false-positive rate depends only on the length of the
// range, not on where the keys or the ranges are. After Costa, Ferragina and
// Vinciguerra, "Grafite: Taming Adversarial Queries with Optimal Range
// Filters", SIGMOD 2024.
//
//   key  ──▶  number x, in the order of keys (key_numbers.h)
//   code(x) = (hash(x / r) + x) mod r,   r = n * 2^w,   n different numbers
//
// Neighbouring x have neighbouring codes, except at multiples of r. The sorted
// codes are stored in Elias-Fano form, in w + 2.25 bits each. A range of L
// numbers matches with a probability of at most L / 2^w if no key is in it.
//
// Keys that differ only after what counts for x have equal numbers. A range
// between two such keys always matches. If most keys are such, Finish writes no
// filter.
#pragma once

#include "filter/range_filter.h"

namespace tamis {

const RangeFilterCodec* GrafiteCodec();

// Returns the probes of the codec's views, for tests and benchmarks.
RangeProbes GrafiteProbes();

}  // namespace tamis
