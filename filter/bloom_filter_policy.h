// SPDX-License-Identifier: Apache-2.0
//
// What NewBloomFilterPolicy and NewRibbonFilterPolicy make.
#pragma once

#include "tamis/filter_policy.h"

namespace tamis {

// What the two have in common: the name in the metaindex, and the reader,
// which goes by the bytes. Immutable; any thread.
class BuiltinFilterPolicy : public FilterPolicy {
 public:
  explicit BuiltinFilterPolicy(double bits_per_key)
      : bits_per_key_(bits_per_key) {}

  const char* CompatibilityName() const final;
  FilterBitsBuilder* GetFilterBitsBuilder() const final;
  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const final;

  double bits_per_key() const { return bits_per_key_; }

 private:
  const double bits_per_key_;
};

class BloomFilterPolicy final : public BuiltinFilterPolicy {
 public:
  BloomFilterPolicy(double bits_per_key, bool use_block_based_builder)
      : BuiltinFilterPolicy(bits_per_key),
        use_block_based_builder_(use_block_based_builder) {}

  // As RocksDB names them in the properties: the block-based one by the name
  // of the releases that could write it.
  const char* Name() const override;
  // FastLocalBloom, or, in tables of format_version below 5, the legacy full
  // filter. nullptr when it is block-based.
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override;
  // Block-based, in RocksDB's flavour.
  void CreateFilter(const Slice* keys, int n,
                    std::string* filter) const override;
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override;

  bool use_block_based_builder() const { return use_block_based_builder_; }

 private:
  const bool use_block_based_builder_;
};

class RibbonFilterPolicy final : public BuiltinFilterPolicy {
 public:
  RibbonFilterPolicy(double bits_per_key, int bloom_before_level)
      : BuiltinFilterPolicy(bits_per_key),
        bloom_before_level_(bloom_before_level) {}

  const char* Name() const override;
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override;

 private:
  const int bloom_before_level_;
};

}  // namespace tamis
