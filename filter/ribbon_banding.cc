// SPDX-License-Identifier: Apache-2.0
#include "filter/ribbon_banding.h"

#include <algorithm>
#include <array>

#include "filter/hash_parts.h"
#include "filter/ribbon_halves.h"
#include "filter/ribbon_solver.h"
#include "util/base/check.h"
#include "util/coding/coding.h"

namespace tamis {

bool RibbonBanding::Solvable(std::span<const uint64_t> hashes, uint8_t seed,
                             const Helpers& helpers) {
  coefficients_.assign(num_slots_, 0);
  results_.assign(num_slots_, 0);
  const RibbonHasher hasher(seed, num_slots_);
  constexpr int kPartShiftMin = 8;  // of two blocks
  const int shift = HashPartShift(num_slots_, kPartShiftMin);
  parts_.Order(hashes, (size_t{num_slots_} >> shift) + 1,
               [&](uint64_t hash) { return hasher.StartOf(hash) >> shift; });
  return RibbonInsertHalves<RibbonEquation>(
      parts_, shift, helpers,
      [&](std::span<const uint64_t> some, const auto& border) {
        return InsertHashes(hasher, some, border);
      },
      [&](std::span<const RibbonEquation> beyond) {
        return RibbonInsert(beyond, coefficients_.data(), results_.data(),
                            [](size_t /*row*/) {});
      });
}

template <typename Border>
bool RibbonBanding::InsertHashes(const RibbonHasher& hasher,
                                 std::span<const uint64_t> hashes,
                                 const Border& border) {
  std::array<RibbonEquation, 256> equations{};
  while (!hashes.empty()) {
    const size_t count = std::min(hashes.size(), equations.size());
    for (size_t i = 0; i < count; ++i) {
      equations[i] = hasher.EquationOf(hashes[i]);
    }
    if (!RibbonInsert<RibbonEquation>(
            std::span(equations).first(count), coefficients_.data(),
            results_.data(), [](size_t /*row*/) {}, border)) {
      return false;
    }
    hashes = hashes.subspan(count);
  }
  return true;
}

void RibbonBanding::Solve(const RibbonLayout& layout, char* segments) const {
  TAMIS_CHECK(coefficients_.size() == size_t{layout.num_blocks} * kRibbonWidth);
  const auto solve = FastestRibbonSolve<Uint128, uint32_t, kRibbonColumnsMax>();
  RibbonStates<Uint128, kRibbonColumnsMax> states;
  for (uint32_t block = layout.num_blocks; block-- > 0;) {
    const size_t first_row = size_t{block} * kRibbonWidth;
    const uint32_t columns = layout.ColumnsOf(block);
    TAMIS_CHECK(columns <= kRibbonColumnsMax);
    solve(coefficients_.data() + first_row, results_.data() + first_row,
          columns, &states);
    char* to = segments + layout.FirstSegmentOf(block) * kRibbonSegmentBytes;
    for (uint32_t i = 0; i < columns; ++i, to += kRibbonSegmentBytes) {
      EncodeFixed64(to, states.words[0][i]);
      EncodeFixed64(to + 8, states.words[1][i]);
    }
  }
}

}  // namespace tamis
