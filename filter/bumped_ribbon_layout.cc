// SPDX-License-Identifier: Apache-2.0
#include "filter/bumped_ribbon_layout.h"

#include <algorithm>

#include "util/base/check.h"

namespace tamis {

namespace {

// A layer of so few blocks is the last one.
constexpr uint64_t kLastBlocksMax = 16;
// All layers but the last one leave this fraction of the blocks to the rest. It
// exceeds the rows to spare, so that a layer has fewer rows than keys.
constexpr uint64_t kRestDivisor = 24;

uint64_t BlocksOf(uint64_t rows) {
  return (rows + kRibbon64Width - 1) / kRibbon64Width;
}

// With these numbers of rows, about one seed in 50 has no solution.
uint64_t BlocksForEntries(uint64_t entries) {
  const uint64_t single = BlocksOf(entries + entries / 28 + 9);
  if (single <= kLastBlocksMax) return std::max<uint64_t>(single, 2);
  return std::max(BlocksOf(entries + entries / 320 + 70), kLastBlocksMax + 1);
}

}  // namespace

// No layer shrinks when `rest` grows by one block, so that filters grow with
// the entries.
BumpedLayout::BumpedLayout(uint64_t entries, uint16_t bits)
    : result_bits(bits) {
  TAMIS_DCHECK(entries > 0);
  TAMIS_DCHECK(entries <= kRetrievalEntriesMax);
  uint64_t left = BlocksForEntries(entries);
  while (left > kLastBlocksMax) {
    const uint64_t rest =
        std::max<uint64_t>((left + kRestDivisor - 1) / kRestDivisor, 2);
    TAMIS_CHECK(num_layers + 1 < kBumpedLayersMax);
    blocks[num_layers++] = static_cast<uint32_t>(left - rest);
    left = rest;
  }
  blocks[num_layers++] = static_cast<uint32_t>(left);
}

size_t BumpedLayout::bytes() const {
  size_t sum = 0;
  for (uint32_t layer = 0; layer < num_layers; ++layer) sum += BytesOf(layer);
  return sum;
}

}  // namespace tamis
