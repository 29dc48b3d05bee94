// SPDX-License-Identifier: Apache-2.0
#include "tamis/slice.h"

#include <string>

#include <gtest/gtest.h>

#include "tamis/status.h"
#include "tamis/version.h"

namespace tamis {
namespace {

void CountRelease(void* owner) { ++*static_cast<int*>(owner); }

TEST(SliceTest, HexDigitsAreDecoded) {
  std::string bytes;
  EXPECT_TRUE(Slice("6b31FfaA00").DecodeHex(&bytes));
  EXPECT_EQ(bytes, std::string("k1\xff\xaa\0", 5));
  EXPECT_TRUE(Slice().DecodeHex(&bytes));
  EXPECT_EQ(bytes, "");
  bytes = "kept";
  for (const char* bad : {"6", "6b3", "6g", "g6", "0x", " 1"}) {
    EXPECT_FALSE(Slice(bad).DecodeHex(&bytes)) << bad;
  }
  EXPECT_EQ(bytes, "kept");
}

TEST(SliceTest, DifferenceOffsetIsTheLengthOfTheCommonPrefix) {
  EXPECT_EQ(Slice("abc").difference_offset("abd"), 2u);
  EXPECT_EQ(Slice("abc").difference_offset("ab"), 2u);
  EXPECT_EQ(Slice("").difference_offset("ab"), 0u);
  EXPECT_EQ(Slice("ab").difference_offset("ab"), 2u);
  EXPECT_EQ(Slice("xb").difference_offset("ab"), 0u);
}

TEST(SliceTest, ToStringGivesBytesOrHexDigits) {
  EXPECT_EQ(Slice("a\0z", 3).ToString(), std::string("a\0z", 3));
  EXPECT_EQ(Slice("\x00\xff\x1a", 3).ToString(true), "00FF1A");
}

TEST(SliceTest, OrderIsUnsignedAndAPrefixComesFirst) {
  EXPECT_LT(Slice("a"), Slice("b"));
  EXPECT_LT(Slice("a"), Slice("ab"));
  EXPECT_LT(Slice("\x7f"), Slice("\x80"));
  EXPECT_EQ(Slice(""), Slice());
}

TEST(PinnableSliceTest, ReleasesItsPinExactlyOnce) {
  int released = 0;
  {
    PinnableSlice a;
    a.PinSlice("pinned", CountRelease, &released);
    EXPECT_TRUE(a.IsPinned());
    PinnableSlice b = std::move(a);
    EXPECT_EQ(b, Slice("pinned"));
    EXPECT_EQ(released, 0);
    b.Reset();
    EXPECT_EQ(released, 1);
    b.PinSlice("again", CountRelease, &released);
    b.PinSelf("own");
    EXPECT_EQ(released, 2);
    EXPECT_FALSE(b.IsPinned());
    b.PinSlice("last", CountRelease, &released);
  }
  EXPECT_EQ(released, 3);
}

TEST(PinnableSliceTest, MovesItsOwnBytesShortAndLong) {
  for (const size_t n : {0u, 1u, 8u, 15u, 16u, 1000u}) {
    PinnableSlice a;
    const std::string value(n, 'v');
    a.PinSelf(value);
    PinnableSlice b = std::move(a);
    EXPECT_EQ(b, Slice(value));
    a.PinSelf("other");
    EXPECT_EQ(b, Slice(value));
    if (n > 0) {
      b.remove_prefix(1);
      PinnableSlice c;
      c = std::move(b);
      EXPECT_EQ(c, Slice(value.substr(1)));
    }
  }
}

TEST(PinnableSliceTest, WritesIntoTheBufferItWasGiven) {
  std::string buffer = "before";
  PinnableSlice value(&buffer);
  value.PinSelf("after");
  EXPECT_EQ(buffer, "after");
  EXPECT_EQ(value.data(), buffer.data());
}

TEST(StatusTest, SaysCodeAndMessage) {
  EXPECT_EQ(Status::OK().ToString(), "OK");
  EXPECT_EQ(Status::NotFound().ToString(), "NotFound: ");
  EXPECT_EQ(Status::Corruption("file", "bad").ToString(),
            "Corruption: file: bad");
  EXPECT_EQ(Status::NoSpace("f", "full").ToString(),
            "IO error: No space left on device: f: full");
  EXPECT_EQ(Status::NoSpace().ToString(), "IO error: No space left on device");
}

TEST(StatusTest, SubcodesAreIoErrorsToo) {
  EXPECT_TRUE(Status::NoSpace("x").IsIOError());
  EXPECT_TRUE(Status::NoSpace("x").IsNoSpace());
  EXPECT_TRUE(Status::PathNotFound("x").IsPathNotFound());
  EXPECT_FALSE(Status::PathNotFound("x").IsNotFound());
  EXPECT_FALSE(Status::IOError("x").IsPathNotFound());
}

TEST(VersionTest, IsThatOfTheHeader) {
  EXPECT_EQ(GetVersion(), std::to_string(TAMIS_MAJOR) + "." +
                              std::to_string(TAMIS_MINOR) + "." +
                              std::to_string(TAMIS_PATCH));
}

}  // namespace
}  // namespace tamis
