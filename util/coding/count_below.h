// SPDX-License-Identifier: Apache-2.0
//
// A binary search without branches on the numbers that it compares, which would
// be mispredicted half of the time. The sum is written with a mask because
// compilers turn a conditional expression into a branch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "util/coding/coding.h"

namespace tamis {

// Returns how many of n ascending numbers, stored one after another from
// `numbers` on, are below `bound`.
template <typename Number>
uint32_t CountBelow(const char* numbers, uint32_t n, uint64_t bound) {
  const auto below = [numbers, bound](uint32_t i) {
    const char* const at = numbers + size_t{i} * sizeof(Number);
    return static_cast<uint32_t>(LoadFixed<Number>(at) < bound);
  };
  if (n == 0) return 0;
  uint32_t first = 0;  // those before it are below the bound
  while (n > 1) {
    const uint32_t half = n / 2;
    first += half & (0U - below(first + half - 1));
    n -= half;
  }
  return first + below(first);
}

inline uint32_t CountBelow(const uint64_t* numbers, uint32_t n,
                           uint64_t bound) {
  return CountBelow<uint64_t>(reinterpret_cast<const char*>(numbers), n, bound);
}

}  // namespace tamis
