// SPDX-License-Identifier: Apache-2.0
#include "util/cache/block_cache.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/util/cache/cached_blocks.h"
#include "util/base/random.h"

namespace tamis {
namespace {

using Guard = EpochDomain::Guard;

TEST(BlockBufferTest, TheSideIsZerosBesideThePayload) {
  for (const size_t side_bytes : {0u, 1u, 64u, 1000u}) {
    BlockBuffer* const buffer =
        BlockBuffer::New(ByteBuffer("payload"), side_bytes);
    EXPECT_EQ(buffer->bytes(), Slice("payload"));
    EXPECT_EQ(buffer->side_bytes(), side_bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->side()) % 64, 0u);
    EXPECT_EQ(Slice(buffer->side(), side_bytes),
              Slice(std::string(side_bytes, '\0')));
    std::fill_n(buffer->mutable_side(), side_bytes, 'x');
    EXPECT_GE(buffer->charge(), sizeof(BlockBuffer) + side_bytes + 7);
    EXPECT_TRUE(buffer->HasOneRef());
    buffer->Unref();
  }
}

TEST(BlockCacheTest, FindsOnlyInsertedBlocks) {
  BlockCache cache(64 << 20);
  Blocks blocks(&cache, 1001);
  for (size_t i = 0; i < 1000; ++i) blocks.Insert(i);
  for (size_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(blocks.Finds(i)) << i;
    EXPECT_FALSE(blocks.slot(i)->empty());
    EXPECT_TRUE(IsBlockOf(cache.Pin(*blocks.slot(i)).bytes(), i));
  }
  EXPECT_FALSE(blocks.Finds(1000));
  EXPECT_TRUE(blocks.slot(1000)->empty());
  EXPECT_TRUE(cache.Pin(*blocks.slot(1000)).empty());
}

TEST(BlockCacheTest, KeepsItsBudgetAtEverySize) {
  for (const size_t capacity :
       {size_t{0}, size_t{1} << 10, size_t{100} << 10, size_t{8} << 20}) {
    BlockCache cache(capacity);
    Blocks blocks(&cache, 4000);
    blocks.Fill();
    EXPECT_EQ(cache.GetCapacity(), capacity);
    EXPECT_LE(cache.GetUsage(), capacity);
    EXPECT_EQ(cache.GetPinnedUsage(), 0u);
    if (capacity >= 100 << 10) {
      EXPECT_GT(cache.GetUsage(), capacity / 10 * 8);
    }
  }
}

TEST(BlockCacheTest, PinnedBlocksStay) {
  BlockCache cache(1 << 20);
  Blocks blocks(&cache, 3000);
  PinnedBytes held = blocks.Insert(0);
  for (size_t i = 1; i < 1000; ++i) blocks.Insert(i);
  EXPECT_TRUE(IsBlockOf(held.bytes(), 0));
  EXPECT_TRUE(blocks.Finds(0));
  EXPECT_GE(cache.GetPinnedUsage(), kBlockBytes);
  EXPECT_LT(cache.GetPinnedUsage(), 2 * kBlockBytes);
  held.Reset();
  EXPECT_EQ(cache.GetPinnedUsage(), 0u);
  for (size_t i = 1000; i < 3000; ++i) blocks.Insert(i);
  EXPECT_FALSE(blocks.Finds(0));
}

TEST(BlockCacheTest, UsedBlocksSurviveAScan) {
  BlockCache cache(1 << 20);
  Blocks blocks(&cache, 2000);
  blocks.Insert(0);
  for (size_t i = 1; i < 2000; ++i) {
    blocks.Insert(i);
    ASSERT_TRUE(blocks.Finds(0)) << i;
  }
}

TEST(BlockCacheTest, TheFirstOfTwoInsertionsWins) {
  BlockCache cache(1 << 20);
  Blocks blocks(&cache, 1);
  const PinnedBytes first = blocks.Insert(0);
  const size_t usage = cache.GetUsage();
  const PinnedBytes second = blocks.Insert(0);
  EXPECT_EQ(first.bytes().data(), second.bytes().data());
  EXPECT_EQ(cache.GetUsage(), usage);
}

TEST(BlockCacheTest, DroppedBlocksAreGoneExceptForTheirHolders) {
  BlockCache cache(1 << 20);
  Blocks blocks(&cache, 1);
  const PinnedBytes held = blocks.Insert(0);
  cache.Drop(blocks.slot(0));
  cache.Drop(blocks.slot(0));
  EXPECT_FALSE(blocks.Finds(0));
  EXPECT_TRUE(IsBlockOf(held.bytes(), 0));
  EXPECT_EQ(cache.GetUsage(), 0u);
}

TEST(BlockCacheTest, ABlockWithoutRoomIsPinnedButNotResident) {
  BlockCache cache(64 << 10);
  Blocks blocks(&cache, 101);
  const PinnedBytes large = blocks.Insert(100, 128 << 10);
  EXPECT_TRUE(IsBlockOf(large.bytes(), 100));
  EXPECT_FALSE(blocks.Finds(100));

  std::vector<PinnedBytes> held;
  for (size_t i = 0; i < 100; ++i) {
    held.push_back(blocks.Insert(i));
    ASSERT_TRUE(IsBlockOf(held.back().bytes(), i));
  }
  EXPECT_LE(cache.GetUsage(), cache.GetCapacity());
}

TEST(BlockCacheTest, AReservationGrowsAndShrinks) {
  BlockCache cache(1 << 20);
  {
    BlockCache::Reservation reservation(&cache, 0, CacheRole::kMisc);
    for (const size_t bytes : {0u, 4096u, 65536u, 65536u, 100u, 0u, 7u}) {
      reservation.Resize(bytes);
      EXPECT_EQ(reservation.bytes(), bytes);
      EXPECT_EQ(cache.GetUsage(), bytes);
    }
  }
  EXPECT_EQ(cache.GetUsage(), 0u);
  BlockCache::Reservation of_none;
  of_none.Resize(4096);
}

TEST(BlockCacheTest, UsageIsToldByRole) {
  BlockCache cache(64 << 20);
  BlockSlot slots[3];
  const CacheRole roles[] = {CacheRole::kDataBlock, CacheRole::kDataBlock,
                             CacheRole::kIndexBlock};
  for (size_t i = 0; i < 3; ++i) {
    cache.Insert(&slots[i], nullptr, PinnedBytes::Own(ByteBuffer(Slice("abc"))),
                 roles[i]);
  }
  BlockCache::Reservation buffers(&cache, 5000, CacheRole::kWriteBuffer);
  BlockCache::Reservation moved;
  moved = std::move(buffers);
  auto usage = cache.UsageByRole();
  EXPECT_EQ(usage[CacheRole::kDataBlock].entries, 2u);
  EXPECT_EQ(usage[CacheRole::kIndexBlock].entries, 1u);
  EXPECT_EQ(usage[CacheRole::kFilterBlock].entries, 0u);
  EXPECT_EQ(usage[CacheRole::kDataBlock].bytes,
            2 * usage[CacheRole::kIndexBlock].bytes);
  EXPECT_EQ(usage[CacheRole::kWriteBuffer].bytes, 5000u);
  EXPECT_EQ(usage[CacheRole::kWriteBuffer].entries, 0u);
  uint64_t sum = 0;
  for (const CacheUsage& one : usage) sum += one.bytes;
  EXPECT_EQ(sum, cache.GetUsage());
  moved.Resize(1000);
  cache.Drop(&slots[0]);
  usage = cache.UsageByRole();
  EXPECT_EQ(usage[CacheRole::kWriteBuffer].bytes, 1000u);
  EXPECT_EQ(usage[CacheRole::kDataBlock].entries, 1u);
  cache.Drop(&slots[1]);
  cache.Drop(&slots[2]);
}

TEST(BlockCacheTest, BlocksGiveWayToReservationsButKeepHalf) {
  for (const size_t capacity : {size_t{1} << 20, size_t{64} << 20}) {
    BlockCache cache(capacity);
    const size_t count = 2 * capacity / kBlockBytes;
    Blocks blocks(&cache, count);
    blocks.Fill();
    EXPECT_GT(cache.GetUsage(), capacity * 7 / 8);
    BlockCache::Reservation third(&cache, capacity / 3,
                                  CacheRole::kWriteBuffer);
    EXPECT_LE(cache.GetUsage(), capacity);
    blocks.Fill();
    EXPECT_GT(cache.GetUsage(), capacity * 3 / 4);
    EXPECT_LE(cache.GetUsage(), capacity);
    {
      const BlockCache::Reservation all(&cache, capacity,
                                        CacheRole::kFilterConstruction);
      const size_t reserved = capacity + capacity / 3;
      EXPECT_LE(cache.GetUsage(), reserved + capacity / 2);
      blocks.Fill();
      EXPECT_GT(cache.GetUsage(), reserved + capacity / 4);
      EXPECT_LE(cache.GetUsage(), reserved + capacity / 2);
    }
    third = BlockCache::Reservation();
    blocks.Fill();
    blocks.Fill();
    EXPECT_GT(cache.GetUsage(), capacity * 7 / 8);
    EXPECT_LE(cache.GetUsage(), capacity);
    blocks.Drop();
    EXPECT_EQ(cache.GetUsage(), 0u);
  }
}

TEST(BlockCacheTest, CapacityMayChangeAtAnyTime) {
  BlockCache cache(4 << 20);
  Blocks blocks(&cache, 1500);
  for (size_t i = 0; i < 1000; ++i) blocks.Insert(i);
  const PinnedBytes held = cache.Pin(*blocks.slot(999));
  ASSERT_FALSE(held.empty());
  cache.SetCapacity(1 << 20);
  EXPECT_LE(cache.GetUsage(), size_t{1} << 20);
  cache.SetCapacity(0);
  EXPECT_EQ(cache.GetUsage(), cache.GetPinnedUsage());
  EXPECT_TRUE(blocks.Finds(999));
  cache.SetCapacity(4 << 20);
  for (size_t i = 1000; i < 1500; ++i) blocks.Insert(i);
  EXPECT_GT(cache.GetUsage(), 400 * kBlockBytes);
}

// Each revolution of the hand evicts as many blocks as the cache holds.
TEST(BlockCacheTest, BlocksOfHighPrioritySurviveThreeRounds) {
  using Priorities = BlockCache::Priorities;
  for (const auto priorities : {Priorities::kOne, Priorities::kTwo}) {
    BlockCache cache(1 << 20, priorities);
    constexpr size_t kHeld = (size_t{1} << 20) / kBlockBytes;
    Blocks blocks(&cache, 20 + 8 * kHeld);
    size_t next = 0;
    for (; next < 20; ++next) {
      cache.Insert(blocks.slot(next), nullptr, BlockOf(next),
                   CacheRole::kFilterBlock,
                   next < 10 ? CachePriority::kHigh : CachePriority::kLow);
      EXPECT_TRUE(blocks.Finds(next));
    }
    const auto count = [&blocks](size_t from) {
      size_t found = 0;
      for (size_t i = from; i < from + 10; ++i) {
        found += blocks.slot(i)->empty() ? 0u : 1u;
      }
      return found;
    };
    const auto fill = [&blocks, &next](size_t n) {
      while (n-- > 0) blocks.Insert(next++);
    };
    fill(kHeld * 3 / 2);
    EXPECT_EQ(count(10), 10u);
    fill(kHeld);
    EXPECT_EQ(count(10), 0u);
    EXPECT_EQ(count(0), priorities == Priorities::kTwo ? 10u : 0u);
    fill(3 * kHeld);
    EXPECT_EQ(count(0), 0u);
  }
}

TEST(BlockCacheTest, EraseUnRefEntriesLeavesPinnedBlocks) {
  BlockCache cache(4 << 20);
  Blocks blocks(&cache, 100);
  blocks.Fill();
  const PinnedBytes held = cache.Pin(*blocks.slot(0));
  cache.EraseUnRefEntries();
  EXPECT_EQ(cache.GetUsage(), cache.GetPinnedUsage());
  EXPECT_TRUE(blocks.Finds(0));
  EXPECT_FALSE(blocks.Finds(1));
}

TEST(BlockCacheTest, BlocksFoundUnderAGuardStayUntilItEnds) {
  BlockCache cache(256 << 10);
  Blocks blocks(&cache, 1000);
  blocks.Insert(0);
  PinnedBytes kept;
  {
    const Guard guard(cache.epochs());
    const BlockBuffer* const found = BlockCache::Lookup(*blocks.slot(0));
    ASSERT_NE(found, nullptr);
    cache.Drop(blocks.slot(0));
    EXPECT_TRUE(blocks.slot(0)->empty());
    // Enough for several looks at what may be freed.
    for (size_t i = 1; i < 1000; ++i) blocks.Insert(i);
    EXPECT_TRUE(IsBlockOf(found->bytes(), 0));
    found->Ref();
    kept = PinnedBytes::Adopt(found);
  }
  cache.epochs()->Reclaim();
  EXPECT_TRUE(IsBlockOf(kept.bytes(), 0));
  EXPECT_TRUE(kept.buffer()->HasOneRef());
}

TEST(BlockCacheTest, BlocksThatAwaitReclamationCount) {
  BlockCache cache(1 << 20);
  Blocks blocks(&cache, 4000);
  blocks.Fill();
  const size_t full = cache.GetUsage();
  {
    const Guard guard(cache.epochs());
    cache.Drop(blocks.slot(3999));
    EXPECT_EQ(cache.GetUsage(), full);
  }
  cache.epochs()->Reclaim();
  EXPECT_LT(cache.GetUsage(), full - kBlockBytes);
}

// The cache accepts no more blocks, and keeps those that it has.
TEST(BlockCacheTest, OneSlowReaderDoesNotEmptyIt) {
  BlockCache cache(1 << 20);
  constexpr size_t kBlocks = 4000;
  Blocks blocks(&cache, kBlocks);
  blocks.Fill();
  const auto resident = [&blocks] {
    size_t count = 0;
    for (size_t i = 0; i < kBlocks; ++i) {
      if (!blocks.slot(i)->empty()) ++count;
    }
    return count;
  };
  const size_t before = resident();
  {
    const Guard guard(cache.epochs());
    for (size_t i = 0; i < kBlocks; ++i) {
      EXPECT_TRUE(IsBlockOf(blocks.Insert(i).bytes(), i));
      ASSERT_LE(cache.GetUsage(), cache.GetCapacity());
    }
    EXPECT_GT(resident(), before * 4 / 5);
  }
  blocks.Fill();
  EXPECT_GE(resident(), before - 1);
}

TEST(BlockCacheTest, RandomOperationsNeverGiveAWrongBlock) {
  BlockCache cache(1 << 18);
  constexpr size_t kBlocks = 300;
  Blocks blocks(&cache, kBlocks);
  Random random(42);
  for (int i = 0; i < 200000; ++i) {
    const size_t name = random.Uniform(kBlocks);
    if (random.OneIn(10)) {
      cache.Drop(blocks.slot(name));
      ASSERT_FALSE(blocks.Finds(name));
      continue;
    }
    PinnedBytes block = cache.Pin(*blocks.slot(name));
    if (block.empty()) block = blocks.Insert(name, 16 + random.Uniform(8000));
    ASSERT_TRUE(IsBlockOf(block.bytes(), name));
    ASSERT_LE(cache.GetUsage(), cache.GetCapacity());
  }
}

}  // namespace
}  // namespace tamis
