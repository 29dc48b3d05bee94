// SPDX-License-Identifier: Apache-2.0
//
// Inserts the equations of a ribbon in two halves at the same time, one by a
// helper. An equation of the first half that reaches the second is inserted
// when both are done: the order of insertion changes neither the solution nor
// whether it exists (ribbon_solver.h), so the bytes of a filter do not depend
// on the helpers. Without them, and for few hashes, one call inserts all.
//
//   rows    first half ──▶ │ second half ──▶
//                     └──────▶ beyond, later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter/hash_parts.h"
#include "filter/ribbon_solver.h"
#include "util/jobs/helpers.h"
#include "util/jobs/parallel_for.h"

namespace tamis {

// With fewer hashes, a helper would hardly begin before the end.
inline constexpr size_t kRibbonHalvesMin = 1u << 15;

// Calls insert_hashes(hashes, border) for all hashes of the parts, which are
// ordered by start >> shift, and then insert(equations) for those that it left
// at the border. Both return false if an equation contradicts others. Two calls
// of insert_hashes may run at once: one up to the border, and one of hashes
// from there on, which gets a RibbonNoBorder. Returns whether all returned
// true.
template <typename Equation, typename InsertHashes, typename Insert>
[[nodiscard]] bool RibbonInsertHalves(const HashParts& parts, int shift,
                                      const Helpers& helpers,
                                      InsertHashes insert_hashes,
                                      Insert insert) {
  const std::span<const uint64_t> all(parts.ordered);
  const size_t middle = parts.ends.size() / 2;
  if (!helpers.schedule || all.size() < kRibbonHalvesMin || middle == 0) {
    return insert_hashes(all, RibbonNoBorder());
  }
  const size_t in_first = parts.ends[middle - 1];
  std::vector<Equation> beyond;
  bool consistent[2] = {false, false};
  ParallelFor(helpers.runner, helpers.schedule, 2, [&](size_t half) {
    consistent[half] =
        half == 0
            ? insert_hashes(all.first(in_first),
                            RibbonBorder<Equation>{middle << shift, &beyond})
            : insert_hashes(all.subspan(in_first), RibbonNoBorder());
  });
  return consistent[0] && consistent[1] && insert(std::span(beyond));
}

}  // namespace tamis
