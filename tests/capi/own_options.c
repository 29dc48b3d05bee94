// SPDX-License-Identifier: Apache-2.0
//
// The options of options.c that RocksDB 7.8.3 has no getter or no setter for.
#include "keeps.h"

static void Options(void) {
  tamis_options_t* o = tamis_options_create();
  KEEPS(options, upgrade_leveldb);
  KEEPS(options, cf_allow_ingest_behind);
  KEEPS(options, delayed_write_rate);
  KEEPS(options, compaction_readahead_size);
  KEEPS(options, max_bgerror_resume_count);
  KEEPS(options, bgerror_resume_retry_interval);
  KEEPS(options, two_write_queues);
  KEEPS(options, write_thread_max_yield_usec);
  KEEPS(options, write_thread_slow_yield_usec);
  KEEPS(options, max_write_batch_group_size_bytes);
  KEEPS(options, write_dbid_to_manifest);
  KEEPS(options, allow_fallocate);
  KEEPS(options, random_access_max_buffer_size);
  KEEPS(options, log_readahead_size);
  KEEPS(options, enable_thread_tracking);
  KEEPS(options, dump_malloc_stats);
  KEEPS(options, strict_bytes_per_sync);
  KEEPS(options, stats_history_buffer_size);
  KEEPS(options, avoid_flush_during_recovery);
  KEEPS(options, avoid_flush_during_shutdown);
  KEEPS(options, sample_for_compression);
  KEEPS(options, memtable_whole_key_filtering);
  KEEPS(options, compaction_pri);
  KEEPS(options, ttl);
  KEEPS(options, periodic_compaction_seconds);
  KEEPS(options, force_consistency_checks);
  KEEPS(options, check_flush_compaction_key_order);
  KEEPS(options, compression_options_level);
  KEEPS(options, compression_options_enabled);
  KEEPS(options, compression_options_max_dict_bytes);
  KEPT(options, upgrade_leveldb);
  KEPT(options, cf_allow_ingest_behind);
  KEPT(options, delayed_write_rate);
  KEPT(options, compaction_readahead_size);
  KEPT(options, max_bgerror_resume_count);
  KEPT(options, bgerror_resume_retry_interval);
  KEPT(options, two_write_queues);
  KEPT(options, write_thread_max_yield_usec);
  KEPT(options, write_thread_slow_yield_usec);
  KEPT(options, max_write_batch_group_size_bytes);
  KEPT(options, write_dbid_to_manifest);
  KEPT(options, allow_fallocate);
  KEPT(options, random_access_max_buffer_size);
  KEPT(options, log_readahead_size);
  KEPT(options, enable_thread_tracking);
  KEPT(options, dump_malloc_stats);
  KEPT(options, strict_bytes_per_sync);
  KEPT(options, stats_history_buffer_size);
  KEPT(options, avoid_flush_during_recovery);
  KEPT(options, avoid_flush_during_shutdown);
  KEPT(options, sample_for_compression);
  KEPT(options, memtable_whole_key_filtering);
  KEPT(options, compaction_pri);
  KEPT(options, ttl);
  KEPT(options, periodic_compaction_seconds);
  KEPT(options, force_consistency_checks);
  KEPT(options, check_flush_compaction_key_order);
  KEPT(options, compression_options_level);
  KEPT(options, compression_options_enabled);
  KEPT(options, compression_options_max_dict_bytes);
  tamis_options_destroy(o);
}

static void BlockBasedOptions(void) {
  tamis_block_based_table_options_t* o = tamis_block_based_options_create();
  KEEPS(block_based_options, checksum);
  KEEPS(block_based_options, block_size);
  KEEPS(block_based_options, block_size_deviation);
  KEEPS(block_based_options, block_restart_interval);
  KEEPS(block_based_options, index_block_restart_interval);
  KEEPS(block_based_options, metadata_block_size);
  KEEPS(block_based_options, partition_filters);
  KEEPS(block_based_options, use_delta_encoding);
  KEEPS(block_based_options, no_block_cache);
  KEEPS(block_based_options, whole_key_filtering);
  KEEPS(block_based_options, format_version);
  KEEPS(block_based_options, index_type);
  KEEPS(block_based_options, data_block_index_type);
  KEEPS(block_based_options, data_block_hash_ratio);
  KEEPS(block_based_options, cache_index_and_filter_blocks);
  KEEPS(block_based_options, cache_index_and_filter_blocks_with_high_priority);
  KEEPS(block_based_options, pin_top_level_index_and_filter);
  KEEPS(block_based_options, pin_l0_filter_and_index_blocks_in_cache);
  KEEPS(block_based_options, optimize_filters_for_memory);
  KEEPS(block_based_options, read_amp_bytes_per_bit);
  KEEPS(block_based_options, block_align);
  KEEPS(block_based_options, decouple_partitioned_filters);
  KEEPS(block_based_options, index_shortening);
  KEEPS(block_based_options, range_filter);
  KEEPS(block_based_options, range_filter_bits_per_key);
  KEEPS(block_based_options, max_decompressed_block_bytes);
  KEPT(block_based_options, checksum);
  KEPT(block_based_options, block_size);
  KEPT(block_based_options, block_size_deviation);
  KEPT(block_based_options, block_restart_interval);
  KEPT(block_based_options, index_block_restart_interval);
  KEPT(block_based_options, metadata_block_size);
  KEPT(block_based_options, partition_filters);
  KEPT(block_based_options, use_delta_encoding);
  KEPT(block_based_options, no_block_cache);
  KEPT(block_based_options, whole_key_filtering);
  KEPT(block_based_options, format_version);
  KEPT(block_based_options, index_type);
  KEPT(block_based_options, data_block_index_type);
  KEPT(block_based_options, data_block_hash_ratio);
  KEPT(block_based_options, cache_index_and_filter_blocks);
  KEPT(block_based_options, cache_index_and_filter_blocks_with_high_priority);
  KEPT(block_based_options, pin_top_level_index_and_filter);
  KEPT(block_based_options, pin_l0_filter_and_index_blocks_in_cache);
  KEPT(block_based_options, optimize_filters_for_memory);
  KEPT(block_based_options, read_amp_bytes_per_bit);
  KEPT(block_based_options, block_align);
  KEPT(block_based_options, decouple_partitioned_filters);
  KEPT(block_based_options, index_shortening);
  KEPT(block_based_options, range_filter);
  KEPT(block_based_options, range_filter_bits_per_key);
  KEPT(block_based_options, max_decompressed_block_bytes);
  tamis_block_based_options_destroy(o);
}

static void Readoptions(void) {
  tamis_readoptions_t* o = tamis_readoptions_create();
  KEEPS(readoptions, rate_limiter_priority);
  KEEPS(readoptions, auto_prefix_mode);
  KEEPS(readoptions, value_size_soft_limit);
  KEEPS(readoptions, async_io);
  KEPT(readoptions, rate_limiter_priority);
  KEPT(readoptions, auto_prefix_mode);
  KEPT(readoptions, value_size_soft_limit);
  KEPT(readoptions, async_io);
  tamis_readoptions_destroy(o);
}

static void Writeoptions(void) {
  tamis_writeoptions_t* o = tamis_writeoptions_create();
  KEEPS(writeoptions, rate_limiter_priority);
  KEPT(writeoptions, rate_limiter_priority);
  tamis_writeoptions_destroy(o);
}

static void Flushoptions(void) {
  tamis_flushoptions_t* o = tamis_flushoptions_create();
  KEEPS(flushoptions, allow_write_stall);
  KEPT(flushoptions, allow_write_stall);
  tamis_flushoptions_destroy(o);
}

static void Compactoptions(void) {
  tamis_compactoptions_t* o = tamis_compactoptions_create();
  KEEPS(compactoptions, allow_write_stall);
  KEEPS(compactoptions, max_subcompactions);
  KEPT(compactoptions, allow_write_stall);
  KEPT(compactoptions, max_subcompactions);
  tamis_compactoptions_destroy(o);
}

static void UniversalCompactionOptions(void) {
  tamis_universal_compaction_options_t* o =
      tamis_universal_compaction_options_create();
  KEEPS(universal_compaction_options, allow_trivial_move);
  KEPT(universal_compaction_options, allow_trivial_move);
  tamis_universal_compaction_options_destroy(o);
}

static void FifoCompactionOptions(void) {
  tamis_fifo_compaction_options_t* o = tamis_fifo_compaction_options_create();
  KEEPS(fifo_compaction_options, allow_compaction);
  KEPT(fifo_compaction_options, allow_compaction);
  tamis_fifo_compaction_options_destroy(o);
}

static void Ingestexternalfileoptions(void) {
  tamis_ingestexternalfileoptions_t* o =
      tamis_ingestexternalfileoptions_create();
  KEEPS(ingestexternalfileoptions, move_files);
  KEEPS(ingestexternalfileoptions, snapshot_consistency);
  KEEPS(ingestexternalfileoptions, allow_global_seqno);
  KEEPS(ingestexternalfileoptions, allow_blocking_flush);
  KEEPS(ingestexternalfileoptions, ingest_behind);
  KEEPS(ingestexternalfileoptions, link_files);
  KEEPS(ingestexternalfileoptions, failed_move_fall_back_to_copy);
  KEEPS(ingestexternalfileoptions, verify_checksums_before_ingest);
  KEEPS(ingestexternalfileoptions, fail_if_not_bottommost_level);
  KEEPS(ingestexternalfileoptions, verify_file_checksum);
  KEPT(ingestexternalfileoptions, move_files);
  KEPT(ingestexternalfileoptions, snapshot_consistency);
  KEPT(ingestexternalfileoptions, allow_global_seqno);
  KEPT(ingestexternalfileoptions, allow_blocking_flush);
  KEPT(ingestexternalfileoptions, ingest_behind);
  KEPT(ingestexternalfileoptions, link_files);
  KEPT(ingestexternalfileoptions, failed_move_fall_back_to_copy);
  KEPT(ingestexternalfileoptions, verify_checksums_before_ingest);
  KEPT(ingestexternalfileoptions, fail_if_not_bottommost_level);
  KEPT(ingestexternalfileoptions, verify_file_checksum);
  tamis_ingestexternalfileoptions_destroy(o);
}

static void WaitForCompactOptions(void) {
  tamis_wait_for_compact_options_t* o = tamis_wait_for_compact_options_create();
  KEEPS(wait_for_compact_options, abort_on_pause);
  KEEPS(wait_for_compact_options, flush);
  KEEPS(wait_for_compact_options, close_db);
  KEEPS(wait_for_compact_options, timeout);
  KEPT(wait_for_compact_options, abort_on_pause);
  KEPT(wait_for_compact_options, flush);
  KEPT(wait_for_compact_options, close_db);
  KEPT(wait_for_compact_options, timeout);
  tamis_wait_for_compact_options_destroy(o);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  (void)argv;
  Options();
  BlockBasedOptions();
  Readoptions();
  Writeoptions();
  Compactoptions();
  Flushoptions();
  UniversalCompactionOptions();
  FifoCompactionOptions();
  Ingestexternalfileoptions();
  WaitForCompactOptions();
  printf("%d options\n", count);
  CHECK(sum == count);
  return 0;
}
