// SPDX-License-Identifier: Apache-2.0
//
// Searches for the number of keys of a filter of limited size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis {

// Returns a number n of keys for which fits(n), but not fits(n + 1); 0 if not
// fits(1). Tries no number above 2 * keys_max. fits(n) tells whether the filter
// of n keys fits.
template <typename Fits>
size_t KeysThatFitBySearch(uint64_t keys_max, Fits fits) {
  if (!fits(1)) return 0;
  uint64_t fit = 1;
  uint64_t too_many = 2;
  while (too_many < keys_max && fits(too_many)) too_many *= 2;
  while (fit + 1 < too_many) {
    const uint64_t middle = fit + (too_many - fit) / 2;
    (fits(middle) ? fit : too_many) = middle;
  }
  return fit;
}

}  // namespace tamis
