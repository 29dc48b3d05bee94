// SPDX-License-Identifier: Apache-2.0
//
// Tests of BinaryFuse alone. filter_codec_test.cc has those of every codec.
#include "filter/binary_fuse.h"

#include <cmath>
#include <set>

#include "filter/fast_local_bloom.h"
#include "tests/filter/retrieval_test_util.h"
#include "tests/filter/sha256.h"
#include "util/base/uint128.h"

namespace tamis {

namespace {

double BitsPerKey(const std::string& filter, size_t keys) {
  return 8.0 * static_cast<double>(filter.size()) / static_cast<double>(keys);
}

bool IsBloom(const std::string& filter) { return MarkerOf(filter) == 0xff; }

// The `bits` bits from bit `first` of a row of bytes, one by one.
uint32_t BitsAt(const std::string& bytes, uint64_t first, uint32_t bits) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < bits; ++i) {
    const uint64_t at = first + i;
    const uint32_t byte = static_cast<uint8_t>(bytes[at / 8]);
    value |= (byte >> (at % 8) & 1u) << i;
  }
  return value;
}

// The probe as filter/FORMAT.md describes it.
bool MatchesByFormat(const std::string& filter, const std::string& key,
                     uint64_t segments, uint64_t n) {
  const auto bits = static_cast<uint32_t>(BitsOf(filter));
  uint64_t a = Hash64(key);
  if (SeedOf(filter) != 0) {
    a ^= static_cast<uint64_t>(SeedOf(filter)) * 0xc78219a23eeadd03;
    a = (a ^ (a >> 31)) * 0x9e3779b97f4a7c15;
    a ^= a >> 32;
  }
  const uint64_t b = a * 0x9e3779b97f4a7c15;
  const uint64_t c = a * 0xd6e8feb86659fd93;
  const Uint128 place = Uint128{a} * (segments - 3);
  const auto segment = static_cast<uint64_t>(place >> 64);
  const uint64_t parts[] = {static_cast<uint64_t>(place) >> 32, b >> 32,
                            b & 0xffffffff, c >> 32};
  uint32_t all = 0;
  for (uint64_t i = 0; i < 4; ++i) {
    const uint64_t slot = (segment + i) * n + ((parts[i] * n) >> 32);
    all ^= BitsAt(filter, slot * bits, bits);
  }
  return all == ((b >> 32) & ((1u << bits) - 1));
}

}  // namespace

TEST(BinaryFuseTest, TakesFewBitsPerKey) {
  const struct {
    size_t keys;
    double bits;
  } sizes[] = {{1000, 8.15}, {10000, 7.9}, {100000, 7.6}, {1000000, 7.45}};
  for (const auto& [count, bits] : sizes) {
    const std::string filter =
        BuildFilter(*BinaryFuseCodec(), 10, Users(count));
    EXPECT_EQ(BitsOf(filter), 7);
    EXPECT_LE(BitsPerKey(filter, count), bits) << count;
    EXPECT_GE(BitsPerKey(filter, count), 7) << count;
  }
}

// The number of segments changes at some of these powers of two.
TEST(BinaryFuseTest, MoreKeysNeverTakeLess) {
  const FilterCodec& codec = *BinaryFuseCodec();
  for (size_t power = 2; power <= 30; ++power) {
    for (const size_t n : {size_t{1} << power, size_t{3} << (power - 1)}) {
      for (size_t keys = n - 2; keys < n + 3; ++keys) {
        EXPECT_LE(codec.EstimateSizeBytes(10, keys),
                  codec.EstimateSizeBytes(10, keys + 1))
            << keys;
      }
    }
  }
}

TEST(BinaryFuseTest, NeverTakesMoreThanABloomFilter) {
  for (size_t count = 1; count < 3000; count = count * 5 / 4 + 1) {
    const std::vector<std::string> keys = Users(count);
    for (double bits : {4.0, 10.0, 20.0}) {
      const std::string filter = BuildFilter(*BinaryFuseCodec(), bits, keys);
      EXPECT_LE(filter.size(),
                BuildFilter(*FastLocalBloomCodec(), bits, keys).size())
          << count;
      ExpectAllMatch(*BinaryFuseCodec(), filter, keys);
    }
  }
}

TEST(BinaryFuseTest, EveryWidthErrsAtItsRateAndBelowTheTarget) {
  const std::vector<std::string> keys = Users(20000);
  std::set<int> widths;
  for (double bits = 4; bits <= 32; bits += 0.5) {
    const std::string filter = BuildFilter(*BinaryFuseCodec(), bits, keys);
    if (IsBloom(filter)) continue;
    const int width = BitsOf(filter);
    if (!widths.insert(width).second) continue;
    ExpectAllMatch(*BinaryFuseCodec(), filter, keys);
    const double rate =
        BinaryFuseCodec()->PredictedFalsePositiveRate(filter, keys.size());
    EXPECT_NEAR(rate, std::ldexp(1.0, -width), 1e-9);
    const std::string bloom = BuildFilter(*FastLocalBloomCodec(), bits, keys);
    if (width < 16) {
      EXPECT_LE(rate, 1.01 * FastLocalBloomCodec()->PredictedFalsePositiveRate(
                                 bloom, keys.size()));
    }
    constexpr size_t kAsked = 100000;
    const double expected = rate * kAsked;
    EXPECT_NEAR(
        static_cast<double>(MatchesOf(*BinaryFuseCodec(), filter, kAsked)),
        expected, 5 * std::sqrt(expected) + 5)
        << width;
  }
  EXPECT_EQ(widths.size(), 13u);
  EXPECT_EQ(*widths.begin(), 4);
  EXPECT_EQ(*widths.rbegin(), 16);
}

TEST(BinaryFuseTest, DuplicatesTakeAnotherSeed) {
  const std::string filter =
      ExpectDuplicatesTakeAnotherSeed(*BinaryFuseCodec(), 150);
  // Duplicates are entries, and take space.
  EXPECT_GT(filter.size(),
            BuildFilter(*BinaryFuseCodec(), 10, Users(2000)).size() * 3 / 2);
}

TEST(BinaryFuseTest, TheOrderOfKeysDoesNotMatter) {
  for (size_t count : {500u, 5000u, 50000u}) {
    ExpectOrderDoesNotMatter(*BinaryFuseCodec(), Users(count));
  }
}

TEST(BinaryFuseTest, ProbesAsTheFormatSays) {
  const struct {
    size_t keys;
    uint64_t segments;
    uint64_t segment_slots;
  } layouts[] = {{1000, 16, 71}, {3000, 64, 53}, {20000, 64, 348}};
  for (const auto& [count, segments, n] : layouts) {
    const std::vector<std::string> keys = Users(count);
    for (double bits : {7.0, 10.0, 24.0}) {
      const std::string filter = BuildFilter(*BinaryFuseCodec(), bits, keys);
      const uint64_t last =
          (segments * n - 1) * static_cast<uint64_t>(BitsOf(filter));
      ASSERT_EQ(filter.size(), last / 8 + 4 + kRetrievalTrailerBytes) << count;
      const FilterView view = BinaryFuseCodec()->Open(filter);
      for (size_t i = 0; i < 2 * count; ++i) {
        const std::string key = Numbered("user", i);
        const bool match = MatchesByFormat(filter, key, segments, n);
        ASSERT_EQ(Matches(view, key), match) << key;
        ASSERT_TRUE(match || i >= count) << key;
      }
    }
  }
}

TEST(BinaryFuseTest, TrailersThatContradictTheBodyAlwaysMatch) {
  const std::string filter = BuildFilter(*BinaryFuseCodec(), 10, Users(1000));
  EXPECT_LT(MatchesOf(*BinaryFuseCodec(), filter, 1000), 30u);
  // More entries, part of a bit, too few bits, too many, a reserved byte.
  ExpectContradictionsAlwaysMatch(
      *BinaryFuseCodec(), filter,
      {{1, 0x7f}, {6, 1}, {8, 1}, {9, 3}, {9, 17}, {15, 1}}, 40);
}

// The format never changes.
TEST(BinaryFuseTest, GoldenBytes) {
  EXPECT_EQ(ToHex(BuildFilter(*BinaryFuseCodec(), 10, Users(10))),
            "13001600607d00807a130000fcb880221000000000000000"
            "0a00000000000000000700ec00000000");
  const std::string seed1 = BuildFilter(*BinaryFuseCodec(), 10, Users(33));
  EXPECT_EQ(SeedOf(seed1), 1);
  EXPECT_EQ(Sha256Hex(seed1),
            "356261de8b76e3bb829712d754120f42f554aa88b81e89c889528650800ab962");
  EXPECT_EQ(Sha256Hex(BuildFilter(*BinaryFuseCodec(), 10, Users(100000))),
            "d224156e1d507c719c384b008dadf2b09cef00533ff21417de455c417c67a25d");
  EXPECT_EQ(Sha256Hex(BuildFilter(*BinaryFuseCodec(), 24, Users(40000))),
            "d3e47a08d1eae2dcdfa368f69543234c125f3080cdc69e67f083e043e9740e5c");
}

// Marker -18 was that of a layout with more slots.
TEST(BinaryFuseTest, TheFormerLayoutAlwaysMatches) {
  std::string filter = BuildFilter(*BinaryFuseCodec(), 10, Users(1000));
  filter[filter.size() - 5] = static_cast<char>(-18);
  EXPECT_EQ(MatchesOf(*BinaryFuseCodec(), filter, 1000), 1000u);
}

}  // namespace tamis
