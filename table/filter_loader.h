// SPDX-License-Identifier: Apache-2.0
//
// Loads the filter to probe for a key through the block fetcher: the whole
// filter, or the partition that covers the key; point and range filters alike.
// The whole filter, or the index of the partitions, is a RootBlock
// (root_block.h). The index is in memory a ResidentIndex (resident_index.h).
//
// Const; any thread. What Find and Load return is valid within the caller's
// Guard of the fetcher's epochs(), and no longer than the loader.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "filter/filter_placement.h"
#include "table/block_fetcher.h"
#include "table/index_format.h"
#include "table/metadata_pins.h"
#include "table/resident_index.h"
#include "table/root_block.h"
#include "util/cache/block_buffer.h"

namespace tamis {

class FilterLoader final : public FilterSource {
 public:
  // `block` is the payload at `handle`, which the metaindex names: the filter,
  // or the index of partitions. If the index is malformed, every call returns
  // Corruption. `context` is for reading pinned partitions. `format` and
  // `fetcher` must outlive *this.
  FilterLoader(FilterPlacement placement, ByteBuffer block,
               const BlockHandle& handle, const IndexFormat* format,
               const BlockFetcher* fetcher, const MetadataPins& pins,
               const ReadContext& context);
  // Drops resident blocks. REQUIRES: no concurrent use.
  ~FilterLoader() override;
  FilterLoader(const FilterLoader&) = delete;
  FilterLoader& operator=(const FilterLoader&) = delete;

  // REQUIRES, for both: called within a Guard of the fetcher's epochs().
  Status Find(const Slice& user_key, const ReadContext& context,
              FilterPosition* at) const override;
  Result<PinnedBytes> Load(const FilterPosition& at,
                           const ReadContext& context) const override;

  // Returns the user key of the separator that ends the partition, assembled in
  // *buffer. REQUIRES: the filter is partitioned; Find set `at`.
  Slice SeparatorOf(const FilterPosition& at, KeyBuffer* buffer) const;

  std::optional<Slice> Whole() const override {
    if (placement_ != FilterPlacement::kFull || root_.kept() == nullptr) {
      return std::nullopt;
    }
    return root_.kept()->bytes();
  }

  bool is_partitioned() const {
    return placement_ == FilterPlacement::kPartitioned;
  }
  // Returns the handles of the partitions; none unless the filter is
  // partitioned.
  Result<std::vector<BlockHandle>> Partitions() const;

  size_t memory_usage() const { return root_.memory_usage(); }

 private:
  // Returns the index of partitions, of the node *root. Loads the node if *root
  // is empty.
  Result<ResidentIndex> LoadIndex(const ReadContext& context,
                                  PinnedBytes* root) const;

  const FilterPlacement placement_;
  const IndexFormat& format_;
  const BlockFetcher& fetcher_;
  const BlockOrigin origin_;
  const IndexNodeForm index_form_;
  RootBlock root_;
  const Status status_;
  std::vector<PinnedBytes> pinned_;  // partitions
};

}  // namespace tamis
