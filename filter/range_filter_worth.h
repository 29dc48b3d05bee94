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
// what was asked for. A filter may take more if it excludes more: 40 bits per
// key if no key is lost, none if half of them are.
inline bool IsTooLarge(uint64_t bytes, double bits_per_key, uint64_t lost,
                       uint64_t n) {
  constexpr double kMoreBitsMax = 40;
  constexpr double kSizeSmall = 4096;  // any filter may take it
  const auto keys = static_cast<double>(n);
  const double more_bits =
      kMoreBitsMax * (1 - 2 * static_cast<double>(lost) / keys);
  return static_cast<double>(bytes) >
         (bits_per_key + more_bits) * keys / 8 + kSizeSmall;
}

}  // namespace tamis
