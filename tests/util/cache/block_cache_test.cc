// SPDX-License-Identifier: Apache-2.0
#include "util/cache/block_cache.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {
namespace {

using Guard = EpochDomain::Guard;

constexpr size_t kBlockBytes = 4096;

// A block that says which one it is.
PinnedBytes BlockOf(uint64_t name, size_t bytes = kBlockBytes) {
  std::string contents;
  PutFixed64(&contents, name);
  contents.resize(bytes, 'b');
  return PinnedBytes::Own(std::move(contents));
}

bool IsBlockOf(const Slice& bytes, uint64_t name) {
  return bytes.size() >= 8 && DecodeFixed64(bytes.data()) == name;
}

// A partition: a block with `slots` slots in its side.
PinnedBytes PartitionOf(uint64_t name, size_t slots) {
  std::string contents;
  PutFixed64(&contents, name);
  BlockBuffer* const node =
      BlockBuffer::New(ByteBuffer(contents), slots * sizeof(BlockSlot));
  for (size_t i = 0; i < slots; ++i) {
    new (node->mutable_side() + i * sizeof(BlockSlot)) BlockSlot();
  }
  return PinnedBytes::Adopt(node);
}

// Atomics in there are written by all who share it.
BlockSlot* SlotOf(const BlockBuffer* partition, size_t i) {
  return std::launder(reinterpret_cast<BlockSlot*>(
             const_cast<BlockBuffer*>(partition)->mutable_side())) +
         i;
}

// Blocks [0, count) of a table, whose slots it has.
class Blocks {
 public:
  Blocks(BlockCache* cache, size_t count)
      : cache_(cache),
        slots_(std::make_unique<BlockSlot[]>(count)),
        count_(count) {}
  ~Blocks() { Drop(); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  BlockSlot* slot(size_t i) { return &slots_[i]; }
  PinnedBytes Insert(size_t i, size_t bytes = kBlockBytes) {
    return cache_->Insert(slot(i), nullptr, BlockOf(i, bytes));
  }
  void Fill() {
    for (size_t i = 0; i < count_; ++i) Insert(i);
  }
  void Drop() {
    for (size_t i = 0; i < count_; ++i) cache_->Drop(slot(i));
  }
  // As a reader that does not keep it.
  bool Finds(size_t i) {
    const Guard guard(cache_->epochs());
    const BlockBuffer* const block = BlockCache::Lookup(slots_[i]);
    EXPECT_TRUE(block == nullptr || IsBlockOf(block->bytes(), i));
    return block != nullptr;
  }

 private:
  BlockCache* const cache_;
  const std::unique_ptr<BlockSlot[]> slots_;
  const size_t count_;
};

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

TEST(BlockCacheTest, FindsWhatWasInsertedAndNothingElse) {
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

TEST(BlockCacheTest, WhatAReaderHoldsStays) {
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

TEST(BlockCacheTest, WhatIsUsedOutlivesAScan) {
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

TEST(BlockCacheTest, DroppedBlocksAreGoneButForTheirHolders) {
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

TEST(BlockCacheTest, EraseUnRefEntriesLeavesWhatIsHeld) {
  BlockCache cache(4 << 20);
  Blocks blocks(&cache, 100);
  blocks.Fill();
  const PinnedBytes held = cache.Pin(*blocks.slot(0));
  cache.EraseUnRefEntries();
  EXPECT_EQ(cache.GetUsage(), cache.GetPinnedUsage());
  EXPECT_TRUE(blocks.Finds(0));
  EXPECT_FALSE(blocks.Finds(1));
}

TEST(BlockCacheTest, WhatAGuardFoundStaysUntilItEnds) {
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

TEST(BlockCacheTest, BlocksThatWaitForAReaderCount) {
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

// It takes no more blocks; what it has, it keeps.
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

class PartitionTest : public testing::Test {
 protected:
  static constexpr size_t kSlots = 10;

  // The partition, resident, and held by nobody else.
  const BlockBuffer* Resident() {
    const Guard guard(cache_.epochs());
    return BlockCache::Lookup(top_);
  }
  const BlockBuffer* InsertPartition() {
    return cache_.Insert(&top_, nullptr, PartitionOf(77, kSlots)).buffer();
  }
  void FillOthers() {
    for (size_t i = 0; i < 1000; ++i) others_.Insert(i);
    others_.Drop();
  }

  BlockCache cache_{256 << 10};
  BlockSlot top_;
  Blocks others_{&cache_, 1000};
};

TEST_F(PartitionTest, StaysWhileAChildIsResident) {
  const BlockBuffer* const partition = InsertPartition();
  // The child is held, so that it is resident for sure.
  PinnedBytes child =
      cache_.Insert(SlotOf(partition, 3), partition, BlockOf(3));
  FillOthers();
  ASSERT_FALSE(top_.empty());
  cache_.EraseUnRefEntries();
  ASSERT_FALSE(top_.empty());
  cache_.SetCapacity(0);
  ASSERT_FALSE(top_.empty());
  EXPECT_TRUE(IsBlockOf(cache_.Pin(*SlotOf(partition, 3)).bytes(), 3));

  child.Reset();
  cache_.SetCapacity(0);
  EXPECT_TRUE(top_.empty());
  EXPECT_EQ(cache_.GetUsage(), 0u);
}

TEST_F(PartitionTest, GoesAfterItsChildren) {
  const BlockBuffer* const partition = InsertPartition();
  for (size_t i = 0; i < kSlots; ++i) {
    cache_.Insert(SlotOf(partition, i), partition, BlockOf(i));
  }
  cache_.Drop(SlotOf(partition, 0));
  cache_.EraseUnRefEntries();
  EXPECT_TRUE(top_.empty());
  EXPECT_EQ(cache_.GetUsage(), 0u);
}

TEST_F(PartitionTest, TakesNoChildOnceEvicted) {
  InsertPartition();
  const PinnedBytes held = cache_.Pin(top_);
  cache_.Drop(&top_);
  EXPECT_EQ(Resident(), nullptr);
  const PinnedBytes child =
      cache_.Insert(SlotOf(held.buffer(), 0), held.buffer(), BlockOf(0));
  EXPECT_TRUE(IsBlockOf(child.bytes(), 0));
  EXPECT_TRUE(SlotOf(held.buffer(), 0)->empty());
  EXPECT_EQ(cache_.GetUsage(), 0u);
}

TEST_F(PartitionTest, TakesNoChildWhenThereWasNoRoomForIt) {
  cache_.SetCapacity(0);
  const PinnedBytes partition =
      cache_.Insert(&top_, nullptr, PartitionOf(77, kSlots));
  ASSERT_TRUE(top_.empty());
  cache_.SetCapacity(256 << 10);
  const BlockBuffer* const node = partition.buffer();
  const PinnedBytes child = cache_.Insert(SlotOf(node, 0), node, BlockOf(0));
  EXPECT_TRUE(SlotOf(node, 0)->empty());
}

TEST(BlockCacheTest, ItsEndFreesParentsAndChildrenInAnyOrder) {
  constexpr size_t kPartitions = 100;
  BlockSlot tops[kPartitions];
  PinnedBytes held;
  {
    BlockCache cache(64 << 20);
    for (size_t i = 0; i < kPartitions; ++i) {
      const PinnedBytes partition =
          cache.Insert(&tops[i], nullptr, PartitionOf(i, 10));
      for (size_t k = 0; k < 10; ++k) {
        held = cache.Insert(SlotOf(partition.buffer(), k), partition.buffer(),
                            BlockOf(k));
      }
    }
    EXPECT_GT(cache.GetUsage(), 10 * kPartitions * kBlockBytes);
  }
  EXPECT_TRUE(IsBlockOf(held.bytes(), 9));
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

  // REQUIRES: nobody reads it.
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

  // Tables of a thread's own come and go meanwhile.
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

TEST(BlockCacheTest, ThreadsMayDoAllOfItAtOnce) {
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

// What is idle in chunks, and all that is counted beside. 0: it changed while
// it was added up, so that something may be in the sum twice.
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

TEST(BlockCacheTest, OnlyALargeOneHasAPool) {
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
TEST(BlockCacheTest, BlocksOfAnySizeTakeThePlaceOfOthers) {
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
