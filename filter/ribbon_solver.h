// SPDX-License-Identifier: Apache-2.0
//
// Solves the equations of a ribbon, whose rows have 128 or 64 coefficients
// (ribbon_banding.h, ribbon64.h): Gaussian elimination, then back substitution
// from the last row to the first, portable or with AVX-512. Both have equal
// results.
//
//   row i      0 ... 0 1 c c c ... c       starts with a 1 at slot i; 0: free
//   slot i     bit j of the result, xor of the chosen slots after i in column j
//
// Which slots have a row, and the solution with zeros in the others, depend on
// the set of equations alone: the order of insertion changes neither.
//
// Row is uint64_t or Uint128. Bit k of row i chooses slot i + k.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "util/base/processor.h"
#include "util/base/uint128.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tamis {

// Shifts the lowest one to bit 0, and returns by how much. REQUIRES: not 0.
inline int RibbonNormalize(uint64_t* row) {
  const int shift = std::countr_zero(*row);
  *row >>= shift;
  return shift;
}
// Without branches on the shift, which would be at random.
inline int RibbonNormalize(Uint128* row) {
  auto low = static_cast<uint64_t>(*row);
  auto high = static_cast<uint64_t>(*row >> 64);
  int shift = 0;
  if (low == 0) {
    low = high;
    high = 0;
    shift = 64;
  }
  const int more = std::countr_zero(low);
  low = (low >> more) | ((high << 1) << (63 - more));
  *row = (Uint128{high >> more} << 64) | low;
  return shift + more;
}

// An insertion up to a border neither reads nor writes rows from there on. It
// leaves an equation that reaches them to Leave, reduced as far as that.
template <typename Equation>
struct RibbonBorder {
  bool IsReached(size_t at) const { return at >= row; }
  // Few equations get here. Inlined, the call would take registers that the
  // loop needs.
  template <typename Row>
  __attribute__((noinline)) void Leave(Row coefficients, size_t at,
                                       uint32_t result) const {
    Equation reduced{};
    reduced.coefficients = coefficients;
    reduced.start = static_cast<uint32_t>(at);
    reduced.result = result;
    beyond->push_back(reduced);
  }

  size_t row;
  std::vector<Equation>* beyond;
};
struct RibbonNoBorder {
  static constexpr bool IsReached(size_t) { return false; }
  template <typename Row>
  static void Leave(Row, size_t, uint32_t) {}
};

// Inserts equations of {coefficients, start, result} into the rows. Calls
// taken(row) for each row that gets one. Returns false if an equation
// contradicts those inserted before.
//
// Reduces three equations in turn. Each step of an equation waits for the step
// before, so three equations take little longer than one.
template <typename Equation, typename Row, typename Result, typename Taken,
          typename Border = RibbonNoBorder>
[[nodiscard]] bool RibbonInsert(std::span<const Equation> equations, Row* rows,
                                Result* results, Taken taken,
                                const Border& border = {}) {
  // An equation on its way to a free row.
  struct Reduction {
    Row coefficients = 0;
    size_t row = 0;
    uint32_t result = 0;
  };
  size_t next = 0;
  bool consistent = true;
  // Begins the next equation. Returns false if none is left, or if an equation
  // contradicted the others.
  const auto begin = [&](Reduction* reduction) {
    if (next == equations.size() || !consistent) return false;
    const Equation& equation = equations[next++];
    *reduction = {equation.coefficients, equation.start, equation.result};
    return true;
  };
  // Returns whether the reduction has ended.
  const auto step = [&](Reduction* reduction) {
    const size_t row = reduction->row;
    if (border.IsReached(row)) [[unlikely]] {
      border.Leave(reduction->coefficients, row, reduction->result);
      return true;
    }
    // The lowest bit of every row is set.
    if (static_cast<uint64_t>(rows[row]) == 0) {
      rows[row] = reduction->coefficients;
      results[row] = static_cast<Result>(reduction->result);
      taken(row);
      return true;
    }
    reduction->coefficients ^= rows[row];
    reduction->result ^= results[row];
    if (reduction->coefficients == 0) {  // linearly dependent
      if (reduction->result != 0) consistent = false;
      return true;
    }
    reduction->row +=
        static_cast<size_t>(RibbonNormalize(&reduction->coefficients));
    return false;
  };

  Reduction a;
  Reduction b;
  Reduction c;
  bool has_a = begin(&a);
  bool has_b = begin(&b);
  bool has_c = begin(&c);
  while (has_c) {  // and the others
    if (step(&a) && !begin(&a)) {
      has_a = false;
      break;
    }
    if (step(&b) && !begin(&b)) {
      has_b = false;
      break;
    }
    if (step(&c) && !begin(&c)) has_c = false;
  }
  while ((has_a || has_b || has_c) && consistent) {
    if (has_a && step(&a)) has_a = false;
    if (has_b && step(&b)) has_b = false;
    if (has_c && step(&c)) has_c = false;
  }
  return consistent;
}

// The slots of each column from a row on, as many as a row has coefficients:
// bit i of word k is slot 64 * k + i after that row. kColumnsMax is a multiple
// of 8.
template <typename Row, uint32_t kColumnsMax>
struct RibbonStates {
  static constexpr size_t kBitsOfWord = 64;
  static constexpr size_t kWords = 8 * sizeof(Row) / kBitsOfWord;

  uint64_t words[kWords][kColumnsMax] = {};
};

// Moves kColumns states, from first_column on, up by one block.
template <uint32_t kColumns, typename Row, typename Result,
          uint32_t kColumnsMax>
void RibbonSolveColumns(const Row* rows, const Result* results,
                        uint32_t first_column,
                        RibbonStates<Row, kColumnsMax>* states) {
  constexpr size_t kWords = RibbonStates<Row, kColumnsMax>::kWords;
  Row local[kColumns] = {};
  for (uint32_t i = 0; i < kColumns; ++i) {
    for (size_t k = 0; k < kWords; ++k) {
      local[i] |= Row{states->words[k][first_column + i]} << (64 * k);
    }
  }
  for (size_t row = 8 * sizeof(Row); row-- > 0;) {
    const Row chosen = rows[row];
    const uint64_t result = uint64_t{results[row]} >> first_column;
    for (uint32_t i = 0; i < kColumns; ++i) {
      const Row next = local[i] << 1;
      uint64_t folded = 0;
      for (size_t k = 0; k < kWords; ++k) {
        folded ^= static_cast<uint64_t>((next & chosen) >> (64 * k));
      }
      const auto parity = static_cast<uint64_t>(__builtin_parityll(folded));
      local[i] = next | (parity ^ ((result >> i) & 1));
    }
  }
  for (uint32_t i = 0; i < kColumns; ++i) {
    for (size_t k = 0; k < kWords; ++k) {
      states->words[k][first_column + i] =
          static_cast<uint64_t>(local[i] >> (64 * k));
    }
  }
}

// Moves the states of the first `columns` columns up by one block: as many rows
// as a row has coefficients, whose first one is *rows. Other states are
// undefined afterwards.
template <typename Row, typename Result, uint32_t kColumnsMax>
void RibbonSolvePortable(const Row* rows, const Result* results,
                         uint32_t columns,
                         RibbonStates<Row, kColumnsMax>* states) {
  uint32_t at = 0;
  for (; at + 4 <= columns; at += 4) {
    RibbonSolveColumns<4>(rows, results, at, states);
  }
  switch (columns - at) {
    case 3:
      return RibbonSolveColumns<3>(rows, results, at, states);
    case 2:
      return RibbonSolveColumns<2>(rows, results, at, states);
    case 1:
      return RibbonSolveColumns<1>(rows, results, at, states);
    default:
      return;
  }
}

#if defined(__x86_64__)

// As RibbonSolvePortable, eight columns at a time.
template <typename Row, typename Result, uint32_t kColumnsMax>
__attribute__((target("avx512f,avx512vpopcntdq"))) void RibbonSolveAvx512(
    const Row* rows, const Result* results, uint32_t columns,
    RibbonStates<Row, kColumnsMax>* states) {
  static_assert(kColumnsMax % 8 == 0);
  constexpr bool kTwoWords = sizeof(Row) == 2 * sizeof(uint64_t);
  // gcc 12 warns of its own header where a function takes no mask.
  constexpr __mmask8 kAllLanes = 255;
  const __m512i one = _mm512_set1_epi64(1);
  for (uint32_t at = 0; at < columns; at += 8) {
    const __m512i column = _mm512_add_epi64(
        _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(at));
    __m512i low = _mm512_loadu_si512(states->words[0] + at);
    __m512i high = low;
    if constexpr (kTwoWords) high = _mm512_loadu_si512(states->words[1] + at);
    for (size_t row = 8 * sizeof(Row); row-- > 0;) {
      if constexpr (kTwoWords) {
        high = _mm512_or_si512(_mm512_add_epi64(high, high),
                               _mm512_maskz_srli_epi64(kAllLanes, low, 63));
      }
      low = _mm512_add_epi64(low, low);
      __m512i chosen = _mm512_and_si512(
          low, _mm512_set1_epi64(static_cast<long long>(rows[row])));
      if constexpr (kTwoWords) {
        chosen = _mm512_xor_si512(
            chosen,
            _mm512_and_si512(high, _mm512_set1_epi64(static_cast<long long>(
                                       rows[row] >> 64))));
      }
      const __m512i result = _mm512_maskz_srlv_epi64(
          kAllLanes, _mm512_set1_epi64(results[row]), column);
      const __m512i slot =
          _mm512_xor_si512(_mm512_popcnt_epi64(chosen), result);
      low = _mm512_or_si512(low, _mm512_and_si512(slot, one));
    }
    _mm512_storeu_si512(states->words[0] + at, low);
    if constexpr (kTwoWords) _mm512_storeu_si512(states->words[1] + at, high);
  }
}

#endif

template <typename Row, typename Result, uint32_t kColumnsMax>
using RibbonSolve = void (*)(const Row* rows, const Result* results,
                             uint32_t columns,
                             RibbonStates<Row, kColumnsMax>* states);

// Returns the fastest of the above that this processor has.
template <typename Row, typename Result, uint32_t kColumnsMax>
RibbonSolve<Row, Result, kColumnsMax> FastestRibbonSolve() {
#if defined(__x86_64__)
  if (HasAvx512Popcount()) return RibbonSolveAvx512<Row, Result, kColumnsMax>;
#endif
  return RibbonSolvePortable<Row, Result, kColumnsMax>;
}

}  // namespace tamis
