// SPDX-License-Identifier: Apache-2.0
//
// Compression against a dictionary: what each codec makes of it, and how
// dictionaries are made from samples.
#include "util/compression/dictionary.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "util/base/random.h"

namespace tamis {
namespace {

// A record of a kind that has much in common with others.
std::string Record(Random* random) {
  return "{\"customer\": " + std::to_string(random->Uniform(1'000'000)) +
         ", \"currency\": \"EUR\", \"delivery\": \"standard parcel\", "
         "\"amount\": " +
         std::to_string(random->Uniform(10'000)) + "}";
}

DictionarySamples SomeSamples(int n) {
  DictionarySamples samples;
  Random random(301);
  for (int i = 0; i < n; ++i) {
    std::string block;
    while (block.size() < 500) block += Record(&random);
    samples.Add(block);
  }
  return samples;
}

std::vector<CompressionType> CodecsWithDictionaries() {
  std::vector<CompressionType> codecs;
  for (const CompressionType codec : SupportedCompressions()) {
    if (DictionaryBytesMax(codec) > 0) codecs.push_back(codec);
  }
  return codecs;
}

TEST(DictionaryTest, WhichCodecsHaveThem) {
  EXPECT_EQ(DictionaryBytesMax(kNoCompression), 0u);
  EXPECT_EQ(DictionaryBytesMax(kSnappyCompression), 0u);
  EXPECT_EQ(DictionaryBytesMax(kBZip2Compression), 0u);
  EXPECT_EQ(DictionaryBytesMax(static_cast<CompressionType>(200)), 0u);
  for (const CompressionType codec :
       {kLZ4Compression, kLZ4HCCompression, kZSTD}) {
    EXPECT_EQ(DictionaryBytesMax(codec) > 0, CompressionSupported(codec));
  }
  EXPECT_EQ(CompressionDictionary::New(kSnappyCompression, "dictionary", 1),
            nullptr);
  for (const CompressionType codec : CodecsWithDictionaries()) {
    EXPECT_EQ(CompressionDictionary::New(codec, "", 1), nullptr);
  }
  if (CompressionSupported(kLZ4Compression)) {
    EXPECT_NE(CompressionDictionary::New(kLZ4Compression,
                                         std::string(64 * 1024, 'x'), 1),
              nullptr);
    EXPECT_EQ(CompressionDictionary::New(kLZ4Compression,
                                         std::string(64 * 1024 + 1, 'x'), 1),
              nullptr);
  }
}

TEST(DictionaryTest, BlocksAreSmallerAndReadTheSame) {
  const DictionarySamples samples = SomeSamples(10);
  for (const CompressionType codec : CodecsWithDictionaries()) {
    for (const PayloadForm form :
         {PayloadForm::kVersion1, PayloadForm::kVersion2}) {
      for (const int level : {-5, 1, 12, kDefaultCompressionLevel}) {
        SCOPED_TRACE(testing::Message()
                     << CompressionTypeName(codec) << " level " << level);
        const auto dictionary =
            CompressionDictionary::New(codec, samples.bytes, level);
        ASSERT_NE(dictionary, nullptr);
        EXPECT_EQ(dictionary->raw(), Slice(samples.bytes));
        const UncompressionDictionary back(samples.bytes);
        Random random(7);
        std::string with;
        std::string without;
        // Blocks do not depend on those before them.
        std::string first;
        for (int i = 0; i < 5; ++i) {
          const std::string block = Record(&random) + Record(&random);
          ASSERT_TRUE(dictionary->Compress(block, form, &with));
          ASSERT_TRUE(Compress(codec, block, &without, form, level));
          EXPECT_LT(with.size() * 3, without.size() * 2);
          const auto raw = Uncompress(codec, with, form, &back);
          ASSERT_TRUE(raw.ok()) << raw.status();
          EXPECT_EQ(raw->bytes(), Slice(block));
          EXPECT_FALSE(Uncompress(codec, with, form).ok());
        }
        ASSERT_TRUE(dictionary->Compress("one block", form, &first));
        ASSERT_TRUE(dictionary->Compress(Record(&random), form, &with));
        ASSERT_TRUE(dictionary->Compress("one block", form, &with));
        EXPECT_EQ(first, with);
        ASSERT_TRUE(dictionary->Compress("", form, &with));
        const auto nothing = Uncompress(codec, with, form, &back);
        ASSERT_TRUE(nothing.ok()) << nothing.status();
        EXPECT_TRUE(nothing->empty());
      }
    }
  }
}

TEST(DictionaryTest, TheLevelActs) {
  const DictionarySamples samples = SomeSamples(10);
  for (const CompressionType codec : CodecsWithDictionaries()) {
    const int fast = codec == kLZ4HCCompression ? 1 : -60;
    const int dense = codec == kLZ4Compression ? 1 : 12;
    std::string block;
    Random random(7);
    while (block.size() < 20'000) block += Record(&random);
    std::string with_fast;
    std::string with_dense;
    ASSERT_TRUE(CompressionDictionary::New(codec, samples.bytes, fast)
                    ->Compress(block, PayloadForm::kVersion2, &with_fast));
    ASSERT_TRUE(CompressionDictionary::New(codec, samples.bytes, dense)
                    ->Compress(block, PayloadForm::kVersion2, &with_dense));
    EXPECT_LT(with_dense.size(), with_fast.size())
        << CompressionTypeName(codec);
  }
}

TEST(DictionaryTest, ZstdMakesThemFromSamples) {
  if (!CompressionSupported(kZSTD)) GTEST_SKIP() << "no zstd";
  const DictionarySamples samples = SomeSamples(200);
  const std::string trained = TrainDictionary(samples, 4096);
  const std::string finalized = FinalizeDictionary(samples, 4096, 3);
  EXPECT_EQ(trained, TrainDictionary(samples, 4096));
  EXPECT_EQ(finalized, FinalizeDictionary(samples, 4096, 3));
  EXPECT_NE(trained, finalized);
  for (const std::string& raw : {trained, finalized}) {
    // zstd's magic number of dictionaries.
    ASSERT_GT(raw.size(), 256u);
    EXPECT_LE(raw.size(), 4096u);
    EXPECT_EQ(raw.substr(0, 4), "\x37\xa4\x30\xec");
    // A dictionary for lz4, too.
    for (const CompressionType codec : CodecsWithDictionaries()) {
      const auto dictionary = CompressionDictionary::New(codec, raw, 3);
      ASSERT_NE(dictionary, nullptr);
      Random random(9);
      const std::string block = Record(&random);
      std::string packed;
      ASSERT_TRUE(dictionary->Compress(block, PayloadForm::kVersion2, &packed));
      EXPECT_LT(packed.size() * 2, block.size());
      const UncompressionDictionary back(raw);
      const auto read =
          Uncompress(codec, packed, PayloadForm::kVersion2, &back);
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(read->bytes(), Slice(block));
    }
  }
}

TEST(DictionaryTest, TooLittleMakesNone) {
  EXPECT_EQ(TrainDictionary(DictionarySamples(), 4096), "");
  EXPECT_EQ(TrainDictionary(SomeSamples(1), 4096), "");
  EXPECT_EQ(TrainDictionary(SomeSamples(200), 10), "");
  EXPECT_EQ(FinalizeDictionary(SomeSamples(200), 10, 3), "");
}

}  // namespace
}  // namespace tamis
