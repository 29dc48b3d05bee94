// SPDX-License-Identifier: Apache-2.0
//
// What BumpedRibbon and HomogeneousRibbon share: a ribbon of width 64 (P. C.
// Dillinger, S. Walzer, "Ribbon filter: practically smaller than Bloom and
// Xor", 2021), stored in columns.
//
//   rows     0 ... 63 │ 64 ... 127 │ ...        blocks of 64 rows
//   key         └─ 64 coefficients ─┘           from its start; the first is 1
//   block    u64 column 0 │ u64 column 1 │ ...  bit i of a word: row i
//
// A key's equation: in each column, the xor of the rows that its coefficients
// select equals one bit of its result. Keys start in every block but the last,
// so that all 64 rows of a key lie in its block and the next one.
//
// The first blocks have one column less than the others if the bits of result
// are not whole. All of this determines bytes on disk and must not change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter/hash_parts.h"
#include "filter/ribbon_solver.h"
#include "util/base/check.h"
#include "util/base/huge_page_allocator.h"
#include "util/base/uint128.h"

namespace tamis {

inline constexpr uint32_t kRibbon64Width = 64;
inline constexpr size_t kRibbon64WordBytes = 8;
inline constexpr uint32_t kRibbon64ColumnsMax = 16;

// Bits of result, r, are in units of 1/256, here and in the trailer.
inline constexpr uint32_t kRibbon64BitUnit = 256;

// Returns r for a false-positive rate of 1 / one_in, from 1 to 16 bits.
uint16_t Ribbon64ResultBits(double one_in);
inline bool IsRibbon64ResultBits(uint32_t result_bits) {
  return result_bits >= kRibbon64BitUnit &&
         result_bits <= kRibbon64ColumnsMax * kRibbon64BitUnit;
}

struct Ribbon64Layout {
  uint32_t num_blocks;  // at least 2
  uint32_t num_narrow;  // blocks with columns - 1 columns; less than num_blocks
  uint32_t columns;     // 1 to 16

  uint32_t num_rows() const { return num_blocks * kRibbon64Width; }
  uint32_t num_starts() const { return (num_blocks - 1) * kRibbon64Width; }
  uint64_t num_words() const { return FirstWordOf(num_blocks); }
  // No branches below: a probe's block is narrow or not at random.
  uint32_t ColumnsOf(uint32_t block) const {
    return columns + static_cast<uint32_t>(NarrowMask(block));
  }
  uint64_t FirstWordOf(uint32_t block) const {
    const uint64_t narrow_before =
        num_narrow + ((uint64_t{block} - num_narrow) & NarrowMask(block));
    return uint64_t{block} * columns - narrow_before;
  }
  // Returns the probability that an absent key passes all columns.
  double Rate() const;

 private:
  // Returns all ones for a narrow block, otherwise 0.
  uint64_t NarrowMask(uint32_t block) const {
    return uint64_t{0} - ((uint64_t{block} - num_narrow) >> 63);
  }
};
// REQUIRES: num_blocks >= 2, IsRibbon64ResultBits(result_bits).
inline Ribbon64Layout Ribbon64LayoutOf(uint32_t num_blocks,
                                       uint32_t result_bits) {
  TAMIS_DCHECK(num_blocks >= 2);
  TAMIS_DCHECK(IsRibbon64ResultBits(result_bits));
  const uint32_t columns =
      (result_bits + kRibbon64BitUnit - 1) / kRibbon64BitUnit;
  const uint32_t share = columns * kRibbon64BitUnit - result_bits;
  const uint64_t narrow =
      (uint64_t{num_blocks - 1} * share + kRibbon64BitUnit / 2) /
      kRibbon64BitUnit;
  return {num_blocks, static_cast<uint32_t>(narrow), columns};
}

// Returns the hashes, or their seeded ones in *storage.
std::span<const uint64_t> Ribbon64SeededHashes(std::span<const uint64_t> hashes,
                                               uint8_t seed,
                                               std::vector<uint64_t>* storage);

struct Ribbon64Equation {
  uint64_t coefficients;  // bit i selects row start + i; bit 0 is set
  uint32_t start;
  uint32_t result;  // bit i is that of column i; 16 bits
};
// Increases with the hash.
inline uint32_t Ribbon64StartOf(uint64_t hash, uint32_t num_starts) {
  return static_cast<uint32_t>(MultiplyHigh(hash, num_starts));
}
inline uint64_t Ribbon64CoefficientsOf(uint64_t hash) {
  const uint64_t product = hash * 0xd6e8feb86659fd93u;
  return (product ^ (product >> 29)) | 1;
}
inline uint32_t Ribbon64ResultOf(uint64_t hash) {
  return static_cast<uint32_t>((hash * 0x9fb21c651e98df25u) >> 48);
}

// Solves equations by ribbon_solver.h. The order of insertion changes neither
// the solution nor whether it exists.
//
// Takes 10 bytes of memory per row. One thread, unless stated otherwise. Calls:
// (Reset {Insert | InsertConsistent}* [RandomizeFreeRows] Solve)*
class Ribbon64Banding {
 public:
  // Removes all equations.
  void Reset(uint32_t num_rows);

  // Inserts all equations, or none if they contradict each other or those
  // inserted before; then returns false. REQUIRES: start + 64 <= num_rows.
  [[nodiscard]] bool Insert(std::span<const Ribbon64Equation> equations);

  // Inserts equations whose results are 0, which never contradict others. Two
  // calls may run at once: one up to a border, the other with equations from
  // its row on. Border: RibbonBorder or RibbonNoBorder. REQUIRES: no row from
  // num_rows on is selected.
  template <typename Border = RibbonNoBorder>
  void InsertConsistent(std::span<const Ribbon64Equation> equations,
                        const Border& border = {}) {
    TAMIS_CHECK(RibbonInsert(
        equations, coefficients_.data(), results_.data(), [](size_t) {},
        border));
  }

  // Sets the rows that no equation determines to random bits of the seed; they
  // would be zero.
  void RandomizeFreeRows(uint64_t seed);

  // Writes the words of the layout's blocks from first_block on, one for each
  // 64 rows, which the equations are of. REQUIRES: it has these blocks.
  void Solve(const Ribbon64Layout& layout, uint32_t first_block,
             char* words) const;

 private:
  HugePageVector<uint64_t> coefficients_;  // row i shifted down by i; 0: free
  HugePageVector<uint16_t> results_;
  std::vector<uint32_t> inserted_;  // rows of the equations of this Insert
};

// Orders the hashes by start >> shift, and returns the shift, at least
// shift_min.
int Ribbon64Order(std::span<const uint64_t> hashes, uint32_t num_starts,
                  int shift_min, HashParts* parts);

}  // namespace tamis
