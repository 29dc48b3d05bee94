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

// Returns whether so many of n keys are told from the others that the filter
// excludes enough. `lost` keys are not.
inline bool ExcludesEnough(uint64_t lost, uint64_t n) { return lost <= n / 2; }

// Returns whether a filter of n keys that takes `bytes`, and was to have
// `bits_per_key`, is too large for what a filter may be worth.
inline bool IsTooLarge(uint64_t bytes, double bits_per_key, uint64_t n) {
  constexpr double kSizeShareMax = 3;
  // Any filter may have so many.
  constexpr double kSizeSmall = 4096;
  return static_cast<double>(bytes) >
         kSizeShareMax * bits_per_key * static_cast<double>(n) / 8 + kSizeSmall;
}

}  // namespace tamis
