// SPDX-License-Identifier: Apache-2.0
#include "tools/hex.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(HexTest, DigitsOfEitherCaseBecomeBytes) {
  const Result<std::string> bytes = ParseHex("0x6b31FFaA00");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(*bytes, std::string("k1\xff\xaa\0", 5));
  EXPECT_EQ(*ParseHex("0x"), "");
}

TEST(HexTest, OtherCharactersAreRefused) {
  for (const char* text : {"", "6B", "0x6", "0x6G", "0xZZ", "0x0x"}) {
    EXPECT_TRUE(ParseHex(text).status().IsInvalidArgument()) << text;
  }
}

}  // namespace
}  // namespace tamis
