// SPDX-License-Identifier: Apache-2.0
//
// Every BlockBasedTableOptions has an effect on the tables of a database.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "table/format.h"
#include "tests/db/test_db.h"

namespace tamis {
namespace {

class DBTableOptionsTest : public DBTest {
 protected:
  // One table of 500 entries of about 110 bytes that do not compress.
  void BuildTable(const BlockBasedTableOptions& table, int entries = 500) {
    SetTable(table);
    if (db_ != nullptr) {
      Destroy();
    }
    Open();
    for (int i = 0; i < entries; ++i) Put(Key(i), Value(i));
    Flush();
    for (int i = 0; i < entries; i += 37) ASSERT_EQ(Get(Key(i)), Value(i));
    ASSERT_EQ(Get("absent"), "NOT_FOUND");
  }
  static std::string Value(int i) {
    return Noise(100, static_cast<uint64_t>(i));
  }
  Footer ReadFooter() {
    std::string bytes;
    EXPECT_TRUE(fs_->GetContents(std::string(kTestDirectory) + "/" +
                                     FilesEndingIn(".sst")[0],
                                 &bytes)
                    .ok());
    const auto footer = Footer::Decode(
        Slice(bytes.data() + bytes.size() - kFooterBytes, kFooterBytes),
        bytes.size(), "table");
    EXPECT_TRUE(footer.ok()) << footer.status();
    return footer.ok() ? *footer : Footer();
  }
};

TEST_F(DBTableOptionsTest, BlockSizeDecidesTheNumberOfBlocks) {
  BlockBasedTableOptions table;
  BuildTable(table);
  const uint64_t at_4k = OnlyTable().num_data_blocks;
  EXPECT_NEAR(static_cast<double>(at_4k), 500 * 115.0 / 4096, 3);
  table.block_size = 1024;
  BuildTable(table);
  EXPECT_GT(OnlyTable().num_data_blocks, 3 * at_4k);
  table.block_size = 1 << 20;
  BuildTable(table);
  EXPECT_EQ(OnlyTable().num_data_blocks, 1u);
  table.block_size = 1;
  BuildTable(table);
  EXPECT_EQ(OnlyTable().num_data_blocks, 500u);
}

TEST_F(DBTableOptionsTest, BlockSizeDeviationClosesABlockBeforeItOverflows) {
  BlockBasedTableOptions table;
  table.block_size = 1000;
  table.block_size_deviation = 0;
  BuildTable(table);
  const uint64_t overfilled = OnlyTable().num_data_blocks;
  table.block_size_deviation = 20;
  BuildTable(table);
  EXPECT_GT(OnlyTable().num_data_blocks, overfilled);
}

TEST_F(DBTableOptionsTest, BlockRestartIntervalCostsBytesPerWholeKey) {
  BlockBasedTableOptions table;
  table.block_restart_interval = 1;
  BuildTable(table);
  const uint64_t every = OnlyTable().data_size;
  table.block_restart_interval = 64;
  BuildTable(table);
  // Each restart costs four bytes and the part of the key that could be shared.
  EXPECT_GT(every, OnlyTable().data_size + 400 * 10);
}

TEST_F(DBTableOptionsTest, FilterPolicySelectsTheFilterOfATable) {
  const struct {
    const char* what;
    const FilterPolicy* policy;
    bool partitioned;
    bool has_filter;
  } cases[] = {
      {"none", nullptr, false, false},
      {"Bloom", NewBloomFilterPolicy(10), false, true},
      {"more bits", NewBloomFilterPolicy(20), false, true},
      {"too few bits to be one", NewBloomFilterPolicy(0.1), false, false},
      {"block-based", NewBloomFilterPolicy(10, true), false, true},
      {"partitioned", NewBloomFilterPolicy(10), true, true},
  };
  for (const auto& c : cases) {
    BlockBasedTableOptions table;
    table.filter_policy.reset(c.policy);
    if (c.partitioned) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
      table.metadata_block_size = 256;
    }
    BuildTable(table);
    const TableProperties properties = OnlyTable();
    EXPECT_EQ(properties.filter_size > 0, c.has_filter) << c.what;
    EXPECT_EQ(!properties.filter_policy_name.empty(), c.has_filter) << c.what;
    get_perf_context()->Reset();
    for (int i = 0; i < 100; ++i) Get(Key(i) + "absent");
    const PerfContext& perf = *get_perf_context();
    if (c.has_filter) {
      EXPECT_GT(perf.bloom_sst_miss_count, 85u) << c.what;
      EXPECT_EQ(perf.bloom_sst_hit_count + perf.bloom_sst_miss_count, 100u)
          << c.what;
    } else {
      EXPECT_EQ(perf.bloom_sst_hit_count + perf.bloom_sst_miss_count, 0u)
          << c.what;
    }
  }
}

TEST_F(DBTableOptionsTest, TheDefaultFilterIsBloomWithTenBits) {
  BuildTable(BlockBasedTableOptions());
  EXPECT_EQ(OnlyTable().num_filter_entries, 500u);
  EXPECT_NEAR(static_cast<double>(OnlyTable().filter_size), 500 * 10 / 8.0, 70);
  options_.table_factory = nullptr;
  Destroy();
  Open();
  Put("a", "1");
  Flush();
  EXPECT_GT(OnlyTable().filter_size, 0u);
  EXPECT_STREQ(
      std::unique_ptr<TableFactory>(NewBlockBasedTableFactory())->Name(),
      "BlockBasedTable");
}

TEST_F(DBTableOptionsTest, MoreBitsMakeFewerFalsePositives) {
  uint64_t positives[2] = {0, 0};
  for (const int i : {0, 1}) {
    BlockBasedTableOptions table;
    table.filter_policy.reset(NewBloomFilterPolicy(i == 0 ? 3 : 15));
    BuildTable(table);
    get_perf_context()->Reset();
    for (int k = 0; k < 500; ++k) Get(Key(k) + "x");
    positives[i] = get_perf_context()->bloom_sst_hit_count;
  }
  EXPECT_GT(positives[0], 60u);
  EXPECT_LT(positives[1], 10u);
}

TEST_F(DBTableOptionsTest, IndexTypeSplitsTheIndex) {
  BlockBasedTableOptions table;
  table.block_size = 256;
  BuildTable(table);
  EXPECT_EQ(OnlyTable().index_partitions, 0u);
  EXPECT_EQ(OnlyTable().index_type, BlockBasedTableOptions::kBinarySearch);
  table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.metadata_block_size = 512;
  BuildTable(table);
  EXPECT_EQ(OnlyTable().index_type,
            BlockBasedTableOptions::kTwoLevelIndexSearch);
  const uint64_t partitions = OnlyTable().index_partitions;
  EXPECT_GT(partitions, 3u);
  EXPECT_GT(OnlyTable().top_level_index_size, 0u);
  table.metadata_block_size = 128;
  BuildTable(table);
  EXPECT_GT(OnlyTable().index_partitions, 2 * partitions);
}

TEST_F(DBTableOptionsTest, PartitionFiltersAreLoadedOneByOne) {
  BlockBasedTableOptions table;
  table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.metadata_block_size = 256;
  BuildTable(table);
  Reopen();
  get_perf_context()->Reset();
  Get(Key(0));
  const uint64_t first = get_perf_context()->filter_block_read_count;
  Get(Key(499));
  const uint64_t second = get_perf_context()->filter_block_read_count;
  EXPECT_GT(second, first);
  Get(Key(0));
  EXPECT_EQ(get_perf_context()->filter_block_read_count, second);
}

TEST_F(DBTableOptionsTest, ChecksumTypeIsInTheFooter) {
  for (const ChecksumType type :
       {kNoChecksum, kCRC32c, kxxHash, kxxHash64, kXXH3}) {
    BlockBasedTableOptions table;
    table.checksum = type;
    BuildTable(table);
    EXPECT_EQ(ReadFooter().checksum, type);
    EXPECT_EQ(ReadFooter().format_version, 5u);
  }
}

TEST_F(DBTableOptionsTest, ASharedBlockCacheBoundsItsUsers) {
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(64 << 10);
  SetTable(table);
  Open();
  std::unique_ptr<DB> other;
  ASSERT_TRUE(DB::Open(options_, "/parent/other", &other).ok());
  for (int i = 0; i < 2000; ++i) {
    Put(Key(i), Value(i));
    ASSERT_TRUE(other->Put(WriteOptions(), Key(i), Value(i)).ok());
  }
  Flush();
  ASSERT_TRUE(other->Flush(FlushOptions()).ok());
  EXPECT_EQ(Property(DB::Properties::kBlockCacheCapacity), 64u << 10);
  // Opens the tables, which count as well, without caching a block.
  ReadOptions uncached;
  uncached.fill_cache = false;
  std::string value;
  ASSERT_TRUE(db_->Get(uncached, Key(5), &value).ok());
  ASSERT_TRUE(other->Get(uncached, Key(5), &value).ok());
  const size_t before = table.block_cache->GetUsage();
  Get(Key(5));
  const size_t after_one = table.block_cache->GetUsage();
  EXPECT_GT(after_one, before);
  ASSERT_TRUE(other->Get(ReadOptions(), Key(5), &value).ok());
  EXPECT_GT(table.block_cache->GetUsage(), after_one);
  for (int i = 0; i < 2000; ++i) {
    Get(Key(i));
    ASSERT_TRUE(other->Get(ReadOptions(), Key(i), &value).ok());
  }
  EXPECT_LE(table.block_cache->GetUsage(), 64u << 10);
  EXPECT_EQ(Property(DB::Properties::kBlockCacheUsage),
            table.block_cache->GetUsage());
}

TEST_F(DBTableOptionsTest, ALargerCacheKeepsMore) {
  uint64_t reads[2] = {0, 0};
  for (const int i : {0, 1}) {
    BlockBasedTableOptions table;
    table.block_cache = NewLRUCache(i == 0 ? 16 << 10 : 8 << 20);
    BuildTable(table, 2000);
    get_perf_context()->Reset();
    for (int round = 0; round < 3; ++round) {
      for (int k = 0; k < 2000; k += 10) Get(Key(k));
    }
    reads[i] = get_perf_context()->block_read_count;
  }
  EXPECT_GT(reads[0], 2 * reads[1]);
}

TEST_F(DBTableOptionsTest, TheDefaultCacheHas32MiB) {
  Open();
  EXPECT_EQ(Property(DB::Properties::kBlockCacheCapacity), 32u << 20);
}

TEST_F(DBTableOptionsTest, NoBlockCacheReadsEveryDataBlockAgain) {
  for (const bool none : {false, true}) {
    BlockBasedTableOptions table;
    table.no_block_cache = none;
    BuildTable(table);
    Get(Key(7));
    get_perf_context()->Reset();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(Get(Key(7)), Value(7));
    EXPECT_EQ(get_perf_context()->block_read_count, none ? 5u : 0u);
  }
}

TEST_F(DBTableOptionsTest, ForcedCompactionRewritesWithTheNewFilter) {
  BlockBasedTableOptions table;
  BuildTable(table);
  Compact();
  EXPECT_EQ(Levels(), "0,1");
  const std::string before = OnlyTable().filter_policy_name;
  const uint64_t size_before = OnlyTable().filter_size;
  EXPECT_NE(before, "");
  table.filter_policy.reset(NewBloomFilterPolicy(20));
  SetTable(table);
  Reopen();
  Compact();  // the lone deepest level stays as it is
  EXPECT_EQ(OnlyTable().filter_size, size_before);
  Compact(/*force=*/true);
  EXPECT_EQ(Levels(), "0,1");
  EXPECT_GT(OnlyTable().filter_size, size_before * 3 / 2);
  table.filter_policy = nullptr;
  SetTable(table);
  Reopen();
  Compact(/*force=*/true);
  EXPECT_EQ(OnlyTable().filter_size, 0u);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(Get(Key(i)), Value(i));
}

TEST_F(DBTableOptionsTest, EveryKindOfTableIsReadUnderAnyOption) {
  const struct {
    const char* what;
    const FilterPolicy* policy;
    bool partitioned;
  } kinds[] = {{"none", nullptr, false},
               {"full", NewBloomFilterPolicy(10), false},
               {"block-based", NewBloomFilterPolicy(10, true), false},
               {"partitioned", NewBloomFilterPolicy(10), true}};
  options_.disable_auto_compactions = true;
  int key = 0;
  for (const auto& kind : kinds) {
    BlockBasedTableOptions table;
    table.filter_policy.reset(kind.policy);
    if (kind.partitioned) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
    }
    SetTable(table);
    Reopen();
    for (int i = 0; i < 100; ++i, ++key) Put(Key(key), Value(key));
    Flush();
  }
  EXPECT_EQ(Levels(), "4");
  for (int i = 0; i < key; ++i) ASSERT_EQ(Get(Key(i)), Value(i)) << i;
  SetTable(BlockBasedTableOptions());
  Reopen();
  for (int i = 0; i < key; ++i) ASSERT_EQ(Get(Key(i)), Value(i)) << i;
  Compact();
  for (int i = 0; i < key; ++i) ASSERT_EQ(Get(Key(i)), Value(i)) << i;
}

}  // namespace
}  // namespace tamis
