// SPDX-License-Identifier: Apache-2.0
#include "filter/kept_keys.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace tamis {

TEST(KeptKeysTest, KeepsKeysWithTheBytesTheyShare) {
  KeptKeys keys;
  for (const char* key :
       {"table/ant", "table/bee", "table/bee", "table/bees"}) {
    keys.Add(key);
  }
  ASSERT_EQ(keys.size(), 3u);
  EXPECT_EQ(keys[2], Slice("table/bees"));
  EXPECT_EQ(keys.shared(1), 6u);
  EXPECT_EQ(keys.shared(2), 9u);
  EXPECT_EQ(keys.prefix(), Slice("table/"));
}

TEST(KeptKeysTest, TooManyBytesFreeTheMemory) {
  constexpr size_t kBytesMax = 1 << 20;
  KeptKeys keys(kBytesMax);
  for (uint64_t i = 0; i < kBytesMax; ++i) {
    std::string key;
    for (int byte = 7; byte >= 0; --byte) {
      key.push_back(static_cast<char>(i >> (8 * byte)));
    }
    keys.Add(key);
  }
  EXPECT_TRUE(keys.empty());
  EXPECT_LT(keys.ApproximateMemoryUsage(), 64u);
}

}  // namespace tamis
