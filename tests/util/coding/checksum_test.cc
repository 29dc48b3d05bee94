// SPDX-License-Identifier: Apache-2.0
#include "util/coding/checksum.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/util/coding/vectors.h"
#include "util/base/random.h"

namespace tamis {
namespace {

TEST(ChecksumTest, EveryTypeAgreesWithRecordedVectors) {
  TAMIS_LOAD_VECTORS(vectors, "block_checksum.json");
  for (const auto& row : vectors) {
    const std::string unit = FromHex(row["payload_hex"].get<std::string>());
    std::string payload;
    for (size_t i = 0; i < row["payload_repeat"].get<size_t>(); ++i) {
      payload += unit;
    }
    const auto type_byte = row["type_byte"].get<uint8_t>();
    for (uint8_t type = 0; type <= kXXH3; ++type) {
      const std::string field = "ck" + std::to_string(unsigned{type});
      EXPECT_EQ(
          BlockChecksum(static_cast<ChecksumType>(type), payload, type_byte),
          FromHexNumber(row[field].get<std::string>()))
          << field << ", " << payload.size() << " bytes";
    }
  }
}

TEST(ChecksumTest, TheModifierAgreesWithRecordedVectors) {
  TAMIS_LOAD_VECTORS(vectors, "block_checksum.json");
  constexpr uint32_t kBase = 0x12345678;
  constexpr uint64_t kOffset = 0x100000abc;
  for (const auto& row : vectors) {
    const std::string unit = FromHex(row["payload_hex"].get<std::string>());
    std::string payload;
    for (size_t i = 0; i < row["payload_repeat"].get<size_t>(); ++i) {
      payload += unit;
    }
    const auto type_byte = row["type_byte"].get<uint8_t>();
    EXPECT_EQ(
        StoredChecksum(kXXH3, kBase, kOffset, payload, type_byte),
        FromHexNumber(row["ck4_with_context_base_12345678_offset_100000abc"]
                          .get<std::string>()))
        << payload.size() << " bytes";
  }
}

TEST(ChecksumTest, PrefixesHaveTheChecksumsOfPayloads) {
  std::string bytes;
  Random random(7);
  for (size_t i = 0; i < 2000; ++i) {
    bytes.push_back(static_cast<char>(random.Next()));
  }
  for (uint8_t number = 0; number <= kXXH3; ++number) {
    const auto type = static_cast<ChecksumType>(number);
    SCOPED_TRACE(ChecksumTypeName(type));
    for (const size_t step : {1u, 7u, 300u}) {
      PrefixChecksum prefixes(type, bytes);
      for (size_t n = 0; n < bytes.size(); n += step) {
        const uint32_t expected = BlockChecksum(type, Slice(bytes.data(), n),
                                                static_cast<uint8_t>(bytes[n]));
        ASSERT_EQ(prefixes.Of(n), expected) << n;
        ASSERT_EQ(prefixes.Of(n), expected) << n << ", again";
      }
    }
  }
}

TEST(ChecksumTest, TheModifierIsOfBaseAndOffset) {
  // 0: the file has no modifier, at any offset of the block.
  EXPECT_EQ(ChecksumModifier(0, 77), 0u);
  EXPECT_EQ(ChecksumModifier(0x12345678, 0), 0x12345678u);
  EXPECT_EQ(ChecksumModifier(0x12345678, 0x100000abc), 0x12345678u ^ 0xabdu);
  EXPECT_EQ(ChecksumModifier(5, 0xffffffffffffffff), 5u ^ 0xfffffffeu);
  for (uint8_t type = 0; type <= kXXH3; ++type) {
    const auto checksum = static_cast<ChecksumType>(type);
    EXPECT_EQ(StoredChecksum(checksum, 0, 9, "payload", 1),
              BlockChecksum(checksum, "payload", 1));
    EXPECT_EQ(StoredChecksum(checksum, 7, 9, "payload", 1),
              BlockChecksum(checksum, "payload", 1) + (7 ^ 9));
  }
}

TEST(ChecksumTest, EveryTypeButNoneCoversPayloadAndTypeByte) {
  for (const ChecksumType type : {kCRC32c, kxxHash, kxxHash64, kXXH3}) {
    const uint32_t checksum = BlockChecksum(type, "payload", 1);
    EXPECT_NE(checksum, BlockChecksum(type, "payload", 0));
    EXPECT_NE(checksum, BlockChecksum(type, "paylobd", 1));
  }
  EXPECT_EQ(BlockChecksum(kNoChecksum, "payload", 1), 0u);
}

TEST(ChecksumTest, OnlyNumbersUpToFourAreKnown) {
  for (uint8_t type = 0; type <= 4; ++type) {
    EXPECT_TRUE(IsKnownChecksumType(type));
  }
  EXPECT_FALSE(IsKnownChecksumType(5));
  EXPECT_FALSE(IsKnownChecksumType(255));
}

}  // namespace
}  // namespace tamis
