// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "tests/interop/differential/driver.h"

namespace tamis::differential {

namespace {

engine::BlockBasedTableOptions TableOptionsFor(const FamilyPlan& plan) {
  using Table = engine::BlockBasedTableOptions;
  static constexpr std::array kIndexes = {Table::kBinarySearch,
                                          Table::kTwoLevelIndexSearch,
                                          Table::kBinarySearchWithFirstKey};
  Table table;
  table.block_size = plan.block_size;
  table.metadata_block_size = plan.block_size;
  table.block_restart_interval = plan.restart_interval;
  if (plan.filter == 0) {
    table.filter_policy.reset();
  } else if (plan.filter == 1) {
    table.filter_policy.reset(engine::NewBloomFilterPolicy(10));
  } else {
    table.filter_policy.reset(engine::NewRibbonFilterPolicy(10));
  }
  table.whole_key_filtering = plan.whole_keys;
  table.index_type = kIndexes[static_cast<size_t>(plan.index)];
  table.partition_filters = plan.partitioned_filter;
  if (plan.hash_in_blocks) {
    table.data_block_index_type = Table::kDataBlockBinaryAndHash;
  }
  table.format_version = plan.format_version;
  table.checksum = static_cast<engine::ChecksumType>(plan.checksum);
  return table;
}

}  // namespace

engine::ColumnFamilyOptions FamilyOptionsFor(const FamilyPlan& plan) {
  engine::ColumnFamilyOptions options;
  options.comparator = plan.reverse ? engine::ReverseBytewiseComparator()
                                    : engine::BytewiseComparator();
  options.merge_operator = NewMergeOperator(plan.merge_operator);
  if (plan.prefix != 0) {
    const auto length = static_cast<size_t>(std::abs(plan.prefix));
    options.prefix_extractor.reset(
        plan.prefix > 0 ? engine::NewFixedPrefixTransform(length)
                        : engine::NewCappedPrefixTransform(length));
  }
  options.table_factory.reset(
      engine::NewBlockBasedTableFactory(TableOptionsFor(plan)));
  const auto codec = static_cast<engine::CompressionType>(plan.codec);
  options.compression = codec;
  options.bottommost_compression =
      static_cast<engine::CompressionType>(plan.bottommost_codec);
  if (plan.codec_by_level) {
    options.compression_per_level = {engine::kNoCompression, codec};
  }
  options.compression_opts.max_dict_bytes = plan.dictionary;
  options.compression_opts.zstd_max_train_bytes = 16 * plan.dictionary;
  options.compaction_style = plan.fifo ? engine::kCompactionStyleFIFO
                             : plan.universal
                                 ? engine::kCompactionStyleUniversal
                                 : engine::kCompactionStyleLevel;
  // Merges tables of level 0. They never reach the size from which on the
  // oldest ones are removed.
  options.compaction_options_fifo.allow_compaction = true;
  options.level_compaction_dynamic_level_bytes = plan.dynamic_levels;
  options.write_buffer_size = plan.write_buffer_size;
  options.memtable_prefix_bloom_size_ratio = plan.memtable_bloom;
  options.memtable_whole_key_filtering = plan.whole_keys;
  options.level0_file_num_compaction_trigger = plan.level0_trigger;
  options.max_bytes_for_level_base = plan.level_base;
  options.max_bytes_for_level_multiplier = 4;
  options.target_file_size_base = plan.file_size;
  options.disable_auto_compactions = !plan.compacts_by_itself;
  return options;
}

engine::DBOptions DatabaseOptionsFor(const OpenPlan& plan) {
  engine::DBOptions options;
  options.create_if_missing = true;
  options.max_open_files = plan.max_open_files;
  options.create_missing_column_families = true;
  options.atomic_flush = plan.atomic_flush;
  options.max_total_wal_size = plan.max_total_wal_size;
  options.max_subcompactions = plan.subcompactions;
  if (plan.compressed_log) options.wal_compression = engine::kZSTD;
  Quiet(&options);
  return options;
}

}  // namespace tamis::differential
