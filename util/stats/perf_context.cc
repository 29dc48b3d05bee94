// SPDX-License-Identifier: Apache-2.0
//
// Formats a PerfContext, from one table of names and members for the totals and
// one for the levels.
#include "tamis/perf_context.h"

#include <cstddef>
#include <iterator>

namespace tamis {

namespace {

struct Counter {
  const char* name;
  uint64_t PerfContext::*value;
};

// In the order of RocksDB's text.
constexpr Counter kCounters[] = {
    {"block_cache_hit_count", &PerfContext::block_cache_hit_count},
    {"block_read_count", &PerfContext::block_read_count},
    {"block_read_byte", &PerfContext::block_read_byte},
    {"block_read_time", &PerfContext::block_read_time},
    {"block_cache_index_hit_count", &PerfContext::block_cache_index_hit_count},
    {"index_block_read_count", &PerfContext::index_block_read_count},
    {"block_cache_filter_hit_count",
     &PerfContext::block_cache_filter_hit_count},
    {"filter_block_read_count", &PerfContext::filter_block_read_count},
    {"compression_dict_block_read_count",
     &PerfContext::compression_dict_block_read_count},
    {"block_checksum_time", &PerfContext::block_checksum_time},
    {"block_decompress_time", &PerfContext::block_decompress_time},
    {"get_read_bytes", &PerfContext::get_read_bytes},
    {"multiget_read_bytes", &PerfContext::multiget_read_bytes},
    {"iter_read_bytes", &PerfContext::iter_read_bytes},
    {"internal_key_skipped_count", &PerfContext::internal_key_skipped_count},
    {"internal_delete_skipped_count",
     &PerfContext::internal_delete_skipped_count},
    {"internal_recent_skipped_count",
     &PerfContext::internal_recent_skipped_count},
    {"internal_merge_count", &PerfContext::internal_merge_count},
    {"internal_range_del_reseek_count",
     &PerfContext::internal_range_del_reseek_count},
    {"write_wal_time", &PerfContext::write_wal_time},
    {"get_snapshot_time", &PerfContext::get_snapshot_time},
    {"get_from_memtable_time", &PerfContext::get_from_memtable_time},
    {"get_from_memtable_count", &PerfContext::get_from_memtable_count},
    {"get_post_process_time", &PerfContext::get_post_process_time},
    {"get_from_output_files_time", &PerfContext::get_from_output_files_time},
    {"seek_on_memtable_time", &PerfContext::seek_on_memtable_time},
    {"seek_on_memtable_count", &PerfContext::seek_on_memtable_count},
    {"next_on_memtable_count", &PerfContext::next_on_memtable_count},
    {"prev_on_memtable_count", &PerfContext::prev_on_memtable_count},
    {"seek_child_seek_time", &PerfContext::seek_child_seek_time},
    {"seek_child_seek_count", &PerfContext::seek_child_seek_count},
    {"seek_min_heap_time", &PerfContext::seek_min_heap_time},
    {"seek_internal_seek_time", &PerfContext::seek_internal_seek_time},
    {"find_next_user_entry_time", &PerfContext::find_next_user_entry_time},
    {"write_pre_and_post_process_time",
     &PerfContext::write_pre_and_post_process_time},
    {"write_memtable_time", &PerfContext::write_memtable_time},
    {"write_thread_wait_nanos", &PerfContext::write_thread_wait_nanos},
    {"write_scheduling_flushes_compactions_time",
     &PerfContext::write_scheduling_flushes_compactions_time},
    {"db_mutex_lock_nanos", &PerfContext::db_mutex_lock_nanos},
    {"db_condition_wait_nanos", &PerfContext::db_condition_wait_nanos},
    {"merge_operator_time_nanos", &PerfContext::merge_operator_time_nanos},
    {"write_delay_time", &PerfContext::write_delay_time},
    {"read_index_block_nanos", &PerfContext::read_index_block_nanos},
    {"read_filter_block_nanos", &PerfContext::read_filter_block_nanos},
    {"new_table_block_iter_nanos", &PerfContext::new_table_block_iter_nanos},
    {"new_table_iterator_nanos", &PerfContext::new_table_iterator_nanos},
    {"find_table_nanos", &PerfContext::find_table_nanos},
    {"bloom_memtable_hit_count", &PerfContext::bloom_memtable_hit_count},
    {"bloom_memtable_miss_count", &PerfContext::bloom_memtable_miss_count},
    {"bloom_sst_hit_count", &PerfContext::bloom_sst_hit_count},
    {"bloom_sst_miss_count", &PerfContext::bloom_sst_miss_count},
    {"get_cpu_nanos", &PerfContext::get_cpu_nanos},
    {"iter_next_cpu_nanos", &PerfContext::iter_next_cpu_nanos},
    {"iter_prev_cpu_nanos", &PerfContext::iter_prev_cpu_nanos},
    {"iter_seek_cpu_nanos", &PerfContext::iter_seek_cpu_nanos},
    // RocksDB does not print these, or lacks them.
    {"seek_max_heap_time", &PerfContext::seek_max_heap_time},
    {"range_filter_hit_count", &PerfContext::range_filter_hit_count},
    {"range_filter_miss_count", &PerfContext::range_filter_miss_count},
    {"block_async_read_count", &PerfContext::block_async_read_count},
};

struct LevelCounter {
  const char* name;
  uint64_t PerfContextByLevel::*value;
};

constexpr LevelCounter kLevelCounters[] = {
    {"bloom_filter_useful", &PerfContextByLevel::bloom_filter_useful},
    {"bloom_filter_full_positive",
     &PerfContextByLevel::bloom_filter_full_positive},
    {"bloom_filter_full_true_positive",
     &PerfContextByLevel::bloom_filter_full_true_positive},
    {"user_key_return_count", &PerfContextByLevel::user_key_return_count},
    {"get_from_table_nanos", &PerfContextByLevel::get_from_table_nanos},
    {"block_cache_hit_count", &PerfContextByLevel::block_cache_hit_count},
    {"block_cache_miss_count", &PerfContextByLevel::block_cache_miss_count},
};

// Fails if a counter is missing from the tables above.
static_assert(sizeof(PerfContextByLevel) ==
              std::size(kLevelCounters) * sizeof(uint64_t));
static_assert(sizeof(PerfContext) ==
              std::size(kCounters) * sizeof(uint64_t) +
                  PerfContext::kLevels * sizeof(PerfContextByLevel) +
                  sizeof(uint64_t));  // the flag

}  // namespace

std::string PerfContext::ToString(bool exclude_zero_counters) const {
  std::string out;
  for (const Counter& counter : kCounters) {
    const uint64_t value = this->*counter.value;
    if (value == 0 && exclude_zero_counters) continue;
    out += std::string(counter.name) + " = " + std::to_string(value) + ", ";
  }
  for (const LevelCounter& counter : kLevelCounters) {
    if (!per_level_perf_context_enabled) break;
    std::string levels;
    for (size_t i = 0; i < level_to_perf_context.size(); ++i) {
      const uint64_t value = level_to_perf_context[i].*counter.value;
      if (value == 0 && exclude_zero_counters) continue;
      levels += std::to_string(value) + "@level" + std::to_string(i) + ", ";
    }
    if (!levels.empty()) out += std::string(counter.name) + " = " + levels;
  }
  if (!out.empty()) out.resize(out.size() - 2);
  return out;
}

}  // namespace tamis
