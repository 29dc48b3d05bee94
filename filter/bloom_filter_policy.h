// SPDX-License-Identifier: Apache-2.0
//
// What NewBloomFilterPolicy makes. It only remembers what was asked for;
// PlanFilter reads it.
#pragma once

#include "tamis/filter_policy.h"

namespace tamis {

// Immutable; any thread.
class BloomFilterPolicy final : public FilterPolicy {
 public:
  BloomFilterPolicy(double bits_per_key, bool use_block_based_builder)
      : bits_per_key_(bits_per_key),
        use_block_based_builder_(use_block_based_builder) {}

  // As RocksDB names them in the properties: the block-based one by the name
  // of the releases that could write it.
  const char* Name() const override;
  const char* CompatibilityName() const override;

  double bits_per_key() const { return bits_per_key_; }
  bool use_block_based_builder() const { return use_block_based_builder_; }

 private:
  const double bits_per_key_;
  const bool use_block_based_builder_;
};

}  // namespace tamis
