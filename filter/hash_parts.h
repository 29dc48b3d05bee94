// SPDX-License-Identifier: Apache-2.0
//
// Orders the hashes of a filter by the part of the filter that their keys use,
// so that a builder has one part after another in the caches. One counting
// sort, over so few parts that all of them can be written to at once.
//
//   hashes    c2 a0 b4 a7 c1 b9    part_of: the letter
//   ordered   a0 a7 b4 b9 c2 c1
//   ends           2     4     6
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "util/base/huge_page_allocator.h"

namespace tamis {

inline constexpr uint32_t kHashPartsMax = 2048;

// Returns the smallest shift, at least shift_min, for which n >> shift takes at
// most kHashPartsMax values, as n goes from 0 to num_values - 1.
inline int HashPartShift(uint32_t num_values, int shift_min) {
  int shift = shift_min;
  while ((num_values - 1) >> shift >= kHashPartsMax) ++shift;
  return shift;
}

// Hashes by part, in a part as they came.
struct HashParts {
  // Returns the hashes as one part.
  static HashParts One(std::span<const uint64_t> hashes) {
    return {{hashes.begin(), hashes.end()},
            {static_cast<uint32_t>(hashes.size())}};
  }
  // part_of(hash) returns a number below num_parts.
  // REQUIRES: fewer than 2^32 hashes.
  template <typename PartOf>
  void Order(std::span<const uint64_t> hashes, size_t num_parts,
             PartOf part_of) {
    // Counts of parts, then their begins, which advance to their ends.
    ends.assign(num_parts + 1, 0);
    for (const uint64_t hash : hashes) ++ends[part_of(hash) + 1];
    for (size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
    ends.pop_back();
    ordered.resize(hashes.size());
    for (const uint64_t hash : hashes) ordered[ends[part_of(hash)]++] = hash;
  }

  std::span<const uint64_t> part(size_t i) const {
    const size_t begin = i == 0 ? 0 : ends[i - 1];
    return {ordered.data() + begin, ends[i] - begin};
  }

  HugePageVector<uint64_t> ordered;
  std::vector<uint32_t> ends;  // of each part, in `ordered`
};

}  // namespace tamis
