// SPDX-License-Identifier: Apache-2.0
//
// Tests of Ribbon alone. filter_codec_test.cc has those of every codec.
#include "filter/ribbon.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "filter/bloom_math.h"
#include "filter/fast_local_bloom.h"
#include "filter/ribbon_banding.h"
#include "filter/ribbon_math.h"
#include "tests/filter/filter_test_util.h"
#include "util/base/random.h"

namespace tamis {

namespace {

std::string Trailer(uint8_t seed, uint32_t num_blocks) {
  std::string bytes = "\xfe";
  bytes.push_back(static_cast<char>(seed));
  for (int shift : {0, 8, 16}) {
    bytes.push_back(static_cast<char>(num_blocks >> shift));
  }
  return bytes;
}

size_t MatchesOf(const std::string& filter, size_t keys) {
  return MatchesOf(*RibbonCodec(), filter, keys);
}

}  // namespace

TEST(RibbonTest, NoKeysGiveNoBytes) {
  const auto builder = RibbonCodec()->NewBuilder(10);
  EXPECT_EQ(builder->EstimateSizeBytes(), 0u);
  EXPECT_EQ(*builder->Finish(), "");
  EXPECT_EQ(MatchesOf("", 10), 0u);
}

TEST(RibbonTest, FewKeysGetABloomFilterWhereItIsSmaller) {
  const auto keys = KeysFromGenerator("key%06d:0..149");
  EXPECT_EQ(BuildFilter(*RibbonCodec(), 10, keys),
            BuildFilter(*FastLocalBloomCodec(), 10, keys));
}

TEST(RibbonTest, ManyKeysTakeSeventyPercentOfABloomFilter) {
  const auto keys = KeysFromGenerator("key%06d:0..49999");
  for (double bits : {8.0, 10.0, 16.0, 20.0}) {
    const auto ribbon =
        static_cast<double>(BuildFilter(*RibbonCodec(), bits, keys).size());
    const auto bloom = static_cast<double>(
        BuildFilter(*FastLocalBloomCodec(), bits, keys).size());
    EXPECT_LT(ribbon, 0.72 * bloom) << bits;
    EXPECT_GT(ribbon, 0.55 * bloom) << bits;
  }
}

TEST(RibbonTest, TheOrderOfKeysAfterTheFirstDoesNotMatter) {
  auto keys = KeysFromGenerator("key%06d:0..2999");
  const std::string filter = BuildFilter(*RibbonCodec(), 10, keys);
  std::reverse(keys.begin() + 1, keys.end());
  EXPECT_EQ(BuildFilter(*RibbonCodec(), 10, keys), filter);
  // Nor do duplicates, as long as they are too few to need another size.
  keys.push_back(keys[7]);
  EXPECT_EQ(BuildFilter(*RibbonCodec(), 10, keys), filter);
}

TEST(RibbonTest, BitsPerKeyOutsideTheirBoundsCountAsTheBound) {
  const auto keys = KeysFromGenerator("key%06d:0..999");
  const auto of = [&keys](double bits) {
    return BuildFilter(*RibbonCodec(), bits, keys);
  };
  EXPECT_EQ(of(0), of(1));
  EXPECT_EQ(of(-5), of(1));
  EXPECT_EQ(of(1e6), of(100));
  EXPECT_EQ(of(std::nan("")), of(100));
  EXPECT_EQ(of(std::numeric_limits<double>::infinity()), of(100));
  EXPECT_LT(of(1).size(), of(100).size());
}

TEST(RibbonTest, FewerThanTwoBlocksAlwaysMatch) {
  const std::string zero(32, '\0');
  EXPECT_EQ(MatchesOf(zero + Trailer(0, 0), 100), 100u);
  EXPECT_EQ(MatchesOf(zero + Trailer(0, 1), 100), 100u);
  EXPECT_LT(MatchesOf(zero + Trailer(0, 2), 100), 80u);
  EXPECT_EQ(RibbonCodec()->PredictedFalsePositiveRate(zero + Trailer(0, 1), 5),
            1);
}

// Only 32 columns are ever looked at, and no byte is needed.
TEST(RibbonTest, AnyLengthWorksWithAnyNumberOfBlocks) {
  constexpr uint64_t kSeed = 301;
  Random random(kSeed);
  for (size_t bytes : {1u, 15u, 16u, 17u, 31u, 160u, 1024u, 1040u, 5000u}) {
    for (uint32_t blocks : {2u, 3u, 5u, 9u, 64u, 65536u, 0xffffffu}) {
      std::string filter(bytes, '\0');
      for (char& c : filter) c = static_cast<char>(random.Next());
      filter += Trailer(static_cast<uint8_t>(random.Next()), blocks);
      SCOPED_TRACE(testing::Message() << bytes << " bytes, " << blocks
                                      << " blocks, seed " << kSeed);
      const double rate = RibbonCodec()->PredictedFalsePositiveRate(filter, 10);
      EXPECT_TRUE(rate >= 0 && rate <= 1) << rate;
      constexpr size_t kAsked = 2000;
      const double expected = rate * kAsked;
      EXPECT_NEAR(static_cast<double>(MatchesOf(filter, kAsked)), expected,
                  5 * std::sqrt(expected) + 5);
    }
  }
}

// In any number of columns.
TEST(RibbonTest, ProbesAgree) {
  const FilterView::Probe avx512 = RibbonCodecProbes().avx512;
  if (avx512 == nullptr) GTEST_SKIP() << "this processor has no AVX-512";
  Random random(301);
  size_t matches = 0;
  size_t asked = 0;
  for (size_t segments = 1; segments < 600; ++segments) {
    const auto blocks = static_cast<uint32_t>(2 + random.Uniform(60));
    std::string filter(segments * 16 + random.Uniform(16), '\0');
    for (char& c : filter) c = static_cast<char>(random.Next());
    filter += Trailer(static_cast<uint8_t>(random.Next()), blocks);
    const ExactView view(*RibbonCodec(), filter);
    const FilterView one = view.With(RibbonCodecProbes().portable);
    const FilterView other = view.With(avx512);
    for (size_t i = 0; i < 300; ++i, ++asked) {
      const std::string text = Numbered("probe", i);
      const FilterKey key(text);
      (*view).PrefetchFor(key);
      const bool match = one.MayMatch(key);
      ASSERT_EQ(other.MayMatch(key), match) << segments << " " << blocks;
      matches += match ? 1 : 0;
    }
  }
  EXPECT_GT(matches, asked / 100);
  EXPECT_LT(matches, asked / 2);
}

TEST(RibbonTest, OneSegmentMayAnswerForManyBlocks) {
  // A single segment, of the last block: the others have no column.
  const std::string filter = std::string(16, '\0') + Trailer(0, 1000);
  EXPECT_GT(MatchesOf(filter, 10000), 9900u);
}

TEST(RibbonMathTest, LayoutsHoldTheirSegmentsAndNoMore) {
  for (uint64_t segments : {0u, 1u, 2u, 5u, 31u, 64u, 100u, 64u * 5}) {
    for (uint32_t blocks : {2u, 3u, 7u, 10u, 200u}) {
      const RibbonLayout layout = RibbonLayoutOf(segments * 16 + 3, blocks);
      uint64_t next = 0;
      for (uint32_t block = 0; block < blocks; ++block) {
        EXPECT_EQ(layout.FirstSegmentOf(block), next);
        if (block > 0) {
          EXPECT_GE(layout.ColumnsOf(block), layout.ColumnsOf(block - 1));
        }
        next += layout.ColumnsOf(block);
      }
      EXPECT_EQ(next, std::min<uint64_t>(segments, 32 * uint64_t{blocks}));
    }
  }
}

TEST(RibbonMathTest, SlotsGrowWithKeysAndAreWholeBlocks) {
  uint32_t before = 0;
  for (uint64_t keys = 1; keys <= kRibbonKeysMax; keys += keys / 50 + 1) {
    const uint32_t slots = RibbonSlots(keys);
    EXPECT_EQ(slots % kRibbonWidth, 0u);
    EXPECT_GE(slots, before) << keys;
    EXPECT_GE(slots, keys);
    EXPECT_GE(slots, 256u);
    before = slots;
  }
  EXPECT_LT(RibbonSlots(kRibbonKeysMax) / kRibbonWidth, 1u << 24);
  EXPECT_LT(RibbonSlots(1000000), 1100000u);
}

TEST(RibbonMathTest, CoefficientsStartWithOneWithinTheSlots) {
  Random random(301);
  for (int seed = 0; seed < 256; ++seed) {
    const RibbonHasher hasher(static_cast<uint8_t>(seed), 256);
    for (int i = 0; i < 100; ++i) {
      const RibbonEquation equation = hasher.EquationOf(random.Next());
      EXPECT_LE(equation.start, 128u);
      EXPECT_TRUE((equation.coefficients & 1) != 0);
    }
  }
}

// More keys than slots contradict each other; equal ones never do.
TEST(RibbonBandingTest, DetectsThatThereIsNoSolution) {
  Random random(301);
  std::vector<uint64_t> hashes(1000);
  for (uint64_t& hash : hashes) hash = random.Next();
  RibbonBanding banding(256);
  EXPECT_FALSE(banding.Solvable(hashes, 0));
  std::ranges::fill(hashes, 12345u);
  EXPECT_TRUE(banding.Solvable(hashes, 0));
}

}  // namespace tamis
