// SPDX-License-Identifier: Apache-2.0
//
// The policies that NewBloomFilterPolicy and NewRibbonFilterPolicy return.
#pragma once

#include <string>

#include "tamis/filter_policy.h"

#include "filter/filter_codec.h"

namespace tamis {

// The common base of both policies. It gives the name in the metaindex, and a
// reader that identifies a filter's format by its bytes. Immutable; any thread.
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

// Returns FastLocalBloom, or the legacy full filter if format_version < 5.
const FilterCodec* BloomCodecFor(const FilterBuildingContext& context);

class BloomFilterPolicy : public BuiltinFilterPolicy {
 public:
  BloomFilterPolicy(double bits_per_key, bool use_block_based_builder)
      : BuiltinFilterPolicy(bits_per_key),
        use_block_based_builder_(use_block_based_builder) {}

  // Returns the name that RocksDB stores in the properties: for the block-based
  // filter, that of the releases which could write it.
  const char* Name() const override;
  // Returns "bloomfilter:<bits per key>:<block-based>", as RocksDB does.
  std::string GetId() const override;
  // Returns a builder of FastLocalBloom, or of the legacy full filter if
  // format_version < 5. Returns nullptr if the policy is block-based.
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override;
  // Appends a block-based chunk built with RocksDB's flavor of the hash.
  void CreateFilter(const Slice* keys, int n,
                    std::string* filter) const override;
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override;

  bool use_block_based_builder() const { return use_block_based_builder_; }

 private:
  const bool use_block_based_builder_;
};

// Returns whether the policy is that of BlockBasedTableOptions by default,
// which nobody set.
bool IsDefaultFilterPolicy(const FilterPolicy* policy);

class RibbonFilterPolicy final : public BuiltinFilterPolicy {
 public:
  RibbonFilterPolicy(double bits_per_key, int bloom_before_level)
      : BuiltinFilterPolicy(bits_per_key),
        bloom_before_level_(bloom_before_level) {}

  const char* Name() const override;
  // Returns "ribbonfilter:<bits per key>:<bloom_before_level>".
  std::string GetId() const override;
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override;

 private:
  const int bloom_before_level_;
};

}  // namespace tamis
