// SPDX-License-Identifier: Apache-2.0
//
// The partitioned placement: a full filter per run of data blocks. A partition
// that is full requests a cut of the index. Whenever the index cuts, the filter
// partition ends with the data block that just ended. Lookups find the
// partition by the separator after that block.
//
//   keys       a b c d │ d e f g h │ h i j     d has versions on both sides
//   prefixes         +D│+D        +H│+H        of the neighbour
//   filter       #0    │    #1      │   #2     and is in both filters
//
// A cut with no keys since the previous one writes nothing and uses no ordinal.
#pragma once

#include "filter/filter_placement.h"

namespace tamis {

// Cuts where RocksDB does. It requests one cut, at the first key after the one
// that fills the partition; all versions of a key count as one. If prefixes
// skip that exact number, only the index's own size causes a cut.
class PartitionedFilterWriter final : public FilterBlockWriter {
 public:
  explicit PartitionedFilterWriter(const FilterPlan& plan)
      : entries_(plan.entries()),
        builder_(plan.new_builder()),
        keys_per_partition_(plan.keys_per_partition) {}

  FilterPlacement placement() const override {
    return FilterPlacement::kPartitioned;
  }
  void StartDataBlock(uint64_t /*file_offset*/) override {}
  void Add(const FilterKey& key) override {
    AskForCut();
    added_ += entries_.Add(key, builder_.get());
  }
  bool WantsCut() const override { return wants_cut_; }
  Status EndDataBlock(const Slice* next_key, bool cut,
                      FilterSink& sink) override;
  Status Finish(FilterSink& sink) override;
  // A key at a partition boundary is in two filters and counts twice.
  uint64_t num_keys() const override {
    return num_keys_finished_ + builder_->num_keys();
  }

 private:
  void AskForCut() {
    if (added_ == keys_per_partition_) wants_cut_ = true;
  }
  Status WritePartition(FilterSink& sink);

  FilterEntries entries_;
  const std::unique_ptr<FilterBuilder> builder_;
  const size_t keys_per_partition_;
  size_t added_ = 0;  // to this partition, including duplicates
  bool wants_cut_ = false;
  bool first_block_ = true;
  size_t next_ordinal_ = 0;
  uint64_t num_keys_finished_ = 0;
};

}  // namespace tamis
