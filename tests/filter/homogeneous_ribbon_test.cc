// SPDX-License-Identifier: Apache-2.0
//
// Tests of HomogeneousRibbon alone. filter_codec_test.cc has those of every
// codec.
#include "filter/homogeneous_ribbon.h"

#include "filter/fast_local_bloom.h"
#include "tests/filter/ribbon64_test_util.h"
#include "tests/filter/sha256.h"

namespace tamis {

namespace {

constexpr uint8_t kMarker = 0xeb;

Ribbon64Case Case() {
  return {*HomogeneousRibbonCodec(), HomogeneousRibbonProbes(), kMarker};
}

std::string FilterOf(double bits_per_key,
                     const std::vector<std::string>& keys) {
  return BuildFilter(*HomogeneousRibbonCodec(), bits_per_key, keys);
}

double PredictedRate(const std::string& filter, size_t num_keys) {
  return HomogeneousRibbonCodec()->PredictedFalsePositiveRate(filter, num_keys);
}

}  // namespace

TEST(HomogeneousRibbonTest, SizeIsNearTheOptimum) {
  const double seven_bits = BitsPerKeyOfResult(7);
  for (size_t count : {4000u, 10000u, 100000u, 1000000u}) {
    const auto keys = RandomKeys(1, count);
    const std::string filter = FilterOf(seven_bits, keys);
    ASSERT_EQ(MarkerOf(filter), kMarker);
    ASSERT_EQ(ResultBitsOf(filter), 7 * kRibbon64BitUnit);
    const double bits =
        8.0 * static_cast<double>(filter.size()) / static_cast<double>(count);
    EXPECT_LT(bits / -std::log2(PredictedRate(filter, count)), 1.13) << count;
    ExpectAllMatch(*HomogeneousRibbonCodec(), filter, keys);
  }
}

// Without the builder's measurement, one filter in 50 would err up to twice as
// often.
TEST(HomogeneousRibbonTest, RatesOfManyFiltersAreAsPredicted) {
  constexpr size_t kSets = 200;
  constexpr size_t kKeys = 10000;
  constexpr size_t kAsked = 100000;
  const double seven_bits = BitsPerKeyOfResult(7);
  double sum = 0;
  double worst = 0;
  double predicted = 0;
  for (size_t set = 0; set < kSets; ++set) {
    const std::string filter = FilterOf(seven_bits, RandomKeys(set, kKeys));
    predicted = PredictedRate(filter, kKeys);
    const double rate = RateOf(HomogeneousRibbonCodec()->Open(filter), kAsked);
    sum += rate / kSets;
    worst = std::max(worst, rate);
  }
  const double deviation = std::sqrt(predicted / kAsked);
  EXPECT_NEAR(sum, predicted, 0.02 * predicted);
  EXPECT_LT(worst, 1.06 * predicted + 3.5 * deviation);
}

TEST(HomogeneousRibbonTest, EveryNumberOfBitsWorks) {
  ExpectEveryNumberOfBitsWorks(Case(), 0.05);
}

TEST(HomogeneousRibbonTest, ProbesAgree) { ExpectAllProbesAgree(Case()); }

TEST(HomogeneousRibbonTest, DuplicatesDoNoHarm) {
  const auto keys = RandomKeys(7, 3000);
  std::vector<std::string> twice = keys;
  twice.insert(twice.end(), keys.begin(), keys.end());
  const std::string filter = FilterOf(10, twice);
  EXPECT_EQ(MarkerOf(filter), kMarker);
  ExpectAllMatch(*HomogeneousRibbonCodec(), filter, keys);
}

TEST(HomogeneousRibbonTest, AnotherSeedWhenTheRateIsTooHigh) {
  // About one set of 8,000 keys in 100.
  ExpectAnotherSeedWorks(Case(), 8000, 0.15);
}

TEST(HomogeneousRibbonTest, TheOrderOfKeysDoesNotMatter) {
  ExpectOrderDoesNotMatter(*HomogeneousRibbonCodec(), RandomKeys(8, 5000));
}

TEST(HomogeneousRibbonTest, FewKeysGetABloomFilter) {
  const auto keys = KeysFromGenerator("key%06d:0..49");
  EXPECT_EQ(FilterOf(10, keys), BuildFilter(*FastLocalBloomCodec(), 10, keys));
}

TEST(HomogeneousRibbonTest, BytesAreTheRecordedOnes) {
  const std::string filter = FilterOf(10, KeysFromGenerator("key%06d:0..1499"));
  EXPECT_EQ(Slice(filter.data() + filter.size() - 16, 16).ToString(true),
            "DC05000000000000C80600EB00000000");
  EXPECT_EQ(Sha256Hex(filter),
            "9c0c3b04086b3c2f1780b1b98c550a398f0c85ee248b25cd26a7a2ea3b653f49");
}

// Marker -17 was that of a layout with more rows.
TEST(HomogeneousRibbonTest, TheFormerLayoutAlwaysMatches) {
  std::string filter = FilterOf(10, RandomKeys(8, 1000));
  filter[filter.size() - 5] = static_cast<char>(-17);
  EXPECT_EQ(MatchesOf(*HomogeneousRibbonCodec(), filter, 1000), 1000u);
}

// A crowded stretch adds more to the rate of a filter with many columns, which
// has more rows for that.
TEST(HomogeneousRibbonTest, FewSeedsAreTriedWhateverTheNumberOfColumns) {
  const auto keys = RandomKeys(9, 1 << 20);
  for (const double bits : {10.0, 12.5, 17.0, 31.0}) {
    EXPECT_LT(SeedOf(FilterOf(bits, keys)), 6) << bits;
  }
}

// Few free rows leave too few columns independent. Such sets get a block more,
// so that none falls back to a Bloom filter of another size.
TEST(HomogeneousRibbonTest, SmallFiltersHaveTheEstimatedSize) {
  for (const double bits : {14.3, 17.0, 22.0, 25.0, 31.0, 100.0}) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < 300; ++i) {
      keys.push_back(Numbered("small", i));
      const auto builder = HomogeneousRibbonCodec()->NewBuilder(bits);
      AddAll(keys, builder.get());
      const size_t estimate = builder->EstimateSizeBytes();
      Result<std::string> filter = builder->Finish();
      ASSERT_TRUE(filter.ok());
      EXPECT_EQ(filter.value().size(), estimate) << i << " " << bits;
    }
  }
}

}  // namespace tamis
