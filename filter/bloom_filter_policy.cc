// SPDX-License-Identifier: Apache-2.0
#include "filter/bloom_filter_policy.h"

#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tamis/table.h"

#include "filter/bloom_math.h"
#include "filter/builtin_filter_bits.h"
#include "filter/cache_local_bloom.h"
#include "filter/fast_local_bloom.h"
#include "filter/filter_registry.h"
#include "filter/leveldb_bloom.h"
#include "filter/ribbon.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

// The first version whose full Bloom filters are FastLocalBloom.
constexpr uint32_t kFastLocalBloomVersion = 5;

FilterBitsBuilder* NewBitsBuilder(const FilterCodec* codec, double bits_per_key,
                                  const char* why) {
  char bits[32];
  std::snprintf(bits, sizeof(bits), "%.4g", bits_per_key);
  const bool none = BloomMillibits(bits_per_key) == 0;
  return new BuiltinFilterBitsBuilder(
      none ? nullptr : codec, bits_per_key,
      (none ? "none" : std::string(codec->name())) + ": " + bits +
          " bits per key" + why);
}

// The level to compare with bloom_before_level. A flush is below all levels,
// and a file without a level above them.
int LevelForRibbon(const FilterBuildingContext& context) {
  if (context.is_flush) return -1;
  return context.level_at_creation >= 0 ? context.level_at_creation
                                        : std::numeric_limits<int>::max() - 1;
}

}  // namespace

const FilterCodec* BloomCodecFor(const FilterBuildingContext& context) {
  return context.table_options.format_version < kFastLocalBloomVersion
             ? CacheLocalBloomCodec()
             : FastLocalBloomCodec();
}

const char* BuiltinFilterPolicy::CompatibilityName() const {
  return kBuiltinBloomFamily.data();
}

FilterBitsBuilder* BuiltinFilterPolicy::GetFilterBitsBuilder() const {
  const BlockBasedTableOptions defaults;
  return GetBuilderWithContext(FilterBuildingContext(defaults));
}

FilterBitsReader* BuiltinFilterPolicy::GetFilterBitsReader(
    const Slice& contents) const {
  return new BuiltinFilterBitsReader(contents);
}

const char* BloomFilterPolicy::Name() const {
  return use_block_based_builder_ ? kBuiltinBloomFamily.data() : "bloomfilter";
}

FilterBitsBuilder* BloomFilterPolicy::GetBuilderWithContext(
    const FilterBuildingContext& context) const {
  if (use_block_based_builder_) return nullptr;
  return NewBitsBuilder(BloomCodecFor(context), bits_per_key(), "");
}

void BloomFilterPolicy::CreateFilter(const Slice* keys, int n,
                                     std::string* filter) const {
  const auto builder =
      LevelDBBloomSignedTailCodec()->NewBuilder(bits_per_key());
  for (int i = 0; i < n; ++i) builder->Add(FilterKey(keys[i]));
  const Result<std::string> chunk = builder->Finish();
  if (chunk.ok()) *filter += *chunk;
}

bool BloomFilterPolicy::KeyMayMatch(const Slice& key,
                                    const Slice& filter) const {
  return LevelDBBloomSignedTailCodec()->Open(filter).MayMatch(FilterKey(key));
}

std::string BloomFilterPolicy::GetId() const {
  return "bloomfilter:" + ShortestDecimal(bits_per_key()) +
         (use_block_based_builder_ ? ":true" : ":false");
}

const char* RibbonFilterPolicy::Name() const { return "ribbonfilter"; }

std::string RibbonFilterPolicy::GetId() const {
  return "ribbonfilter:" + ShortestDecimal(bits_per_key()) + ":" +
         std::to_string(bloom_before_level_);
}

FilterBitsBuilder* RibbonFilterPolicy::GetBuilderWithContext(
    const FilterBuildingContext& context) const {
  const bool bloom = LevelForRibbon(context) < bloom_before_level_;
  return NewBitsBuilder(bloom ? FastLocalBloomCodec() : RibbonCodec(),
                        bits_per_key(),
                        bloom ? ", level before bloom_before_level"
                              : " of a Bloom filter's rate");
}

const FilterPolicy* NewBloomFilterPolicy(double bits_per_key,
                                         bool use_block_based_builder) {
  return new BloomFilterPolicy(bits_per_key, use_block_based_builder);
}

const FilterPolicy* NewRibbonFilterPolicy(double bloom_equivalent_bits_per_key,
                                          int bloom_before_level) {
  return new RibbonFilterPolicy(bloom_equivalent_bits_per_key,
                                bloom_before_level);
}

namespace {

class DefaultFilterPolicy final : public BloomFilterPolicy {
 public:
  DefaultFilterPolicy()
      : BloomFilterPolicy(10, /*use_block_based_builder=*/false) {}
};

}  // namespace

bool IsDefaultFilterPolicy(const FilterPolicy* policy) {
  return dynamic_cast<const DefaultFilterPolicy*>(policy) != nullptr;
}

// Defined here and not in table/, so that programs linked with filters only get
// the default, too.
BlockBasedTableOptions::BlockBasedTableOptions()
    : filter_policy(std::make_shared<const DefaultFilterPolicy>()) {}

}  // namespace tamis
