// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "util/base/random.h"

namespace tamis {
namespace {

TEST(ThreadRandomTest, NoThreadRepeatsANumberOfItsOwnOrOfAnother) {
  constexpr size_t kThreads = 8;
  using Numbers = std::array<uint64_t, 1000>;
  std::vector<Numbers> drawn(kThreads);
  std::vector<std::thread> threads;
  for (Numbers& numbers : drawn) {
    threads.emplace_back([&numbers] {
      for (uint64_t& number : numbers) number = ThreadRandom();
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<uint64_t> all;
  for (const Numbers& numbers : drawn) {
    all.insert(numbers.begin(), numbers.end());
  }
  EXPECT_EQ(all.size(), drawn.size() * Numbers().size());
}

}  // namespace
}  // namespace tamis
