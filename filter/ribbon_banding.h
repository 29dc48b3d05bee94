// SPDX-License-Identifier: Apache-2.0
//
// Solves the equations of a Ribbon filter (ribbon_math.h) by ribbon_solver.h.
//
//   row i    0 ... 0 1 c c c c ... c        row i starts with a 1 at slot i and
//   row i+1    0 ... 0 1 c c c ... c        spans 128 slots; a slot without a
//   row i+2      0 ...   (none)             row is free, and set to zero
//
// The order of the keys changes the rows, but neither the solution nor whether
// it exists. Keys are inserted by where they start, so that the rows in use
// stay in a cache.
//
// Takes 20 bytes of memory per slot and 8 per key. One thread; Solvable also
// uses a helper's.
// Calls: Solvable* Solve
#pragma once

#include <cstdint>
#include <span>

#include "filter/hash_parts.h"
#include "filter/ribbon_math.h"
#include "filter/ribbon_solver.h"
#include "util/base/huge_page_allocator.h"
#include "util/jobs/helpers.h"

namespace tamis {

class RibbonBanding {
 public:
  // REQUIRES: num_slots a multiple of 128, at least 256.
  explicit RibbonBanding(uint32_t num_slots) : num_slots_(num_slots) {}

  // Replaces the rows by those of the hashes. Returns false if the equations
  // contradict each other, so that the caller should try another seed. A helper
  // may insert half of them.
  [[nodiscard]] bool Solvable(std::span<const uint64_t> hashes, uint8_t seed,
                              const Helpers& helpers = {});

  // Writes all segments of the layout. REQUIRES: the last Solvable returned
  // true; there are 128 * layout.num_blocks slots.
  void Solve(const RibbonLayout& layout, char* segments) const;

 private:
  // Two calls may run at once: one up to a border, the other from it on.
  template <typename Border>
  bool InsertHashes(const RibbonHasher& hasher,
                    std::span<const uint64_t> hashes, const Border& border);

  const uint32_t num_slots_;
  HashParts parts_;
  HugePageVector<Uint128> coefficients_;  // row i shifted down by i; 0: no row
  HugePageVector<uint32_t> results_;
};

}  // namespace tamis
