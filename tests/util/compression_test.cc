// SPDX-License-Identifier: Apache-2.0
#include "util/compression.h"

#include <string>

#include <gtest/gtest.h>

#include "util/coding.h"
#include "util/random.h"

namespace tamis {
namespace {

TEST(CompressionTest, EverySupportedCodecGivesBackWhatItTook) {
  Random random(1);
  std::string noise(5000, '\0');
  for (char& c : noise) c = static_cast<char>(random.Next());
  for (const CompressionType type : SupportedCompressions()) {
    if (type == kNoCompression) continue;
    for (const std::string& raw :
         {std::string(), std::string("a"), std::string(1 << 20, 'r'), noise}) {
      std::string packed = "old";
      ASSERT_TRUE(Compress(type, raw, &packed));
      const Result<std::string> back = Uncompress(type, packed);
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_EQ(back.value(), raw);
    }
  }
  EXPECT_TRUE(CompressionSupported(kSnappyCompression));
}

TEST(CompressionTest, ACodecThatIsMissingIsNamed) {
  std::string out;
  for (uint8_t t = 1; t <= kZSTD; ++t) {
    const auto type = static_cast<CompressionType>(t);
    if (CompressionSupported(type)) continue;
    EXPECT_FALSE(Compress(type, "raw", &out));
    const Status status = Uncompress(type, "packed").status();
    EXPECT_TRUE(status.IsNotSupported()) << status;
    EXPECT_NE(status.message().find(CompressionTypeName(type)),
              std::string::npos);
  }
}

TEST(CompressionTest, ANumberOfNoCodecIsCorruption) {
  for (const int t : {8, 0x40, 0xff}) {
    EXPECT_TRUE(Uncompress(static_cast<CompressionType>(t), "x")
                    .status()
                    .IsCorruption());
  }
}

TEST(CompressionTest, SnappyRefusesALengthThatItsBytesCannotHold) {
  for (const uint64_t declared :
       {uint64_t{1} << 20, uint64_t{UINT32_MAX}, uint64_t{1} << 40}) {
    std::string bomb;
    PutVarint64(&bomb, declared);
    bomb += "abc";
    EXPECT_TRUE(Uncompress(kSnappyCompression, bomb).status().IsCorruption());
  }
}

TEST(CompressionTest, SnappyRefusesDamagedStreams) {
  std::string packed;
  ASSERT_TRUE(Compress(kSnappyCompression, std::string(3000, 'q'), &packed));
  EXPECT_TRUE(Uncompress(kSnappyCompression, "").status().IsCorruption());
  EXPECT_TRUE(
      Uncompress(kSnappyCompression, Slice(packed.data(), packed.size() - 1))
          .status()
          .IsCorruption());
}

}  // namespace
}  // namespace tamis
