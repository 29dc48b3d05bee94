// SPDX-License-Identifier: Apache-2.0
//
// Rank and select within a word: these functions count set bits, and find the
// set bit of a given rank. Baseline x86-64 has no instruction for either. The
// functions need no loop over the bits, and no branch that depends on them.
#pragma once

#include <bit>
#include <cstdint>

namespace tamis {

// How to count bits. kInstruction may be used only by functions that are
// inlined into a function with target("popcnt").
enum class BitCount { kPortable, kInstruction };

// Returns the number of set bits.
template <BitCount kCount = BitCount::kPortable>
inline uint32_t CountBits(uint64_t bits) {
  if constexpr (kCount == BitCount::kInstruction) {
    return static_cast<uint32_t>(__builtin_popcountll(bits));
  }
  bits -= (bits >> 1) & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<uint32_t>(bits * 0x0101010101010101u >> 56);
}

// Returns the number of set bits below the place. REQUIRES: place < 64.
inline uint32_t CountBitsBelow(uint64_t bits, uint32_t place) {
  return CountBits(bits & ((uint64_t{1} << place) - 1));
}

// Returns a word with the high bit of each byte set if that byte of `bytes` is
// above n. REQUIRES: n and all bytes are below 128.
inline uint64_t BytesAbove(uint64_t bytes, uint32_t n) {
  constexpr uint64_t kOnes = 0x0101010101010101u;
  return ((bytes | 0x80 * kOnes) - (n + 1) * kOnes) & (0x80 * kOnes);
}

// Returns the place of the set bit before which `skip` bits are set; 64 if
// there is none. REQUIRES: skip < 64.
inline uint32_t SelectBit(uint64_t bits, uint32_t skip) {
  constexpr uint64_t kOnes = 0x0101010101010101u;
  // The set bits up to the end of each byte.
  uint64_t sums = bits - ((bits >> 1) & 0x5555555555555555u);
  sums = (sums & 0x3333333333333333u) + ((sums >> 2) & 0x3333333333333333u);
  sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0fu) * kOnes;
  const uint64_t enough = BytesAbove(sums, skip);
  if (enough == 0) return 64;
  const auto byte = static_cast<uint32_t>(std::countr_zero(enough)) & ~7u;
  skip -= static_cast<uint32_t>(sums << 8 >> byte & 0xff);
  // Does the same for the bits of that byte, each moved to a byte of its own.
  const uint64_t apart = (bits >> byte & 0xff) * kOnes & 0x8040201008040201u;
  const uint64_t set = (apart + 0x7f * kOnes) >> 7 & kOnes;
  const uint64_t found = BytesAbove(set * kOnes, skip);
  return byte + static_cast<uint32_t>(std::countr_zero(found)) / 8;
}

}  // namespace tamis
