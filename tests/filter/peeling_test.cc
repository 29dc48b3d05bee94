// SPDX-License-Identifier: Apache-2.0
#include "filter/peeling.h"

#include <set>

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
  const HugePageVector<uint64_t> keys = {'a', 'b', 'c'};
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
        Peeling<3>(6).Peel(HugePageVector<uint64_t>(copies, 'a'), SlotsOf))
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

TEST(PeelingHasherTest, SeedsDiffer) {
  Random random(301);
  const uint64_t hash = random.Next();
  std::vector<uint64_t> seen;
  for (unsigned seed = 0; seed < 256; ++seed) {
    const PeelingHasher hasher(static_cast<uint8_t>(seed));
    const PeelingHashes hashes = hasher.Of(hash);
    EXPECT_EQ(hashes.a, hasher.First(hash));
    for (const uint64_t other : seen) EXPECT_NE(hashes.a, other) << seed;
    seen.push_back(hashes.a);
  }
}

TEST(PeelingHasherTest, SeedZeroKeepsTheHash) {
  const PeelingHashes hashes = PeelingHasher(0).Of(0x0123456789abcdef);
  EXPECT_EQ(hashes.a, 0x0123456789abcdefu);
}

// A multiplication alone would keep equal lower halves equal.
TEST(PeelingHasherTest, OtherSeedsTellEqualHalvesApart) {
  for (const int shift : {0, 32}) {
    for (const uint8_t seed : {uint8_t{1}, uint8_t{2}, uint8_t{255}}) {
      const PeelingHasher hasher(seed);
      std::set<uint32_t> upper;
      std::set<uint32_t> lower;
      for (uint64_t i = 0; i < 1000; ++i) {
        const PeelingHashes hashes = hasher.Of(i << shift);
        upper.insert(static_cast<uint32_t>(hashes.b >> 32));
        lower.insert(static_cast<uint32_t>(hashes.b));
      }
      EXPECT_GE(upper.size(), 999u);
      EXPECT_GE(lower.size(), 999u);
    }
  }
}

TEST(PeelingHasherTest, NoSeedLosesAHash) {
  for (unsigned seed = 0; seed < 256; ++seed) {
    const PeelingHasher hasher(static_cast<uint8_t>(seed));
    std::set<uint64_t> seen;
    for (uint64_t i = 0; i < 64; ++i) {
      seen.insert(hasher.First(0));
      seen.insert(hasher.First(uint64_t{1} << i));
    }
    EXPECT_EQ(seen.size(), 65u) << seed;
  }
}

TEST(PeelingHasherTest, Reduce32StaysBelowItsBound) {
  EXPECT_EQ(Reduce32(0, 7), 0u);
  EXPECT_EQ(Reduce32(0xffffffff, 7), 6u);
  EXPECT_EQ(Reduce32(0x80000000, 7), 3u);
  EXPECT_EQ(Reduce32(uint64_t{1} << 32, 7), 0u);
}

}  // namespace tamis
