// SPDX-License-Identifier: Apache-2.0
#include "table/metadata_pins.h"

#include <utility>

#include "table/resident_index.h"

namespace tamis {

MetadataPins PinsOf(const BlockBasedTableOptions& options, bool flushed) {
  const MetadataCacheOptions& tiers = options.metadata_cache_options;
  const PinningTier level0 = options.pin_l0_filter_and_index_blocks_in_cache
                                 ? PinningTier::kFlushedAndSimilar
                                 : PinningTier::kNone;
  const auto pinned = [flushed](PinningTier tier, PinningTier fallback) {
    if (tier == PinningTier::kFallback) tier = fallback;
    return tier == PinningTier::kAll ||
           (tier == PinningTier::kFlushedAndSimilar && flushed);
  };
  MetadataPins pins;
  if (options.cache_index_and_filter_blocks_with_high_priority) {
    pins.priority = CachePriority::kHigh;
  }
  pins.partitions = pinned(tiers.partition_pinning, level0);
  if (!options.cache_index_and_filter_blocks) return pins;
  pins.whole = pinned(tiers.unpartitioned_pinning, level0);
  pins.top_level = pinned(
      tiers.top_level_index_pinning,
      options.pin_top_level_index_and_filter ? PinningTier::kAll : level0);
  return pins;
}

std::vector<PinnedBytes> PinPartitions(const RootBlock& top,
                                       const BlockFormat& format,
                                       BlockKind kind, const BlockForm* form,
                                       const BlockFetcher& fetcher,
                                       const ReadContext& context) {
  std::vector<PinnedBytes> pins;
  const PinnedBytes root = top.InMemory();
  if (fetcher.cache() == nullptr || root.buffer() == nullptr) return pins;
  const ResidentIndex index(root.buffer(), format);
  pins.reserve(index.count());
  for (uint32_t i = 0; i < index.count(); ++i) {
    const EpochDomain::Guard guard(fetcher.epochs());
    const BlockPlace place = index.place(i);
    Result<PinnedBytes> block = fetcher.Fetch(place, kind, form, context);
    // One that is not resident would help no other reader.
    if (!block.ok() || BlockCache::Peek(*place.slot) != block->buffer()) break;
    block->Keep();
    pins.push_back(*std::move(block));
  }
  return pins;
}

}  // namespace tamis
