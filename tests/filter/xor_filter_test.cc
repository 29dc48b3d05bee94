// SPDX-License-Identifier: Apache-2.0
//
// Tests of Xor alone. filter_codec_test.cc has those of every codec.
#include "filter/xor_filter.h"

#include <array>
#include <cmath>

#include "filter/fast_local_bloom.h"
#include "tests/filter/retrieval_test_util.h"
#include "tests/filter/sha256.h"

namespace tamis {

namespace {

// A key's slots and fingerprint as filter/FORMAT.md describes them, seed 0.
struct Place {
  Place(const std::string& key, uint64_t third) {
    const uint64_t a = Hash64(key);
    const uint64_t b = a * 0x9e3779b97f4a7c15;
    const uint64_t c = a * 0xd6e8feb86659fd93;
    slots = {((a >> 32) * third) >> 32, third + (((b >> 32) * third) >> 32),
             2 * third + (((c >> 32) * third) >> 32)};
    fingerprint = static_cast<uint8_t>(b >> 32);
  }
  std::array<uint64_t, 3> slots;
  uint8_t fingerprint;
};

}  // namespace

TEST(XorFilterTest, HasTwentyThreePercentMoreSlotsThanKeys) {
  for (size_t count : {1000u, 10000u, 100000u}) {
    const std::vector<std::string> keys = Users(count);
    // Bloom filters of 10 bits err at 0.95 %, of 20 at 0.017 %.
    for (double bits : {10.0, 20.0}) {
      const std::string filter = BuildFilter(*XorCodec(), bits, keys);
      const size_t slot_bytes = bits < 12 ? 1 : 2;
      ASSERT_EQ(BitsOf(filter), 8 * static_cast<int>(slot_bytes));
      EXPECT_LE(filter.size() - kRetrievalTrailerBytes,
                slot_bytes * (count * 123 / 100 + 35));
      ExpectAllMatch(*XorCodec(), filter, keys);
    }
  }
}

TEST(XorFilterTest, ErrsAtTheRateOfItsWidth) {
  const std::vector<std::string> keys = Users(10000);
  for (double bits : {10.0, 11.0, 20.0, 30.0}) {
    const std::string filter = BuildFilter(*XorCodec(), bits, keys);
    // FastLocalBloom errs at 1 in 256 with 12 bits.
    EXPECT_EQ(BitsOf(filter), bits < 12 ? 8 : 16);
    const double rate =
        XorCodec()->PredictedFalsePositiveRate(filter, keys.size());
    constexpr size_t kAsked = 200000;
    const double expected = rate * kAsked;
    EXPECT_NEAR(static_cast<double>(MatchesOf(*XorCodec(), filter, kAsked)),
                expected, 5 * std::sqrt(expected) + 5)
        << bits;
  }
}

TEST(XorFilterTest, IsABloomFilterWhereThatIsSmaller) {
  const std::vector<std::string> keys = Users(1000);
  for (double bits : {5.0, 16.0}) {
    EXPECT_EQ(BuildFilter(*XorCodec(), bits, keys),
              BuildFilter(*FastLocalBloomCodec(), bits, keys));
  }
}

TEST(XorFilterTest, DuplicatesTakeAnotherSeed) {
  ExpectDuplicatesTakeAnotherSeed(*XorCodec(), 80);
}

TEST(XorFilterTest, TheOrderOfKeysDoesNotMatter) {
  ExpectOrderDoesNotMatter(*XorCodec(), Users(5000));
}

// The example of filter/FORMAT.md.
TEST(XorFilterTest, WorkedExample) {
  constexpr uint64_t kThird = 12;  // (3 * 1.23 + 32) / 3, rounded
  const Place c("c", kThird);
  const Place e("e", kThird);
  const Place s("s", kThird);
  using Slots = std::array<uint64_t, 3>;
  EXPECT_EQ(c.slots, (Slots{0, 16, 29}));
  EXPECT_EQ(e.slots, (Slots{7, 20, 29}));
  EXPECT_EQ(s.slots, (Slots{0, 16, 30}));

  // e is alone in slot 7. Without e, c is alone in slot 29. Without c, s is
  // alone in slot 0. In reverse:
  std::string body(3 * kThird, '\0');
  body[0] = static_cast<char>(s.fingerprint);
  body[29] = static_cast<char>(c.fingerprint ^ s.fingerprint);
  body[7] = static_cast<char>(e.fingerprint ^ c.fingerprint ^ s.fingerprint);
  const std::string filter = BuildFilter(*XorCodec(), 10, {"c", "e", "s"});
  ASSERT_EQ(filter.size(), body.size() + kRetrievalTrailerBytes);
  EXPECT_EQ(ToHex(filter.substr(0, body.size())), ToHex(body));
  EXPECT_EQ(ToHex(filter),
            "fe0000000000005600000000"
            "000000000000000000000000"
            "000000000050000000000000"
            "0300000000000000000800ed00000000");
}

TEST(XorFilterTest, TrailersThatContradictTheBodyAlwaysMatch) {
  const std::string filter = BuildFilter(*XorCodec(), 10, Users(1000));
  EXPECT_LT(MatchesOf(*XorCodec(), filter, 1000), 20u);
  // More entries, part of a bit, other widths, a reserved byte.
  ExpectContradictionsAlwaysMatch(
      *XorCodec(), filter,
      {{1, 0x7f}, {6, 1}, {8, 1}, {9, 7}, {9, 16}, {15, 1}}, 30);
}

// The format never changes.
TEST(XorFilterTest, GoldenBytes) {
  EXPECT_EQ(Sha256Hex(BuildFilter(*XorCodec(), 10, Users(1000))),
            "a78d5da573e90687076c822d198c8c6c23fa2f85d6da57ff9f37de39b6e583b9");
  EXPECT_EQ(Sha256Hex(BuildFilter(*XorCodec(), 20, Users(1000))),
            "534589f6b08ac38056d3895f391ec073a617e6a63fc02d1634415bcf7ac34bd3");
}

}  // namespace tamis
