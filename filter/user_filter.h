// SPDX-License-Identifier: Apache-2.0
//
// Adapters for a user's FilterPolicy: builders for the placements, and readers
// for the filters they wrote.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tamis/filter_policy.h"

#include "filter/filter_placement.h"

namespace tamis {

// Uses a new FilterBitsBuilder for each filter. InvalidArgument if keys were
// added and the filter has five bytes or fewer, which would read as "no keys".
// One thread.
class UserFilterBuilder final : public FilterBuilder {
 public:
  using NewBits = std::function<std::unique_ptr<FilterBitsBuilder>()>;

  UserFilterBuilder(std::string policy_name, NewBits new_bits)
      : policy_name_(std::move(policy_name)), new_bits_(std::move(new_bits)) {}

  void Add(const FilterKey& key) override;
  size_t num_keys() const override { return num_keys_; }
  // Unknown; not used for user filters.
  size_t EstimateSizeBytes() const override { return 0; }
  Result<std::string> Finish() override;

 private:
  const std::string policy_name_;
  const NewBits new_bits_;
  std::unique_ptr<FilterBitsBuilder> bits_;  // from the first key to Finish
  bool failed_ = false;                      // the policy returned no builder
  size_t num_keys_ = 0;
  std::string last_key_;
};

// Uses CreateFilter, for a chunk of a block-based filter. InvalidArgument if
// keys were added and the chunk is empty, which would read as "no keys". One
// thread.
class UserChunkBuilder final : public FilterBuilder {
 public:
  explicit UserChunkBuilder(std::shared_ptr<const FilterPolicy> policy)
      : policy_(std::move(policy)) {}

  void Add(const FilterKey& key) override;
  size_t num_keys() const override { return num_keys_; }
  size_t EstimateSizeBytes() const override { return 0; }
  Result<std::string> Finish() override;

 private:
  Slice KeyAt(size_t i) const;

  const std::shared_ptr<const FilterPolicy> policy_;
  std::string keys_;          // concatenated
  std::vector<size_t> ends_;  // of each key
  size_t num_keys_ = 0;       // without adjacent duplicates
};

// Full and partitioned filters. Creates a full filter's reader once, and a
// partition's for each probe. Const; any thread.
class UserFilterReader final : public FilterBlockReader {
 public:
  // Loads a full filter. `policy` and `source` must outlive *this.
  UserFilterReader(FilterPlacement placement, const FilterPolicy* policy,
                   const FilterSource* source);

  FilterPlacement placement() const override { return placement_; }
  bool KeyMayMatch(const FilterKey& entry, const Slice& user_key,
                   const ReadContext& context) const override;

 private:
  const FilterPlacement placement_;
  const FilterPolicy* const policy_;
  const FilterSource* const source_;
  // For full filters only.
  PinnedBytes bytes_;
  bool is_empty_ = false;
  std::unique_ptr<FilterBitsReader> full_;  // nullptr: every key may match
};

}  // namespace tamis
