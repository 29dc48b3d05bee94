// SPDX-License-Identifier: Apache-2.0
#include "util/coding/coding.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

// Each power of two with its neighbours: every length changes at one of them.
std::vector<uint64_t> Edges() {
  std::vector<uint64_t> values = {0, UINT64_MAX};
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t power = uint64_t{1} << bit;
    values.insert(values.end(), {power - 1, power, power + 1});
  }
  return values;
}

TEST(CodingTest, FixedWidthsAreLittleEndian) {
  std::string out;
  PutFixed16(&out, 0x0102);
  PutFixed32(&out, 0x03040506);
  PutFixed64(&out, 0x0708090a0b0c0d0e);
  EXPECT_EQ(out, "\x02\x01\x06\x05\x04\x03\x0e\x0d\x0c\x0b\x0a\x09\x08\x07");
  Decoder in(out);
  EXPECT_EQ(in.Fixed16(), 0x0102);
  EXPECT_EQ(in.Fixed32(), 0x03040506u);
  EXPECT_EQ(in.Fixed64(), 0x0708090a0b0c0d0eu);
  EXPECT_TRUE(in.ok() && in.empty());
}

TEST(CodingTest, VarintsRoundTripAtEveryBoundary) {
  for (const uint64_t value : Edges()) {
    std::string out;
    PutVarint64(&out, value);
    EXPECT_EQ(out.size(), VarintLength(value));
    Decoder wide(out);
    EXPECT_EQ(wide.Varint64(), value);
    EXPECT_TRUE(wide.ok() && wide.empty());
    Decoder narrow(out);
    EXPECT_EQ(narrow.Varint32(), value <= UINT32_MAX ? value : 0);
    EXPECT_EQ(narrow.ok(), value <= UINT32_MAX) << value;
  }
}

TEST(CodingTest, SignedVarintsRoundTripAndSmallOnesAreShort) {
  std::vector<int64_t> values = {std::numeric_limits<int64_t>::min()};
  for (const uint64_t value : Edges()) {
    values.push_back(static_cast<int64_t>(value));
    values.push_back(static_cast<int64_t>(0 - value));
  }
  for (const int64_t value : values) {
    std::string out;
    PutVarsignedint64(&out, value);
    Decoder in(out);
    EXPECT_EQ(in.Varsignedint64(), value);
    EXPECT_TRUE(in.ok() && in.empty());
    if (value >= -64 && value < 64) {
      EXPECT_EQ(out.size(), 1u) << value;
    }
  }
}

TEST(CodingTest, TruncatedVarintsFailAtTheirStart) {
  for (const uint64_t value : Edges()) {
    std::string out;
    PutVarint64(&out, value);
    for (size_t n = 0; n < out.size(); ++n) {
      Decoder in(Slice(out.data(), n));
      EXPECT_EQ(in.Varint64(), 0u);
      EXPECT_FALSE(in.ok());
      EXPECT_EQ(in.offset(), 0u);
    }
  }
}

TEST(CodingTest, OverlongVarintsFail) {
  const struct {
    std::string bytes;
    bool fits32;
    bool fits64;
  } kCases[] = {
      {std::string(4, '\x80') + '\x00', true, true},  // zeros on top are fine
      {std::string(4, '\xff') + '\x0f', true, true},  // 2^32 - 1
      {std::string(4, '\xff') + '\x10', false, true},
      {std::string(5, '\x80') + '\x00', false, true},
      {std::string(9, '\xff') + '\x01', false, true},  // 2^64 - 1
      {std::string(9, '\xff') + '\x02', false, false},
      {std::string(10, '\x80') + '\x00', false, false},
      {std::string(20, '\xff'), false, false},
  };
  for (const auto& c : kCases) {
    Decoder narrow(c.bytes);
    narrow.Varint32();
    EXPECT_EQ(narrow.ok(), c.fits32) << Slice(c.bytes).ToString(true);
    Decoder wide(c.bytes);
    wide.Varint64();
    EXPECT_EQ(wide.ok(), c.fits64) << Slice(c.bytes).ToString(true);
  }
}

TEST(CodingTest, ThreeVarintsAreReadAsOneAfterTheOther) {
  const uint32_t values[] = {0, 1, 0x7f, 0x80, 0x3fff, 0x4000, UINT32_MAX};
  for (const uint32_t a : values) {
    for (const uint32_t b : values) {
      for (const uint32_t c : values) {
        std::string all;
        for (const uint32_t v : {a, b, c}) PutVarint32(&all, v);
        const size_t size = all.size();
        all += "rest";
        for (size_t n = 0; n <= all.size(); ++n) {
          // On its own piece of the heap, so that AddressSanitizer sees its
          // end.
          const std::vector<char> bytes(
              all.begin(), all.begin() + static_cast<ptrdiff_t>(n));
          const char* const p = bytes.data();
          const ThreeVarint32 got = GetThreeVarint32(p, p + n);
          if (n < size) {
            ASSERT_EQ(got.end, nullptr)
                << a << " " << b << " " << c << " " << n;
            continue;
          }
          ASSERT_EQ(got.end, p + size) << a << " " << b << " " << c << " " << n;
          EXPECT_EQ(got.first, a);
          EXPECT_EQ(got.second, b);
          EXPECT_EQ(got.third, c);
        }
      }
    }
  }
}

TEST(DecoderTest, NeverReadsPastItsEnd) {
  for (size_t n = 0; n < 8; ++n) {
    // Of exact size, so that a sanitizer sees one byte too many.
    const std::vector<char> bytes(n, '\x01');
    const Slice input(bytes.data(), n);
    EXPECT_EQ((Decoder(input).Fixed64()), 0u);
    Decoder fixed8(input), fixed16(input), fixed32(input), some(input);
    fixed8.Fixed8();
    fixed16.Fixed16();
    fixed32.Fixed32();
    EXPECT_EQ(fixed8.ok(), n >= 1);
    EXPECT_EQ(fixed16.ok(), n >= 2);
    EXPECT_EQ(fixed32.ok(), n >= 4);
    EXPECT_TRUE(some.Bytes(n + 1).empty());
    EXPECT_FALSE(some.ok());
  }
  Decoder huge("abc");
  EXPECT_TRUE(huge.Bytes(UINT64_MAX).empty());
  EXPECT_FALSE(huge.ok());
}

TEST(DecoderTest, StaysFailedAtItsOffset) {
  std::string bytes;
  PutFixed32(&bytes, 7);
  PutVarint32(&bytes, 5);
  bytes += "four";
  bytes += "";
  Decoder in(bytes);
  EXPECT_EQ(in.Fixed32(), 7u);
  EXPECT_TRUE(in.LengthPrefixed().empty());
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.offset(), 4u);
  EXPECT_EQ(in.Fixed8(), 0);
  EXPECT_EQ(in.Varint64(), 0u);
  EXPECT_TRUE(in.Bytes(1).empty());
  EXPECT_EQ(in.offset(), 4u);
}

TEST(DecoderTest, SlicesPointIntoTheInput) {
  std::string bytes;
  PutLengthPrefixedSlice(&bytes, "");
  PutLengthPrefixedSlice(&bytes, std::string(300, 'x'));
  Decoder in(bytes);
  EXPECT_TRUE(in.LengthPrefixed().empty());
  const Slice value = in.LengthPrefixed();
  EXPECT_EQ(value.size(), 300u);
  EXPECT_EQ(value.end(), bytes.data() + bytes.size());
  EXPECT_TRUE(in.ok() && in.empty());
}

}  // namespace
}  // namespace tamis
