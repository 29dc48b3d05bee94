// SPDX-License-Identifier: Apache-2.0
#include "util/coding/count_below.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "util/base/random.h"

namespace tamis {
namespace {

template <typename Number>
void AgreesWithLowerBound(uint64_t distinct) {
  constexpr Number kMax = std::numeric_limits<Number>::max();
  Random random(303);
  for (uint32_t n = 0; n <= 70; ++n) {
    std::vector<Number> numbers(n);
    for (Number& number : numbers) {
      number = static_cast<Number>(random.OneIn(9) ? kMax
                                                   : random.Uniform(distinct));
    }
    std::sort(numbers.begin(), numbers.end());
    std::vector<uint64_t> bounds = {0, 1, kMax, uint64_t{kMax} - 1};
    bounds.insert(bounds.end(), numbers.begin(), numbers.end());
    for (const Number number : numbers) bounds.push_back(uint64_t{number} + 1);
    for (const uint64_t bound : bounds) {
      const auto expected =
          std::lower_bound(numbers.begin(), numbers.end(), bound) -
          numbers.begin();
      ASSERT_EQ(CountBelow<Number>(
                    reinterpret_cast<const char*>(numbers.data()), n, bound),
                expected)
          << bound << " among " << n;
    }
  }
}

TEST(CountBelowTest, CountsLongNumbers) {
  AgreesWithLowerBound<uint64_t>(1'000'000);
  AgreesWithLowerBound<uint64_t>(5);
}

TEST(CountBelowTest, CountsShortNumbersBelowALongBound) {
  AgreesWithLowerBound<uint32_t>(1'000'000);
  AgreesWithLowerBound<uint32_t>(5);
}

}  // namespace
}  // namespace tamis
