// SPDX-License-Identifier: Apache-2.0
//
// The full placement stores one filter for all keys of a table.
#pragma once

#include <optional>

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

// Reads full and partitioned filters. The source finds the filter to probe.
// Const; any thread.
class WholeFilterReader final : public FilterBlockReader {
 public:
  WholeFilterReader(const FilterLocator& where, const FilterSource* source)
      : placement_(where.placement), opener_(where), source_(source) {
    if (const std::optional<Slice> whole = source->Whole()) {
      whole_.emplace(opener_.Open(*whole));
    }
  }

  FilterPlacement placement() const override { return placement_; }
  void Prefetch(const FilterKey& entry) const override {
    if (whole_) whole_->PrefetchFor(entry);
  }
  bool KeyMayMatch(const FilterKey& entry, const Slice& user_key,
                   const ReadContext& context) const override;

 private:
  const FilterPlacement placement_;
  const FilterOpener opener_;
  const FilterSource* const source_;
  std::optional<FilterView> whole_;  // if source_->Whole() has it
};

}  // namespace tamis
