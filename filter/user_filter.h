// SPDX-License-Identifier: Apache-2.0
//
// A user's own FilterPolicy where a codec of ours would stand: builders for
// the placements, and readers of what they wrote.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tamis/filter_policy.h"

#include "filter/filter_placement.h"

namespace tamis {

// Through FilterBitsBuilder, a new one for each filter. Five bytes or fewer
// would be read as "no key": keys without a filter to show for them are
// InvalidArgument. One thread.
class UserFilterBuilder final : public FilterBuilder {
 public:
  using NewBits = std::function<std::unique_ptr<FilterBitsBuilder>()>;

  UserFilterBuilder(std::string policy_name, NewBits new_bits)
      : policy_name_(std::move(policy_name)), new_bits_(std::move(new_bits)) {}

  void Add(const FilterKey& key) override;
  size_t num_keys() const override { return num_keys_; }
  // The builder does not say; nobody asks.
  size_t EstimateSizeBytes() const override { return 0; }
  Result<std::string> Finish() override;

 private:
  const std::string policy_name_;
  const NewBits new_bits_;
  std::unique_ptr<FilterBitsBuilder> bits_;  // from the first key to Finish
  bool failed_ = false;                      // no builder was to be had
  size_t num_keys_ = 0;
  std::string last_key_;
};

// Through CreateFilter: a chunk of a block-based filter. An empty one would be
// read as "no key" and is InvalidArgument where there are keys. One thread.
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
  std::string keys_;          // one after the other
  std::vector<size_t> ends_;  // of each
  size_t num_keys_ = 0;       // adjacent duplicates once
};

// Full and partitioned filters. The reader over a full one is made once, that
// over a partition for each question. Const; any thread.
class UserFilterReader final : public FilterBlockReader {
 public:
  // Both outlive *this. A full filter is loaded here.
  UserFilterReader(FilterPlacement placement, const FilterPolicy* policy,
                   const FilterSource* source);

  FilterPlacement placement() const override { return placement_; }
  bool KeyMayMatch(const FilterKey& entry, const Slice& user_key,
                   const ReadContext& context) const override;

 private:
  const FilterPlacement placement_;
  const FilterPolicy* const policy_;
  const FilterSource* const source_;
  // Full only.
  PinnedBytes bytes_;
  bool is_empty_ = false;
  std::unique_ptr<FilterBitsReader> full_;  // nullptr: everything may match
};

}  // namespace tamis
