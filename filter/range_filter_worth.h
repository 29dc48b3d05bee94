// SPDX-License-Identifier: Apache-2.0
//
// Decides whether a range filter is worth its bytes. All codecs have the same
// thresholds.
//
// The estimate is about the keys themselves: had a key not been added, would a
// range that begins with it match? Absent keys that resemble those of the table
// match as often.
#pragma once

#include <cstdint>

namespace tamis {

// Returns whether a filter of n keys excludes enough ranges. `lost` is the
// number of keys that would match, had they not been added.
inline bool ExcludesEnough(uint64_t lost, uint64_t n) { return lost <= n / 2; }

// Returns whether a filter of n keys takes too many bytes. `bits_per_key` is
// what was asked for.
inline bool IsTooLarge(uint64_t bytes, double bits_per_key, uint64_t n) {
  constexpr double kSizeShareMax = 3;
  constexpr double kSizeSmall = 4096;  // any filter may take it
  return static_cast<double>(bytes) >
         kSizeShareMax * bits_per_key * static_cast<double>(n) / 8 + kSizeSmall;
}

}  // namespace tamis
