// SPDX-License-Identifier: Apache-2.0
//
// Solves the equations of a Ribbon filter: Gaussian elimination as the keys
// come, then back substitution from the last slot to the first.
//
//   row i    0 ... 0 1 c c c c ... c        a row begins with a 1 at its own
//   row i+1    0 ... 0 1 c c c ... c        slot i and spans 128 slots; a slot
//   row i+2      0 ...   (none)             without a row is free, and zero
//
// The rows depend on the order of the keys, the solution and whether there is
// one do not.
//
// One thread. 20 bytes a slot from construction to destruction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "filter/ribbon_math.h"

namespace tamis {

class RibbonBanding {
 public:
  // REQUIRES: num_slots a multiple of 128, at least 256.
  explicit RibbonBanding(uint32_t num_slots)
      : coefficients_(num_slots), results_(num_slots) {}

  // False: two keys contradict each other under this seed; try another.
  [[nodiscard]] bool Solvable(std::span<const uint64_t> hashes, uint8_t seed);

  // Writes every segment of the layout. REQUIRES: Solvable was true, and
  // 128 * layout.num_blocks slots.
  void Solve(const RibbonLayout& layout, char* segments) const;

 private:
  bool Insert(RibbonEquation equation);

  std::vector<Uint128> coefficients_;  // row i shifted down by i; 0: no row
  std::vector<uint32_t> results_;
};

}  // namespace tamis
