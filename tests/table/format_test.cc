// SPDX-License-Identifier: Apache-2.0
#include "table/format.h"

#include <string>

#include <gtest/gtest.h>

namespace tamis {
namespace {

constexpr uint64_t kFileSize = 1159;

Footer SomeFooter() {
  Footer footer;
  footer.metaindex = {1022, 79};
  footer.index = {142, 18};
  return footer;
}

TEST(FooterTest, IsWrittenAsRocksDBWritesIt) {
  const std::string expected =
      std::string("\x04\xfe\x07\x4f\x8e\x01\x12", 7) + std::string(34, '\0') +
      std::string("\x05\0\0\0\xf7\xcf\xf4\x85\xb7\x41\xe2\x88", 12);
  EXPECT_EQ(SomeFooter().Encode(), expected);
}

TEST(FooterTest, RoundTrips) {
  const Result<Footer> got =
      Footer::Decode(SomeFooter().Encode(), kFileSize, "test.sst");
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->format_version, 5u);
  EXPECT_EQ(got->checksum, kXXH3);
  EXPECT_EQ(got->metaindex, SomeFooter().metaindex);
  EXPECT_EQ(got->index, SomeFooter().index);
}

TEST(FooterTest, ReadsLevelDBs) {
  std::string footer;
  SomeFooter().metaindex.EncodeTo(&footer);
  SomeFooter().index.EncodeTo(&footer);
  footer.resize(40, '\0');
  PutFixed64(&footer, kLegacyMagic);
  for (const size_t before : {size_t{0}, size_t{5}}) {
    const Result<Footer> got = Footer::Decode(std::string(before, 'x') + footer,
                                              kFileSize, "test.sst");
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(got->format_version, 0u);
    EXPECT_EQ(got->checksum, kCRC32c);
    EXPECT_EQ(got->index, SomeFooter().index);
  }
}

TEST(FooterTest, NewerVersionsAreRefusedByNumber) {
  for (const char version : {'\6', '\7'}) {
    std::string footer = SomeFooter().Encode();
    footer[41] = version;
    const Status status =
        Footer::Decode(footer, kFileSize, "test.sst").status();
    ASSERT_TRUE(status.IsNotSupported()) << status;
    EXPECT_NE(status.message().find("format_version"), std::string::npos);
  }
}

TEST(FooterTest, WhatIsNoTableIsCorruption) {
  std::string footer = SomeFooter().Encode();
  EXPECT_TRUE(Footer::Decode("", 0, "f").status().IsCorruption());
  EXPECT_TRUE(
      Footer::Decode(footer.substr(6), 47, "f").status().IsCorruption());
  std::string bad = footer;
  bad.back() = 'x';
  EXPECT_TRUE(Footer::Decode(bad, kFileSize, "f").status().IsCorruption());
  bad = footer;
  bad[0] = 9;
  EXPECT_TRUE(Footer::Decode(bad, kFileSize, "f").status().IsCorruption());
}

TEST(FooterTest, HandlesOutsideTheFileAreCorruption) {
  for (const BlockHandle handle :
       {BlockHandle{kFileSize, 1}, BlockHandle{0, kFileSize},
        BlockHandle{UINT64_MAX, 1}, BlockHandle{1, UINT64_MAX},
        BlockHandle{UINT64_MAX - 4, 4}, BlockHandle{1022, 80}}) {
    Footer footer = SomeFooter();
    footer.metaindex = handle;
    EXPECT_TRUE(
        Footer::Decode(footer.Encode(), kFileSize, "f").status().IsCorruption())
        << handle.ToString();
    footer = SomeFooter();
    footer.index = handle;
    EXPECT_TRUE(
        Footer::Decode(footer.Encode(), kFileSize, "f").status().IsCorruption())
        << handle.ToString();
  }
}

TEST(FooterTest, NoFlippedByteIsReadElsewhere) {
  const std::string footer = SomeFooter().Encode();
  for (size_t i = 0; i < footer.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string copy = footer;
      copy[i] = static_cast<char>(copy[i] ^ (1 << bit));
      const Result<Footer> got = Footer::Decode(copy, kFileSize, "f");
      if (!got.ok()) continue;
      EXPECT_TRUE(got->metaindex.FitsIn(kFileSize));
      EXPECT_TRUE(got->index.FitsIn(kFileSize));
    }
  }
}

}  // namespace
}  // namespace tamis
