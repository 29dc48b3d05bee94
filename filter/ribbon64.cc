// SPDX-License-Identifier: Apache-2.0
#include "filter/ribbon64.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "filter/seeded_hash.h"
#include "util/base/check.h"
#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

// An equation on its way to a free row.
struct Reduction {
  uint64_t coefficients = 0;
  size_t row = 0;
  uint32_t result = 0;
};

// Back substitution of one block, for kColumns columns from first_column on.
// Each state holds a column's 64 rows from this one on.
template <uint32_t kColumns>
void SolveColumns64(const uint64_t* coefficients, const uint16_t* results,
                    uint32_t first_column, uint64_t* states) {
  uint64_t local[kColumns];
  std::copy_n(states + first_column, kColumns, local);
  for (uint32_t row = kRibbon64Width; row-- > 0;) {
    const uint64_t chosen = coefficients[row];
    const uint64_t result = static_cast<uint64_t>(results[row]) >> first_column;
    for (uint32_t i = 0; i < kColumns; ++i) {
      const uint64_t next = local[i] << 1;
      const auto parity =
          static_cast<uint64_t>(__builtin_parityll(next & chosen));
      local[i] = next | (parity ^ ((result >> i) & 1));
    }
  }
  std::copy_n(local, kColumns, states + first_column);
}

void SolveBlock64(const uint64_t* coefficients, const uint16_t* results,
                  uint32_t columns, uint64_t* states) {
  uint32_t at = 0;
  for (; at + 4 <= columns; at += 4) {
    SolveColumns64<4>(coefficients, results, at, states);
  }
  switch (columns - at) {
    case 3:
      return SolveColumns64<3>(coefficients, results, at, states);
    case 2:
      return SolveColumns64<2>(coefficients, results, at, states);
    case 1:
      return SolveColumns64<1>(coefficients, results, at, states);
    default:
      return;
  }
}

}  // namespace

uint16_t Ribbon64ResultBits(double one_in) {
  constexpr double kUnit = kRibbon64BitUnit;
  constexpr double kMax = kRibbon64ColumnsMax;
  if (!(one_in > 2)) return kRibbon64BitUnit;
  if (one_in >= std::exp2(kMax)) return kRibbon64ColumnsMax * kRibbon64BitUnit;
  // A narrow block errs twice as often as the others.
  const double columns = std::ceil(std::log2(one_in));
  const double narrow = std::exp2(columns) / one_in - 1;
  return static_cast<uint16_t>(std::lround((columns - narrow) * kUnit));
}

double Ribbon64Layout::Rate() const {
  const double narrow = std::min(num_narrow, num_blocks - 1);
  return std::exp2(-static_cast<double>(columns)) *
         (1 + narrow / (num_blocks - 1));
}

std::span<const uint64_t> Ribbon64SeededHashes(std::span<const uint64_t> hashes,
                                               uint8_t seed,
                                               std::vector<uint64_t>* storage) {
  if (seed == 0) return hashes;
  storage->clear();
  storage->reserve(hashes.size());
  for (uint64_t hash : hashes) {
    storage->push_back(SeededHash(hash, seed));
  }
  return *storage;
}

void Ribbon64Banding::Reset(uint32_t num_rows) {
  coefficients_.assign(num_rows, 0);
  results_.assign(num_rows, 0);
}

// Reduces two equations in turn: each step of one waits for the step before, so
// that two take little longer than one.
bool Ribbon64Banding::Insert(std::span<const Ribbon64Equation> equations) {
  uint64_t* const coefficients = coefficients_.data();
  uint16_t* const results = results_.data();
  inserted_.resize(std::max(inserted_.size(), equations.size()));
  uint32_t* const inserted = inserted_.data();
  size_t num_inserted = 0;
  size_t next = 0;
  bool consistent = true;
  const auto begin = [&](Reduction* reduction) {
    if (next == equations.size()) return false;
    const Ribbon64Equation& equation = equations[next++];
    *reduction = {equation.coefficients, equation.start, equation.result};
    return true;
  };
  // Returns whether the reduction has ended.
  const auto step = [&](Reduction* reduction) {
    const size_t row = reduction->row;
    if (coefficients[row] == 0) {
      coefficients[row] = reduction->coefficients;
      results[row] = static_cast<uint16_t>(reduction->result);
      inserted[num_inserted++] = static_cast<uint32_t>(row);
      return true;
    }
    reduction->coefficients ^= coefficients[row];
    reduction->result ^= results[row];
    if (reduction->coefficients == 0) {  // linearly dependent
      if (reduction->result != 0) consistent = false;
      return true;
    }
    const int shift = std::countr_zero(reduction->coefficients);
    reduction->coefficients >>= shift;
    reduction->row = row + static_cast<size_t>(shift);
    return false;
  };

  Reduction a;
  Reduction b;
  bool has_a = begin(&a);
  bool has_b = begin(&b);
  while (has_a && has_b && consistent) {
    if (step(&a)) has_a = begin(&a);
    if (step(&b)) has_b = begin(&b);
  }
  while (has_a && consistent) {
    if (step(&a)) has_a = begin(&a);
  }
  while (has_b && consistent) {
    if (step(&b)) has_b = begin(&b);
  }
  if (consistent) return true;
  for (size_t i = 0; i < num_inserted; ++i) {
    coefficients[inserted[i]] = 0;
    results[inserted[i]] = 0;
  }
  return false;
}

void Ribbon64Banding::RandomizeFreeRows(uint64_t seed) {
  Random random(seed);
  for (size_t row = 0; row < coefficients_.size(); ++row) {
    if (coefficients_[row] == 0) {
      results_[row] = static_cast<uint16_t>(random.Next());
    }
  }
}

void Ribbon64Banding::Solve(const Ribbon64Layout& layout, char* words) const {
  TAMIS_CHECK(coefficients_.size() == layout.num_rows());
  uint64_t states[kRibbon64ColumnsMax] = {};
  for (uint32_t block = layout.num_blocks; block-- > 0;) {
    const uint32_t columns = layout.ColumnsOf(block);
    const size_t first_row = size_t{block} * kRibbon64Width;
    SolveBlock64(coefficients_.data() + first_row, results_.data() + first_row,
                 columns, states);
    char* to = words + layout.FirstWordOf(block) * kRibbon64WordBytes;
    for (uint32_t i = 0; i < columns; ++i, to += kRibbon64WordBytes) {
      EncodeFixed64(to, states[i]);
    }
  }
}

int Ribbon64PartShift(uint32_t num_starts, int shift_min) {
  constexpr uint32_t kPartsMax = 2048;
  int shift = shift_min;
  while ((num_starts - 1) >> shift >= kPartsMax) ++shift;
  return shift;
}

void Ribbon64Partition(std::span<const uint64_t> hashes, uint32_t num_starts,
                       int shift, std::vector<uint64_t>* to,
                       std::vector<uint32_t>* ends) {
  const auto part_of = [&](uint64_t hash) {
    return Ribbon64StartOf(hash, num_starts) >> shift;
  };
  // Counts of parts, then their begins, which advance to their ends.
  ends->assign(size_t{(num_starts - 1) >> shift} + 2, 0);
  for (uint64_t hash : hashes) ++(*ends)[part_of(hash) + 1];
  for (size_t i = 1; i < ends->size(); ++i) (*ends)[i] += (*ends)[i - 1];
  ends->pop_back();
  to->resize(hashes.size());
  for (uint64_t hash : hashes) (*to)[(*ends)[part_of(hash)]++] = hash;
}

}  // namespace tamis
