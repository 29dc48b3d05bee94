// SPDX-License-Identifier: Apache-2.0
//
// A PerfContext counts events of the operations that its thread runs: filters
// probed, blocks read, time spent. To measure an operation, call Reset() before
// it and read the counters after it, or compare two copies. The leader of a
// write group counts the time of the whole group; its followers count none.
// Counting starts at kEnableCount, the default, and timing at kEnableTime.
//
// Each thread has one object. get_perf_context() returns that of the calling
// thread. Only that thread may use it, and it is valid until the thread exits.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tamis/perf_level.h"  // IWYU pragma: export

namespace tamis {

// Point reads at one level of the LSM tree. bloom_filter_* count whole-key
// filters only.
struct PerfContextByLevel {
  uint64_t bloom_filter_useful = 0;              // the filter excluded the key
  uint64_t bloom_filter_full_positive = 0;       // the filter passed the key
  uint64_t bloom_filter_full_true_positive = 0;  // ... and the key was there
  uint64_t user_key_return_count = 0;            // Gets that found a value
  uint64_t block_cache_hit_count = 0;
  uint64_t block_cache_miss_count = 0;
};

struct PerfContext {
  static constexpr int kLevels = 7;

  void Reset() { *this = PerfContext(); }
  // Returns "name = value, ..." under RocksDB's names. For a level counter, the
  // value is "n@level0, n@level1, ...".
  std::string ToString(bool exclude_zero_counters = false) const;

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
  // Of block_read_count, the blocks of a MultiGet whose reads were begun before
  // they were needed, usually several at once. RocksDB has no such counter.
  uint64_t block_async_read_count = 0;
  uint64_t index_block_read_count = 0;
  uint64_t filter_block_read_count = 0;
  uint64_t block_cache_index_hit_count = 0;
  uint64_t block_cache_filter_hit_count = 0;

  // Bytes returned to the caller.
  uint64_t get_read_bytes = 0;
  uint64_t iter_read_bytes = 0;

  // Iteration and lookup steps.
  uint64_t internal_key_skipped_count = 0;     // older, hidden, or too new
  uint64_t internal_delete_skipped_count = 0;  // and what ranges cover
  // Seeks of a table or memtable past entries that a range deletion hides. The
  // entries are not counted as skipped.
  uint64_t internal_range_del_reseek_count = 0;
  uint64_t get_from_memtable_count = 0;
  uint64_t seek_on_memtable_count = 0;

  // Nanoseconds; only at kEnableTime.
  uint64_t block_read_time = 0;
  uint64_t block_checksum_time = 0;
  uint64_t block_decompress_time = 0;
  uint64_t get_from_memtable_time = 0;
  uint64_t get_from_output_files_time = 0;
  uint64_t seek_internal_seek_time = 0;
  uint64_t find_next_user_entry_time = 0;
  uint64_t write_wal_time = 0;
  uint64_t write_memtable_time = 0;
  uint64_t write_delay_time = 0;  // slowdowns; stops are not included

  // Indexed by level.
  std::array<PerfContextByLevel, kLevels> level_to_perf_context{};
};

PerfContext* get_perf_context();

}  // namespace tamis
