// SPDX-License-Identifier: Apache-2.0
#include "filter/ribbon64.h"

#include <algorithm>
#include <cmath>

#include "filter/ribbon_solver.h"
#include "filter/seeded_hash.h"
#include "util/base/check.h"
#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {

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

bool Ribbon64Banding::Insert(std::span<const Ribbon64Equation> equations) {
  inserted_.resize(std::max(inserted_.size(), equations.size()));
  uint32_t* const inserted = inserted_.data();
  size_t num_inserted = 0;
  if (RibbonInsert(equations, coefficients_.data(), results_.data(),
                   [&](size_t row) {
                     inserted[num_inserted++] = static_cast<uint32_t>(row);
                   })) {
    return true;
  }
  for (size_t i = 0; i < num_inserted; ++i) {
    coefficients_[inserted[i]] = 0;
    results_[inserted[i]] = 0;
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

void Ribbon64Banding::Solve(const Ribbon64Layout& layout, uint32_t first_block,
                            char* words) const {
  const auto num_blocks =
      static_cast<uint32_t>(coefficients_.size() / kRibbon64Width);
  TAMIS_CHECK(coefficients_.size() % kRibbon64Width == 0);
  TAMIS_CHECK(first_block <= layout.num_blocks);
  TAMIS_CHECK(num_blocks <= layout.num_blocks - first_block);
  const auto solve =
      FastestRibbonSolve<uint64_t, uint16_t, kRibbon64ColumnsMax>();
  RibbonStates<uint64_t, kRibbon64ColumnsMax> states;
  for (uint32_t i = num_blocks; i-- > 0;) {
    const uint32_t block = first_block + i;
    const uint32_t columns = layout.ColumnsOf(block);
    const size_t first_row = size_t{i} * kRibbon64Width;
    solve(coefficients_.data() + first_row, results_.data() + first_row,
          columns, &states);
    char* to = words + layout.FirstWordOf(block) * kRibbon64WordBytes;
    for (uint32_t c = 0; c < columns; ++c, to += kRibbon64WordBytes) {
      EncodeFixed64(to, states.words[0][c]);
    }
  }
}

int Ribbon64Order(std::span<const uint64_t> hashes, uint32_t num_starts,
                  int shift_min, HashParts* parts) {
  const int shift = HashPartShift(num_starts, shift_min);
  parts->Order(hashes, size_t{(num_starts - 1) >> shift} + 1,
               [&](uint64_t hash) {
                 return Ribbon64StartOf(hash, num_starts) >> shift;
               });
  return shift;
}

}  // namespace tamis
