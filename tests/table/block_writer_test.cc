// SPDX-License-Identifier: Apache-2.0
#include "table/block_writer.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/tables.h"
#include "util/base/random.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

// The codec of a stored block of which `percent` of the bytes do not compress,
// and the others compress to almost nothing.
CompressionType CodecOf(CompressionType wanted, size_t percent) {
  constexpr size_t kBytes = 4000;
  std::string raw(kBytes, '\0');
  Random random(301);
  for (size_t i = 0; i < kBytes * percent / 100; ++i) {
    raw[i] = static_cast<char>(random.Uniform(256));
  }
  std::string contents;
  StringWritableFile file(&contents);
  BlockWriter writer(&file, wanted, Footer(), nullptr);
  const Result<BlockHandle> handle = writer.WriteCompressed(raw);
  EXPECT_TRUE(handle.ok());
  return static_cast<CompressionType>(contents[handle->size]);
}

TEST(BlockWriterTest, ABlockIsCompressedWhereThatSavesAnEighth) {
  for (const CompressionType type : SupportedCompressions()) {
    EXPECT_EQ(CodecOf(type, 70), type) << CompressionTypeName(type);
    EXPECT_EQ(CodecOf(type, 92), kNoCompression) << CompressionTypeName(type);
  }
}

// A dictionary of another codec stands for a codec that does its work wrong.
TEST(BlockWriterTest, AVerifiedBlockMustDecompressToItself) {
  if (!CompressionSupported(kLZ4Compression) || !CompressionSupported(kZSTD)) {
    GTEST_SKIP() << "needs two codecs with dictionaries";
  }
  const std::string raw(4000, 'r');
  const auto write = [&raw](CompressionType dictionary_of, bool verifies,
                            const std::string& dictionary_bytes) {
    std::string contents;
    StringWritableFile file(&contents);
    BlockWriter writer(&file, kLZ4Compression, Footer(), nullptr,
                       kDefaultCompressionLevel, verifies);
    const auto dictionary = CompressionDictionary::New(
        dictionary_of, dictionary_bytes, kDefaultCompressionLevel);
    EXPECT_NE(dictionary, nullptr);
    return writer.WriteCompressed(raw, dictionary.get()).status();
  };
  EXPECT_EQ(write(kLZ4Compression, true, std::string(100, 'd')), Status::OK());
  EXPECT_EQ(write(kZSTD, false, std::string(100, 'd')), Status::OK());
  const Status wrong = write(kZSTD, true, std::string(100, 'd'));
  EXPECT_TRUE(wrong.IsCorruption()) << wrong;
  EXPECT_NE(wrong.ToString().find("block for offset 0"), std::string::npos)
      << wrong;
}

// Two dictionaries in turn: each block is verified with its own.
TEST(BlockWriterTest, ABlockIsVerifiedWithItsDictionary) {
  if (!CompressionSupported(kZSTD)) GTEST_SKIP() << "needs zstd";
  std::string contents;
  StringWritableFile file(&contents);
  BlockWriter writer(&file, kZSTD, Footer(), nullptr, kDefaultCompressionLevel,
                     /*verifies=*/true);
  Random random(1);
  for (int i = 0; i < 3; ++i) {
    std::string words(1000, '\0');
    for (char& c : words) c = static_cast<char>(random.Uniform(256));
    const auto dictionary =
        CompressionDictionary::New(kZSTD, words, kDefaultCompressionLevel);
    ASSERT_NE(dictionary, nullptr);
    const auto handle = writer.WriteCompressed(words, dictionary.get());
    ASSERT_TRUE(handle.ok()) << handle.status();
    EXPECT_LT(handle->size, 100u) << "it refers to the dictionary";
  }
  EXPECT_TRUE(writer.WriteCompressed(std::string(1000, 'x')).ok());
}

}  // namespace
}  // namespace tamis
