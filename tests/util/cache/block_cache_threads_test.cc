// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/util/cache/cached_blocks.h"
#include "util/base/random.h"

namespace tamis {
namespace {

using Guard = EpochDomain::Guard;

// Tables with partitioned indexes that threads read, and close and open again.
class SharedTables {
 public:
  static constexpr size_t kTables = 4;
  static constexpr size_t kPartitions = 8;
  static constexpr size_t kBlocks = 64;  // of a partition

  explicit SharedTables(BlockCache* cache) : cache_(cache) {
    for (auto& top : tops_) top = std::make_unique<BlockSlot[]>(kPartitions);
  }
  ~SharedTables() {
    for (auto& top : tops_) DropTable(top.get());
  }
  SharedTables(const SharedTables&) = delete;
  SharedTables& operator=(const SharedTables&) = delete;

  // As a point read: the way down under a Guard where all is resident, by
  // pins where a block has to be loaded.
  void Read(Random* random) {
    const size_t table = random->Uniform(kTables);
    const size_t partition = random->Uniform(kPartitions);
    const size_t block = random->Uniform(kBlocks);
    BlockSlot* const top = &tops_[table][partition];
    {
      const Guard guard(cache_->epochs());
      const BlockBuffer* const node = BlockCache::Lookup(*top);
      if (node != nullptr) {
        EXPECT_TRUE(IsBlockOf(node->bytes(), partition));
        const BlockBuffer* const leaf =
            BlockCache::Lookup(*SlotOf(node, block));
        if (random->OneIn(500)) std::this_thread::yield();
        if (leaf != nullptr) {
          EXPECT_TRUE(IsBlockOf(leaf->bytes(), block));
          return;
        }
      }
    }
    PinnedBytes node = cache_->Pin(*top);
    if (node.empty()) {
      node = cache_->Insert(top, nullptr, PartitionOf(partition, kBlocks));
    }
    BlockSlot* const slot = SlotOf(node.buffer(), block);
    PinnedBytes leaf = cache_->Pin(*slot);
    if (leaf.empty()) {
      leaf = cache_->Insert(slot, node.buffer(),
                            BlockOf(block, 2000 + random->Uniform(4000)));
    }
    EXPECT_TRUE(IsBlockOf(leaf.bytes(), block));
  }

  // REQUIRES: no reader uses it.
  void DropTable(BlockSlot* top) {
    for (size_t i = 0; i < kPartitions; ++i) {
      const PinnedBytes node = cache_->Pin(top[i]);
      if (!node.empty()) {
        for (size_t k = 0; k < kBlocks; ++k) {
          cache_->Drop(SlotOf(node.buffer(), k));
        }
      }
      cache_->Drop(&top[i]);
    }
  }

  // Meanwhile each thread creates and removes its own tables.
  void OpenReadAndClose(Random* random) {
    const auto top = std::make_unique<BlockSlot[]>(kPartitions);
    for (int i = 0; i < 50; ++i) {
      const size_t partition = random->Uniform(kPartitions);
      const size_t block = random->Uniform(kBlocks);
      PinnedBytes node = cache_->Pin(top[partition]);
      if (node.empty()) {
        node = cache_->Insert(&top[partition], nullptr,
                              PartitionOf(partition, kBlocks));
      }
      cache_->Insert(SlotOf(node.buffer(), block), node.buffer(),
                     BlockOf(block));
    }
    DropTable(top.get());
  }

 private:
  BlockCache* const cache_;
  std::unique_ptr<BlockSlot[]> tops_[kTables];
};

TEST(BlockCacheTest, ThreadsMayUseAllOperationsAtOnce) {
  BlockCache cache(4 << 20);
  {
    SharedTables tables(&cache);
    std::vector<std::thread> threads;
    for (uint64_t seed = 0; seed < 16; ++seed) {
      threads.emplace_back([&cache, &tables, seed] {
        Random random(seed);
        for (int i = 0; i < 4000; ++i) {
          tables.Read(&random);
          if (random.OneIn(200)) tables.OpenReadAndClose(&random);
          if (random.OneIn(3000)) cache.EraseUnRefEntries();
          if (random.OneIn(3000)) {
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
  EXPECT_EQ(cache.GetUsage(), 0u);
  cache.epochs()->Reclaim();
  EXPECT_EQ(cache.GetUsage(), 0u);
}

TEST(BlockCacheTest, ThreadsKeepTheBudgetToFivePercent) {
  // Large enough that the blocks sixteen threads are just about to add or to
  // evict, which may be counted twice, are less than that.
  for (const size_t capacity : {size_t{4} << 20, size_t{6} << 20}) {
    BlockCache cache(capacity);
    SharedTables tables(&cache);
    std::vector<std::thread> threads;
    std::vector<size_t> highest(16);
    for (uint64_t seed = 0; seed < highest.size(); ++seed) {
      threads.emplace_back([&, seed] {
        Random random(seed);
        for (int i = 0; i < 3000; ++i) {
          tables.Read(&random);
          highest[seed] = std::max(highest[seed], cache.GetUsage());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const size_t usage = *std::max_element(highest.begin(), highest.end());
    EXPECT_LE(usage, capacity / 100 * 105);
    // Four tables of eight partitions of 64 blocks: more than it may hold.
    EXPECT_GE(usage, capacity / 100 * 80);
    EXPECT_GE(cache.GetUsage(), capacity / 100 * 75);
  }
}

TEST(BlockCacheTest, ACapacityOfZeroEmptiesTheCacheBesideInserts) {
  BlockCache cache(4 << 20);
  SharedTables tables(&cache);
  for (int round = 0; round < 40; ++round) {
    cache.SetCapacity(4 << 20);
    std::atomic<int> started{0};
    std::vector<std::thread> threads;
    for (uint64_t seed = 0; seed < 4; ++seed) {
      threads.emplace_back([&, seed] {
        Random random(seed);
        for (int i = 0; i < 300; ++i) {
          tables.Read(&random);
          if (i == 50) ++started;
        }
      });
    }
    while (started < 4) std::this_thread::yield();
    cache.SetCapacity(0);
    for (std::thread& thread : threads) thread.join();
    // Evicts what a thread held when the capacity changed.
    Random random(301);
    for (int i = 0; i < 300; ++i) tables.Read(&random);
    EXPECT_EQ(cache.GetUsage(), 0u) << "round " << round;
  }
}

}  // namespace
}  // namespace tamis
