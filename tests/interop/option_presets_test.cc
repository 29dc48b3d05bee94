// SPDX-License-Identifier: Apache-2.0
//
// The functions that set several options for a purpose set them as RocksDB's
// do, as far as Tamis has them.
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include "tamis/cache.h"
#include "tamis/db.h"
#include "tamis/options.h"

#include "tests/support/directories.h"

namespace {

const tamis::BlockBasedTableOptions* TableOf(const tamis::Options& options) {
  return options.table_factory == nullptr
             ? nullptr
             : &options.table_factory->block_based_options();
}

const rocksdb::BlockBasedTableOptions* TableOf(
    const rocksdb::Options& options) {
  return options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
}

std::string Show(const char* name, double value) {
  return std::string(name) + "=" + std::to_string(value) + "\n";
}

template <typename Options>
std::string Fields(const Options& o) {
  std::string text =
      Show("jobs", o.max_background_jobs) +
      Show("open files", o.max_open_files) +
      Show("write buffer", static_cast<double>(o.write_buffer_size)) +
      Show("buffers", o.max_write_buffer_number) +
      Show("merge", o.min_write_buffer_number_to_merge) +
      Show("style", static_cast<int>(o.compaction_style)) +
      Show("percent", o.compaction_options_universal.compression_size_percent) +
      Show("codecs", static_cast<double>(o.compression_per_level.size())) +
      Show("trigger", o.level0_file_num_compaction_trigger) +
      Show("base", static_cast<double>(o.max_bytes_for_level_base)) +
      Show("file", static_cast<double>(o.target_file_size_base)) +
      Show("bloom", o.memtable_prefix_bloom_size_ratio) +
      Show("whole", o.memtable_whole_key_filtering);
  const auto* const table = TableOf(o);
  if (table != nullptr) {
    text += Show("index", static_cast<int>(table->index_type)) +
            Show("hash", static_cast<int>(table->data_block_index_type)) +
            Show("ratio", table->data_block_hash_table_util_ratio) +
            Show("cached", table->cache_index_and_filter_blocks);
  }
  return text;
}

template <typename Options>
size_t CacheBytes(const Options& options) {
  const auto* const table = TableOf(options);
  return table != nullptr && table->block_cache != nullptr
             ? table->block_cache->GetCapacity()
             : 0;
}

TEST(OptionPresetsTest, IncreaseParallelism) {
  for (const int threads : {1, 4, 16}) {
    tamis::Options ours;
    rocksdb::Options theirs;
    EXPECT_EQ(ours.IncreaseParallelism(threads), &ours);
    theirs.IncreaseParallelism(threads);
    EXPECT_EQ(ours.max_background_jobs, theirs.max_background_jobs);
  }
  tamis::Options ours;
  EXPECT_EQ(ours.IncreaseParallelism()->max_background_jobs, 16);
}

TEST(OptionPresetsTest, OptimizeLevelStyleCompaction) {
  for (const uint64_t budget : {uint64_t{10} << 20, uint64_t{1} << 30}) {
    tamis::Options ours;
    ours.table_factory.reset(tamis::NewBlockBasedTableFactory());
    rocksdb::Options theirs;
    EXPECT_EQ(ours.OptimizeLevelStyleCompaction(budget), &ours);
    theirs.OptimizeLevelStyleCompaction(budget);
    EXPECT_EQ(Fields(ours), Fields(theirs));
    EXPECT_EQ(static_cast<int>(ours.compression),
              static_cast<int>(theirs.compression_per_level.back()));
    for (size_t i = 0; i < theirs.compression_per_level.size(); ++i) {
      EXPECT_EQ(static_cast<int>(ours.compression_per_level[i]),
                static_cast<int>(theirs.compression_per_level[i]));
    }
  }
  tamis::Options ours;
  rocksdb::Options theirs;
  EXPECT_EQ(ours.OptimizeLevelStyleCompaction()->write_buffer_size,
            theirs.OptimizeLevelStyleCompaction()->write_buffer_size);
  // With a budget that leaves nothing, the database still opens.
  tamis::Options none;
  none.OptimizeLevelStyleCompaction(0);
  none.create_if_missing = true;
  const tamis::TemporaryDirectory directory;
  std::unique_ptr<tamis::DB> db;
  const tamis::Status status = tamis::DB::Open(none, directory.Path("db"), &db);
  EXPECT_TRUE(status.ok()) << status;
}

TEST(OptionPresetsTest, OptimizeUniversalStyleCompaction) {
  tamis::Options ours;
  ours.table_factory.reset(tamis::NewBlockBasedTableFactory());
  rocksdb::Options theirs;
  EXPECT_EQ(ours.OptimizeUniversalStyleCompaction(10 << 20), &ours);
  theirs.OptimizeUniversalStyleCompaction(10 << 20);
  EXPECT_EQ(Fields(ours), Fields(theirs));
}

TEST(OptionPresetsTest, OptimizeForPointLookup) {
  tamis::Options ours;
  rocksdb::Options theirs;
  EXPECT_EQ(ours.OptimizeForPointLookup(7), &ours);
  theirs.OptimizeForPointLookup(7);
  EXPECT_EQ(Fields(ours), Fields(theirs));
  EXPECT_EQ(CacheBytes(ours), CacheBytes(theirs));
  EXPECT_EQ(std::string(TableOf(ours)->filter_policy->Name()),
            TableOf(theirs)->filter_policy->Name());
}

TEST(OptionPresetsTest, PrepareForBulkLoad) {
  tamis::Options ours;
  rocksdb::Options theirs;
  ours.table_factory.reset(tamis::NewBlockBasedTableFactory());
  EXPECT_EQ(ours.PrepareForBulkLoad(), &ours);
  theirs.PrepareForBulkLoad();
  EXPECT_EQ(Fields(ours), Fields(theirs));
  EXPECT_EQ(ours.level0_slowdown_writes_trigger,
            theirs.level0_slowdown_writes_trigger);
  EXPECT_EQ(ours.level0_stop_writes_trigger, theirs.level0_stop_writes_trigger);
  EXPECT_EQ(ours.soft_pending_compaction_bytes_limit,
            theirs.soft_pending_compaction_bytes_limit);
  EXPECT_EQ(ours.hard_pending_compaction_bytes_limit,
            theirs.hard_pending_compaction_bytes_limit);
  EXPECT_EQ(ours.disable_auto_compactions, theirs.disable_auto_compactions);
  EXPECT_EQ(ours.max_compaction_bytes, theirs.max_compaction_bytes);
  EXPECT_EQ(ours.num_levels, theirs.num_levels);
  EXPECT_EQ(ours.max_background_flushes, theirs.max_background_flushes);
  EXPECT_EQ(ours.max_background_compactions, theirs.max_background_compactions);
}

TEST(OptionPresetsTest, OptimizeForSmallDb) {
  tamis::Options ours;
  rocksdb::Options theirs;
  EXPECT_EQ(ours.OptimizeForSmallDb(), &ours);
  theirs.OptimizeForSmallDb();
  EXPECT_EQ(Fields(ours), Fields(theirs));
  EXPECT_EQ(CacheBytes(ours), CacheBytes(theirs));

  tamis::Options shared;
  std::shared_ptr<tamis::Cache> cache = tamis::NewLRUCache(3 << 20);
  shared.ColumnFamilyOptions::OptimizeForSmallDb(&cache);
  EXPECT_EQ(TableOf(shared)->block_cache, cache);
  EXPECT_EQ(shared.max_open_files, -1);
  shared.DBOptions::OptimizeForSmallDb();
  EXPECT_EQ(shared.max_open_files, 5000);
  tamis::Options own;
  own.ColumnFamilyOptions::OptimizeForSmallDb();
  EXPECT_EQ(CacheBytes(own), size_t{8} << 20);
}

// RocksDB's programs call these before they set their own table options; others
// must not lose theirs.
TEST(OptionPresetsTest, OtherTableOptionsAreKept) {
  for (const bool small : {false, true}) {
    tamis::BlockBasedTableOptions table;
    table.block_size = 12345;
    table.no_block_cache = true;
    tamis::Options options;
    options.table_factory.reset(tamis::NewBlockBasedTableFactory(table));
    if (small) {
      options.OptimizeForSmallDb();
    } else {
      options.OptimizeForPointLookup(1);
    }
    EXPECT_EQ(TableOf(options)->block_size, 12345u);
    EXPECT_FALSE(TableOf(options)->no_block_cache);
  }
}

}  // namespace
