// SPDX-License-Identifier: Apache-2.0
//
// Tests of BumpedRibbon alone. filter_codec_test.cc has those of every codec.
#include "filter/bumped_ribbon.h"

#include "filter/bloom_math.h"
#include "filter/bumped_ribbon_layout.h"
#include "filter/fast_local_bloom.h"
#include "tests/filter/ribbon64_test_util.h"
#include "tests/filter/sha256.h"

namespace tamis {

namespace {

constexpr uint8_t kMarker = 0xf0;

Ribbon64Case Case() {
  return {*BumpedRibbonCodec(), BumpedRibbonProbes(), kMarker};
}

std::string FilterOf(double bits_per_key,
                     const std::vector<std::string>& keys) {
  return BuildFilter(*BumpedRibbonCodec(), bits_per_key, keys);
}

// The bits a key that the filter takes over what its rate needs, in percent.
double PercentOver(const std::string& filter, size_t num_keys) {
  const double rate =
      BumpedRibbonCodec()->PredictedFalsePositiveRate(filter, num_keys);
  const double bits =
      8.0 * static_cast<double>(filter.size()) / static_cast<double>(num_keys);
  return 100 * (bits / -std::log2(rate) - 1);
}

}  // namespace

TEST(BumpedRibbonTest, SizeIsNearTheOptimum) {
  struct Bound {
    size_t keys;
    double percent;
  };
  const double seven_bits = BitsPerKeyOfResult(7);
  for (const Bound& bound : {Bound{4000, 4}, Bound{10000, 2},
                             Bound{100000, 0.8}, Bound{1000000, 0.6}}) {
    const auto keys = RandomKeys(1, bound.keys);
    const std::string filter = FilterOf(seven_bits, keys);
    ASSERT_EQ(MarkerOf(filter), kMarker);
    ASSERT_EQ(ResultBitsOf(filter), 7 * kRibbon64BitUnit);
    EXPECT_LT(PercentOver(filter, bound.keys), bound.percent) << bound.keys;
    // A mixture of columns costs up to 0.086 bits a key.
    EXPECT_LT(PercentOver(FilterOf(BitsPerKeyOfResult(6.5), keys), bound.keys),
              bound.percent + 100 * 0.087 / 6.4);
    ExpectAllMatch(*BumpedRibbonCodec(), filter, keys);
  }
}

TEST(BumpedRibbonTest, EveryNumberOfBitsWorks) {
  ExpectEveryNumberOfBitsWorks(Case(), 0.03);
}

TEST(BumpedRibbonTest, ProbesAgree) { ExpectAllProbesAgree(Case()); }

// Thresholds, too, may be any bytes.
TEST(BumpedRibbonTest, ProbesOfRandomBodiesAgree) {
  Random random(301);
  const auto asked = RandomKeys(5, 3000);
  for (size_t count : {250u, 1100u, 3000u, 30000u}) {
    const auto keys = RandomKeys(6, count);
    for (double bits_per_key : {5.5, 10.0, 12.0, 30.0}) {
      const std::string filter = FilterOf(bits_per_key, keys);
      if (MarkerOf(filter) != kMarker) continue;
      ExpectProbesAgree(*BumpedRibbonCodec(), BumpedRibbonProbes(),
                        WithRandomBody(filter, &random), asked);
    }
  }
}

TEST(BumpedRibbonTest, DuplicatesDoNoHarm) {
  const auto keys = RandomKeys(7, 3000);
  std::vector<std::string> twice = keys;
  twice.insert(twice.end(), keys.begin(), keys.end());
  std::vector<std::string> mostly_one = keys;
  for (size_t i = 0; i < 20000; ++i) mostly_one.push_back(keys[i % 2]);
  for (const auto& set : {twice, mostly_one}) {
    const std::string filter = FilterOf(10, set);
    EXPECT_EQ(MarkerOf(filter), kMarker);
    ExpectAllMatch(*BumpedRibbonCodec(), filter, keys);
  }
}

TEST(BumpedRibbonTest, AnotherSeedWhenOneHasNoSolution) {
  // About one set of 900 keys in 100.
  ExpectAnotherSeedWorks(Case(), 900, 0.1);
}

TEST(BumpedRibbonTest, FewKeysGetABloomFilter) {
  const auto keys = KeysFromGenerator("key%06d:0..49");
  EXPECT_EQ(FilterOf(10, keys), BuildFilter(*FastLocalBloomCodec(), 10, keys));
}

// Two layers, whose formats must never change.
TEST(BumpedRibbonTest, BytesAreTheRecordedOnes) {
  const std::string filter = FilterOf(10, KeysFromGenerator("key%06d:0..1499"));
  EXPECT_EQ(Slice(filter.data() + filter.size() - 16, 16).ToString(true),
            "DC05000000000000C80600F000000000");
  EXPECT_EQ(Sha256Hex(filter),
            "b9a8f7d3219275fb2c32e7d5ab09447ea8ad20b9cd43c0020da6e7b87b2dfe61");
}

TEST(BumpedLayoutTest, SizesGrowWithTheEntries) {
  constexpr uint16_t kResultBits[] = {256, 300, 511, 1717, 4096};
  for (const uint16_t bits : kResultBits) {
    size_t before = 0;
    for (uint64_t entries = 1; entries < 200000; ++entries) {
      const size_t bytes = BumpedLayout(entries, bits).bytes();
      ASSERT_GE(bytes, before) << entries;
      before = bytes;
    }
  }
}

TEST(BumpedLayoutTest, LayersHoldTheEntriesOfAnyNumber) {
  for (uint64_t entries = 1; entries <= kRetrievalEntriesMax;
       entries += entries / 9 + 1) {
    const BumpedLayout layout(entries, 1792);
    uint64_t rows = 0;
    for (uint32_t i = 0; i < layout.num_layers; ++i) {
      ASSERT_GE(layout.blocks[i], 2u);
      rows += layout.LayerOf(i).num_rows();
    }
    EXPECT_GT(rows, entries);
    EXPECT_LE(rows, entries + entries / 16 + 160);
  }
  EXPECT_EQ(BumpedLayout(kRetrievalEntriesMax, 256).num_layers,
            kBumpedLayersMax);
}

}  // namespace tamis
