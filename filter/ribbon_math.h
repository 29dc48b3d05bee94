// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of RocksDB's Standard128 Ribbon filter: numbers of slots and
// bytes, the layout of the solution's columns, and the equation of a key. All
// of it determines bytes on disk and must not change. Pure functions; any
// thread.
//
//   slots      0 ... 127 │ 128 ... 255 │ ...          m, a multiple of 128
//   key                └──── 128 coefficients ────┘   from its start on
//
// A key's equation: the xor of the slots that its coefficients select equals
// its result. A key may have been added if this holds in all columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "util/base/check.h"
#include "util/base/uint128.h"

namespace tamis {

inline constexpr uint32_t kRibbonWidth = 128;
inline constexpr size_t kRibbonSegmentBytes = 16;
// The bits of a result. A layout never has more columns.
inline constexpr uint32_t kRibbonColumnsMax = 32;
// RocksDB's limit, so that the number of blocks fits in 24 bits.
inline constexpr uint64_t kRibbonKeysMax = 950000000;

// Returns the number n for which 1 / n is the target false-positive rate: that
// of a FastLocalBloom filter with bits_per_key. REQUIRES: 1 to 100 bits.
double RibbonOneIn(double bits_per_key);

// Returns the number of slots for num_keys keys, which increases with them.
// About 19 of 20 seeds have a solution then.
// REQUIRES: 1 to kRibbonKeysMax keys.
uint32_t RibbonSlots(uint64_t num_keys);

// Returns the bytes of the solution, without the trailer. The ideal number of
// segments is not an integer. `entropy` picks the integer below or above it (a
// small entropy the one above), so that filters of equal key counts meet the
// target on average.
uint64_t RibbonBytes(uint32_t num_slots, double one_in, uint32_t entropy);

// The first num_narrow blocks have columns - 1 columns, the others `columns`.
// The segments of a block, one per column, are adjacent.
struct RibbonLayout {
  uint32_t num_blocks;
  uint32_t columns;
  uint32_t num_narrow;

  uint32_t ColumnsOf(uint32_t block) const {
    return columns - (block < num_narrow ? 1 : 0);
  }
  uint64_t FirstSegmentOf(uint32_t block) const {
    return uint64_t{block} * columns -
           (block < num_narrow ? block : num_narrow);
  }
};
// Returns the layout of a solution of `bytes` bytes. No segment lies beyond
// them, whatever their number.
// REQUIRES: num_blocks > 0.
RibbonLayout RibbonLayoutOf(uint64_t bytes, uint32_t num_blocks);

struct RibbonEquation {
  uint32_t start;  // the first slot
  uint32_t result;
  Uint128 coefficients;  // bit i selects slot start + i; bit 0 is set
};

// Converts hashes to equations, under one of 256 seeds. A value type.
class RibbonHasher {
 public:
  // REQUIRES: num_slots >= 2 * 128.
  RibbonHasher(uint8_t seed, uint32_t num_slots)
      : mask_(MaskOf(seed)), num_starts_(num_slots - kRibbonWidth + 1) {
    TAMIS_DCHECK(num_slots >= 2 * kRibbonWidth);
  }

  uint32_t StartOf(uint64_t hash) const {
    return static_cast<uint32_t>(MultiplyHigh(Mix(hash), num_starts_));
  }

  RibbonEquation EquationOf(uint64_t hash) const {
    const uint64_t a = Mix(hash) * 0xc28f82822b650bedu;
    return {StartOf(hash), static_cast<uint32_t>(__builtin_bswap64(a)),
            (Uint128{a} << 64) | (a ^ 0xc367844a6e52731du) | 1};
  }

 private:
  static uint32_t MaskOf(uint8_t seed) {
    uint64_t mask = seed * 0xc78219a23eeadd03u;
    mask ^= (mask & 0xf0f0f0f0f0f0f0f0u) >> 4;
    return static_cast<uint32_t>(mask);
  }
  uint64_t Mix(uint64_t hash) const {
    return (hash ^ mask_) * 0x6193d459236a3a0du;
  }

  const uint32_t mask_;
  const uint32_t num_starts_;
};

}  // namespace tamis
