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

// Of any version; the metaindex ends at 1022 + 79 + 5.
Footer FooterOf(uint32_t version, ChecksumType checksum) {
  Footer footer = SomeFooter();
  footer.checksum = checksum;
  footer.SetVersion(version, "seed");
  return footer;
}

// The size of a file with this footer right behind the metaindex.
uint64_t EndOf(const Footer& footer) {
  return footer.metaindex.end() + footer.encoded_bytes();
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
  for (const char version : {'\x8', '\x9'}) {
    std::string footer = SomeFooter().Encode();
    footer[41] = version;
    const Status status =
        Footer::Decode(footer, kFileSize, "test.sst").status();
    ASSERT_TRUE(status.IsNotSupported()) << status;
    EXPECT_NE(status.message().find("format_version"), std::string::npos);
  }
}

TEST(FooterTest, OtherFilesAreCorruption) {
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

TEST(FooterTest, Version0HasAnotherMagicNumber) {
  std::string footer = SomeFooter().Encode();
  EncodeFixed32(footer.data() + 41, 0);
  EXPECT_TRUE(Footer::Decode(footer, kFileSize, "f").status().IsCorruption());
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

TEST(FooterTest, NoFlippedByteReadsOutside) {
  for (uint32_t version = 0; version < 6; ++version) {
    const std::string footer = FooterOf(version, kCRC32c).Encode();
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
}

// A footer of version 6 or 7 vouches for itself.
TEST(FooterTest, AFlippedByteOfVersion6Or7IsFoundOrChangesNothing) {
  for (const uint32_t version : {6u, 7u}) {
    for (const ChecksumType checksum : {kCRC32c, kxxHash, kxxHash64, kXXH3}) {
      const Footer right = FooterOf(version, checksum);
      const std::string footer = right.Encode();
      for (size_t i = 0; i < footer.size(); ++i) {
        for (int flip = 1; flip < 256; ++flip) {
          std::string copy = footer;
          copy[i] = static_cast<char>(copy[i] ^ flip);
          const Result<Footer> got =
              Footer::Decode(copy, EndOf(right), "test.sst");
          if (!got.ok()) continue;
          EXPECT_EQ(got->metaindex, right.metaindex) << i << " " << flip;
          EXPECT_EQ(got->base_context_checksum, right.base_context_checksum);
        }
      }
    }
  }
}

TEST(FooterTest, EveryVersionRoundTrips) {
  for (uint32_t version = 0; version <= kFormatVersionMax; ++version) {
    for (uint8_t type = 0; type <= kXXH3; ++type) {
      const auto checksum = static_cast<ChecksumType>(type);
      if (version == 0 && checksum != kCRC32c) continue;
      SCOPED_TRACE(testing::Message() << version << " " << unsigned{type});
      const Footer footer = FooterOf(version, checksum);
      const std::string bytes = footer.Encode();
      EXPECT_EQ(bytes.size(), footer.encoded_bytes());
      const Result<Footer> got =
          Footer::Decode(bytes, EndOf(footer), "test.sst");
      ASSERT_TRUE(got.ok()) << got.status();
      EXPECT_EQ(got->format_version, version);
      EXPECT_EQ(got->checksum, checksum);
      EXPECT_EQ(got->magic, footer.magic);
      EXPECT_EQ(got->metaindex, footer.metaindex);
      EXPECT_EQ(got->base_context_checksum, footer.base_context_checksum);
      EXPECT_EQ(got->base_context_checksum != 0, version >= 6);
      EXPECT_EQ(got->index, version >= 6 ? BlockHandle() : footer.index);
    }
  }
}

// Recorded of RocksDB 11.9.
TEST(FooterTest, Version7IsReadAndWrittenAsRocksDBDoes) {
  const std::string bytes =
      std::string("\x04\x3e\0\x7a\0\x59\x2b\x81\xdd\x9c\xeb\x52\x79\x66\0\0\0",
                  17) +
      std::string(24, '\0') +
      std::string("\x07\0\0\0\xf7\xcf\xf4\x85\xb7\x41\xe2\x88", 12);
  // The checksum, which depends on the footer's offset, tells it.
  int found = 0;
  for (uint64_t at = 107; at < 10'000; ++at) {
    const Result<Footer> got =
        Footer::Decode(bytes, at + kFooterBytes, "test.sst");
    if (!got.ok()) continue;
    ++found;
    EXPECT_EQ(got->metaindex, (BlockHandle{at - 107, 102}));
    EXPECT_EQ(got->Encode(), bytes);
  }
  EXPECT_EQ(found, 1);
}

TEST(FooterTest, ReservedBytesOfALaterReleaseAreNotSupported) {
  for (const ChecksumType checksum : {kNoChecksum, kXXH3}) {
    const Footer footer = FooterOf(6, checksum);
    for (const size_t at : {size_t{17}, size_t{33}, size_t{40}}) {
      std::string bytes = footer.Encode();
      bytes[at] = 1;
      std::string zeroed = bytes;
      EncodeFixed32(zeroed.data() + 5, 0);
      EncodeFixed32(bytes.data() + 5,
                    footer.ChecksumOf(footer.metaindex.end(),
                                      Slice(zeroed.data(), zeroed.size() - 1),
                                      static_cast<uint8_t>(zeroed.back())));
      const Status status = Footer::Decode(bytes, EndOf(footer), "f").status();
      EXPECT_EQ(status.IsNotSupported(), at >= 33) << status;
      EXPECT_EQ(status.ok(), at < 33) << status;
    }
  }
}

TEST(FooterTest, ABaseOfZeroOrAMetaindexThatDoesNotFitIsCorruption) {
  const Footer footer = FooterOf(7, kNoChecksum);
  std::string bytes = footer.Encode();
  EncodeFixed32(bytes.data() + 5, 0);
  EncodeFixed32(bytes.data() + 9, 0);
  EXPECT_TRUE(
      Footer::Decode(bytes, EndOf(footer), "f").status().IsCorruption());
  // Without a checksum nothing but the room says no.
  for (const uint32_t size : {1101u, 1102u, UINT32_MAX}) {
    bytes = footer.Encode();
    EncodeFixed32(bytes.data() + 13, size);
    const Result<Footer> got = Footer::Decode(bytes, EndOf(footer), "f");
    EXPECT_EQ(got.ok(), size == 1101) << size << got.status();
  }
}

TEST(FooterTest, TheBaseIsOfTheSeedAndNothingElse) {
  Footer a, b, c;
  a.SetVersion(6, "session 1, file 9");
  b.SetVersion(7, "session 1, file 9");
  c.SetVersion(7, "session 1, file 10");
  EXPECT_EQ(a.base_context_checksum, b.base_context_checksum);
  EXPECT_NE(a.base_context_checksum, c.base_context_checksum);
  c.SetVersion(5, "session 1, file 10");
  EXPECT_EQ(c.base_context_checksum, 0u);
}

TEST(CompressionPropertyTest, HasTheTextOfEachVersion) {
  EXPECT_EQ(CompressionProperty(5, kZSTD, true), "ZSTD");
  EXPECT_EQ(CompressionProperty(6, kZSTD, false), "ZSTD");
  EXPECT_EQ(CompressionProperty(0, kNoCompression, false), "NoCompression");
  EXPECT_EQ(CompressionProperty(7, kLZ4Compression, true), "BuiltinV2;04;");
  EXPECT_EQ(CompressionProperty(7, kZSTD, true), "BuiltinV2;07;");
  EXPECT_EQ(CompressionProperty(7, kZSTD, false), ";;");
  EXPECT_EQ(CompressionProperty(7, kNoCompression, false), ";;");
}

}  // namespace
}  // namespace tamis
