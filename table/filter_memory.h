// SPDX-License-Identifier: Apache-2.0
//
// Charges the memory of a table's unfinished filters to the block cache, as
// RocksDB does with CacheEntryRole::kFilterConstruction. The charge never fails
// a table:
//
//   keys of a partition │ above partition_max(): the partition ends early
//   keys of a table     │ a full filter or a range filter needs them all
//   finished partitions │ wait for the end of the data
//
// Blocks give way to the charge, but keep half of the cache.
//
// One thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "util/cache/block_cache.h"

namespace tamis {

class FilterMemory {
 public:
  // Charges nothing if `cache` is nullptr; otherwise it must outlive *this.
  explicit FilterMemory(BlockCache* cache)
      : reservation_(cache, 0, CacheRole::kFilterConstruction),
        partition_max_(PartitionMax(cache)) {}

  // Charges `bytes`, rounded up, instead of what was charged before.
  void Charge(size_t bytes) noexcept {
    const size_t steps = bytes / kStep + (bytes % kStep != 0 ? 1 : 0);
    if (steps * kStep != reservation_.bytes()) {
      reservation_.Resize(steps * kStep);
    }
  }

  // Returns the memory that the keys of one partition may take. It is fixed
  // when the table is begun and depends on the capacity alone, so that the
  // bytes of a table do not depend on the work of other threads.
  size_t partition_max() const { return partition_max_; }

 private:
  // Changes of the charge cost locks of the cache.
  static constexpr size_t kStep = 16 << 10;
  // A partition may take this share of the capacity, and any may take
  // kPartitionSmall bytes.
  static constexpr size_t kPartitionShare = 16;
  static constexpr size_t kPartitionSmall = 4096;

  static size_t PartitionMax(const BlockCache* cache) {
    if (cache == nullptr) return SIZE_MAX;
    return std::max(cache->GetCapacity() / kPartitionShare, kPartitionSmall);
  }

  BlockCache::Reservation reservation_;
  const size_t partition_max_;
};

}  // namespace tamis
