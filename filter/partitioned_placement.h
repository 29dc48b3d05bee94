// SPDX-License-Identifier: Apache-2.0
//
// The partitioned placement stores a full filter per run of data blocks. A
// partition that is full requests a cut of the index. Whenever the index is
// cut, the filter partition ends with the data block that just ended. A lookup
// finds the partition by the separator after that block.
//
//   keys       a b c d │ d e f g h │ h i j     d has versions on both sides
//   prefixes         +D│+D        +H│+H        of the neighbour
//   filter       #0    │    #1      │   #2     and is in both filters
//
// A partition without keys is not written and gets no ordinal.
//
// Decoupled partitions (BlockBasedTableOptions::decouple_partitioned_filters)
// end when they are full, also within a data block. A lookup finds a partition
// by its last key:
//
//   keys       a b c d e f│g h i j          ends at f
//   prefixes            +G│+F
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filter/filter_placement.h"

namespace tamis {

// The filter of the partition that gets keys now. One thread.
class PartitionFilter {
 public:
  explicit PartitionFilter(const FilterPlan& plan)
      : entries_(plan.entries()),
        new_builder_(plan.new_builder),
        builder_(new_builder_()) {}

  // Returns the number of entries added, including duplicates.
  size_t Add(const FilterKey& key) { return entries_.Add(key, builder_.get()); }
  void AddPrefixAfter(const Slice& next_key) {
    entries_.AddPrefixAfter(next_key, builder_.get());
  }
  // Ends the partition. Returns nothing if it has no entries.
  std::optional<PendingFilter> End();

  size_t num_keys() const { return builder_->num_keys(); }
  // Of all partitions. A key whose versions are in two counts twice.
  uint64_t num_keys_of_all() const {
    return num_keys_ended_ + builder_->num_keys();
  }
  size_t ApproximateMemoryUsage() const {
    return builder_->ApproximateMemoryUsage();
  }

 private:
  FilterEntries entries_;
  const std::function<std::unique_ptr<FilterBuilder>()> new_builder_;
  std::unique_ptr<FilterBuilder> builder_;
  uint64_t num_keys_ended_ = 0;
};

// Requests cuts where RocksDB does: one per partition, at the first key after
// the partition has exactly keys_per_partition entries, duplicates included. If
// a key and its prefix together skip that number, only the index's own size
// causes a cut. One thread.
class PartitionedFilterWriter final : public FilterBlockWriter {
 public:
  explicit PartitionedFilterWriter(const FilterPlan& plan)
      : filter_(plan), keys_per_partition_(plan.keys_per_partition) {}

  FilterPlacement placement() const override {
    return FilterPlacement::kPartitioned;
  }
  void StartDataBlock(uint64_t /*file_offset*/) override {}
  void Add(const FilterKey& key) override {
    RequestCut();
    added_ += filter_.Add(key);
  }
  bool WantsCut() const override { return wants_cut_; }
  void EndPartitionEarly() override { wants_cut_ = true; }
  Status EndDataBlock(const Slice* next_key, bool cut,
                      FilterSink& sink) override;
  Status Finish(FilterSink& sink) override;
  uint64_t num_keys() const override { return filter_.num_keys_of_all(); }
  size_t ApproximateMemoryUsage() const override {
    return filter_.ApproximateMemoryUsage();
  }

 private:
  void RequestCut() {
    if (added_ == keys_per_partition_) wants_cut_ = true;
  }
  Status WritePartition(FilterSink& sink);

  PartitionFilter filter_;
  const size_t keys_per_partition_;
  size_t added_ = 0;  // to this partition, including duplicates
  bool wants_cut_ = false;
  bool first_block_ = true;
  size_t next_ordinal_ = 0;
};

// Cuts where RocksDB does: before the first key after the partition has
// keys_per_partition entries or more. One thread.
class DecoupledFilterWriter final : public FilterBlockWriter {
 public:
  explicit DecoupledFilterWriter(const FilterPlan& plan)
      : filter_(plan), keys_per_partition_(plan.keys_per_partition) {}

  FilterPlacement placement() const override {
    return FilterPlacement::kPartitioned;
  }
  void StartDataBlock(uint64_t /*file_offset*/) override {}
  void Add(const FilterKey& key) override;
  bool WantsCut() const override { return false; }
  // Ends the partition at the next key.
  void EndPartitionEarly() override { ends_early_ = filter_.num_keys() != 0; }
  // Writes the partitions that ended since the last call.
  Status EndDataBlock(const Slice* next_key, bool cut,
                      FilterSink& sink) override;
  Status Finish(FilterSink& sink) override;
  uint64_t num_keys() const override { return filter_.num_keys_of_all(); }
  size_t ApproximateMemoryUsage() const override;

 private:
  struct Partition {
    std::string last_key;
    PendingFilter filter;
  };
  void EndPartition();

  PartitionFilter filter_;
  const size_t keys_per_partition_;
  std::string last_key_;
  std::vector<Partition> finished_;  // not yet passed to the sink
  bool ends_early_ = false;
  size_t next_ordinal_ = 0;
};

}  // namespace tamis
