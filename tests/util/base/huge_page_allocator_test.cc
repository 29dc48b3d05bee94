// SPDX-License-Identifier: Apache-2.0
#include "util/base/huge_page_allocator.h"

#include <cstdint>
#include <numeric>
#include <utility>

#include <gtest/gtest.h>

namespace tamis {

TEST(HugePageAllocatorTest, VectorsOfAnySizeKeepWhatIsStored) {
  constexpr size_t kHugePage = size_t{2} << 20;
  for (size_t bytes : {size_t{0}, size_t{8}, size_t{4096}, kHugePage - 8,
                       kHugePage, kHugePage + 8, 3 * kHugePage + 4096}) {
    HugePageVector<uint64_t> numbers(bytes / 8);
    std::iota(numbers.begin(), numbers.end(), uint64_t{1});
    const HugePageVector<uint64_t> copy = numbers;
    // Grows over the size of a huge page, and moves.
    for (size_t i = 0; i < 1000; ++i) numbers.push_back(numbers.size() + 1);
    const HugePageVector<uint64_t> moved = std::move(numbers);
    ASSERT_EQ(moved.size(), bytes / 8 + 1000);
    for (size_t i = 0; i < moved.size(); ++i) ASSERT_EQ(moved[i], i + 1);
    for (size_t i = 0; i < copy.size(); ++i) ASSERT_EQ(copy[i], i + 1);
  }
}

TEST(HugePageAllocatorTest, LargeVectorsBeginWithAHugePage) {
  const HugePageVector<char> large(size_t{2} << 20);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(large.data()) % (size_t{2} << 20), 0u);
}

}  // namespace tamis
