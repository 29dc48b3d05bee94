// SPDX-License-Identifier: Apache-2.0
//
// Options of the database: a setter and a getter for each field.
#include "capi/option_fields.h"
#include "capi/types.h"

#define DB_FIELD(set, get, name, field) \
  TAMIS_C_FIELD(options, tamis_options_t, set, get, name, field)

DB_FIELD(unsigned char, unsigned char, create_if_missing, create_if_missing)
DB_FIELD(unsigned char, unsigned char, error_if_exists, error_if_exists)
DB_FIELD(unsigned char, unsigned char, create_missing_column_families,
         create_missing_column_families)
DB_FIELD(unsigned char, unsigned char, upgrade_leveldb, upgrade_leveldb)
DB_FIELD(unsigned int, unsigned int, stats_dump_period_sec,
         stats_dump_period_sec)
DB_FIELD(int, int, max_background_jobs, max_background_jobs)
DB_FIELD(uint32_t, uint32_t, max_subcompactions, max_subcompactions)
DB_FIELD(uint64_t, uint64_t, delayed_write_rate, delayed_write_rate)
DB_FIELD(uint64_t, uint64_t, bytes_per_sync, bytes_per_sync)
DB_FIELD(uint64_t, uint64_t, wal_bytes_per_sync, wal_bytes_per_sync)
DB_FIELD(unsigned char, unsigned char, manual_wal_flush, manual_wal_flush)
DB_FIELD(int, int, wal_compression, wal_compression)
DB_FIELD(int, int, wal_recovery_mode, wal_recovery_mode)
DB_FIELD(uint64_t, uint64_t, max_total_wal_size, max_total_wal_size)
DB_FIELD(uint64_t, uint64_t, WAL_ttl_seconds, WAL_ttl_seconds)
DB_FIELD(uint64_t, uint64_t, WAL_size_limit_MB, WAL_size_limit_MB)
DB_FIELD(unsigned char, unsigned char, atomic_flush, atomic_flush)
DB_FIELD(size_t, size_t, max_manifest_file_size, max_manifest_file_size)
DB_FIELD(size_t, size_t, compaction_readahead_size, compaction_readahead_size)
DB_FIELD(int, int, max_bgerror_resume_count, max_bgerror_resume_count)
DB_FIELD(uint64_t, uint64_t, bgerror_resume_retry_interval,
         bgerror_resume_retry_interval)
DB_FIELD(int, int, max_open_files, max_open_files)
DB_FIELD(unsigned char, unsigned char, allow_mmap_reads, allow_mmap_reads)
DB_FIELD(unsigned char, unsigned char, use_direct_reads, use_direct_reads)
DB_FIELD(unsigned char, unsigned char, use_direct_io_for_flush_and_compaction,
         use_direct_io_for_flush_and_compaction)
DB_FIELD(unsigned char, unsigned char, allow_ingest_behind, allow_ingest_behind)
DB_FIELD(unsigned char, unsigned char, avoid_flush_during_shutdown,
         avoid_flush_during_shutdown)
DB_FIELD(size_t, size_t, max_log_file_size, max_log_file_size)
DB_FIELD(size_t, size_t, log_file_time_to_roll, log_file_time_to_roll)
DB_FIELD(size_t, size_t, keep_log_file_num, keep_log_file_num)
DB_FIELD(int, int, info_log_level, info_log_level)
DB_FIELD(unsigned char, unsigned char, enable_pipelined_write,
         enable_pipelined_write)
DB_FIELD(unsigned char, unsigned char, unordered_write, unordered_write)
DB_FIELD(unsigned char, unsigned char, two_write_queues, two_write_queues)
DB_FIELD(unsigned char, unsigned char, allow_concurrent_memtable_write,
         allow_concurrent_memtable_write)
DB_FIELD(unsigned char, unsigned char, enable_write_thread_adaptive_yield,
         enable_write_thread_adaptive_yield)
DB_FIELD(uint64_t, uint64_t, write_thread_max_yield_usec,
         write_thread_max_yield_usec)
DB_FIELD(uint64_t, uint64_t, write_thread_slow_yield_usec,
         write_thread_slow_yield_usec)
DB_FIELD(uint64_t, uint64_t, max_write_batch_group_size_bytes,
         max_write_batch_group_size_bytes)
DB_FIELD(unsigned char, unsigned char, use_adaptive_mutex, use_adaptive_mutex)
DB_FIELD(int, int, max_background_flushes, max_background_flushes)
DB_FIELD(int, int, max_background_compactions, max_background_compactions)
DB_FIELD(int, int, max_file_opening_threads, max_file_opening_threads)
DB_FIELD(unsigned char, unsigned char, paranoid_checks, paranoid_checks)
DB_FIELD(unsigned char, unsigned char, skip_checking_sst_file_sizes_on_db_open,
         skip_checking_sst_file_sizes_on_db_open)
DB_FIELD(unsigned char, unsigned char, skip_stats_update_on_db_open,
         skip_stats_update_on_db_open)
DB_FIELD(unsigned char, unsigned char, avoid_flush_during_recovery,
         avoid_flush_during_recovery)
DB_FIELD(unsigned char, unsigned char, write_dbid_to_manifest,
         write_dbid_to_manifest)
DB_FIELD(int, int, use_fsync, use_fsync)
DB_FIELD(unsigned char, unsigned char, allow_mmap_writes, allow_mmap_writes)
DB_FIELD(unsigned char, unsigned char, is_fd_close_on_exec, is_fd_close_on_exec)
DB_FIELD(unsigned char, unsigned char, allow_fallocate, allow_fallocate)
DB_FIELD(uint64_t, uint64_t, writable_file_max_buffer_size,
         writable_file_max_buffer_size)
DB_FIELD(size_t, size_t, random_access_max_buffer_size,
         random_access_max_buffer_size)
DB_FIELD(size_t, size_t, manifest_preallocation_size,
         manifest_preallocation_size)
DB_FIELD(size_t, size_t, recycle_log_file_num, recycle_log_file_num)
DB_FIELD(unsigned char, unsigned char, advise_random_on_open,
         advise_random_on_open)
DB_FIELD(size_t, size_t, log_readahead_size, log_readahead_size)
DB_FIELD(int, int, access_hint_on_compaction_start,
         access_hint_on_compaction_start)
DB_FIELD(unsigned char, unsigned char, strict_bytes_per_sync,
         strict_bytes_per_sync)
DB_FIELD(int, int, table_cache_numshardbits, table_cache_numshardbits)
DB_FIELD(uint64_t, uint64_t, delete_obsolete_files_period_micros,
         delete_obsolete_files_period_micros)
DB_FIELD(unsigned char, unsigned char, avoid_unnecessary_blocking_io,
         avoid_unnecessary_blocking_io)
DB_FIELD(unsigned char, unsigned char, enable_thread_tracking,
         enable_thread_tracking)
DB_FIELD(unsigned char, unsigned char, dump_malloc_stats, dump_malloc_stats)
DB_FIELD(unsigned int, unsigned int, stats_persist_period_sec,
         stats_persist_period_sec)
DB_FIELD(size_t, size_t, stats_history_buffer_size, stats_history_buffer_size)

#undef DB_FIELD
