// SPDX-License-Identifier: Apache-2.0
//
// The exact counters of a point read, under every kind of filter and at every
// level of the tree.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class DBCountersTest : public DBTest {
 protected:
  struct Kind {
    const char* what;
    const FilterPolicy* policy;  // taken over
    bool partitioned;
  };
  void SetFilter(const Kind& kind) {
    BlockBasedTableOptions table;
    table.filter_policy.reset(kind.policy);
    if (kind.partitioned) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
    }
    SetTable(table);
  }
  void StartAnew() {
    if (db_ != nullptr) {
      Destroy();
    }
    Open();
  }
  void Reset() {
    ASSERT_TRUE(options_.statistics->Reset().ok());
    get_perf_context()->Reset();
  }
  static const PerfContext& Perf() { return *get_perf_context(); }
};

TEST_F(DBCountersTest, FilterCountersAreExact) {
  const Kind kinds[] = {{"full", NewBloomFilterPolicy(20), false},
                        {"block-based", NewBloomFilterPolicy(20, true), false},
                        {"partitioned", NewBloomFilterPolicy(20), true}};
  for (const Kind& kind : kinds) {
    SCOPED_TRACE(kind.what);
    SetFilter(kind);
    StartAnew();
    for (int i = 0; i < 100; ++i) Put(Key(i), "v");
    Flush();
    Get(Key(0));
    Reset();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(Get(Key(i)), "v");
    EXPECT_EQ(Perf().bloom_sst_hit_count, 100u);
    EXPECT_EQ(Perf().bloom_sst_miss_count, 0u);
    EXPECT_EQ(Tick(BLOOM_FILTER_FULL_POSITIVE), 100u);
    EXPECT_EQ(Tick(BLOOM_FILTER_FULL_TRUE_POSITIVE), 100u);
    EXPECT_EQ(Tick(BLOOM_FILTER_USEFUL), 0u);
    EXPECT_EQ(Tick(MEMTABLE_MISS), 100u);
    EXPECT_EQ(Tick(GET_HIT_L0), 100u);
    const PerfContextByLevel& hits = Perf().level_to_perf_context[0];
    EXPECT_EQ(hits.bloom_filter_full_positive, 100u);
    EXPECT_EQ(hits.bloom_filter_full_true_positive, 100u);
    EXPECT_EQ(hits.user_key_return_count, 100u);

    // Keys between those that are there.
    Reset();
    for (int i = 0; i < 99; ++i) EXPECT_EQ(Get(Key(i) + "x"), "NOT_FOUND");
    EXPECT_EQ(Perf().bloom_sst_hit_count + Perf().bloom_sst_miss_count, 99u);
    EXPECT_LE(Perf().bloom_sst_hit_count, 3u);
    EXPECT_EQ(Tick(BLOOM_FILTER_USEFUL), Perf().bloom_sst_miss_count);
    EXPECT_EQ(Tick(BLOOM_FILTER_FULL_POSITIVE), Perf().bloom_sst_hit_count);
    EXPECT_EQ(Tick(BLOOM_FILTER_FULL_TRUE_POSITIVE), 0u);
    const PerfContextByLevel& misses = Perf().level_to_perf_context[0];
    EXPECT_EQ(misses.bloom_filter_useful, Perf().bloom_sst_miss_count);
    EXPECT_EQ(misses.bloom_filter_full_positive, Perf().bloom_sst_hit_count);
    EXPECT_EQ(misses.bloom_filter_full_true_positive, 0u);
    EXPECT_EQ(misses.user_key_return_count, 0u);
    EXPECT_EQ(Tick(GET_HIT_L0), 0u);
    // A surely absent key costs no data block.
    EXPECT_LE(Perf().block_cache_hit_count, 3u + 99u * 2);
    EXPECT_EQ(Tick(BLOCK_CACHE_DATA_MISS), 0u);

    // Outside the table's key range, no filter is probed.
    Reset();
    EXPECT_EQ(Get("zzz"), "NOT_FOUND");
    EXPECT_EQ(Perf().bloom_sst_hit_count + Perf().bloom_sst_miss_count, 0u);
  }
}

TEST_F(DBCountersTest, ATombstoneIsATruePositive) {
  options_.disable_auto_compactions = true;
  Open();
  Put("a", "1");
  Flush();
  Delete("a");
  Put("b", "1");
  Flush();
  Reset();
  EXPECT_EQ(Get("a"), "NOT_FOUND");
  EXPECT_EQ(Tick(BLOOM_FILTER_FULL_POSITIVE), 1u);
  EXPECT_EQ(Tick(BLOOM_FILTER_FULL_TRUE_POSITIVE), 1u);
  EXPECT_EQ(Tick(GET_HIT_L0), 0u);
  EXPECT_EQ(Perf().level_to_perf_context[0].user_key_return_count, 0u);
}

TEST_F(DBCountersTest, HitsAreCountedPerLevel) {
  options_.disable_auto_compactions = true;
  options_.max_bytes_for_level_base = 1;
  Open();
  // Three tables of level 1, 2 and 0 that all span a..z.
  const auto table = [this](const char* key) {
    Put("a", key);
    Put(key, key);
    Put("z", key);
    Flush();
  };
  table("deep");
  Compact();
  db_.reset();
  options_.disable_auto_compactions = false;
  Open();  // level 1 is too large: the table moves down, as far as it may
  RunJobs();
  db_.reset();
  options_.disable_auto_compactions = true;
  Open();
  const int deepest = LiveFiles()[0].level;
  ASSERT_GE(deepest, 2);
  table("middle");
  {
    // Into level 1 alone.
    options_.max_bytes_for_level_base = 1 << 20;
    options_.level0_file_num_compaction_trigger = 1;
    options_.disable_auto_compactions = false;
    Reopen();
    RunJobs();
  }
  options_.disable_auto_compactions = true;
  Reopen();
  table("top");
  const auto files = LiveFiles();
  ASSERT_EQ(files.size(), 3u);
  ASSERT_EQ(files[0].level, 0);
  ASSERT_EQ(files[1].level, 1);
  ASSERT_EQ(files[2].level, deepest);

  Reset();
  EXPECT_EQ(Get("top"), "top");
  EXPECT_EQ(Get("middle"), "middle");
  EXPECT_EQ(Get("deep"), "deep");
  EXPECT_EQ(Get("a"), "top");
  EXPECT_EQ(Get("none"), "NOT_FOUND");
  EXPECT_EQ(Tick(GET_HIT_L0), 2u);
  EXPECT_EQ(Tick(GET_HIT_L1), 1u);
  EXPECT_EQ(Tick(GET_HIT_L2_AND_UP), 1u);
  const auto& levels = Perf().level_to_perf_context;
  const auto bottom = static_cast<size_t>(deepest);
  EXPECT_EQ(levels[0].user_key_return_count, 2u);
  EXPECT_EQ(levels[1].user_key_return_count, 1u);
  EXPECT_EQ(levels[bottom].user_key_return_count, 1u);
  // Five reads probe level 0, three level 1, and two the deepest level.
  const auto asked = [&](size_t level) {
    return levels[level].bloom_filter_useful +
           levels[level].bloom_filter_full_positive;
  };
  EXPECT_EQ(asked(0), 5u);
  EXPECT_EQ(asked(1), 3u);
  EXPECT_EQ(asked(bottom), 2u);
  EXPECT_EQ(levels[0].bloom_filter_full_true_positive, 2u);
  EXPECT_EQ(levels[1].bloom_filter_full_true_positive, 1u);
  EXPECT_EQ(levels[bottom].bloom_filter_full_true_positive, 1u);
}

TEST_F(DBCountersTest, MemTableHitsReadNoTable) {
  Open();
  Put("a", "1");
  Flush();
  Put("a", "22");
  Delete("b");
  Reset();
  EXPECT_EQ(Get("a"), "22");
  EXPECT_EQ(Get("b"), "NOT_FOUND");
  EXPECT_EQ(Tick(MEMTABLE_HIT), 2u);
  EXPECT_EQ(Tick(MEMTABLE_MISS), 0u);
  EXPECT_EQ(Perf().bloom_sst_hit_count + Perf().bloom_sst_miss_count, 0u);
  EXPECT_EQ(Tick(NUMBER_KEYS_READ), 2u);
  EXPECT_EQ(Tick(BYTES_READ), 2u);
  EXPECT_EQ(Perf().get_read_bytes, 2u);
}

TEST_F(DBCountersTest, BlocksAreReadOnceAndThenHit) {
  Open();
  for (int i = 0; i < 10; ++i) Put(Key(i), "v");
  Flush();
  Reopen();
  Get(Key(0));  // opens the table
  Reset();
  for (int i = 0; i < 10; ++i) Get(Key(i));
  EXPECT_EQ(Perf().block_read_count, 0u);
  EXPECT_EQ(Perf().block_cache_hit_count, 10u);
  EXPECT_EQ(Tick(BLOCK_CACHE_DATA_HIT), 10u);
  EXPECT_EQ(Tick(BLOCK_CACHE_HIT), 10u);
  EXPECT_EQ(Perf().level_to_perf_context[0].block_cache_hit_count, 10u);
  EXPECT_EQ(Perf().level_to_perf_context[0].block_cache_miss_count, 0u);
}

TEST_F(DBCountersTest, PerfLevelSelectsWhatIsCounted) {
  Open();
  for (int i = 0; i < 10; ++i) Put(Key(i), "v");
  Flush();
  Get(Key(0));
  EXPECT_EQ(GetPerfLevel(), kEnableCount);
  SetPerfLevel(kDisable);
  get_perf_context()->Reset();
  Get(Key(1));
  EXPECT_EQ(Perf().ToString(/*exclude_zero_counters=*/true), "");
  SetPerfLevel(kEnableCount);
  Get(Key(1));
  EXPECT_EQ(Perf().bloom_sst_hit_count, 1u);
  EXPECT_EQ(Perf().get_from_output_files_time, 0u);
  SetPerfLevel(kEnableTime);
  Put("x", "1");
  Get(Key(1));
  EXPECT_GT(Perf().get_from_output_files_time, 0u);
  EXPECT_GT(Perf().write_wal_time, 0u);
  EXPECT_GT(Perf().write_memtable_time, 0u);
  SetPerfLevel(kEnableCount);
}

TEST_F(DBCountersTest, FlushAndCompactionCountWhatTheyMoveAndDrop) {
  options_.disable_auto_compactions = true;
  Open();
  Put("a", "1");
  Put("b", "1");
  Flush();
  EXPECT_EQ(Tick(FLUSH_WRITE_BYTES), LiveFiles()[0].size);
  Put("a", "2");
  Delete("b");
  Flush();
  uint64_t inputs = 0;
  for (const auto& file : LiveFiles()) inputs += file.size;
  EXPECT_EQ(Tick(FLUSH_WRITE_BYTES), inputs);
  Compact();
  EXPECT_EQ(Tick(COMPACT_READ_BYTES), inputs);
  EXPECT_EQ(Tick(COMPACT_WRITE_BYTES), LiveFiles()[0].size);
  EXPECT_EQ(Tick(COMPACTION_KEY_DROP_NEWER_ENTRY), 2u);
  EXPECT_EQ(Tick(COMPACTION_KEY_DROP_OBSOLETE), 1u);
  EXPECT_EQ(Tick(WRITE_DONE_BY_SELF), 4u);
  EXPECT_EQ(Tick(WRITE_DONE_BY_OTHER), 0u);
  EXPECT_EQ(Tick(NUMBER_KEYS_WRITTEN), 4u);
}

TEST_F(DBCountersTest, CompactionsCountWhyTheyDropEntries) {
  class RemoveX final : public CompactionFilter {
   public:
    const char* Name() const override { return "RemoveX"; }
    bool Filter(int /*level*/, const Slice& key, const Slice& /*value*/,
                std::string* /*new_value*/,
                bool* /*value_changed*/) const override {
      return key.starts_with("x");
    }
  } filter;
  options_.compaction_filter = &filter;
  Open();
  for (const char* key : {"a", "b", "c", "x1", "x2"}) Put(key, "1");
  Flush();
  Put("a", "2");
  DeleteRange("b", "d");
  Flush();
  Compact();
  EXPECT_EQ(Contents(), "a=2");
  EXPECT_EQ(Tick(COMPACTION_KEY_DROP_NEWER_ENTRY), 1u);
  EXPECT_EQ(Tick(COMPACTION_KEY_DROP_RANGE_DEL), 2u);
  EXPECT_EQ(Tick(COMPACTION_KEY_DROP_USER), 2u);
}

}  // namespace
}  // namespace tamis
