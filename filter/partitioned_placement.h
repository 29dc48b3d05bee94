// SPDX-License-Identifier: Apache-2.0
//
// A full filter for each run of data blocks. A full partition asks the index
// to cut; when the index cuts, for whatever reason, the partition ends with
// the data block that has just ended. The separator behind that block is what
// a lookup finds the partition by.
//
//   keys       a b c d │ d e f g h │ h i j     d has versions on both sides
//   prefixes         +D│+D        +H│+H        of the neighbour
//   filter       #0    │    #1      │   #2     and stands in both filters
//
// A cut without keys since the one before writes nothing and takes no ordinal.
#pragma once

#include "filter/filter_placement.h"

namespace tamis {

// Cuts where RocksDB does: the index is asked once, by the first key behind
// those that make a partition full, every version of a key counting as one.
// Prefixes can step over that number; then the index cuts by its own size.
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
  // A key on a seam stands in two filters and counts twice.
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
  size_t added_ = 0;  // to the running partition, duplicates counted
  bool wants_cut_ = false;
  bool first_block_ = true;
  size_t next_ordinal_ = 0;
  uint64_t num_keys_finished_ = 0;
};

}  // namespace tamis
