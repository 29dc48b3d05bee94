// SPDX-License-Identifier: Apache-2.0
#include "filter/peeling.h"

#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

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

using Hashes = std::vector<uint64_t>;

std::optional<std::vector<uint16_t>> Solve(const Hashes& hashes,
                                           size_t deferred_max = 0) {
  return Peeling<3>(6, 0, deferred_max)
      .Solve(HashParts::One(hashes), SlotsOf, ResultOf);
}

// Three different slots of kSlots.
constexpr uint32_t kSlots = 1000;
Slots RandomSlotsOf(uint64_t hash) {
  Slots slots = {static_cast<uint32_t>(hash % kSlots),
                 static_cast<uint32_t>(hash / 1009 % kSlots),
                 static_cast<uint32_t>(hash / 1000003 % kSlots)};
  while (slots[1] == slots[0]) slots[1] = (slots[1] + 1) % kSlots;
  while (slots[2] == slots[0] || slots[2] == slots[1]) {
    slots[2] = (slots[2] + 1) % kSlots;
  }
  return slots;
}

Hashes RandomHashes(size_t n, uint32_t seed) {
  Random random(seed);
  Hashes hashes(n);
  for (uint64_t& hash : hashes) hash = random.Next();
  return hashes;
}

// The keys of peeling.h's second drawing, and copies of it with slots of their
// own: key 4 * i + j is the j-th of copy i.
Hashes Drawings(size_t copies) {
  Hashes keys(4 * copies);
  std::iota(keys.begin(), keys.end(), 0);
  return keys;
}

Slots SlotsInDrawing(uint64_t key) {
  constexpr Slots kOfKeys[] = {{0, 1, 2}, {0, 3, 4}, {1, 3, 4}, {2, 3, 4}};
  Slots slots = kOfKeys[key % 4];
  for (uint32_t& slot : slots) slot += 5 * static_cast<uint32_t>(key / 4);
  return slots;
}

std::optional<std::vector<uint16_t>> SolveDrawings(size_t copies,
                                                   size_t deferred_max) {
  return Peeling<3>(5 * copies, 0, deferred_max)
      .Solve(HashParts::One(Drawings(copies)), SlotsInDrawing, ResultOf);
}

uint32_t XorOf(const std::vector<uint16_t>& values, const Slots& slots) {
  uint32_t result = 0;
  for (const uint32_t slot : slots) result ^= values[slot];
  return result;
}

}  // namespace

TEST(PeelingTest, ValuesXorToTheResults) {
  const Hashes keys = {'a', 'b', 'c'};
  const auto values = Solve(keys);
  ASSERT_TRUE(values.has_value());
  for (const uint64_t key : keys) {
    EXPECT_EQ(XorOf(*values, SlotsOf(key)), ResultOf(key)) << key;
  }
}

TEST(PeelingTest, EqualHashesFail) {
  for (const size_t deferred_max : {size_t{0}, DeferredKeys::kMax}) {
    EXPECT_FALSE(Solve({'a', 'b', 'a'}, deferred_max));
    EXPECT_FALSE(Solve({'a', 'a', 'a'}, deferred_max));
    // 256 keys of a slot are as many as a count of 8 bits can tell from none.
    for (size_t copies : {64u, 65u, 66u, 255u, 256u, 257u, 512u, 70000u}) {
      EXPECT_FALSE(Solve(Hashes(copies, 'a'), deferred_max)) << copies;
    }
  }
}

TEST(PeelingTest, KeysThatShareAllSlotsFail) {
  EXPECT_FALSE(Solve({'c', 'd'}, 0));
  EXPECT_FALSE(Solve({'c', 'd'}, DeferredKeys::kMax));
}

TEST(PeelingTest, NoKeysNeedNoValues) {
  EXPECT_EQ(Solve({}), std::vector<uint16_t>(6));
}

TEST(PeelingTest, ADeferredKeysResultIsAnEquationInFreeSlots) {
  const Hashes keys = Drawings(1);
  EXPECT_FALSE(SolveDrawings(1, 0));
  const auto values = SolveDrawings(1, 1);
  ASSERT_TRUE(values.has_value());
  uint32_t all = 0;
  for (const uint64_t key : keys) {
    EXPECT_EQ(XorOf(*values, SlotsInDrawing(key)), ResultOf(key)) << key;
    all ^= ResultOf(key);
  }
  EXPECT_EQ((*values)[3] ^ (*values)[4], all);
}

TEST(PeelingTest, OnlySoManyKeysAreDeferred) {
  EXPECT_FALSE(SolveDrawings(2, 1));
  EXPECT_TRUE(SolveDrawings(2, 2));
  EXPECT_TRUE(SolveDrawings(DeferredKeys::kMax, DeferredKeys::kMax));
  EXPECT_FALSE(SolveDrawings(DeferredKeys::kMax + 1, DeferredKeys::kMax));
}

// With 8 slots for 7 keys peeling stalls, but most equations have a solution.
TEST(PeelingTest, DeferredKeysGetTheirResults) {
  constexpr size_t kKeys = kSlots * 7 / 8;
  int stalled = 0;
  int solved = 0;
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    const Hashes hashes = RandomHashes(kKeys, seed);
    const auto solve = [&](const Hashes& of, size_t deferred_max) {
      HashParts parts;
      parts.Order(of, 8, [](uint64_t hash) { return hash >> 61; });
      return Peeling<3>(kSlots, /*ahead=*/10, deferred_max)
          .Solve(std::move(parts), RandomSlotsOf, ResultOf);
    };
    stalled += solve(hashes, 0).has_value() ? 0 : 1;
    const auto values = solve(hashes, DeferredKeys::kMax);
    if (!values.has_value()) continue;
    ++solved;
    for (const uint64_t hash : hashes) {
      ASSERT_EQ(XorOf(*values, RandomSlotsOf(hash)), ResultOf(hash) & 0xffff);
    }
    const Hashes reversed(hashes.rbegin(), hashes.rend());
    EXPECT_EQ(solve(reversed, DeferredKeys::kMax), values) << seed;
  }
  EXPECT_EQ(stalled, 50);
  EXPECT_GT(solved, 40);
}

TEST(DeferredKeysTest, SolvesTheDrawing) {
  DeferredKeys equations;
  equations.AddResult(0b01, 0b1101);
  equations.AddResult(0b10, 0b0110);
  equations.OfferSlot(7, 0b01);
  EXPECT_EQ(equations.num_variables(), 1u);
  equations.OfferSlot(8, 0b01);  // depends on slot 7's
  EXPECT_EQ(equations.num_variables(), 1u);
  equations.OfferSlot(9, 0b11);
  ASSERT_EQ(equations.num_variables(), 2u);
  EXPECT_EQ(equations.slot_of(0), 7u);
  EXPECT_EQ(equations.slot_of(1), 9u);
  EXPECT_EQ(equations.Solve()[0], 0b1011);
  EXPECT_EQ(equations.Solve()[1], 0b0110);
}

TEST(DeferredKeysTest, SolvesAsManyAsItCanHave) {
  Random random(7);
  DeferredKeys equations;
  std::vector<DeferredKeys::Mask> masks;
  std::array<uint16_t, DeferredKeys::kMax> results = {};
  for (size_t i = 0; i < DeferredKeys::kMax; ++i) {
    results[i] = static_cast<uint16_t>(random.Next());
    equations.AddResult(DeferredKeys::Mask{1} << i, results[i]);
  }
  for (uint32_t slot = 0; equations.num_variables() < DeferredKeys::kMax;
       ++slot) {
    ASSERT_LT(slot, 200u);
    masks.push_back(random.Next());
    equations.OfferSlot(slot, masks.back());
  }
  const auto values = equations.Solve();
  for (size_t i = 0; i < DeferredKeys::kMax; ++i) {
    uint32_t left = 0;
    for (size_t j = 0; j < DeferredKeys::kMax; ++j) {
      if ((masks[equations.slot_of(j)] >> i & 1) != 0) left ^= values[j];
    }
    EXPECT_EQ(left, results[i]) << i;
  }
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
