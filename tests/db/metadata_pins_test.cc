// SPDX-License-Identifier: Apache-2.0
//
// MetadataCacheOptions and the options that they replace: which index and
// filter blocks the block cache may not evict.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class MetadataPinsTest : public DBTest {
 protected:
  static constexpr int kKeys = 2000;

  MetadataPinsTest() {
    table_.block_size = 512;
    table_.metadata_block_size = 512;
    table_.filter_policy.reset(NewBloomFilterPolicy(10));
    table_.cache_index_and_filter_blocks = true;
    options_.write_buffer_size = 1 << 20;
    options_.disable_auto_compactions = true;
  }
  MetadataCacheOptions& tiers() { return table_.metadata_cache_options; }
  void Partition() {
    table_.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table_.partition_filters = true;
  }
  // A table at level 0, which Get has opened.
  void Build(size_t capacity = 8 << 20) {
    cache_ = NewLRUCache(capacity);
    table_.block_cache = cache_;
    SetTable(table_);
    if (db_ != nullptr) Destroy();
    Open();
    PutMany(kKeys);
    Flush();
    Use();
  }
  void Use() { EXPECT_EQ(Get(Key(0)).size(), 100u); }
  // Returns how many index and filter blocks a Get reads, whose key is absent,
  // when all that may be evicted is.
  uint64_t BlocksRead() {
    cache_->EraseUnRefEntries();
    get_perf_context()->Reset();
    EXPECT_EQ(Get("key001000x"), "NOT_FOUND");
    return get_perf_context()->index_block_read_count +
           get_perf_context()->filter_block_read_count;
  }
  void CompactDown() {
    CompactRangeOptions down;
    down.change_level = true;
    down.target_level = 2;
    down.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    EXPECT_EQ(db_->CompactRange(down, nullptr, nullptr), Status::OK());
    Use();
  }

  BlockBasedTableOptions table_;
  std::shared_ptr<Cache> cache_;
};

constexpr PinningTier kTiers[] = {
    PinningTier::kNone, PinningTier::kFlushedAndSimilar, PinningTier::kAll};

// An absent key costs the filter alone; the index is read when the filter lets
// the key pass, which these do not.
TEST_F(MetadataPinsTest, UnpartitionedOnes) {
  for (const PinningTier tier : kTiers) {
    tiers().unpartitioned_pinning = tier;
    Build();
    EXPECT_EQ(BlocksRead(), tier == PinningTier::kNone ? 1u : 0u);
    CompactDown();
    EXPECT_EQ(BlocksRead(), tier == PinningTier::kAll ? 0u : 1u);
  }
}

TEST_F(MetadataPinsTest, PartitionsAndTopLevels) {
  Partition();
  for (const PinningTier top : kTiers) {
    for (const PinningTier partitions : kTiers) {
      tiers().top_level_index_pinning = top;
      tiers().partition_pinning = partitions;
      Build();
      // A top level stays resident as long as a partition of it.
      const bool held = partitions != PinningTier::kNone;
      const uint64_t read =
          (held ? 0u : 1u) + (held || top != PinningTier::kNone ? 0u : 1u);
      EXPECT_EQ(BlocksRead(), read);
      EXPECT_EQ(cache_->GetPinnedUsage() > 0, held);
      CompactDown();
      const bool all = partitions == PinningTier::kAll;
      EXPECT_EQ(BlocksRead(),
                (all ? 0u : 1u) + (all || top == PinningTier::kAll ? 0u : 1u));
      EXPECT_EQ(cache_->GetPinnedUsage() > 0, all);
    }
  }
}

TEST_F(MetadataPinsTest, TheOlderOptions) {
  // By default, top levels stay, and nothing else does.
  Build();
  EXPECT_EQ(BlocksRead(), 1u);
  Partition();
  Build();
  EXPECT_EQ(BlocksRead(), 1u);
  table_.pin_top_level_index_and_filter = false;
  Build();
  EXPECT_EQ(BlocksRead(), 2u);
  // The tables of flushes.
  table_.pin_l0_filter_and_index_blocks_in_cache = true;
  Build();
  EXPECT_EQ(BlocksRead(), 0u);
  CompactDown();
  EXPECT_EQ(BlocksRead(), 2u);
  // The newer ones decide if they are set.
  tiers().partition_pinning = PinningTier::kNone;
  tiers().top_level_index_pinning = PinningTier::kAll;
  Build();
  EXPECT_EQ(BlocksRead(), 1u);
}

// Partitions are in the cache in any case.
TEST_F(MetadataPinsTest, PartitionsArePinnedWithoutIndexesInTheCache) {
  Partition();
  table_.cache_index_and_filter_blocks = false;
  Build();
  EXPECT_EQ(BlocksRead(), 1u);
  tiers().partition_pinning = PinningTier::kAll;
  Build();
  EXPECT_EQ(BlocksRead(), 0u);
}

TEST_F(MetadataPinsTest, LargeTablesOfLevel0AreNotLikeFlushedOnes) {
  table_.pin_l0_filter_and_index_blocks_in_cache = true;
  Build();  // 240 KB
  EXPECT_EQ(BlocksRead(), 0u);
  ASSERT_EQ(db_->SetOptions({{"write_buffer_size", "65536"}}), Status::OK());
  options_.write_buffer_size = 65536;
  Reopen();
  Use();
  EXPECT_EQ(BlocksRead(), 1u);
  ASSERT_EQ(db_->SetOptions({{"write_buffer_size", "1048576"}}), Status::OK());
  PutMany(kKeys);
  Flush();
  Use();
  // The new table has the keys; the old one is asked, too.
  EXPECT_EQ(BlocksRead(), 1u);
}

TEST_F(MetadataPinsTest, PinsEndWithTheTable) {
  Partition();
  tiers().partition_pinning = PinningTier::kAll;
  Build();
  const size_t pinned = cache_->GetPinnedUsage();
  EXPECT_GT(pinned, size_t{kKeys} * 10 / 8);
  PutMany(kKeys);
  Flush();
  Use();
  EXPECT_GT(cache_->GetPinnedUsage(), pinned * 3 / 2);
  CompactDown();
  EXPECT_LT(cache_->GetPinnedUsage(), pinned * 3 / 2);
  db_.reset();
  EXPECT_EQ(cache_->GetUsage(), 0u);
}

TEST_F(MetadataPinsTest, ACacheThatIsTooSmallPinsWhatFits) {
  Partition();
  tiers().partition_pinning = PinningTier::kAll;
  for (const size_t capacity : {0u, 4u << 10, 16u << 10, 40u << 10}) {
    Build(capacity);
    for (int i = 0; i < kKeys; i += 7) {
      ASSERT_EQ(Get(Key(i)), Noise(100, static_cast<uint64_t>(i)));
    }
    EXPECT_LE(cache_->GetPinnedUsage(), capacity);
  }
}

// An open does not fail for a partition that a read may never need.
TEST_F(MetadataPinsTest, ADamagedPartitionFailsTheReadsThatNeedIt) {
  Partition();
  tiers().partition_pinning = PinningTier::kAll;
  table_.filter_policy = nullptr;
  Build();
  TablePropertiesCollection tables;
  ASSERT_EQ(db_->GetPropertiesOfAllTables(&tables), Status::OK());
  ASSERT_EQ(tables.size(), 1u);
  const auto& [path, properties] = *tables.begin();
  db_.reset();
  std::string bytes;
  ASSERT_EQ(ReadFileToString(fs_.get(), path, &bytes), Status::OK());
  // Partitions of the index follow the data; the first one is damaged.
  const size_t at = properties->data_size + 3;
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  ASSERT_EQ(WriteStringToFile(fs_.get(), bytes, path, /*sync=*/true),
            Status::OK());
  Open();
  std::string value;
  EXPECT_TRUE(db_->Get(ReadOptions(), Key(0), &value).IsCorruption());
  EXPECT_EQ(Get(Key(kKeys - 1)), Noise(100, kKeys - 1));
}

// Gets of other keys, whose data is larger than the cache, evict the partition
// of the filter between two uses, unless it has high priority.
TEST_F(MetadataPinsTest, HighPriority) {
  Partition();
  for (const bool high : {false, true}) {
    table_.cache_index_and_filter_blocks_with_high_priority = high;
    Build();
    cache_->SetCapacity(100 << 10);
    uint64_t read = 0;
    for (int round = 0; round < 20; ++round) {
      get_perf_context()->Reset();
      Use();
      read += get_perf_context()->filter_block_read_count;
      for (int i = kKeys * 5 / 8; i < kKeys; ++i) Get(Key(i));
    }
    EXPECT_EQ(read > 10, !high) << read;
  }
}

}  // namespace
}  // namespace tamis
