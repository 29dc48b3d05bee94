// SPDX-License-Identifier: Apache-2.0
//
// What the probes of ribbons of width 128 and 64 share (ribbon.cc,
// ribbon64_probe.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/filter_codec.h"
#include "util/base/processor.h"

namespace tamis {

// Returns whether, in every column, the parity of the chosen slots equals the
// column's bit of the result, bit i being that of column i. chosen(at) returns
// bits with the parity of those in the column `at` bytes after the first one.
template <size_t kColumnBytes, typename Chosen>
bool RibbonColumnsMatch(uint32_t columns, uint32_t result, Chosen chosen) {
  size_t at = 0;
  const size_t end = columns * kColumnBytes;
  // Lowest bit set: this column contradicts the result.
  const auto differs = [&]() {
    const uint32_t difference =
        static_cast<uint32_t>(__builtin_parityll(chosen(at))) ^ result;
    at += kColumnBytes;
    result >>= 1;
    return difference;
  };
  // Tests the first four without branching on each: such branches are
  // mispredicted once for nearly every absent key. One absent key in 16
  // remains.
  if (end >= 4 * kColumnBytes) {
    // NOLINTNEXTLINE(misc-redundant-expression): each call moves on
    const uint32_t difference = differs() | differs() | differs() | differs();
    if ((difference & 1) != 0) return false;
  }
  while (at < end) {
    if ((differs() & 1) != 0) return false;
  }
  return true;
}

// Prefetches the lines of these bytes. Always inlined: gcc drops calls of
// functions that do nothing else.
__attribute__((always_inline)) inline void RibbonPrefetch(const char* begin,
                                                          size_t bytes) {
  if (bytes == 0) return;
  for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(begin + at);
  __builtin_prefetch(begin + bytes - 1);
}

// The probes of a codec, with equal results. nullptr if the compiler or the
// processor does not support it, or if there is none.
struct RibbonProbes {
  FilterView::Probe portable;
  FilterView::Probe vector;  // with AVX2 or NEON
  FilterView::Probe avx512;

  FilterView::Probe fastest() const {
    if (avx512 != nullptr) return avx512;
    return vector != nullptr ? vector : portable;
  }
};

// Returns those of a codec's probes that this processor has.
inline RibbonProbes SupportedRibbonProbes(FilterView::Probe portable,
                                          FilterView::Probe vector,
                                          FilterView::Probe avx512) {
  return {portable, HasVectors() ? vector : nullptr,
          HasAvx512Popcount() ? avx512 : nullptr};
}

}  // namespace tamis
