// SPDX-License-Identifier: Apache-2.0
#include "filter/dynamic_bloom.h"

#include <atomic>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace tamis {
namespace {

bool Has(const DynamicBloom& bloom, const std::string& key) {
  return bloom.MayMatch(FilterKey(key));
}

TEST(DynamicBloomTest, SizeIsRoundedUpToWholeLines) {
  EXPECT_EQ(DynamicBloom(1).bytes(), 64u);
  EXPECT_EQ(DynamicBloom(64).bytes(), 64u);
  EXPECT_EQ(DynamicBloom(65).bytes(), 128u);
}

TEST(DynamicBloomTest, FindsEveryAddedKeyAndFewOthers) {
  constexpr int kKeys = 10000;
  DynamicBloom bloom(kKeys * 10 / 8);
  EXPECT_FALSE(Has(bloom, "anything"));
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = "key" + std::to_string(i);
    bloom.Add(FilterKey(key));
  }
  int wrong = 0;
  for (int i = 0; i < kKeys; ++i) {
    ASSERT_TRUE(Has(bloom, "key" + std::to_string(i))) << i;
    if (Has(bloom, "other" + std::to_string(i))) ++wrong;
  }
  // About 1 % at ten bits a key; lines of 512 bits cost a little more.
  EXPECT_LT(wrong, kKeys / 40);
  EXPECT_GT(wrong, 0);
}

TEST(DynamicBloomTest, ConcurrentReadersFindEveryPublishedKey) {
  DynamicBloom bloom(4096);
  std::atomic<int> announced{0};
  std::thread reader([&] {
    for (int n = 0; n < 2000;) {
      n = announced.load(std::memory_order_acquire);
      for (int i = 0; i < n; i += 7) {
        ASSERT_TRUE(Has(bloom, std::to_string(i)));
      }
    }
  });
  for (int i = 0; i < 2000; ++i) {
    const std::string key = std::to_string(i);
    bloom.Add(FilterKey(key));
    announced.store(i + 1, std::memory_order_release);
  }
  reader.join();
}

}  // namespace
}  // namespace tamis
