// SPDX-License-Identifier: Apache-2.0
//
// Searches n ascending numbers in Elias-Fano form. A number is split into a
// high part and w low bits:
//
//   upper   for each value of the high part, from 0 on: a one for each number
//           with this high part, then a zero
//   lower   the low bits of each number
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

namespace tamis {

// The most numbers with the same high part that EliasFanoAny searches.
inline constexpr uint32_t kEliasFanoFew = 4;

// Returns whether a number is in [from, to], or nullopt if `upper` does not
// tell. `upper` has at least 57 bits of the upper part, starting at the first
// bit of from's high part. `i` numbers are before that bit. low(k) returns the
// low bits of number k. Malformed bits are safe.
// REQUIRES: low(k) may be called for kEliasFanoFew numbers after the last one.
//
// Does not branch on how many numbers have the high part.
template <typename Low>
__attribute__((always_inline)) inline std::optional<bool> EliasFanoAny(
    uint64_t upper, uint64_t i, uint64_t n, uint32_t low_bits, uint64_t from,
    uint64_t to, Low low) {
  const uint64_t mask = (uint64_t{1} << low_bits) - 1;
  const auto ones = static_cast<uint32_t>(std::countr_one(upper));
  if (ones > kEliasFanoFew || i + ones > n) return std::nullopt;
  bool any = false;
  for (uint32_t k = 0; k < kEliasFanoFew; ++k) {
    const bool in_range = low(i + k) - (from & mask) <= to - from;
    any |= in_range & (k < ones);
  }
  const uint64_t more = (to >> low_bits) - (from >> low_bits);
  if (any || more == 0) return any;
  // The next number has a greater high part, and may be in the range.
  if (i + ones == n) return false;
  const uint64_t next = upper >> ones;
  if (next == 0) return std::nullopt;
  const auto zeros = static_cast<uint32_t>(std::countr_zero(next));
  return zeros < more || (zeros == more && low(i + ones) <= (to & mask));
}

}  // namespace tamis
