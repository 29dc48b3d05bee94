// SPDX-License-Identifier: Apache-2.0
//
// Locates a key's bits in FastLocalBloom, and tests them by one of two probes
// with equal results: a portable one, and one for AVX2 or NEON that tests eight
// bits at once.
//
//   Hash64   │ high half: g ─▶ bits │ low half ─▶ line │
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/bloom_math.h"
#include "filter/filter_codec.h"

namespace tamis {

inline constexpr uint32_t kBloomMultiplier = 0x9e3779b9;  // 2^32 / golden ratio

// Returns the offset of the key's line. Maps the low half of the hash to a line
// by multiplication instead of a remainder.
inline size_t BloomLineOffset(uint64_t hash, uint32_t num_lines) {
  const uint64_t low = static_cast<uint32_t>(hash);
  return static_cast<size_t>((low * num_lines) >> 32) * kFilterLineBytes;
}

// Returns the bit of a line, 0 to 511, from the top nine bits of g. The next
// probe's g is g * kBloomMultiplier.
inline uint32_t BloomBitInLine(uint32_t g) { return g >> 23; }

// The state of a view whose bytes() are the lines.
struct FastLocalBloomState {
  uint32_t num_lines;  // at least 1
  uint32_t probes;     // 1 to 30
};

// REQUIRES: a view with a FastLocalBloomState, here and below.
bool FastLocalBloomProbePortable(const FilterView& view, const FilterKey& key);
// Returns nullptr if the compiler or the processor does not support it.
FilterView::Probe FastLocalBloomProbeVector();

// Prefetches the line of the key.
inline void FastLocalBloomPrefetch(const FilterView& view,
                                   const FilterKey& key) {
  const auto& state = view.state<FastLocalBloomState>();
  const char* const line =
      view.bytes().data() + BloomLineOffset(key.Hash64(), state.num_lines);
  __builtin_prefetch(line);
  __builtin_prefetch(line + kFilterLineBytes - 1);  // may be unaligned
}

// Returns the fastest probe that this machine supports.
FilterView::Probe FastLocalBloomProbe();

}  // namespace tamis
