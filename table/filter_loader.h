// SPDX-License-Identifier: Apache-2.0
//
// Brings the filter that answers for a key to whoever asks the filter: the
// whole filter, or the partition that covers the key, through the block
// fetcher. The index of partitions is a node like those of the table's index;
// it, or the whole filter, is the root (root_block.h).
//
// Const and any thread. What Load gives lives no longer than the loader and
// the caller's Guard of the fetcher's epochs().
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "filter/filter_placement.h"
#include "table/block_fetcher.h"
#include "table/index_format.h"
#include "table/resident_index.h"
#include "table/root_block.h"
#include "util/cache/block_buffer.h"

namespace tamis {

class FilterLoader final : public FilterSource {
 public:
  // `block`: what the metaindex points to, a filter or the index of the
  // partitions; of the latter, what is wrong with it shows in every call.
  // `format` and `fetcher` outlive *this.
  FilterLoader(FilterPlacement placement, ByteBuffer block,
               const BlockHandle& handle, const IndexFormat* format,
               const BlockFetcher* fetcher, bool leave_to_cache);
  // Nobody uses it any more: drops what is resident through it.
  ~FilterLoader() override;
  FilterLoader(const FilterLoader&) = delete;
  FilterLoader& operator=(const FilterLoader&) = delete;

  // REQUIRES: within a Guard of the fetcher's epochs().
  Result<PinnedBytes> Load(const Slice& user_key,
                           const ReadContext& context) const override;

  std::optional<Slice> Whole() const override {
    if (placement_ != FilterPlacement::kFull || root_.kept() == nullptr) {
      return std::nullopt;
    }
    return root_.kept()->bytes();
  }

  // Where the partitions are; empty unless it is partitioned.
  Result<std::vector<BlockHandle>> Partitions() const;

  size_t memory_usage() const { return root_.memory_usage(); }

 private:
  bool is_partitioned() const {
    return placement_ == FilterPlacement::kPartitioned;
  }
  // The index of the partitions, whose node *root holds.
  Result<ResidentIndex> LoadIndex(const ReadContext& context,
                                  PinnedBytes* root) const;

  const FilterPlacement placement_;
  const IndexFormat& format_;
  const BlockFetcher& fetcher_;
  const BlockOrigin origin_;
  const IndexNodeForm index_form_;
  RootBlock root_;
  const Status status_;
};

}  // namespace tamis
