// SPDX-License-Identifier: Apache-2.0
//
// A cache that is large enough for a pool of memory.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/effort.h"
#include "tests/support/sanitizers.h"
#include "tests/util/cache/cached_blocks.h"
#include "util/base/random.h"

namespace tamis {
namespace {

using Guard = EpochDomain::Guard;

// What the blocks of a cache with a pool take: the pool's chunks, and what is
// outside of them.
class PooledTable {
 public:
  PooledTable(BlockCache* cache, size_t count)
      : cache_(cache), blocks_(cache, count), count_(count) {}

  // As a read does it, under a Guard from the look to the end. True: a hit.
  bool Read(size_t i, size_t bytes) {
    const Guard guard(cache_->epochs());
    if (blocks_.Finds(i)) return true;
    std::string contents;
    PutFixed64(&contents, i);
    contents.resize(bytes, 'b');
    const PinnedBytes block =
        cache_->Insert(blocks_.slot(i), nullptr,
                       PinnedBytes::Adopt(BlockBuffer::New(
                           ByteBuffer(contents), bytes / 12, cache_->pool())));
    EXPECT_TRUE(IsBlockOf(block.bytes(), i));
    return false;
  }
  bool IsResident(size_t i) { return !blocks_.slot(i)->empty(); }
  size_t count() const { return count_; }

 private:
  BlockCache* const cache_;
  Blocks blocks_;
  const size_t count_;
};

// Returns the idle bytes of chunks plus all other counted bytes. 0: a sum
// changed while it was computed, so that it may count something twice.
size_t TakenBy(BlockCache* cache) {
  const BlockPool& pool = *cache->pool();
  const size_t usage = cache->GetUsage();
  const size_t reserved = pool.reserved_bytes();
  const size_t allocated = pool.allocated_bytes();
  const bool same = usage == cache->GetUsage() &&
                    reserved == pool.reserved_bytes() &&
                    allocated == pool.allocated_bytes();
  return same ? usage + reserved - std::min(reserved, allocated) : 0;
}

TEST(BlockCacheTest, OnlyALargeCacheHasAPool) {
  EXPECT_EQ(BlockCache((32 << 20) - 1).pool(), nullptr);
  EXPECT_NE(BlockCache(32 << 20).pool(), nullptr);
}

TEST(BlockCacheTest, BlocksInThePoolOutliveTheCache) {
  auto cache = std::make_unique<BlockCache>(32 << 20);
  BlockSlot slot;
  const PinnedBytes held =
      cache->Insert(&slot, nullptr,
                    PinnedBytes::Adopt(BlockBuffer::New(
                        ByteBuffer(std::string(5000, 'b')), 0, cache->pool())));
  EXPECT_TRUE(held.buffer()->in_pool());
  EXPECT_FALSE(slot.empty());
  cache.reset();
  EXPECT_EQ(held.bytes(), Slice(std::string(5000, 'b')));
}

// One size after the other: memory of the first serves the next.
TEST(BlockCacheTest, ThePoolFollowsAChangeOfBlockSize) {
  if (kThreadSanitizer) GTEST_SKIP() << kOneThread;
  const uint64_t stride = Stride();
  constexpr size_t kCapacity = 32 << 20;
  BlockCache cache(kCapacity);
  for (const size_t bytes :
       {size_t{4000}, size_t{30000}, size_t{1000}, size_t{55000},
        size_t{100000}, size_t{8000}, size_t{600}}) {
    PooledTable table(&cache, 4 * kCapacity / bytes);
    PooledTable again(&cache, 4 * kCapacity / bytes);
    for (PooledTable* one : {&table, &again}) {
      for (size_t i = 0; i < one->count(); ++i) {
        one->Read(i, bytes);
        if (i % stride != 0) continue;
        ASSERT_LE(TakenBy(&cache), kCapacity / 100 * 105) << bytes;
      }
    }
    size_t resident = 0;
    for (size_t i = 0; i < again.count(); ++i) {
      if (again.IsResident(i)) resident += bytes;
    }
    if (bytes >= 1000) {
      EXPECT_GE(resident, kCapacity / 100 * 75) << bytes;
    }
  }
}

// Without the end of one table between: the old blocks are still there.
TEST(BlockCacheTest, BlocksOfAnySizeReplaceOthers) {
  if (kThreadSanitizer) GTEST_SKIP() << kOneThread;
  const uint64_t stride = Stride();
  constexpr size_t kCapacity = 32 << 20;
  const size_t sizes[] = {1000, 60000, 2000, 150000, 4000};
  BlockCache cache(kCapacity);
  std::vector<std::unique_ptr<PooledTable>> tables;
  for (const size_t bytes : sizes) {
    tables.push_back(
        std::make_unique<PooledTable>(&cache, 6 * kCapacity / bytes));
    PooledTable& table = *tables.back();
    size_t resident = 0;
    for (size_t i = 0; i < table.count(); ++i) {
      table.Read(i, bytes);
      if (i % stride != 0) continue;
      ASSERT_LE(TakenBy(&cache), kCapacity / 100 * 105) << bytes;
    }
    for (size_t i = 0; i < table.count(); ++i) {
      if (table.IsResident(i)) resident += bytes;
    }
    EXPECT_GE(resident, kCapacity / 100 * 70) << bytes;
  }
}

TEST(BlockCacheTest, ThePoolShrinksWithTheCapacity) {
  BlockCache cache(64 << 20);
  PooledTable table(&cache, 20000);
  for (size_t i = 0; i < table.count(); ++i) table.Read(i, 4000);
  cache.epochs()->Reclaim();
  EXPECT_GE(cache.pool()->reserved_bytes(), size_t{60} << 20);
  for (const size_t capacity : {size_t{32} << 20, size_t{5} << 20, size_t{0}}) {
    cache.SetCapacity(capacity);
    EXPECT_LE(TakenBy(&cache), capacity + capacity / 20);
  }
  cache.SetCapacity(64 << 20);
  for (size_t i = 0; i < table.count(); ++i) table.Read(i, 4000);
  EXPECT_GE(cache.GetUsage(), size_t{50} << 20);
}

TEST(BlockCacheTest, ThreadsKeepTheBudgetWithBlocksOfManySizesInThePool) {
  // So large for the same reason as above: blocks take up to 128 KiB.
  constexpr size_t kCapacity = 96 << 20;
  constexpr size_t kBlocks = 24000;
  BlockCache cache(kCapacity);
  PooledTable table(&cache, kBlocks);
  // Mostly blocks of some 4 KiB; some of every size, also for no pool.
  const auto bytes_of = [](size_t i) {
    const size_t mixed = i * 2654435761u % 65536;
    return i % 4 != 0    ? 3900 + mixed % 600
           : i % 64 == 0 ? 64 * 1024 + mixed
           : i % 12 == 0 ? 200 + mixed % 1000
                         : 1000 + mixed;
  };
  std::vector<std::thread> threads;
  std::vector<size_t> highest(16);
  std::vector<size_t> highest_usage(16);
  std::vector<size_t> highest_reserved(16);
  std::atomic<size_t> looks{0};
  for (uint64_t seed = 0; seed < highest.size(); ++seed) {
    threads.emplace_back([&, seed] {
      Random random(seed);
      for (int i = 0; i < 12000; ++i) {
        const size_t block = random.Uniform(kBlocks);
        table.Read(block, bytes_of(block));
        const size_t taken = TakenBy(&cache);
        looks += taken > 0 ? 1 : 0;
        highest[seed] = std::max(highest[seed], taken);
        highest_reserved[seed] =
            std::max(highest_reserved[seed], cache.pool()->reserved_bytes());
        highest_usage[seed] = std::max(highest_usage[seed], cache.GetUsage());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(*std::max_element(highest.begin(), highest.end()),
            kCapacity / 100 * 105);
  EXPECT_GE(looks.load(), 10000u);
  EXPECT_LE(*std::max_element(highest_reserved.begin(), highest_reserved.end()),
            kCapacity / 100 * 105);
  EXPECT_LE(*std::max_element(highest_usage.begin(), highest_usage.end()),
            kCapacity / 100 * 105);
  EXPECT_GE(cache.GetUsage(), kCapacity / 100 * 75);
}

}  // namespace
}  // namespace tamis
