// SPDX-License-Identifier: Apache-2.0
//
// The full placement stores one filter for all keys of a table.
#pragma once

#include <memory>

#include "filter/filter_placement.h"

namespace tamis {

class FullFilterWriter final : public FilterBlockWriter {
 public:
  explicit FullFilterWriter(const FilterPlan& plan)
      : entries_(plan.entries()), builder_(plan.new_builder()) {}

  FilterPlacement placement() const override { return FilterPlacement::kFull; }
  void StartDataBlock(uint64_t /*file_offset*/) override {}
  void Add(const FilterKey& key) override { entries_.Add(key, builder_.get()); }
  bool WantsCut() const override { return false; }
  Status EndDataBlock(const Slice* /*next_key*/, bool /*cut*/,
                      FilterSink& /*sink*/) override {
    return Status::OK();
  }
  Status Finish(FilterSink& sink) override;
  uint64_t num_keys() const override {
    return builder_ != nullptr ? builder_->num_keys() : num_keys_;
  }
  size_t ApproximateMemoryUsage() const override {
    return builder_ != nullptr ? builder_->ApproximateMemoryUsage() : 0;
  }

 private:
  FilterEntries entries_;
  std::unique_ptr<FilterBuilder> builder_;  // nullptr after Finish
  uint64_t num_keys_ = 0;                   // set by Finish
};

// Reads full and partitioned filters in the built-in formats. Const; any
// thread.
class WholeFilterReader final : public FilterBlockReader {
 public:
  WholeFilterReader(const FilterLocator& where, const FilterSource* source);
  OpenedFilter Open(const Slice& filter) const override {
    return {opener_.Open(filter), nullptr};
  }

 private:
  const FilterOpener opener_;
};

}  // namespace tamis
