// SPDX-License-Identifier: Apache-2.0
//
// Rank and select within a word: counts set bits, and finds the one of a given
// rank. Baseline x86-64 has no instruction for either; these need no loop over
// the bits.
#pragma once

#include <bit>
#include <cstdint>

namespace tamis {

// Returns the number of set bits.
inline uint32_t CountBits(uint64_t bits) {
  bits -= (bits >> 1) & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<uint32_t>(bits * 0x0101010101010101u >> 56);
}

// Returns the number of set bits below the place. REQUIRES: place < 64.
inline uint32_t CountBitsBelow(uint64_t bits, uint32_t place) {
  return CountBits(bits & ((uint64_t{1} << place) - 1));
}

// Returns the place of the set bit before which `skip` bits are set; 64 if
// there is none. REQUIRES: skip < 64.
inline uint32_t SelectBit(uint64_t bits, uint32_t skip) {
  constexpr uint64_t kOnes = 0x0101010101010101u;
  // The set bits up to the end of each byte.
  uint64_t sums = bits - ((bits >> 1) & 0x5555555555555555u);
  sums = (sums & 0x3333333333333333u) + ((sums >> 2) & 0x3333333333333333u);
  sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0fu) * kOnes;
  // A high bit for each byte where they are more than `skip`.
  const uint64_t enough =
      ((sums | 0x80 * kOnes) - (skip + 1) * kOnes) & (0x80 * kOnes);
  if (enough == 0) return 64;
  const auto byte = static_cast<uint32_t>(std::countr_zero(enough)) & ~7u;
  skip -= static_cast<uint32_t>(sums << 8 >> byte & 0xff);
  uint64_t in_byte = bits >> byte & 0xff;
  for (; skip > 0; --skip) in_byte &= in_byte - 1;
  return byte + static_cast<uint32_t>(std::countr_zero(in_byte));
}

}  // namespace tamis
