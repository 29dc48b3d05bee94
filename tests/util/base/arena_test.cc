// SPDX-License-Identifier: Apache-2.0
#include "util/base/arena.h"

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/clock.h"

#include "util/base/random.h"

namespace tamis {
namespace {

TEST(ArenaTest, PiecesAreAlignedAndNeverOverlap) {
  Arena arena;
  EXPECT_EQ(arena.MemoryUsage(), 0u);
  Random random(1);
  std::vector<std::pair<char*, size_t>> pieces;
  size_t total = 0;
  for (int i = 0; i < 5000; ++i) {
    const size_t n = 1 + random.Uniform(random.OneIn(500) ? 300000 : 200);
    char* p = nullptr;
    if (random.OneIn(2)) {
      p = arena.AllocateAligned(n);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(p) % 8, 0u);
    } else {
      p = arena.Allocate(n);
    }
    std::memset(p, i & 0xff, n);
    pieces.emplace_back(p, n);
    total += n;
    ASSERT_GE(arena.MemoryUsage(), total);
  }
  EXPECT_LT(arena.MemoryUsage(), total * 11 / 10 + (512 << 10));
  for (size_t i = 0; i < pieces.size(); ++i) {
    const auto [p, n] = pieces[i];
    for (size_t k = 0; k < n; ++k) {
      ASSERT_EQ(static_cast<uint8_t>(p[k]), i & 0xff);
    }
  }
}

TEST(ArenaTest, PiecesAreAlignedAsAsked) {
  Arena arena;
  Random random(2);
  for (int i = 0; i < 5000; ++i) {
    const size_t alignment = size_t{1} << random.Uniform(7);
    const size_t n = 1 + random.Uniform(random.OneIn(100) ? 10000 : 100);
    char* const p = arena.AllocateAligned(n, alignment);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(p) % alignment, 0u);
    std::memset(p, 1, n);
  }
}

TEST(ArenaTest, AtMostAboutAnEighthIsUnused) {
  Arena arena;
  constexpr size_t kPiece = 100;
  for (size_t used = kPiece; used < 20'000'000; used += kPiece) {
    arena.Allocate(kPiece);
    // What ends a block is lost, too.
    ASSERT_LE(arena.MemoryUsage(),
              used * 36 / 35 + used / 7 + Arena::kFirstBlockBytes + 1000)
        << used;
    ASSERT_LE(arena.MemoryUsage(),
              used * 36 / 35 + Arena::kLargestBlockBytes + 10'000);
  }
}

TEST(RandomTest, TheSeedDeterminesTheNumbers) {
  // Published values of SplitMix64 from seed 1234567.
  Random random(1234567);
  EXPECT_EQ(random.Next(), 6457827717110365317u);
  EXPECT_EQ(random.Next(), 3203168211198807973u);
  EXPECT_NE(RandomBitsFromSystem(), RandomBitsFromSystem());
}

TEST(SystemClockTest, MovesForwardFromAPlausiblePresent) {
  const auto clock = NewSystemClock();
  EXPECT_GT(clock->NowMicros(), 1'600'000'000'000'000u);
  const uint64_t before = clock->NowNanos();
  clock->SleepForMicroseconds(100);
  EXPECT_GE(clock->NowNanos(), before + 100'000);
}

}  // namespace
}  // namespace tamis
