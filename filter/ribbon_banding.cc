// SPDX-License-Identifier: Apache-2.0
#include "filter/ribbon_banding.h"

#include <algorithm>
#include <bit>

#include "util/base/check.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

int TrailingZeros(Uint128 value) {
  const auto low = static_cast<uint64_t>(value);
  return low != 0 ? std::countr_zero(low)
                  : 64 + std::countr_zero(static_cast<uint64_t>(value >> 64));
}

uint32_t Parity(Uint128 value) {
  const uint64_t folded =
      static_cast<uint64_t>(value) ^ static_cast<uint64_t>(value >> 64);
  return static_cast<uint32_t>(__builtin_parityll(folded));
}

// Back substitution of one row, for kColumns columns from first_column on. Each
// state holds a column's 128 slots from this one on.
template <uint32_t kColumns>
void SolveColumns(const Uint128* coefficients, const uint32_t* results,
                  uint32_t first_column, Uint128* states) {
  Uint128 local[kColumns];
  std::copy_n(states, kColumns, local);
  for (uint32_t row = kRibbonWidth; row-- > 0;) {
    const Uint128 chosen = coefficients[row];
    const uint32_t result = results[row] >> first_column;
    for (uint32_t i = 0; i < kColumns; ++i) {
      const Uint128 next = local[i] << 1;
      local[i] = next | (Parity(next & chosen) ^ ((result >> i) & 1));
    }
  }
  std::copy_n(local, kColumns, states);
}

void SolveBlock(const Uint128* coefficients, const uint32_t* results,
                uint32_t columns, Uint128* states) {
  uint32_t at = 0;
  for (; at + 4 <= columns; at += 4) {
    SolveColumns<4>(coefficients, results, at, states + at);
  }
  for (; at < columns; ++at) {
    SolveColumns<1>(coefficients, results, at, states + at);
  }
}

}  // namespace

bool RibbonBanding::Insert(RibbonEquation equation) {
  size_t row = equation.start;
  while (coefficients_[row] != 0) {
    equation.coefficients ^= coefficients_[row];
    equation.result ^= results_[row];
    // Linearly dependent: redundant or contradictory.
    if (equation.coefficients == 0) return equation.result == 0;
    const int shift = TrailingZeros(equation.coefficients);
    row += static_cast<size_t>(shift);
    TAMIS_DCHECK(row < coefficients_.size());
    equation.coefficients >>= shift;
  }
  coefficients_[row] = equation.coefficients;
  results_[row] = equation.result;
  return true;
}

bool RibbonBanding::Solvable(std::span<const uint64_t> hashes, uint8_t seed) {
  std::ranges::fill(coefficients_, Uint128{0});
  std::ranges::fill(results_, 0);
  const RibbonHasher hasher(seed, static_cast<uint32_t>(results_.size()));
  // Prefetches rows this many keys ahead: a large table does not fit in the
  // caches.
  constexpr size_t kAhead = 16;
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) {
      const uint32_t start = hasher.StartOf(hashes[i + kAhead]);
      __builtin_prefetch(coefficients_.data() + start, 1);
      __builtin_prefetch(results_.data() + start, 1);
    }
    if (!Insert(hasher.EquationOf(hashes[i]))) return false;
  }
  return true;
}

void RibbonBanding::Solve(const RibbonLayout& layout, char* segments) const {
  TAMIS_CHECK(coefficients_.size() == size_t{layout.num_blocks} * kRibbonWidth);
  Uint128 states[kRibbonColumnsMax] = {};
  for (uint32_t block = layout.num_blocks; block-- > 0;) {
    const size_t first_row = size_t{block} * kRibbonWidth;
    const uint32_t columns = layout.ColumnsOf(block);
    TAMIS_CHECK(columns <= kRibbonColumnsMax);
    SolveBlock(coefficients_.data() + first_row, results_.data() + first_row,
               columns, states);
    char* to = segments + layout.FirstSegmentOf(block) * kRibbonSegmentBytes;
    for (uint32_t i = 0; i < columns; ++i, to += kRibbonSegmentBytes) {
      EncodeFixed64(to, static_cast<uint64_t>(states[i]));
      EncodeFixed64(to + 8, static_cast<uint64_t>(states[i] >> 64));
    }
  }
}

}  // namespace tamis
