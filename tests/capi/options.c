// SPDX-License-Identifier: Apache-2.0
//
// Every option that has a setter and a getter in both engines keeps what it was
// set to, and no other option changes with it.
#include "keeps.h"

static void Options(void) {
  tamis_options_t* o = tamis_options_create();
  KEEPS(options, create_if_missing);
  KEEPS(options, create_missing_column_families);
  KEEPS(options, error_if_exists);
  KEEPS(options, paranoid_checks);
  KEEPS(options, info_log_level);
  KEEPS(options, write_buffer_size);
  KEEPS(options, db_write_buffer_size);
  KEEPS(options, max_open_files);
  KEEPS(options, max_file_opening_threads);
  KEEPS(options, max_total_wal_size);
  KEEPS(options, compression_options_zstd_max_train_bytes);
  KEEPS(options, compression_options_use_zstd_dict_trainer);
  KEEPS(options, compression_options_parallel_threads);
  KEEPS(options, compression_options_max_dict_buffer_bytes);
  KEEPS(options, num_levels);
  KEEPS(options, level0_file_num_compaction_trigger);
  KEEPS(options, level0_slowdown_writes_trigger);
  KEEPS(options, level0_stop_writes_trigger);
  KEEPS(options, target_file_size_base);
  KEEPS(options, target_file_size_multiplier);
  KEEPS(options, max_bytes_for_level_base);
  KEEPS(options, level_compaction_dynamic_level_bytes);
  KEEPS(options, max_bytes_for_level_multiplier);
  KEEPS(options, skip_stats_update_on_db_open);
  KEEPS(options, skip_checking_sst_file_sizes_on_db_open);
  KEEPS(options, enable_blob_files);
  KEEPS(options, min_blob_size);
  KEEPS(options, blob_file_size);
  KEEPS(options, blob_compression_type);
  KEEPS(options, enable_blob_gc);
  KEEPS(options, blob_compaction_readahead_size);
  KEEPS(options, blob_file_starting_level);
  KEEPS(options, prepopulate_blob_cache);
  KEEPS(options, max_write_buffer_number);
  KEEPS(options, min_write_buffer_number_to_merge);
  KEEPS(options, max_write_buffer_size_to_maintain);
  KEEPS(options, max_successive_merges);
  KEEPS(options, max_write_buffer_number_to_maintain);
  KEEPS(options, experimental_mempurge_threshold);
  KEEPS(options, log_file_time_to_roll);
  KEEPS(options, recycle_log_file_num);
  KEEPS(options, access_hint_on_compaction_start);
  KEEPS(options, stats_persist_period_sec);
  KEEPS(options, enable_pipelined_write);
  KEEPS(options, unordered_write);
  KEEPS(options, max_subcompactions);
  KEEPS(options, max_background_jobs);
  KEEPS(options, max_background_compactions);
  KEEPS(options, max_background_flushes);
  KEEPS(options, max_log_file_size);
  KEEPS(options, keep_log_file_num);
  KEEPS(options, soft_pending_compaction_bytes_limit);
  KEEPS(options, hard_pending_compaction_bytes_limit);
  KEEPS(options, max_manifest_file_size);
  KEEPS(options, table_cache_numshardbits);
  KEEPS(options, arena_block_size);
  KEEPS(options, use_fsync);
  KEEPS(options, WAL_ttl_seconds);
  KEEPS(options, WAL_size_limit_MB);
  KEEPS(options, manifest_preallocation_size);
  KEEPS(options, allow_mmap_reads);
  KEEPS(options, allow_mmap_writes);
  KEEPS(options, use_direct_reads);
  KEEPS(options, use_direct_io_for_flush_and_compaction);
  KEEPS(options, allow_ingest_behind);
  KEEPS(options, is_fd_close_on_exec);
  KEEPS(options, stats_dump_period_sec);
  KEEPS(options, advise_random_on_open);
  KEEPS(options, use_adaptive_mutex);
  KEEPS(options, bytes_per_sync);
  KEEPS(options, wal_bytes_per_sync);
  KEEPS(options, writable_file_max_buffer_size);
  KEEPS(options, allow_concurrent_memtable_write);
  KEEPS(options, enable_write_thread_adaptive_yield);
  KEEPS(options, max_sequential_skip_in_iterations);
  KEEPS(options, disable_auto_compactions);
  KEEPS(options, optimize_filters_for_hits);
  KEEPS(options, delete_obsolete_files_period_micros);
  KEEPS(options, memtable_prefix_bloom_size_ratio);
  KEEPS(options, max_compaction_bytes);
  KEEPS(options, memtable_huge_page_size);
  KEEPS(options, bloom_locality);
  KEEPS(options, inplace_update_support);
  KEEPS(options, inplace_update_num_locks);
  KEEPS(options, report_bg_io_stats);
  KEEPS(options, avoid_unnecessary_blocking_io);
  KEEPS(options, wal_recovery_mode);
  KEEPS(options, compression);
  KEEPS(options, bottommost_compression);
  KEEPS(options, compaction_style);
  KEEPS(options, atomic_flush);
  KEEPS(options, manual_wal_flush);
  KEEPS(options, wal_compression);
  KEPT(options, create_if_missing);
  KEPT(options, create_missing_column_families);
  KEPT(options, error_if_exists);
  KEPT(options, paranoid_checks);
  KEPT(options, info_log_level);
  KEPT(options, write_buffer_size);
  KEPT(options, db_write_buffer_size);
  KEPT(options, max_open_files);
  KEPT(options, max_file_opening_threads);
  KEPT(options, max_total_wal_size);
  KEPT(options, compression_options_zstd_max_train_bytes);
  KEPT(options, compression_options_use_zstd_dict_trainer);
  KEPT(options, compression_options_parallel_threads);
  KEPT(options, compression_options_max_dict_buffer_bytes);
  KEPT(options, num_levels);
  KEPT(options, level0_file_num_compaction_trigger);
  KEPT(options, level0_slowdown_writes_trigger);
  KEPT(options, level0_stop_writes_trigger);
  KEPT(options, target_file_size_base);
  KEPT(options, target_file_size_multiplier);
  KEPT(options, max_bytes_for_level_base);
  KEPT(options, level_compaction_dynamic_level_bytes);
  KEPT(options, max_bytes_for_level_multiplier);
  KEPT(options, skip_stats_update_on_db_open);
  KEPT(options, skip_checking_sst_file_sizes_on_db_open);
  KEPT(options, enable_blob_files);
  KEPT(options, min_blob_size);
  KEPT(options, blob_file_size);
  KEPT(options, blob_compression_type);
  KEPT(options, enable_blob_gc);
  KEPT(options, blob_compaction_readahead_size);
  KEPT(options, blob_file_starting_level);
  KEPT(options, prepopulate_blob_cache);
  KEPT(options, max_write_buffer_number);
  KEPT(options, min_write_buffer_number_to_merge);
  KEPT(options, max_write_buffer_size_to_maintain);
  KEPT(options, max_successive_merges);
  KEPT(options, max_write_buffer_number_to_maintain);
  KEPT(options, experimental_mempurge_threshold);
  KEPT(options, log_file_time_to_roll);
  KEPT(options, recycle_log_file_num);
  KEPT(options, access_hint_on_compaction_start);
  KEPT(options, stats_persist_period_sec);
  KEPT(options, enable_pipelined_write);
  KEPT(options, unordered_write);
  KEPT(options, max_subcompactions);
  KEPT(options, max_background_jobs);
  KEPT(options, max_background_compactions);
  KEPT(options, max_background_flushes);
  KEPT(options, max_log_file_size);
  KEPT(options, keep_log_file_num);
  KEPT(options, soft_pending_compaction_bytes_limit);
  KEPT(options, hard_pending_compaction_bytes_limit);
  KEPT(options, max_manifest_file_size);
  KEPT(options, table_cache_numshardbits);
  KEPT(options, arena_block_size);
  KEPT(options, use_fsync);
  KEPT(options, WAL_ttl_seconds);
  KEPT(options, WAL_size_limit_MB);
  KEPT(options, manifest_preallocation_size);
  KEPT(options, allow_mmap_reads);
  KEPT(options, allow_mmap_writes);
  KEPT(options, use_direct_reads);
  KEPT(options, use_direct_io_for_flush_and_compaction);
  KEPT(options, allow_ingest_behind);
  KEPT(options, is_fd_close_on_exec);
  KEPT(options, stats_dump_period_sec);
  KEPT(options, advise_random_on_open);
  KEPT(options, use_adaptive_mutex);
  KEPT(options, bytes_per_sync);
  KEPT(options, wal_bytes_per_sync);
  KEPT(options, writable_file_max_buffer_size);
  KEPT(options, allow_concurrent_memtable_write);
  KEPT(options, enable_write_thread_adaptive_yield);
  KEPT(options, max_sequential_skip_in_iterations);
  KEPT(options, disable_auto_compactions);
  KEPT(options, optimize_filters_for_hits);
  KEPT(options, delete_obsolete_files_period_micros);
  KEPT(options, memtable_prefix_bloom_size_ratio);
  KEPT(options, max_compaction_bytes);
  KEPT(options, memtable_huge_page_size);
  KEPT(options, bloom_locality);
  KEPT(options, inplace_update_support);
  KEPT(options, inplace_update_num_locks);
  KEPT(options, report_bg_io_stats);
  KEPT(options, avoid_unnecessary_blocking_io);
  KEPT(options, wal_recovery_mode);
  KEPT(options, compression);
  KEPT(options, bottommost_compression);
  KEPT(options, compaction_style);
  KEPT(options, atomic_flush);
  KEPT(options, manual_wal_flush);
  KEPT(options, wal_compression);
  tamis_options_destroy(o);
}

static void Readoptions(void) {
  tamis_readoptions_t* o = tamis_readoptions_create();
  KEEPS(readoptions, verify_checksums);
  KEEPS(readoptions, fill_cache);
  KEEPS(readoptions, read_tier);
  KEEPS(readoptions, tailing);
  KEEPS(readoptions, readahead_size);
  KEEPS(readoptions, prefix_same_as_start);
  KEEPS(readoptions, pin_data);
  KEEPS(readoptions, total_order_seek);
  KEEPS(readoptions, max_skippable_internal_keys);
  KEEPS(readoptions, background_purge_on_iterator_cleanup);
  KEEPS(readoptions, ignore_range_deletions);
  KEEPS(readoptions, deadline);
  KEEPS(readoptions, io_timeout);
  KEPT(readoptions, verify_checksums);
  KEPT(readoptions, fill_cache);
  KEPT(readoptions, read_tier);
  KEPT(readoptions, tailing);
  KEPT(readoptions, readahead_size);
  KEPT(readoptions, prefix_same_as_start);
  KEPT(readoptions, pin_data);
  KEPT(readoptions, total_order_seek);
  KEPT(readoptions, max_skippable_internal_keys);
  KEPT(readoptions, background_purge_on_iterator_cleanup);
  KEPT(readoptions, ignore_range_deletions);
  KEPT(readoptions, deadline);
  KEPT(readoptions, io_timeout);
  tamis_readoptions_destroy(o);
}

static void Writeoptions(void) {
  tamis_writeoptions_t* o = tamis_writeoptions_create();
  KEEPS(writeoptions, sync);
  KEEPS(writeoptions, ignore_missing_column_families);
  KEEPS(writeoptions, no_slowdown);
  KEEPS(writeoptions, low_pri);
  KEEPS(writeoptions, memtable_insert_hint_per_batch);
  KEPT(writeoptions, sync);
  KEPT(writeoptions, ignore_missing_column_families);
  KEPT(writeoptions, no_slowdown);
  KEPT(writeoptions, low_pri);
  KEPT(writeoptions, memtable_insert_hint_per_batch);
  tamis_writeoptions_destroy(o);
}

static void Flushoptions(void) {
  tamis_flushoptions_t* o = tamis_flushoptions_create();
  KEEPS(flushoptions, wait);
  KEPT(flushoptions, wait);
  tamis_flushoptions_destroy(o);
}

static void Compactoptions(void) {
  tamis_compactoptions_t* o = tamis_compactoptions_create();
  KEEPS(compactoptions, exclusive_manual_compaction);
  KEEPS(compactoptions, bottommost_level_compaction);
  KEEPS(compactoptions, change_level);
  KEEPS(compactoptions, target_level);
  KEPT(compactoptions, exclusive_manual_compaction);
  KEPT(compactoptions, bottommost_level_compaction);
  KEPT(compactoptions, change_level);
  KEPT(compactoptions, target_level);
  tamis_compactoptions_destroy(o);
}

static void UniversalCompactionOptions(void) {
  tamis_universal_compaction_options_t* o =
      tamis_universal_compaction_options_create();
  KEEPS(universal_compaction_options, size_ratio);
  KEEPS(universal_compaction_options, min_merge_width);
  KEEPS(universal_compaction_options, max_merge_width);
  KEEPS(universal_compaction_options, max_size_amplification_percent);
  KEEPS(universal_compaction_options, compression_size_percent);
  KEEPS(universal_compaction_options, stop_style);
  KEPT(universal_compaction_options, size_ratio);
  KEPT(universal_compaction_options, min_merge_width);
  KEPT(universal_compaction_options, max_merge_width);
  KEPT(universal_compaction_options, max_size_amplification_percent);
  KEPT(universal_compaction_options, compression_size_percent);
  KEPT(universal_compaction_options, stop_style);
  tamis_universal_compaction_options_destroy(o);
}

static void FifoCompactionOptions(void) {
  tamis_fifo_compaction_options_t* o = tamis_fifo_compaction_options_create();
  KEEPS(fifo_compaction_options, max_table_files_size);
  KEPT(fifo_compaction_options, max_table_files_size);
  tamis_fifo_compaction_options_destroy(o);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  (void)argv;
  Options();
  Readoptions();
  Writeoptions();
  Flushoptions();
  Compactoptions();
  UniversalCompactionOptions();
  FifoCompactionOptions();
  printf("%d options\n", count);
  CHECK(sum == count);
  return 0;
}
