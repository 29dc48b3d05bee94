// SPDX-License-Identifier: Apache-2.0
//
// A range filter whose false-positive rate depends only on the length of the
// range, not on where the keys or the ranges are. After Costa, Ferragina and
// Vinciguerra, "Grafite: Taming Adversarial Queries with Optimal Range
// Filters", SIGMOD 2024.
//
//   key       │ prefix that all keys of the filter share │ x: ≤ 8 bytes │ rest
//   code(x) = (hash(x / r) + x) mod r,   r = n * 2^w,   n keys
//
// Neighbouring x have neighbouring codes, except at multiples of r. The sorted
// codes are stored in Elias-Fano form, in w + 2.25 bits each. A range of L
// values of x matches with probability of at most L / 2^w if no key is in it.
//
// Keys that differ only after the 8 bytes have equal codes. A range between two
// such keys always matches. If that holds for most neighbours, Finish writes no
// filter.
#pragma once

#include "filter/range_filter.h"

namespace tamis {

const RangeFilterCodec* GrafiteCodec();

}  // namespace tamis
