// SPDX-License-Identifier: Apache-2.0
#include "util/block_cache.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "util/coding.h"
#include "util/random.h"

namespace tamis {
namespace {

constexpr size_t kBlockBytes = 4096;

// A block that says which one it is.
PinnedBytes BlockOf(const BlockKey& key, size_t bytes = kBlockBytes) {
  std::string contents;
  PutFixed64(&contents, key.file);
  PutFixed64(&contents, key.offset);
  contents.resize(bytes, 'b');
  return PinnedBytes::Own(std::move(contents));
}

bool IsBlockOf(const PinnedBytes& block, const BlockKey& key) {
  return DecodeFixed64(block.bytes().data()) == key.file &&
         DecodeFixed64(block.bytes().data() + 8) == key.offset;
}

void Fill(BlockCache* cache, uint64_t file, size_t blocks) {
  for (uint64_t i = 0; i < blocks; ++i) {
    const BlockKey key = {file, i * kBlockBytes};
    cache->Insert(key, BlockOf(key));
  }
}

TEST(BlockCacheTest, FindsWhatWasInsertedAndNothingElse) {
  BlockCache cache(64 << 20);
  const uint64_t file = cache.NewFileId();
  EXPECT_NE(file, cache.NewFileId());
  Fill(&cache, file, 1000);
  for (uint64_t i = 0; i < 1000; ++i) {
    const BlockKey key = {file, i * kBlockBytes};
    const PinnedBytes block = cache.Lookup(key);
    ASSERT_FALSE(block.empty()) << i;
    EXPECT_TRUE(IsBlockOf(block, key));
    EXPECT_TRUE(cache.Lookup({file + 1, key.offset}).empty());
    EXPECT_TRUE(cache.Lookup({file, key.offset + 1}).empty());
  }
}

TEST(BlockCacheTest, KeepsItsBudgetAtEverySize) {
  for (const size_t capacity :
       {size_t{0}, size_t{1} << 10, size_t{100} << 10, size_t{8} << 20}) {
    BlockCache cache(capacity);
    Fill(&cache, 1, 4000);
    EXPECT_EQ(cache.GetCapacity(), capacity);
    EXPECT_LE(cache.GetUsage(), capacity);
    EXPECT_EQ(cache.GetPinnedUsage(), 0u);
    if (capacity >= 100 << 10) {
      EXPECT_GT(cache.GetUsage(), capacity / 10 * 8);
    }
  }
}

TEST(BlockCacheTest, WhatAReaderHoldsStays) {
  BlockCache cache(1 << 20);
  const BlockKey key = {7, 0};
  PinnedBytes held = cache.Insert(key, BlockOf(key));
  Fill(&cache, 1, 1000);
  EXPECT_TRUE(IsBlockOf(held, key));
  EXPECT_FALSE(cache.Lookup(key).empty());
  EXPECT_GE(cache.GetPinnedUsage(), kBlockBytes);
  EXPECT_LT(cache.GetPinnedUsage(), 2 * kBlockBytes);
  held.Reset();
  EXPECT_EQ(cache.GetPinnedUsage(), 0u);
  Fill(&cache, 2, 1000);
  EXPECT_TRUE(cache.Lookup(key).empty());
}

TEST(BlockCacheTest, WhatIsUsedOutlivesAScan) {
  BlockCache cache(1 << 20);
  const BlockKey hot = {7, 0};
  cache.Insert(hot, BlockOf(hot));
  for (uint64_t i = 0; i < 2000; ++i) {
    const BlockKey key = {1, i};
    cache.Insert(key, BlockOf(key));
    ASSERT_FALSE(cache.Lookup(hot).empty()) << i;
  }
}

TEST(BlockCacheTest, TheFirstOfTwoInsertionsWins) {
  BlockCache cache(1 << 20);
  const BlockKey key = {1, 1};
  const PinnedBytes first = cache.Insert(key, BlockOf(key));
  const size_t usage = cache.GetUsage();
  const PinnedBytes second = cache.Insert(key, BlockOf(key));
  EXPECT_EQ(first.bytes().data(), second.bytes().data());
  EXPECT_EQ(cache.GetUsage(), usage);
}

TEST(BlockCacheTest, ErasedBlocksAreGoneButForTheirHolders) {
  BlockCache cache(1 << 20);
  const BlockKey key = {1, 1};
  const PinnedBytes held = cache.Insert(key, BlockOf(key));
  cache.Erase(key);
  cache.Erase(key);
  EXPECT_TRUE(cache.Lookup(key).empty());
  EXPECT_TRUE(IsBlockOf(held, key));
  EXPECT_EQ(cache.GetUsage(), 0u);
}

TEST(BlockCacheTest, ABlockWithoutRoomIsPinnedButNotResident) {
  BlockCache cache(64 << 10);
  const BlockKey large = {1, 1};
  const PinnedBytes block = cache.Insert(large, BlockOf(large, 128 << 10));
  EXPECT_TRUE(IsBlockOf(block, large));
  EXPECT_TRUE(cache.Lookup(large).empty());

  std::vector<PinnedBytes> held;
  for (uint64_t i = 0; i < 100; ++i) {
    const BlockKey key = {2, i};
    held.push_back(cache.Insert(key, BlockOf(key)));
    ASSERT_TRUE(IsBlockOf(held.back(), key));
  }
  EXPECT_LE(cache.GetUsage(), cache.GetCapacity());
}

TEST(BlockCacheTest, CapacityMayChangeAtAnyTime) {
  BlockCache cache(4 << 20);
  Fill(&cache, 1, 1000);
  const BlockKey key = {1, 999 * kBlockBytes};
  PinnedBytes held = cache.Lookup(key);
  ASSERT_FALSE(held.empty());
  cache.SetCapacity(1 << 20);
  EXPECT_LE(cache.GetUsage(), size_t{1} << 20);
  cache.SetCapacity(0);
  EXPECT_EQ(cache.GetUsage(), cache.GetPinnedUsage());
  EXPECT_FALSE(cache.Lookup(key).empty());
  cache.SetCapacity(4 << 20);
  Fill(&cache, 2, 500);
  EXPECT_GT(cache.GetUsage(), 400 * kBlockBytes);
}

TEST(BlockCacheTest, EraseUnRefEntriesLeavesWhatIsHeld) {
  BlockCache cache(4 << 20);
  Fill(&cache, 1, 100);
  const BlockKey key = {1, 0};
  const PinnedBytes held = cache.Lookup(key);
  cache.EraseUnRefEntries();
  EXPECT_EQ(cache.GetUsage(), cache.GetPinnedUsage());
  EXPECT_FALSE(cache.Lookup(key).empty());
  EXPECT_TRUE(cache.Lookup({1, kBlockBytes}).empty());
}

TEST(BlockCacheTest, RandomOperationsNeverGiveAWrongBlock) {
  BlockCache cache(1 << 18);
  Random random(42);
  for (int i = 0; i < 200000; ++i) {
    const BlockKey key = {1 + random.Uniform(3), random.Uniform(100)};
    if (random.OneIn(10)) {
      cache.Erase(key);
      ASSERT_TRUE(cache.Lookup(key).empty());
      continue;
    }
    PinnedBytes block = cache.Lookup(key);
    if (block.empty()) {
      block = cache.Insert(key, BlockOf(key, 16 + random.Uniform(8000)));
    }
    ASSERT_TRUE(IsBlockOf(block, key));
    ASSERT_LE(cache.GetUsage(), cache.GetCapacity());
  }
}

TEST(BlockCacheTest, ThreadsMayDoAllOfItAtOnce) {
  BlockCache cache(4 << 20);
  std::vector<std::thread> threads;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&cache, seed] {
      Random random(seed);
      for (int i = 0; i < 20000; ++i) {
        const BlockKey key = {1, random.Uniform(2000)};
        PinnedBytes block = cache.Lookup(key);
        if (block.empty()) block = cache.Insert(key, BlockOf(key));
        EXPECT_TRUE(IsBlockOf(block, key));
        if (random.OneIn(100)) cache.Erase(key);
        if (random.OneIn(5000)) cache.EraseUnRefEntries();
        if (random.OneIn(5000)) {
          cache.SetCapacity((1 + random.Uniform(4)) << 20);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  cache.SetCapacity(1 << 20);
  EXPECT_LE(cache.GetUsage(), size_t{1} << 20);
  EXPECT_EQ(cache.GetPinnedUsage(), 0u);
}

}  // namespace
}  // namespace tamis
