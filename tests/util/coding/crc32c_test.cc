// SPDX-License-Identifier: Apache-2.0
#include "util/coding/crc32c.h"

#include <string>

#include <gtest/gtest.h>

#include "util/base/random.h"

namespace tamis::crc32c {
namespace {

TEST(Crc32cTest, KnownValues) {
  std::string ascending(32, '\0');
  for (size_t i = 0; i < 32; ++i) ascending[i] = static_cast<char>(i);
  const struct {
    std::string data;
    uint32_t crc;
  } kCases[] = {
      {"", 0},
      {"123456789", 0xe3069283},
      {std::string(32, '\0'), 0x8a9136aa},  // RFC 3720, B.4
      {std::string(32, '\xff'), 0x62a8ab43},
      {ascending, 0x46dd794e},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Value(c.data.data(), c.data.size()), c.crc);
    EXPECT_EQ(ExtendPortable(0, c.data.data(), c.data.size()), c.crc);
  }
}

TEST(Crc32cTest, MachineAndPortableCodeAgreeAtEveryLengthAndAlignment) {
  Random random(301);
  std::string data(8192, '\0');
  for (char& c : data) c = static_cast<char>(random.Next());
  for (size_t n = 0; n + 8 <= data.size(); n += n < 200 ? 1 : 61) {
    const char* p = data.data() + n % 8;
    ASSERT_EQ(Extend(17, p, n), ExtendPortable(17, p, n)) << n;
  }
}

TEST(Crc32cTest, ExtendingEqualsOnePass) {
  const std::string data(5000, 'x');
  for (const size_t cut : {0u, 1u, 7u, 8u, 1535u, 1536u, 4999u, 5000u}) {
    const uint32_t head = Value(data.data(), cut);
    EXPECT_EQ(Extend(head, data.data() + cut, data.size() - cut),
              Value(data.data(), data.size()));
  }
}

TEST(Crc32cTest, MaskIsUndoneByUnmask) {
  for (const uint32_t crc : {0u, 1u, 0xe3069283u, 0xffffffffu}) {
    EXPECT_NE(Mask(crc), crc);
    EXPECT_NE(Mask(Mask(crc)), Mask(crc));
    EXPECT_EQ(Unmask(Mask(crc)), crc);
  }
  EXPECT_EQ(Mask(0), 0xa282ead8u);
}

}  // namespace
}  // namespace tamis::crc32c
