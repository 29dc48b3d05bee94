// SPDX-License-Identifier: Apache-2.0
#include "util/coding/key_head.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "util/base/random.h"

namespace tamis {
namespace {

// Byte by byte.
uint64_t Expected(const std::string& key, size_t skip) {
  uint64_t head = 0;
  for (size_t i = skip; i < skip + 8; ++i) {
    head = head << 8 | (i < key.size() ? static_cast<uint8_t>(key[i]) : 0u);
  }
  return head;
}

TEST(KeyHeadTest, IsTheEightBytesAfterTheSkippedOnesPaddedWithZeros) {
  Random random(301);
  for (size_t size = 0; size <= 20; ++size) {
    std::string key(size, '\0');
    for (char& c : key) c = static_cast<char>(random.Uniform(256));
    for (size_t skip = 0; skip <= size + 2; ++skip) {
      EXPECT_EQ(KeyHead(key, skip), Expected(key, skip))
          << size << " bytes, " << skip << " skipped";
    }
  }
}

TEST(KeyHeadTest, OrdersAsTheKeysWhereItDiffers) {
  Random random(302);
  for (int i = 0; i < 1000; ++i) {
    std::string a(random.Uniform(12), 'a');
    std::string b(random.Uniform(12), 'a');
    for (char& c : a) c = static_cast<char>(random.Uniform(4) * 85);
    for (char& c : b) c = static_cast<char>(random.Uniform(4) * 85);
    if (KeyHead(a) == KeyHead(b)) continue;
    EXPECT_EQ(KeyHead(a) < KeyHead(b), Slice(a).compare(b) < 0);
  }
}

}  // namespace
}  // namespace tamis
