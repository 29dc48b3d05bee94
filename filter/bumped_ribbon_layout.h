// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a BumpedRibbon filter's layers: functions of the entries and of
// the bits of result. All of it determines bytes on disk and must not change.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/retrieval_codec.h"
#include "filter/ribbon64.h"

namespace tamis {

// A bucket has 256 starts in 16 groups; a threshold counts groups.
inline constexpr int kBumpedBucketShift = 8;
inline constexpr int kBumpedGroupShift = 4;
inline constexpr uint32_t kBumpedBucketBlocks =
    (1u << kBumpedBucketShift) / kRibbon64Width;
inline constexpr uint32_t kBumpedBucketGroups =
    1u << (kBumpedBucketShift - kBumpedGroupShift);
// Enough for kRetrievalEntriesMax.
inline constexpr uint32_t kBumpedLayersMax = 6;

// Returns the bytes of the thresholds of a layer that is not the last one.
inline size_t BumpedThresholdBytes(uint32_t num_blocks) {
  const uint32_t buckets =
      (num_blocks - 1 + kBumpedBucketBlocks - 1) / kBumpedBucketBlocks;
  return (buckets + 1) / 2;
}

// The thresholds of two buckets share a byte, the even one in the low half.
inline uint32_t BumpedThreshold(const char* thresholds, uint32_t bucket) {
  const auto pair = static_cast<uint8_t>(thresholds[bucket / 2]);
  return (pair >> (bucket % 2 * 4)) & 15u;
}
// REQUIRES: it was 0.
inline void SetBumpedThreshold(uint32_t bucket, uint32_t threshold,
                               char* thresholds) {
  char* const pair = thresholds + bucket / 2;
  *pair = static_cast<char>(static_cast<uint8_t>(*pair) |
                            (threshold << (bucket % 2 * 4)));
}

struct BumpedLayout {
  // REQUIRES: 1 to kRetrievalEntriesMax entries.
  BumpedLayout(uint64_t entries, uint16_t result_bits);
  explicit BumpedLayout(const RetrievalShape& shape)
      : BumpedLayout(shape.entries, shape.result_bits) {}

  Ribbon64Layout LayerOf(uint32_t layer) const {
    return Ribbon64LayoutOf(blocks[layer], result_bits);
  }
  // Returns the size of a layer.
  size_t BytesOf(uint32_t layer) const {
    return LayerOf(layer).num_words() * kRibbon64WordBytes +
           (layer + 1 < num_layers ? BumpedThresholdBytes(blocks[layer]) : 0);
  }
  size_t bytes() const;
  // Returns the probability that an absent key matches, nearly: the shares of
  // narrow blocks differ little from layer to layer.
  double Rate() const { return LayerOf(0).Rate(); }

  uint16_t result_bits;
  uint32_t num_layers = 0;
  uint32_t blocks[kBumpedLayersMax] = {};
};

}  // namespace tamis
