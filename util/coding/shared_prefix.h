// SPDX-License-Identifier: Apache-2.0
//
// Computes the length of the common prefix of two keys, eight bytes at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tamis/slice.h"

#include "util/coding/coding.h"

namespace tamis {

inline size_t SharedPrefixLength(const Slice& a, const Slice& b) {
  const size_t n = std::min(a.size(), b.size());
  const char* const p = a.data();
  const char* const q = b.data();
  size_t i = 0;
  for (; i + sizeof(uint64_t) <= n; i += sizeof(uint64_t)) {
    const uint64_t differing = DecodeFixed64(p + i) ^ DecodeFixed64(q + i);
    if (differing != 0) {
      return i + static_cast<size_t>(std::countr_zero(differing)) / 8;
    }
  }
  while (i < n && p[i] == q[i]) ++i;
  return i;
}

}  // namespace tamis
