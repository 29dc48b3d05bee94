// SPDX-License-Identifier: Apache-2.0
//
// A full filter for each run of data blocks, cut where the index is cut: a
// full partition asks the index to cut, and when the index cuts, for whatever
// reason, the partition ends. So the separator behind the run leads a lookup
// to both its index partition and its filter.
//
//   keys   a b c d │ d e f g h │ h i j        d has versions on both sides
//   filter   #0    │    #1     │   #2         and stands in both filters
//
// A cut without keys since the one before writes nothing and takes no ordinal.
#pragma once

#include "filter/filter_placement.h"

namespace tamis {

class PartitionedFilterWriter final : public FilterBlockWriter {
 public:
  explicit PartitionedFilterWriter(const FilterPlan& plan);

  FilterPlacement placement() const override {
    return FilterPlacement::kPartitioned;
  }
  void StartDataBlock(uint64_t /*file_offset*/) override {}
  void Add(const FilterKey& key) override { builder_->Add(key); }
  bool WantsCut() const override {
    return builder_->num_keys() >= keys_per_partition_;
  }
  Status EndDataBlock(const Slice& next_key, bool cut,
                      FilterSink& sink) override;
  Status Finish(FilterSink& sink) override;
  // A key on a seam stands in two filters and counts twice.
  uint64_t num_keys() const override {
    return num_keys_finished_ + builder_->num_keys();
  }

 private:
  Status WritePartition(FilterSink& sink);

  const std::unique_ptr<FilterBuilder> builder_;
  const size_t keys_per_partition_;
  size_t next_ordinal_ = 0;
  uint64_t num_keys_finished_ = 0;
};

}  // namespace tamis
