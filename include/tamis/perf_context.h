// SPDX-License-Identifier: Apache-2.0
//
// A PerfContext counts events of the operations that its thread runs: filters
// probed, blocks read, time spent. To measure an operation, call Reset() before
// it and read the counters after it, or compare two copies. The leader of a
// write group counts the time of the whole group; its followers count only
// write_thread_wait_nanos. perf_level.h says which level counts what.
//
// Each thread has one object. get_perf_context() returns that of the calling
// thread. Only that thread may use it, and it is valid until the thread exits.
//
// Names and meanings are RocksDB's. Of RocksDB 7.8.3, these are missing:
// - user_key_comparison_count and block_seek_nanos: most steps of a search
//   compare the first bytes of keys, or tags, of several keys together. To
//   count or time each would cost as much as the step.
// - number_async_seek: iterators seek no table asynchronously.
// - blob_*, secondary_cache_*, compressed_sec_cache_*,
//   block_cache_standalone_handle_count, block_cache_real_handle_count,
//   key_lock_wait_*, env_*, encrypt_data_nanos, decrypt_data_nanos: Tamis has
//   no blobs, second cache, transactions, timed Env or encryption. For files,
//   see iostats_context.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tamis/export.h"
#include "tamis/perf_level.h"  // IWYU pragma: export

namespace tamis {

// Point reads at one level of the LSM tree. bloom_filter_* count whole-key
// filters only.
struct PerfContextByLevel {
  // Sets all counters to 0.
  void Reset() { *this = PerfContextByLevel(); }

  uint64_t bloom_filter_useful = 0;              // the filter excluded the key
  uint64_t bloom_filter_full_positive = 0;       // the filter passed the key
  uint64_t bloom_filter_full_true_positive = 0;  // ... and the key was there
  uint64_t user_key_return_count = 0;            // Gets that found a value
  uint64_t get_from_table_nanos = 0;             // time in tables of the level
  // Blocks of the level that were in the cache, and that were not.
  uint64_t block_cache_hit_count = 0;
  uint64_t block_cache_miss_count = 0;
};

struct TAMIS_EXPORT PerfContext {
  // As many levels as a family has at most.
  static constexpr int kLevels = 7;

  // Sets all counters to 0. Leaves per_level_perf_context_enabled.
  void Reset() {
    const bool enabled = per_level_perf_context_enabled;
    *this = PerfContext();
    per_level_perf_context_enabled = enabled;
  }
  // Returns "name = value, ..." in RocksDB's order, with Tamis's own counters
  // after RocksDB's. For a level counter, the value is "n@level0, n@level1,
  // ..."; without values, and while they are disabled, it is left out.
  std::string ToString(bool exclude_zero_counters = false) const;

  // Counting by level is enabled from the start; in RocksDB, it is not.
  void EnablePerLevelPerfContext() { per_level_perf_context_enabled = true; }
  // Counts no more by level. Keeps what was counted.
  void DisablePerLevelPerfContext() { per_level_perf_context_enabled = false; }
  // Does the same, and sets the level counters to 0.
  void ClearPerLevelPerfContext() {
    per_level_perf_context_enabled = false;
    level_to_perf_context = {};
  }

  // Filters. A hit means that the key may be present, a miss that it is absent.
  uint64_t bloom_memtable_hit_count = 0;
  uint64_t bloom_memtable_miss_count = 0;
  uint64_t bloom_sst_hit_count = 0;
  uint64_t bloom_sst_miss_count = 0;
  // Range filters, of ranges and of keys. RocksDB has no such counters.
  uint64_t range_filter_hit_count = 0;
  uint64_t range_filter_miss_count = 0;

  // Blocks. *_block_read_* count blocks that were not in the cache, also those
  // that a readahead had read from the file before.
  uint64_t block_cache_hit_count = 0;
  uint64_t block_read_count = 0;  // all kinds
  uint64_t block_read_byte = 0;
  uint64_t index_block_read_count = 0;
  uint64_t filter_block_read_count = 0;
  uint64_t compression_dict_block_read_count = 0;
  uint64_t block_cache_index_hit_count = 0;
  uint64_t block_cache_filter_hit_count = 0;
  // Of block_read_count, the blocks of a MultiGet whose reads were begun before
  // they were needed, usually several at once. RocksDB has no such counter.
  uint64_t block_async_read_count = 0;

  // Bytes returned to the caller.
  uint64_t get_read_bytes = 0;
  uint64_t multiget_read_bytes = 0;
  uint64_t iter_read_bytes = 0;

  // Iteration and lookup steps.
  uint64_t internal_key_skipped_count = 0;     // older or hidden
  uint64_t internal_delete_skipped_count = 0;  // and what ranges cover
  uint64_t internal_recent_skipped_count = 0;  // too new for the snapshot
  uint64_t internal_merge_count = 0;           // operands that iterators merged
  uint64_t get_from_memtable_count = 0;
  uint64_t seek_on_memtable_count = 0;
  uint64_t next_on_memtable_count = 0;
  uint64_t prev_on_memtable_count = 0;
  uint64_t seek_child_seek_count = 0;  // seeks of what an iterator merges
  // Seeks of a table or memtable past entries that a range deletion hides. The
  // entries are not counted as skipped.
  uint64_t internal_range_del_reseek_count = 0;

  // Nanoseconds of reads and iterators.
  uint64_t block_read_time = 0;
  uint64_t block_checksum_time = 0;
  uint64_t block_decompress_time = 0;
  uint64_t get_snapshot_time = 0;  // finding the state and sequence number
  uint64_t get_from_memtable_time = 0;
  uint64_t get_from_output_files_time = 0;
  uint64_t get_post_process_time = 0;  // after the search; merging, too
  uint64_t seek_on_memtable_time = 0;
  uint64_t seek_child_seek_time = 0;
  uint64_t seek_internal_seek_time = 0;
  uint64_t find_next_user_entry_time = 0;
  uint64_t merge_operator_time_nanos = 0;
  uint64_t new_table_block_iter_nanos = 0;  // entering data blocks; reads, too
  uint64_t new_table_iterator_nanos = 0;
  uint64_t find_table_nanos = 0;  // of tables that were not open
  // Ordering what an iterator merges, after a seek: forward, backward.
  uint64_t seek_min_heap_time = 0;
  uint64_t seek_max_heap_time = 0;
  // Finding or reading partitions of indexes and filters, and blocks of these
  // that are not kept with the open table.
  uint64_t read_index_block_nanos = 0;
  uint64_t read_filter_block_nanos = 0;

  // Nanoseconds of writes.
  uint64_t write_wal_time = 0;
  uint64_t write_memtable_time = 0;
  uint64_t write_scheduling_flushes_compactions_time = 0;  // and switching logs
  uint64_t write_pre_and_post_process_time = 0;  // all but the other times
  uint64_t write_delay_time = 0;                 // slowdowns and stops
  uint64_t write_thread_wait_nanos = 0;          // for other writers

  // Nanoseconds of waits for the mutex of a database, and for jobs under it.
  uint64_t db_mutex_lock_nanos = 0;
  uint64_t db_condition_wait_nanos = 0;

  // CPU time of the thread, in nanoseconds.
  uint64_t get_cpu_nanos = 0;  // of Get and MultiGet
  uint64_t iter_next_cpu_nanos = 0;
  uint64_t iter_prev_cpu_nanos = 0;
  uint64_t iter_seek_cpu_nanos = 0;

  // Indexed by level. RocksDB has a pointer to a map here.
  std::array<PerfContextByLevel, kLevels> level_to_perf_context{};
  bool per_level_perf_context_enabled = true;
};

// Returns that of the calling thread.
TAMIS_EXPORT PerfContext* get_perf_context();

}  // namespace tamis
