// SPDX-License-Identifier: Apache-2.0
//
// Adapts a user's FilterPolicy: builders for the placements, and the reader of
// full and partitioned filters.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tamis/filter_policy.h"

#include "filter/filter_placement.h"

namespace tamis {

// Builds each filter with a new FilterBitsBuilder. Finish returns
// InvalidArgument if the policy returned no builder, or if keys were added and
// the filter has five bytes or fewer, which a reader would take for a filter
// without keys. One thread.
class UserFilterBuilder final : public FilterBuilder {
 public:
  using NewBits = std::function<std::unique_ptr<FilterBitsBuilder>()>;

  UserFilterBuilder(std::string policy_name, NewBits new_bits)
      : policy_name_(std::move(policy_name)), new_bits_(std::move(new_bits)) {}

  void Add(const FilterKey& key) override;
  size_t num_keys() const override { return num_keys_; }
  // Returns 0: the size is unknown.
  size_t EstimateSizeBytes() const override { return 0; }
  size_t ApproximateMemoryUsage() const override { return 0; }
  Result<std::string> Finish() override;

 private:
  const std::string policy_name_;
  const NewBits new_bits_;
  std::unique_ptr<FilterBitsBuilder> bits_;  // from the first key to Finish
  bool failed_ = false;                      // the policy returned no builder
  size_t num_keys_ = 0;
  std::string last_key_;
};

// Builds a chunk of a block-based filter with CreateFilter. Finish returns
// InvalidArgument if keys were added and the chunk is empty, which a reader
// would take for a chunk without keys. One thread.
class UserChunkBuilder final : public FilterBuilder {
 public:
  explicit UserChunkBuilder(std::shared_ptr<const FilterPolicy> policy)
      : policy_(std::move(policy)) {}

  void Add(const FilterKey& key) override;
  size_t num_keys() const override { return num_keys_; }
  size_t EstimateSizeBytes() const override { return 0; }
  size_t ApproximateMemoryUsage() const override {
    return keys_.capacity() + ends_.capacity() * sizeof(size_t);
  }
  Result<std::string> Finish() override;

 private:
  Slice KeyAt(size_t i) const;

  const std::shared_ptr<const FilterPolicy> policy_;
  std::string keys_;          // concatenated
  std::vector<size_t> ends_;  // of each key
  size_t num_keys_ = 0;       // without adjacent duplicates
};

// Reads full and partitioned filters. Creates the policy's reader of a full
// filter once, and of a partition each time it is opened. Const; any thread.
class UserFilterReader final : public FilterBlockReader {
 public:
  // Loads a full filter. `policy` and `source` must outlive *this.
  UserFilterReader(FilterPlacement placement, const FilterPolicy* policy,
                   const FilterSource* source);
  OpenedFilter Open(const Slice& filter) const override;

 private:
  const FilterPolicy* const policy_;
  // For full filters:
  PinnedBytes bytes_;
  OpenedFilter full_;
};

}  // namespace tamis
