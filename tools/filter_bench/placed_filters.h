// SPDX-License-Identifier: Apache-2.0
//
// The filters of one table: its keys in groups, one filter for each.
//
//   k1 k2 k3 │ k4 k5 k6 │ k7       full: one group
//    filter     filter    filter   partitioned: a probe searches the last keys
//    ≤ k3       ≤ k6      ≤ k7     block-based: the index names the group
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/filter_bench/filter_format.h"
#include "util/io/aligned_buffer.h"

namespace tamis {

// The bytes of a partition, RocksDB's default; and of data that share a filter
// in a block-based one, LevelDB's.
inline constexpr size_t kPartitionBytes = 4096;
inline constexpr size_t kBlockBytes = 2048;

// The filters as bytes, and the keys at which they end.
struct FilterBytes {
  KeyGroups groups = KeyGroups::kTable;
  size_t keys = 0;
  size_t keys_of_a_group = 0;
  std::vector<std::string> filters = {};
  std::vector<std::string> last_keys = {};  // of partitions alone

  size_t size() const;
  // The rate of a probe: the mean over the filters.
  std::optional<double> PredictedRate(const FilterFormat& format) const;
};

// Keys ascend. value_bytes: those of an entry beside its key, which decide how
// many keys are in a block.
FilterBytes BuildFilters(const FilterFormat& format, KeyGroups groups,
                         std::span<const Slice> keys, size_t value_bytes);

// Copies of the filters, opened. `bytes` must outlive it.
class PlacedFilters {
 public:
  PlacedFilters(const FilterFormat& format, const FilterBytes& bytes,
                size_t copies);

  size_t copies() const { return filters_.size() / bytes_.filters.size(); }
  // `position`: where the key is, or would be, among those of the table.
  bool MayMatch(size_t copy, Slice key, size_t position) const {
    return FilterFor(copy, key, position).MayMatch(key);
  }
  // Keys of one group.
  size_t CountMatches(size_t copy, std::span<const Slice> keys,
                      size_t position) const {
    return FilterFor(copy, keys[0], position).CountMatches(keys);
  }

 private:
  const ProbedFilter& FilterFor(size_t copy, Slice key, size_t position) const {
    return *filters_[copy * bytes_.filters.size() + GroupOf(key, position)];
  }
  size_t GroupOf(Slice key, size_t position) const {
    if (bytes_.groups == KeyGroups::kTable) return 0;
    return bytes_.groups == KeyGroups::kBlock
               ? position / bytes_.keys_of_a_group
               : PartitionOf(key);
  }
  size_t PartitionOf(Slice key) const;

  const FilterBytes& bytes_;
  // The bytes of all copies before the objects that probe them, which are then
  // next to each other, as those of open tables are.
  std::vector<AlignedBuffer> contents_;
  std::vector<std::unique_ptr<ProbedFilter>> filters_;
};

}  // namespace tamis
