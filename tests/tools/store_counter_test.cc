// SPDX-License-Identifier: Apache-2.0
#include "tools/store_counter.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

class StoreCounterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!CanCountStores()) GTEST_SKIP() << "not on this platform";
  }
};

TEST_F(StoreCounterTest, CountsEachStoreOutsideOfTheStack) {
  const auto numbers = std::make_unique<std::array<uint64_t, 64>>();
  volatile uint64_t* const at = numbers->data();
  EXPECT_EQ(CountStores([] {}).size(), 0u);
  const std::vector<CountedStore> stores = CountStores([at] {
    volatile uint64_t of_stack = 0;
    for (size_t i = 0; i < 64; i += 8) at[i] = i + of_stack;
  });
  ASSERT_EQ(stores.size(), 8u);
  for (size_t i = 1; i < stores.size(); ++i) {
    EXPECT_EQ(stores[i].line, stores[0].line + i);
  }
  for (size_t i = 0; i < 64; i += 8) EXPECT_EQ((*numbers)[i], i);
}

TEST_F(StoreCounterTest, AStoreOverTwoPagesIsCountedOnEach) {
  alignas(4096) static char pages[8192];
  const std::vector<CountedStore> stores = CountStores([] {
    __builtin_memcpy(pages + 4092, "12345678", 8);
    __asm__ volatile("" ::: "memory");
  });
  ASSERT_EQ(stores.size(), 2u);
  EXPECT_NE(stores[0].line, stores[1].line);
  EXPECT_EQ(std::string(pages + 4092, 8), "12345678");
}

TEST_F(StoreCounterTest, OnlyLinesOfBothThreadsAreShared) {
  const auto shared = std::make_unique<std::atomic<uint64_t>>(0);
  std::atomic<uint64_t>& common = *shared;
  const SharedStores counted = CountSharedStores(
      [&]() -> std::function<void()> {
        const auto own = std::make_shared<std::vector<uint64_t>>(1000);
        return [own, &common] {
          for (int i = 0; i < 10; ++i) {
            common.fetch_add(1);
            static_cast<volatile uint64_t*>(own->data())[i * 8] = 1;
          }
        };
      },
      /*warmups=*/1);
  EXPECT_EQ(counted.all, 20u);
  EXPECT_EQ(counted.shared.size(), 10u);
  EXPECT_EQ(common, 40u);
}

}  // namespace
}  // namespace tamis
