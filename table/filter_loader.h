// SPDX-License-Identifier: Apache-2.0
//
// Brings the filter that answers for a key to whoever asks the filter: the
// whole filter, which stays in memory with the table, or the partition that
// covers the key, through the block fetcher.
//
// Const and any thread. What Load gives lives no longer than the loader.
#pragma once

#include <utility>
#include <vector>

#include "filter/filter_placement.h"
#include "table/block_fetcher.h"
#include "table/index_format.h"
#include "util/block_buffer.h"

namespace tamis {

class FilterLoader final : public FilterSource {
 public:
  // `block`: what the metaindex points to, a filter or the index of the
  // partitions. `format` and `fetcher` outlive *this.
  FilterLoader(FilterPlacement placement, PinnedBytes block, uint64_t offset,
               const IndexFormat* format, const BlockFetcher* fetcher)
      : placement_(placement),
        block_(std::move(block)),
        offset_(offset),
        format_(format),
        fetcher_(fetcher) {}

  Result<PinnedBytes> Load(const Slice& user_key,
                           const ReadContext& context) const override;

  // Where the partitions are; empty unless it is partitioned.
  Result<std::vector<BlockHandle>> Partitions() const;

  size_t memory_usage() const { return block_.bytes().size(); }

 private:
  Result<BlockHandle> PartitionFor(const Slice& user_key) const;
  void OpenIndex(BlockIterator* it) const;

  const FilterPlacement placement_;
  const PinnedBytes block_;
  const uint64_t offset_;
  const IndexFormat* const format_;
  const BlockFetcher* const fetcher_;
};

}  // namespace tamis
