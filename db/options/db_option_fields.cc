// SPDX-License-Identifier: Apache-2.0
#include "db/options/option_fields.h"

namespace tamis {

namespace database_fields {

template <auto kMember>
constexpr OptionField<DBOptions> Common(std::string_view name,
                                        bool live = kFixedWhileOpen) {
  return MakeField<DBOptions, kMember>(name, OptionKind::kCommon, live);
}
template <auto kMember>
constexpr OptionField<DBOptions> Tamis(std::string_view name,
                                       bool live = kFixedWhileOpen) {
  return MakeField<DBOptions, kMember>(name, OptionKind::kTamis, live);
}
template <auto kMember>
constexpr OptionField<DBOptions> Ignored(std::string_view name) {
  return MakeField<DBOptions, kMember>(name, OptionKind::kIgnored,
                                       kFixedWhileOpen);
}
template <auto kMember>
constexpr OptionField<DBOptions> Object(std::string_view name) {
  return MakeObjectField<DBOptions, kMember>(name);
}

using D = DBOptions;

constexpr OptionField<DBOptions> kFields[] = {
    Common<&D::create_if_missing>("create_if_missing"),
    Common<&D::error_if_exists>("error_if_exists"),
    Common<&D::create_missing_column_families>(
        "create_missing_column_families"),
    Tamis<&D::upgrade_leveldb>("upgrade_leveldb"),
    Object<&D::env>("env"),
    Object<&D::file_system>("file_system"),
    Object<&D::clock>("clock"),
    Object<&D::job_runner>("job_runner"),
    Object<&D::statistics>("statistics"),
    Common<&D::stats_dump_period_sec>("stats_dump_period_sec", kLive),
    // RocksDB has it since 9.3.
    Tamis<&D::follower_refresh_catchup_period_ms>(
        "follower_refresh_catchup_period_ms"),
    Common<&D::enable_thread_tracking>("enable_thread_tracking"),
    Object<&D::rate_limiter>("rate_limiter"),
    Object<&D::sst_file_manager>("sst_file_manager"),
    Object<&D::compaction_service>("compaction_service"),
    Common<&D::db_write_buffer_size>("db_write_buffer_size"),
    Object<&D::write_buffer_manager>("write_buffer_manager"),
    Common<&D::delayed_write_rate>("delayed_write_rate", kLive),
    Common<&D::bytes_per_sync>("bytes_per_sync", kLive),
    Common<&D::wal_bytes_per_sync>("wal_bytes_per_sync", kLive),
    Common<&D::manual_wal_flush>("manual_wal_flush"),
    Object<&D::listeners>("listeners"),
    Common<&D::max_background_jobs>("max_background_jobs", kLive),
    Common<&D::max_subcompactions>("max_subcompactions", kLive),
    // RocksDB has it since 7.0.
    Tamis<&D::wal_compression>("wal_compression"),
    Common<&D::wal_recovery_mode>("wal_recovery_mode"),
    Common<&D::max_total_wal_size>("max_total_wal_size", kLive),
    Common<&D::wal_dir>("wal_dir"),
    Common<&D::WAL_ttl_seconds>("WAL_ttl_seconds"),
    Common<&D::WAL_size_limit_MB>("WAL_size_limit_MB"),
    Common<&D::atomic_flush>("atomic_flush"),
    Common<&D::max_manifest_file_size>("max_manifest_file_size", kLive),
    Common<&D::compaction_readahead_size>("compaction_readahead_size", kLive),
    Common<&D::max_bgerror_resume_count>("max_bgerror_resume_count"),
    Common<&D::bgerror_resume_retry_interval>("bgerror_resume_retry_interval"),
    Common<&D::max_open_files>("max_open_files", kLive),
    Common<&D::max_file_opening_threads>("max_file_opening_threads"),
    Common<&D::allow_mmap_reads>("allow_mmap_reads"),
    Common<&D::use_direct_reads>("use_direct_reads"),
    Common<&D::use_direct_io_for_flush_and_compaction>(
        "use_direct_io_for_flush_and_compaction"),
    Common<&D::allow_ingest_behind>("allow_ingest_behind"),
    Common<&D::allow_2pc>("allow_2pc"),
    Common<&D::flush_verify_memtable_count>("flush_verify_memtable_count"),
    // RocksDB has it since 8.5.
    MakeField<D, &D::compaction_verify_record_count>(
        "compaction_verify_record_count", OptionKind::kTamis, kFixedWhileOpen),
    Common<&D::avoid_flush_during_recovery>("avoid_flush_during_recovery"),
    Common<&D::avoid_flush_during_shutdown>("avoid_flush_during_shutdown",
                                            kLive),
    Object<&D::db_paths>("db_paths"),
    Common<&D::file_checksum_gen_factory>("file_checksum_gen_factory"),
    Common<&D::db_log_dir>("db_log_dir"),
    Common<&D::max_log_file_size>("max_log_file_size"),
    Common<&D::log_file_time_to_roll>("log_file_time_to_roll"),
    Common<&D::keep_log_file_num>("keep_log_file_num"),
    Object<&D::info_log>("info_log"),
    MakeObjectField<D, &D::row_cache>("row_cache", OptionKind::kIgnoredObject),
    Common<&D::info_log_level>("info_log_level"),

    Ignored<&D::enable_pipelined_write>("enable_pipelined_write"),
    Ignored<&D::unordered_write>("unordered_write"),
    Ignored<&D::two_write_queues>("two_write_queues"),
    Ignored<&D::allow_concurrent_memtable_write>(
        "allow_concurrent_memtable_write"),
    Ignored<&D::enable_write_thread_adaptive_yield>(
        "enable_write_thread_adaptive_yield"),
    Ignored<&D::write_thread_max_yield_usec>("write_thread_max_yield_usec"),
    Ignored<&D::write_thread_slow_yield_usec>("write_thread_slow_yield_usec"),
    Ignored<&D::max_write_batch_group_size_bytes>(
        "max_write_batch_group_size_bytes"),
    Ignored<&D::use_adaptive_mutex>("use_adaptive_mutex"),
    Ignored<&D::max_background_flushes>("max_background_flushes"),
    Ignored<&D::max_background_compactions>("max_background_compactions"),
    Ignored<&D::paranoid_checks>("paranoid_checks"),
    Ignored<&D::skip_checking_sst_file_sizes_on_db_open>(
        "skip_checking_sst_file_sizes_on_db_open"),
    Ignored<&D::skip_stats_update_on_db_open>("skip_stats_update_on_db_open"),
    Ignored<&D::write_dbid_to_manifest>("write_dbid_to_manifest"),
    Ignored<&D::use_fsync>("use_fsync"),
    Ignored<&D::allow_mmap_writes>("allow_mmap_writes"),
    Ignored<&D::is_fd_close_on_exec>("is_fd_close_on_exec"),
    Ignored<&D::allow_fallocate>("allow_fallocate"),
    Ignored<&D::writable_file_max_buffer_size>("writable_file_max_buffer_size"),
    Ignored<&D::random_access_max_buffer_size>("random_access_max_buffer_size"),
    Ignored<&D::manifest_preallocation_size>("manifest_preallocation_size"),
    Ignored<&D::recycle_log_file_num>("recycle_log_file_num"),
    Ignored<&D::advise_random_on_open>("advise_random_on_open"),
    Ignored<&D::log_readahead_size>("log_readahead_size"),
    Ignored<&D::access_hint_on_compaction_start>(
        "access_hint_on_compaction_start"),
    Ignored<&D::strict_bytes_per_sync>("strict_bytes_per_sync"),
    Ignored<&D::table_cache_numshardbits>("table_cache_numshardbits"),
    Ignored<&D::delete_obsolete_files_period_micros>(
        "delete_obsolete_files_period_micros"),
    Ignored<&D::avoid_unnecessary_blocking_io>("avoid_unnecessary_blocking_io"),
    Ignored<&D::dump_malloc_stats>("dump_malloc_stats"),
    Ignored<&D::stats_persist_period_sec>("stats_persist_period_sec"),
    Ignored<&D::stats_history_buffer_size>("stats_history_buffer_size"),
};

// Of RocksDB 6.29 to 11.9.
constexpr MissingOption kMissing[] = {
    {"allow_data_in_errors", "*"},
    {"async_wal_precreate", "*"},
    {"background_close_inactive_wals", "*"},
    {"base_background_compactions", "*"},
    {"best_efforts_recovery", "false"},
    {"daily_offpeak_time_utc", ""},
    {"db_host_id", "*"},
    {"enforce_single_del_contracts", "*"},
    {"enforce_write_buffer_manager_during_recovery", "*"},
    {"experimental_mempurge_threshold", "*"},  // RocksDB 6.29's place
    {"fail_if_options_file_error", "false"},
    {"fast_sst_open", "*"},
    {"follower_catchup_retry_count", "*"},
    {"follower_catchup_retry_wait_ms", "*"},
    {"lowest_used_cache_tier", "*"},
    {"max_compaction_trigger_wakeup_seconds", "*"},
    {"max_manifest_space_amp_pct", "*"},
    {"metadata_write_temperature", "*"},
    {"new_table_reader_for_compaction_inputs", "*"},
    {"open_files_async", "*"},
    {"optimize_manifest_for_recovery", "*"},
    {"persist_stats_to_disk", "false"},
    {"prefix_seek_opt_in_only", "*"},
    {"preserve_deletes", "false"},
    {"rate_limiter_bytes_per_sec", "0"},
    {"read_io_executor_threads", "*"},
    {"reuse_manifest_on_open", "*"},
    {"track_and_verify_wals", "false"},
    {"track_and_verify_wals_in_manifest", "false"},
    {"use_direct_io_for_compaction_reads", "*"},
    {"verify_manifest_content_on_close", "false"},
    {"verify_sst_unique_id_in_manifest", "*"},
    {"wal_filter", "nullptr"},
    {"wal_write_temperature", "*"},
    {"write_identity_file", "true"},
};

}  // namespace database_fields

template <>
const OptionTable<DBOptions>& OptionTableOf() {
  static constexpr OptionTable<DBOptions> kTable{database_fields::kFields,
                                                 database_fields::kMissing};
  return kTable;
}

}  // namespace tamis
