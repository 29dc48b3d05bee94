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

constexpr uint8_t kMarker = 0xef;

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
  constexpr size_t kKeys = 5000;
  const auto keys = RandomKeys(2, kKeys);
  for (double bits : AllResultBits()) {
    SCOPED_TRACE(testing::Message() << bits << " bits of result");
    const std::string filter = FilterOf(BitsPerKeyOfResult(bits), keys);
    if (bits >= 2) {
      ASSERT_EQ(MarkerOf(filter), kMarker);
    }
    ExpectAllMatch(*HomogeneousRibbonCodec(), filter, keys);
    const double predicted = PredictedRate(filter, kKeys);
    constexpr size_t kAsked = 200000;
    EXPECT_NEAR(RateOf(HomogeneousRibbonCodec()->Open(filter), kAsked),
                predicted,
                5 * std::sqrt(predicted / kAsked) + 0.05 * predicted);
  }
  const std::string most = FilterOf(100, keys);
  EXPECT_EQ(ResultBitsOf(most), 16 * kRibbon64BitUnit);
  ExpectAllMatch(*HomogeneousRibbonCodec(), most, keys);
}

TEST(HomogeneousRibbonTest, ProbesAgree) {
  Random random(301);
  for (size_t count : {300u, 2000u, 40000u}) {
    const auto keys = RandomKeys(3, count);
    auto asked = RandomKeys(4, 3000);
    asked.insert(asked.end(), keys.begin(), keys.begin() + 300);
    auto all_bits_per_key = AllResultBits();
    for (double& bits : all_bits_per_key) bits = BitsPerKeyOfResult(bits);
    all_bits_per_key.push_back(100);
    for (double bits_per_key : all_bits_per_key) {
      SCOPED_TRACE(testing::Message() << count << " keys, " << bits_per_key);
      const std::string filter = FilterOf(bits_per_key, keys);
      ExpectProbesAgree(*HomogeneousRibbonCodec(), HomogeneousRibbonProbes(),
                        filter, asked);
      if (MarkerOf(filter) != kMarker) continue;
      ExpectProbesAgree(*HomogeneousRibbonCodec(), HomogeneousRibbonProbes(),
                        WithRandomBody(filter, &random), asked);
    }
  }
}

TEST(HomogeneousRibbonTest, DuplicatesDoNoHarm) {
  const auto keys = RandomKeys(7, 3000);
  std::vector<std::string> twice = keys;
  twice.insert(twice.end(), keys.begin(), keys.end());
  const std::string filter = FilterOf(10, twice);
  EXPECT_EQ(MarkerOf(filter), kMarker);
  ExpectAllMatch(*HomogeneousRibbonCodec(), filter, keys);
}

TEST(HomogeneousRibbonTest, AnotherSeedWhenTheRateIsTooHigh) {
  // About one set in 100.
  for (uint64_t set = 0; set < 3000; ++set) {
    const auto keys = RandomKeys(set, 8000);
    const std::string filter = FilterOf(10, keys);
    ASSERT_EQ(MarkerOf(filter), kMarker);
    if (SeedOf(filter) == 0) continue;
    ExpectAllMatch(*HomogeneousRibbonCodec(), filter, keys);
    ExpectProbesAgree(*HomogeneousRibbonCodec(), HomogeneousRibbonProbes(),
                      filter, keys);
    const double predicted = PredictedRate(filter, 8000);
    EXPECT_NEAR(RateOf(HomogeneousRibbonCodec()->Open(filter), 100000),
                predicted, 0.15 * predicted);
    return;
  }
  FAIL() << "seed 0 was always good";
}

TEST(HomogeneousRibbonTest, TheOrderOfKeysDoesNotMatter) {
  auto keys = RandomKeys(8, 5000);
  const std::string filter = FilterOf(10, keys);
  std::ranges::reverse(keys);
  EXPECT_EQ(FilterOf(10, keys), filter);
}

TEST(HomogeneousRibbonTest, FewKeysGetABloomFilter) {
  const auto keys = KeysFromGenerator("key%06d:0..49");
  EXPECT_EQ(FilterOf(10, keys), BuildFilter(*FastLocalBloomCodec(), 10, keys));
}

TEST(HomogeneousRibbonTest, BytesAreTheRecordedOnes) {
  const std::string filter = FilterOf(10, KeysFromGenerator("key%06d:0..1499"));
  EXPECT_EQ(Slice(filter.data() + filter.size() - 16, 16).ToString(true),
            "DC05000000000000C80600EF00000000");
  EXPECT_EQ(Sha256Hex(filter),
            "981c2686d9dcc2e0ae492859ab816481dac279ad66a61d19ab9ae7c33d932608");
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
