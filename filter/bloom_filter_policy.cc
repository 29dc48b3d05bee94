// SPDX-License-Identifier: Apache-2.0
#include "filter/bloom_filter_policy.h"

#include "tamis/table.h"

#include "filter/filter_registry.h"

namespace tamis {

const char* BloomFilterPolicy::Name() const {
  return use_block_based_builder_ ? kBuiltinBloomFamily.data() : "bloomfilter";
}

const char* BloomFilterPolicy::CompatibilityName() const {
  return kBuiltinBloomFamily.data();
}

const FilterPolicy* NewBloomFilterPolicy(double bits_per_key,
                                         bool use_block_based_builder) {
  return new BloomFilterPolicy(bits_per_key, use_block_based_builder);
}

// Here rather than in table/, so that a program which links filters alone has
// the default too.
BlockBasedTableOptions::BlockBasedTableOptions()
    : filter_policy(NewBloomFilterPolicy(10)) {}

}  // namespace tamis
