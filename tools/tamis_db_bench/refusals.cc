// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/refusals.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tamis::bench {

namespace {

constexpr const char* kShape =
    "it builds levels of a given shape, which is not written yet";
constexpr const char* kTraces = "there are no traces";

constexpr Refusal kRefused[] = {
    {"fillseqdeterministic", kShape},
    {"filluniquerandomdeterministic", kShape},
    {"readtorowcache",
     "there is no row cache; readtocache fills the block cache"},
    {"acquireload",
     "it measures the processor, and nothing that a database does"},
    {"timeseries", "the database has no entries that expire by their key yet"},
    {"getmergeoperands",
     "its operator, which sorts lists, is not written yet; readrandomoperands "
     "reads operands"},
    {"heapprofile", "a heap profiler is attached from outside"},
    {"replay", kTraces},
};

// A reason and the flags that it holds for, separated by spaces.
struct Group {
  const char* why;
  const char* flags;
};

constexpr Group kGroups[] = {
    {"there are no blob files",
     "blob_cache_numshardbits blob_cache_size blob_compaction_readahead_size "
     "blob_compression_type blob_db_bytes_per_sync blob_db_compression_type "
     "blob_db_enable_gc blob_db_file_size blob_db_gc_cutoff blob_db_is_fifo "
     "blob_db_max_db_size blob_db_max_ttl_range blob_db_min_blob_size "
     "blob_db_ttl_range_secs blob_file_size blob_file_starting_level "
     "blob_garbage_collection_age_cutoff "
     "blob_garbage_collection_force_threshold charge_blob_cache "
     "enable_blob_files enable_blob_garbage_collection min_blob_size "
     "prepopulate_blob_cache use_blob_cache use_blob_db "
     "use_shared_block_and_blob_cache"},
    {"there are no traces",
     "block_cache_trace_file block_cache_trace_max_trace_file_size_in_bytes "
     "block_cache_trace_sampling_frequency trace_file "
     "trace_replay_fast_forward "
     "trace_replay_threads"},
    {"writes of a rate that follows a sine are not written yet; "
     "--sine_mix_rate is there, for mixgraph",
     "sine_write_rate sine_write_rate_interval_milliseconds"},
    {"timeseries is not written yet",
     "expire_style key_id_range num_deletion_threads time_range"},
    {"keys have no timestamps",
     "read_with_latest_user_timestamp user_timestamp_size"},
    {"there is no secondary cache",
     "compressed_cache_size compressed_secondary_cache_compression_type "
     "compressed_secondary_cache_high_pri_pool_ratio "
     "compressed_secondary_cache_low_pri_pool_ratio "
     "compressed_secondary_cache_numshardbits compressed_secondary_cache_size "
     "read_cache_direct_read read_cache_direct_write read_cache_path "
     "read_cache_size secondary_cache_uri simcache_size "
     "use_compressed_secondary_cache"},
    {"the block cache has one part, as many shards as it needs, and memory "
     "from "
     "the allocator",
     "cache_high_pri_pool_ratio cache_low_pri_pool_ratio cache_numshardbits "
     "cache_type use_cache_jemalloc_no_dump_allocator "
     "use_cache_memkind_kmem_allocator"},
    {"tables are written without a hash index of prefixes; those that have one "
     "are "
     "read",
     "use_hash_search"},
    {"there is no row cache", "row_cache_size"},
    {"there is one memtable",
     "hash_bucket_count keys_per_prefix memtablerep "
     "memtable_insert_with_hint_prefix_size memtable_use_huge_page "
     "skip_list_lookahead use_uint64_comparator"},
    {"the memtable keeps no entries that were flushed",
     "max_write_buffer_number_to_maintain"},
    {"a flush has no such step", "experimental_mempurge_threshold"},
    {"there are no temperatures",
     "fifo_age_for_warm preclude_last_level_data_seconds "
     "preserve_internal_time_seconds simulate_hybrid_fs_file "
     "simulate_hybrid_hdd_multipliers"},
    {"--max_background_jobs says how many flushes and compactions run at once",
     "num_bottom_pri_threads num_high_pri_threads num_low_pri_threads"},
    {"the operating system decides",
     "compaction_fadvice enable_cpu_prio enable_io_prio enable_numa "
     "simulate_hdd"},
    {"one file system, that of the operating system, is measured",
     "env_uri fs_uri io_uring_enabled"},
    {"several families are not written yet",
     "column_family_distribution num_column_families num_hot_column_families"},
    {"one database is measured", "num_multi_db"},
    {"range deletions among the writes are not written yet",
     "expand_range_tombstones max_num_range_tombstones range_tombstone_width "
     "writes_before_delete_range writes_per_range_tombstone"},
    {"deletions among the writes are not written yet",
     "disposable_entries_batch_size disposable_entries_delete_delay "
     "disposable_entries_value_size persistent_entries_batch_size "
     "persistent_entries_value_size"},
    {"filluniquerandom writes each key once",
     "overwrite_probability overwrite_window_size"},
    {"values have one size",
     "value_size_distribution_type value_size_max value_size_min"},
    {"--options takes cache_usage_options and write_buffer_manager's limit",
     "charge_compression_dictionary_building_buffer charge_file_metadata "
     "charge_filter_construction charge_table_reader "
     "cost_write_buffer_to_cache"},
    {"an iterator's read-ahead is chosen by --readahead_size",
     "adaptive_readahead initial_auto_readahead_size max_auto_readahead_size "
     "num_file_reads_for_auto_readahead optimize_multiget_for_io"},
    {"entries carry no checksum of their own in memory",
     "memtable_protection_bytes_per_key write_batch_protection_bytes_per_key"},
    {"--compression_type is that of all levels; --options takes "
     "compression_per_level",
     "min_level_to_compress"},
    {"--statistics has them", "statistics_string"},
    {"--report_interval_seconds and the progress on a terminal tell it",
     "progress_reports stats_interval stats_interval_seconds "
     "stats_per_interval thread_status_per_interval show_table_properties"},
    {"statistics are not kept in the database", "persist_stats_to_disk"},
    {"--threads share one limit; it has no parts",
     "rate_limit_auto_wal_flush rate_limit_bg_reads rate_limit_user_ops"},
    {"keys are numbers", "use_existing_keys seek_missing_prefix"},
    {"compaction is not incremental", "universal_incremental"},
    {"the version and --json tell it", "build_info"},
    {"LOG is read with tamis_ldb or an editor",
     "allow_data_in_errors use_stderr_info_logger"},
    {"the write-ahead log is not in the MANIFEST",
     "track_and_verify_wals_in_manifest"},
    {"RocksDB's db_bench does nothing with it", "disable_seek_compaction"},
    {"it is not written yet",
     "backup_rate_limit finish_after_writes "
     "ops_between_duration_checks print_malloc_stats readonly "
     "report_file_operations report_open_timing restore_rate_limit slow_usecs "
     "stats_level"},
};

std::vector<Refusal> AllRefusals() {
  static std::vector<std::string> names;  // what the rows point to
  std::vector<std::pair<std::string, const char*>> pairs;
  for (const Group& group : kGroups) {
    std::istringstream flags(group.flags);
    for (std::string name; flags >> name;) pairs.emplace_back(name, group.why);
  }
  names.reserve(pairs.size());
  std::vector<Refusal> refusals;
  for (const auto& [name, why] : pairs) {
    names.push_back(name);
    refusals.push_back({names.back().c_str(), why});
  }
  return refusals;
}

}  // namespace

std::span<const Refusal> RefusedBenchmarks() { return kRefused; }

std::span<const Refusal> RefusedFlags() {
  static const std::vector<Refusal> refusals = AllRefusals();
  return refusals;
}

}  // namespace tamis::bench
