// SPDX-License-Identifier: Apache-2.0
//
// Searches n ascending numbers in Elias-Fano form:
//
//   upper   for each value of the numbers' high part, from 0 on: a one for each
//           number that has it, then a zero
//   lower   the low bits of each number
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

namespace tamis {

// low(k) of this many numbers after the last one must be safe to call.
inline constexpr uint32_t kEliasFanoFew = 4;

// Returns whether a number is in [from, to]; nullopt if `upper`, 57 bits or
// more from the first one of from's high part on, does not tell. `i` numbers
// are before that bit. low(k) returns the low bits of number k. Any bits are
// safe.
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
  // Or the next number, whose high part is greater.
  if (i + ones == n) return false;
  const uint64_t next = upper >> ones;
  if (next == 0) return std::nullopt;
  const auto zeros = static_cast<uint32_t>(std::countr_zero(next));
  return zeros < more || (zeros == more && low(i + ones) <= (to & mask));
}

}  // namespace tamis
