// SPDX-License-Identifier: Apache-2.0
//
// Options of a column family and of its compaction style: a setter and a getter
// for each field.
#include "capi/option_fields.h"
#include "capi/types.h"

#define FAMILY_FIELD(set, get, name, field) \
  TAMIS_C_FIELD(options, tamis_options_t, set, get, name, field)

FAMILY_FIELD(size_t, size_t, write_buffer_size, write_buffer_size)
FAMILY_FIELD(int, int, max_write_buffer_number, max_write_buffer_number)
FAMILY_FIELD(int, int, min_write_buffer_number_to_merge,
             min_write_buffer_number_to_merge)
FAMILY_FIELD(double, double, memtable_prefix_bloom_size_ratio,
             memtable_prefix_bloom_size_ratio)
FAMILY_FIELD(unsigned char, unsigned char, memtable_whole_key_filtering,
             memtable_whole_key_filtering)
FAMILY_FIELD(int, int, compression, compression)
FAMILY_FIELD(int, int, bottommost_compression, bottommost_compression)
FAMILY_FIELD(int, unsigned char, optimize_filters_for_hits,
             optimize_filters_for_hits)
FAMILY_FIELD(int, int, level0_file_num_compaction_trigger,
             level0_file_num_compaction_trigger)
FAMILY_FIELD(int, int, level0_slowdown_writes_trigger,
             level0_slowdown_writes_trigger)
FAMILY_FIELD(int, int, level0_stop_writes_trigger, level0_stop_writes_trigger)
FAMILY_FIELD(int, int, compaction_style, compaction_style)
FAMILY_FIELD(int, int, num_levels, num_levels)
FAMILY_FIELD(size_t, size_t, soft_pending_compaction_bytes_limit,
             soft_pending_compaction_bytes_limit)
FAMILY_FIELD(size_t, size_t, hard_pending_compaction_bytes_limit,
             hard_pending_compaction_bytes_limit)
FAMILY_FIELD(uint64_t, uint64_t, max_bytes_for_level_base,
             max_bytes_for_level_base)
FAMILY_FIELD(double, double, max_bytes_for_level_multiplier,
             max_bytes_for_level_multiplier)
FAMILY_FIELD(unsigned char, unsigned char, level_compaction_dynamic_level_bytes,
             level_compaction_dynamic_level_bytes)
FAMILY_FIELD(int, int, compaction_pri, compaction_pri)
FAMILY_FIELD(uint64_t, uint64_t, target_file_size_base, target_file_size_base)
FAMILY_FIELD(int, int, target_file_size_multiplier, target_file_size_multiplier)
FAMILY_FIELD(uint64_t, uint64_t, max_compaction_bytes, max_compaction_bytes)
FAMILY_FIELD(uint64_t, uint64_t, ttl, ttl)
FAMILY_FIELD(unsigned char, unsigned char, cf_allow_ingest_behind,
             cf_allow_ingest_behind)
FAMILY_FIELD(uint64_t, uint64_t, periodic_compaction_seconds,
             periodic_compaction_seconds)
FAMILY_FIELD(int, unsigned char, disable_auto_compactions,
             disable_auto_compactions)
FAMILY_FIELD(uint64_t, uint64_t, max_sequential_skip_in_iterations,
             max_sequential_skip_in_iterations)
FAMILY_FIELD(size_t, size_t, arena_block_size, arena_block_size)
FAMILY_FIELD(size_t, size_t, memtable_huge_page_size, memtable_huge_page_size)
FAMILY_FIELD(uint32_t, uint32_t, bloom_locality, bloom_locality)
FAMILY_FIELD(unsigned char, unsigned char, inplace_update_support,
             inplace_update_support)
FAMILY_FIELD(size_t, size_t, inplace_update_num_locks, inplace_update_num_locks)
FAMILY_FIELD(int64_t, int64_t, max_write_buffer_size_to_maintain,
             max_write_buffer_size_to_maintain)
FAMILY_FIELD(int, int, max_write_buffer_number_to_maintain,
             max_write_buffer_number_to_maintain)
FAMILY_FIELD(double, double, experimental_mempurge_threshold,
             experimental_mempurge_threshold)
FAMILY_FIELD(size_t, size_t, max_successive_merges, max_successive_merges)
FAMILY_FIELD(unsigned char, unsigned char, force_consistency_checks,
             force_consistency_checks)
FAMILY_FIELD(unsigned char, unsigned char, check_flush_compaction_key_order,
             check_flush_compaction_key_order)
FAMILY_FIELD(int, unsigned char, report_bg_io_stats, report_bg_io_stats)
FAMILY_FIELD(uint64_t, uint64_t, sample_for_compression, sample_for_compression)
FAMILY_FIELD(int, int, compression_options_level, compression_opts.level)
FAMILY_FIELD(unsigned char, unsigned char, compression_options_enabled,
             compression_opts.enabled)
FAMILY_FIELD(int, int, compression_options_parallel_threads,
             compression_opts.parallel_threads)
FAMILY_FIELD(uint32_t, uint32_t, compression_options_max_dict_bytes,
             compression_opts.max_dict_bytes)
FAMILY_FIELD(int, int, compression_options_zstd_max_train_bytes,
             compression_opts.zstd_max_train_bytes)
FAMILY_FIELD(uint64_t, uint64_t, compression_options_max_dict_buffer_bytes,
             compression_opts.max_dict_buffer_bytes)
FAMILY_FIELD(unsigned char, unsigned char,
             compression_options_use_zstd_dict_trainer,
             compression_opts.use_zstd_dict_trainer)

FAMILY_FIELD(unsigned char, unsigned char, enable_blob_files, enable_blob_files)
FAMILY_FIELD(uint64_t, uint64_t, min_blob_size, min_blob_size)
FAMILY_FIELD(uint64_t, uint64_t, blob_file_size, blob_file_size)
FAMILY_FIELD(int, int, blob_compression_type, blob_compression_type)
FAMILY_FIELD(unsigned char, unsigned char, enable_blob_gc,
             enable_blob_garbage_collection)
FAMILY_FIELD(double, double, blob_gc_age_cutoff,
             blob_garbage_collection_age_cutoff)
FAMILY_FIELD(double, double, blob_gc_force_threshold,
             blob_garbage_collection_force_threshold)
FAMILY_FIELD(uint64_t, uint64_t, blob_compaction_readahead_size,
             blob_compaction_readahead_size)
FAMILY_FIELD(int, int, blob_file_starting_level, blob_file_starting_level)
FAMILY_FIELD(int, int, prepopulate_blob_cache, prepopulate_blob_cache)

#undef FAMILY_FIELD

#define UNIVERSAL_FIELD(set, get, name, field) \
  TAMIS_C_FIELD(universal_compaction_options,  \
                tamis_universal_compaction_options_t, set, get, name, field)

UNIVERSAL_FIELD(int, int, size_ratio, size_ratio)
UNIVERSAL_FIELD(int, int, min_merge_width, min_merge_width)
UNIVERSAL_FIELD(int, int, max_merge_width, max_merge_width)
UNIVERSAL_FIELD(int, int, max_size_amplification_percent,
                max_size_amplification_percent)
UNIVERSAL_FIELD(int, int, compression_size_percent, compression_size_percent)
UNIVERSAL_FIELD(int, int, stop_style, stop_style)
UNIVERSAL_FIELD(unsigned char, unsigned char, allow_trivial_move,
                allow_trivial_move)

#undef UNIVERSAL_FIELD

#define FIFO_FIELD(set, get, name, field)                                      \
  TAMIS_C_FIELD(fifo_compaction_options, tamis_fifo_compaction_options_t, set, \
                get, name, field)

FIFO_FIELD(uint64_t, uint64_t, max_table_files_size, max_table_files_size)
FIFO_FIELD(unsigned char, unsigned char, allow_compaction, allow_compaction)

#undef FIFO_FIELD
