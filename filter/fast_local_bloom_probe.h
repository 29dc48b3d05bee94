// SPDX-License-Identifier: Apache-2.0
//
// How FastLocalBloom places the bits of a key, and the probe of it in twins:
// one for every machine, one for AVX2 that looks at eight bits at once. They
// give the same answers.
//
//   Hash64   │ high half: g ─▶ bits │ low half ─▶ line │
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/bloom_math.h"
#include "filter/filter_codec.h"

namespace tamis {

inline constexpr uint32_t kBloomMultiplier = 0x9e3779b9;  // 2^32 / golden ratio

// By multiplication rather than by remainder.
inline size_t BloomLineOffset(uint64_t hash, uint32_t num_lines) {
  const uint64_t low = static_cast<uint32_t>(hash);
  return static_cast<size_t>((low * num_lines) >> 32) * kFilterLineBytes;
}

// Of 512: the top nine bits. The next probe's g is g * kBloomMultiplier.
inline uint32_t BloomBitInLine(uint32_t g) { return g >> 23; }

// For a view whose bytes() are the lines, probes() the probes (1 to 30), and
// extra() the number of lines (at least 1).
bool FastLocalBloomProbePortable(const FilterView& view, const FilterKey& key);
// nullptr where compiler or processor has none.
FilterView::Probe FastLocalBloomProbeAvx2();

// For the same views: the line of the key.
inline void FastLocalBloomPrefetch(const FilterView& view,
                                   const FilterKey& key) {
  const char* const line =
      view.bytes().data() + BloomLineOffset(key.Hash64(), view.extra());
  __builtin_prefetch(line);
  __builtin_prefetch(line + kFilterLineBytes - 1);  // it need not be aligned
}

// The best one that runs here.
FilterView::Probe FastLocalBloomProbe();

}  // namespace tamis
