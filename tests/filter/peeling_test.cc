// SPDX-License-Identifier: Apache-2.0
#include "filter/peeling.h"

#include <gtest/gtest.h>

#include "util/base/random.h"

namespace tamis {

namespace {

using Slots = std::array<uint32_t, 3>;

// The keys of peeling.h's drawing.
Slots SlotsOf(uint64_t key) {
  if (key == 'a') return {0, 2, 4};
  if (key == 'b') return {1, 2, 4};
  return {1, 3, 5};
}

uint32_t ResultOf(uint64_t key) { return static_cast<uint32_t>(key * 257); }

}  // namespace

TEST(PeelingTest, ValuesXorToTheResults) {
  const std::vector<uint64_t> keys = {'a', 'b', 'c'};
  Peeling<3> peeling(6);
  ASSERT_TRUE(peeling.Peel(keys, SlotsOf));
  const std::vector<uint16_t> values = peeling.Solve(SlotsOf, ResultOf);
  for (const uint64_t key : keys) {
    uint32_t result = 0;
    for (const uint32_t slot : SlotsOf(key)) result ^= values[slot];
    EXPECT_EQ(result, ResultOf(key)) << key;
  }
}

TEST(PeelingTest, EqualHashesFail) {
  EXPECT_FALSE(Peeling<3>(6).Peel({'a', 'b', 'a'}, SlotsOf));
  EXPECT_FALSE(Peeling<3>(6).Peel({'a', 'a', 'a'}, SlotsOf));
  // 256 keys of a slot are as many as a count of 8 bits can tell from none.
  for (size_t copies : {255u, 256u, 257u, 512u, 513u, 70000u}) {
    EXPECT_FALSE(
        Peeling<3>(6).Peel(std::vector<uint64_t>(copies, 'a'), SlotsOf))
        << copies;
  }
}

TEST(PeelingTest, KeysWithoutASlotOfTheirOwnFail) {
  // Both keys have the same slots.
  EXPECT_FALSE(Peeling<3>(6).Peel({'c', 'd'}, SlotsOf));
}

TEST(PeelingTest, NoKeysNeedNoValues) {
  Peeling<3> peeling(6);
  ASSERT_TRUE(peeling.Peel({}, SlotsOf));
  EXPECT_EQ(peeling.Solve(SlotsOf, ResultOf), std::vector<uint16_t>(6));
}

TEST(PeelingHasherTest, SeedsDifferAndLoseNoHash) {
  Random random(301);
  const uint64_t hash = random.Next();
  std::vector<uint64_t> seen;
  for (unsigned seed = 0; seed < 256; ++seed) {
    const PeelingHasher hasher(static_cast<uint8_t>(seed));
    const PeelingHashes hashes = hasher.Of(hash);
    EXPECT_EQ(hashes.a, hasher.First(hash));
    // An odd multiplier: the lowest bit is kept.
    EXPECT_EQ(hashes.a & 1, hash & 1);
    for (const uint64_t other : seen) EXPECT_NE(hashes.a, other) << seed;
    seen.push_back(hashes.a);
  }
}

TEST(PeelingHasherTest, Reduce32StaysBelowItsBound) {
  EXPECT_EQ(Reduce32(0, 7), 0u);
  EXPECT_EQ(Reduce32(0xffffffff, 7), 6u);
  EXPECT_EQ(Reduce32(0x80000000, 7), 3u);
  EXPECT_EQ(Reduce32(uint64_t{1} << 32, 7), 0u);
}

}  // namespace tamis
