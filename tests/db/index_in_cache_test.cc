// SPDX-License-Identifier: Apache-2.0
//
// BlockBasedTableOptions::cache_index_and_filter_blocks: the block cache loads
// and evicts unpartitioned indexes and filters. metadata_pins_test.cc: what it
// may not evict.
#include <algorithm>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

enum class Layout : uint8_t { kWhole, kPartitioned, kBlockBased, kNoFilter };

class IndexInCacheTest : public DBTest {
 protected:
  static constexpr int kKeys = 2000;

  void Build(Layout layout, bool in_cache, size_t capacity = 8 << 20) {
    BlockBasedTableOptions table;
    table.block_size = 512;
    table.filter_policy.reset(
        layout == Layout::kNoFilter
            ? nullptr
            : NewBloomFilterPolicy(10, layout == Layout::kBlockBased));
    if (layout == Layout::kPartitioned) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
    }
    cache_ = NewLRUCache(capacity);
    table.block_cache = cache_;
    table.cache_index_and_filter_blocks = in_cache;
    SetTable(table);
    if (db_ != nullptr) Destroy();
    Open();
    for (int i = 0; i < kKeys; ++i) Put(Key(2 * i), Value(i));
    Flush();
    EXPECT_EQ(Get(Key(0)), Value(0));
  }
  static std::string Value(int i) {
    return Noise(100, static_cast<uint64_t>(i));
  }
  uint64_t ReadersMemory() {
    return Property(DB::Properties::kEstimateTableReadersMem);
  }
  // Nothing is in memory that need not be.
  void Forget() {
    cache_->EraseUnRefEntries();
    get_perf_context()->Reset();
  }

  std::shared_ptr<Cache> cache_;
};

constexpr Layout kLayouts[] = {Layout::kWhole, Layout::kPartitioned,
                               Layout::kBlockBased, Layout::kNoFilter};

TEST_F(IndexInCacheTest, BytesMoveFromTheReadersToTheCache) {
  for (const Layout layout : {Layout::kWhole, Layout::kBlockBased}) {
    uint64_t readers[2];
    uint64_t cached[2];
    for (const bool in_cache : {false, true}) {
      Build(layout, in_cache);
      readers[in_cache] = ReadersMemory();
      cached[in_cache] = cache_->GetUsage() - ReadersMemory();
    }
    // 10 bits a key, and a handle for each of some 500 blocks.
    constexpr uint64_t kLeast = kKeys * 10 / 8 + 500 * 16;
    EXPECT_GE(readers[0], readers[1] + kLeast);
    EXPECT_GE(cached[1], cached[0] + kLeast);
  }
}

// What a reader keeps is not a block, but counts against the budget.
TEST_F(IndexInCacheTest, TheBudgetIncludesWhatReadersKeep) {
  for (const Layout layout : {Layout::kWhole, Layout::kBlockBased}) {
    Build(layout, /*in_cache=*/false);
    const uint64_t readers = ReadersMemory();
    EXPECT_GT(readers, kKeys * 16u / 5);
    Forget();
    EXPECT_EQ(cache_->GetUsage(), readers);
    // Blocks leave room for it.
    cache_->SetCapacity(2 * readers);
    for (int i = 0; i < kKeys; ++i) ASSERT_EQ(Get(Key(2 * i)), Value(i));
    EXPECT_LE(cache_->GetUsage(), 2 * readers);
    // They keep half of the budget, even if it is too small.
    cache_->SetCapacity(readers / 2);
    for (int i = 0; i < kKeys; ++i) ASSERT_EQ(Get(Key(2 * i)), Value(i));
    EXPECT_GT(cache_->GetUsage(), readers);
    EXPECT_LE(cache_->GetUsage(), readers + readers / 4);
  }
}

TEST_F(IndexInCacheTest, OnlyEvictedPartsAreReadAgain) {
  for (const Layout layout : kLayouts) {
    for (const bool in_cache : {false, true}) {
      Build(layout, in_cache);
      Forget();
      EXPECT_EQ(cache_->GetUsage(), ReadersMemory());
      EXPECT_EQ(Get(Key(700)), Value(350));
      const PerfContext& perf = *get_perf_context();
      const uint64_t partitions = layout == Layout::kPartitioned ? 1 : 0;
      const uint64_t whole = in_cache && layout != Layout::kPartitioned ? 1 : 0;
      const uint64_t filters =
          layout == Layout::kNoFilter ? 0 : whole + partitions;
      EXPECT_EQ(perf.index_block_read_count, whole + partitions);
      EXPECT_EQ(perf.filter_block_read_count, filters);
      EXPECT_EQ(perf.block_read_count, whole + partitions + filters + 1);
      // All of it is resident now.
      get_perf_context()->Reset();
      EXPECT_EQ(Get(Key(700)), Value(350));
      EXPECT_EQ(perf.block_read_count, 0u);
      Forget();
      for (int i = 1; i < 200; i += 2) EXPECT_EQ(Get(Key(i)), "NOT_FOUND");
      EXPECT_LE(perf.filter_block_read_count, 10u);
    }
  }
}

TEST_F(IndexInCacheTest, TheCacheTierUsesOnlyResidentParts) {
  for (const Layout layout : kLayouts) {
    Build(layout, /*in_cache=*/true);
    Forget();
    ReadOptions memory;
    memory.read_tier = kBlockCacheTier;
    std::string value;
    EXPECT_TRUE(db_->Get(memory, Key(8), &value).IsIncomplete());
    const std::unique_ptr<Iterator> it(db_->NewIterator(memory));
    it->SeekToFirst();
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().IsIncomplete()) << it->status();
    EXPECT_EQ(Get(Key(8)), Value(4));
    EXPECT_TRUE(db_->Get(memory, Key(8), &value).ok());
  }
}

TEST_F(IndexInCacheTest, IteratorsPinTheirCurrentPartition) {
  for (const Layout layout : kLayouts) {
    Build(layout, /*in_cache=*/true);
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    int i = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++i) {
      if (i % 100 == 0) cache_->EraseUnRefEntries();
      ASSERT_EQ(it->key().ToString(), Key(2 * i));
      ASSERT_EQ(it->value().ToString(), Value(i));
    }
    EXPECT_EQ(i, kKeys);
    for (it->SeekToLast(); it->Valid(); it->Prev()) {
      if (i % 100 == 0) cache_->EraseUnRefEntries();
      --i;
      ASSERT_EQ(it->key().ToString(), Key(2 * i));
    }
    EXPECT_EQ(i, 0);
    EXPECT_TRUE(it->status().ok()) << it->status();
  }
}

// The budget decides over all of it; every answer stays right.
TEST_F(IndexInCacheTest, AnswersAreRightInATinyCache) {
  for (const Layout layout : kLayouts) {
    for (const size_t capacity :
         {size_t{0}, size_t{2} << 10, size_t{40} << 10, size_t{100} << 10}) {
      Build(layout, /*in_cache=*/true, capacity);
      for (int i = 0; i < kKeys; i += 7) {
        ASSERT_EQ(Get(Key(2 * i)), Value(i));
        ASSERT_EQ(Get(Key(2 * i + 1)), "NOT_FOUND");
      }
      EXPECT_LE(cache_->GetUsage(),
                std::max<uint64_t>(capacity, ReadersMemory() + capacity / 2));
    }
  }
}

// Else each read would fetch it whole.
TEST_F(IndexInCacheTest, PartsTooLargeForTheCacheStayWithTheTable) {
  Build(Layout::kWhole, /*in_cache=*/true, /*capacity=*/20 << 10);
  Forget();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Get(Key(2 * i)), Value(i));
  EXPECT_EQ(get_perf_context()->index_block_read_count, 0u);
}

TEST_F(IndexInCacheTest, ClosingTheDatabaseEmptiesTheCache) {
  for (const Layout layout : kLayouts) {
    Build(layout, /*in_cache=*/true);
    for (int i = 0; i < kKeys; i += 10) Get(Key(2 * i));
    EXPECT_GT(cache_->GetUsage(), ReadersMemory());
    db_.reset();
    EXPECT_EQ(cache_->GetUsage(), 0u);
  }
}

}  // namespace
}  // namespace tamis
