// SPDX-License-Identifier: Apache-2.0
#include "util/checksum.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/util/vectors.h"

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

TEST(ChecksumTest, EveryTypeButNoneSeesPayloadAndTypeByte) {
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
