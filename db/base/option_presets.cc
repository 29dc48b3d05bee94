// SPDX-License-Identifier: Apache-2.0
//
// The functions of the options that set several of them for a purpose.
#include <algorithm>
#include <memory>

#include "tamis/cache.h"
#include "tamis/filter_policy.h"
#include "tamis/options.h"
#include "tamis/table.h"

#include "util/compression/compression.h"

namespace tamis {

namespace {

BlockBasedTableOptions TableOptionsOf(const ColumnFamilyOptions& options) {
  return options.table_factory == nullptr
             ? BlockBasedTableOptions()
             : options.table_factory->block_based_options();
}

}  // namespace

DBOptions* DBOptions::IncreaseParallelism(int total_threads) {
  max_background_jobs = total_threads;
  return this;
}

DBOptions* DBOptions::OptimizeForSmallDb(std::shared_ptr<Cache>* /*cache*/) {
  max_open_files = 5000;
  return this;
}

ColumnFamilyOptions* ColumnFamilyOptions::OptimizeForSmallDb(
    std::shared_ptr<Cache>* cache) {
  constexpr size_t kCacheBytes = 8 << 20;
  write_buffer_size = 2 << 20;
  target_file_size_base = 2 << 20;
  max_bytes_for_level_base = 10 << 20;
  BlockBasedTableOptions table = TableOptionsOf(*this);
  table.block_cache = cache != nullptr ? *cache : NewLRUCache(kCacheBytes);
  table.no_block_cache = false;
  table.cache_index_and_filter_blocks = true;
  table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table_factory.reset(NewBlockBasedTableFactory(table));
  return this;
}

Options* Options::OptimizeForSmallDb() {
  constexpr size_t kCacheBytes = 16 << 20;
  std::shared_ptr<Cache> cache = NewLRUCache(kCacheBytes);
  DBOptions::OptimizeForSmallDb(&cache);
  ColumnFamilyOptions::OptimizeForSmallDb(&cache);
  return this;
}

Options* Options::PrepareForBulkLoad() {
  constexpr int kNever = 1 << 30;
  level0_file_num_compaction_trigger = kNever;
  level0_slowdown_writes_trigger = kNever;
  level0_stop_writes_trigger = kNever;
  soft_pending_compaction_bytes_limit = 0;
  hard_pending_compaction_bytes_limit = 0;
  disable_auto_compactions = true;
  max_compaction_bytes = uint64_t{1} << 60;  // one compaction takes everything
  num_levels = 2;
  max_write_buffer_number = 6;
  min_write_buffer_number_to_merge = 1;
  max_background_flushes = 4;
  max_background_compactions = 2;
  target_file_size_base = 256 << 20;
  return this;
}

ColumnFamilyOptions* ColumnFamilyOptions::OptimizeForPointLookup(
    uint64_t block_cache_size_mb) {
  BlockBasedTableOptions table = TableOptionsOf(*this);
  table.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
  table.data_block_hash_table_util_ratio = 0.75;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  table.block_cache =
      NewLRUCache(static_cast<size_t>(block_cache_size_mb) << 20);
  table.no_block_cache = false;
  table_factory.reset(NewBlockBasedTableFactory(table));
  memtable_prefix_bloom_size_ratio = 0.02;
  memtable_whole_key_filtering = true;
  return this;
}

namespace {

CompressionType FastCompression() {
  return CompressionSupported(kLZ4Compression) ? kLZ4Compression
                                               : kSnappyCompression;
}

}  // namespace

ColumnFamilyOptions* ColumnFamilyOptions::OptimizeLevelStyleCompaction(
    uint64_t memtable_memory_budget) {
  write_buffer_size = static_cast<size_t>(memtable_memory_budget / 4);
  max_write_buffer_number = 6;
  min_write_buffer_number_to_merge = 2;
  level0_file_num_compaction_trigger = 2;
  target_file_size_base = std::max<uint64_t>(1, memtable_memory_budget / 8);
  max_bytes_for_level_base = std::max<uint64_t>(1, memtable_memory_budget);
  compression = FastCompression();
  // The first two levels are rewritten often.
  compression_per_level.assign(static_cast<size_t>(std::max(2, num_levels)),
                               compression);
  compression_per_level[0] = compression_per_level[1] = kNoCompression;
  return this;
}

ColumnFamilyOptions* ColumnFamilyOptions::OptimizeUniversalStyleCompaction(
    uint64_t memtable_memory_budget) {
  write_buffer_size = static_cast<size_t>(memtable_memory_budget / 4);
  min_write_buffer_number_to_merge = 2;
  max_write_buffer_number = 6;
  compaction_style = kCompactionStyleUniversal;
  compaction_options_universal.compression_size_percent = 80;
  return this;
}

}  // namespace tamis
