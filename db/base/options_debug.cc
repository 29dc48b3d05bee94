// SPDX-License-Identifier: Apache-2.0
#include "db/base/options_debug.h"

#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

namespace tamis {

namespace {

// One "name=value" line per option.
class OptionLines {
 public:
  // An enumeration is shown as its number.
  template <typename Value>
  OptionLines&& Number(const char* name, Value value) && {
    if constexpr (std::is_enum_v<Value>) {
      out_ << name << '=' << static_cast<int64_t>(value) << '\n';
    } else if constexpr (std::is_same_v<Value, bool>) {
      out_ << name << '=' << (value ? "true" : "false") << '\n';
    } else {
      out_ << name << '=' << value << '\n';
    }
    return std::move(*this);
  }
  // "1,2", one number for each level.
  template <typename Value>
  OptionLines&& Numbers(const char* name, const std::vector<Value>& values) && {
    out_ << name << '=';
    for (size_t i = 0; i < values.size(); ++i) {
      out_ << (i == 0 ? "" : ",") << int64_t{values[i]};
    }
    out_ << '\n';
    return std::move(*this);
  }
  // A user's object that has a Name().
  template <typename Pointer>
  OptionLines&& Name(const char* name, const Pointer& object) && {
    out_ << name << '=' << (object != nullptr ? object->Name() : "nullptr")
         << '\n';
    return std::move(*this);
  }
  OptionLines&& Given(const char* name, bool given) && {
    out_ << name << '=' << (given ? "set" : "nullptr") << '\n';
    return std::move(*this);
  }
  OptionLines&& Lines(const std::string& lines) && {
    out_ << lines;
    return std::move(*this);
  }
  std::string text() && { return std::move(out_).str(); }

 private:
  std::ostringstream out_;
};

}  // namespace

namespace {

std::string DebugString(const CompactionOptionsUniversal& options) {
  return OptionLines()
      .Number("compaction_options_universal.size_ratio", options.size_ratio)
      .Number("compaction_options_universal.min_merge_width",
              options.min_merge_width)
      .Number("compaction_options_universal.max_merge_width",
              options.max_merge_width)
      .Number("compaction_options_universal.max_size_amplification_percent",
              options.max_size_amplification_percent)
      .Number("compaction_options_universal.compression_size_percent",
              options.compression_size_percent)
      .Number("compaction_options_universal.stop_style", options.stop_style)
      .Number("compaction_options_universal.allow_trivial_move",
              options.allow_trivial_move)
      .text();
}

}  // namespace

std::string DebugString(const DBOptions& options) {
  return OptionLines()
      .Number("create_if_missing", options.create_if_missing)
      .Number("error_if_exists", options.error_if_exists)
      .Number("create_missing_column_families",
              options.create_missing_column_families)
      .Number("upgrade_leveldb", options.upgrade_leveldb)
      .Name("file_system", options.file_system)
      .Given("clock", options.clock != nullptr)
      .Given("job_runner", options.job_runner != nullptr)
      .Given("statistics", options.statistics != nullptr)
      .Number("stats_dump_period_sec", options.stats_dump_period_sec)
      .Given("rate_limiter", options.rate_limiter != nullptr)
      .Given("write_buffer_manager", options.write_buffer_manager != nullptr)
      .Number("max_background_jobs", options.max_background_jobs)
      .Number("max_subcompactions", options.max_subcompactions)
      .Number("delayed_write_rate", options.delayed_write_rate)
      .Number("bytes_per_sync", options.bytes_per_sync)
      .Number("wal_bytes_per_sync", options.wal_bytes_per_sync)
      .Number("manual_wal_flush", options.manual_wal_flush)
      .Number("wal_recovery_mode", options.wal_recovery_mode)
      .Number("max_total_wal_size", options.max_total_wal_size)
      .Number("atomic_flush", options.atomic_flush)
      .Number("max_manifest_file_size", options.max_manifest_file_size)
      .Number("max_bgerror_resume_count", options.max_bgerror_resume_count)
      .Number("bgerror_resume_retry_interval",
              options.bgerror_resume_retry_interval)
      .Number("max_open_files", options.max_open_files)
      .Number("allow_mmap_reads", options.allow_mmap_reads)
      .Number("use_direct_reads", options.use_direct_reads)
      .Number("max_log_file_size", options.max_log_file_size)
      .Number("keep_log_file_num", options.keep_log_file_num)
      .Given("info_log", options.info_log != nullptr)
      .Number("info_log_level", options.info_log_level)
      .Number("listeners", options.listeners.size())
      .text();
}

std::string DebugString(const ColumnFamilyOptions& options) {
  return OptionLines()
      .Name("comparator", options.comparator)
      .Number("write_buffer_size", options.write_buffer_size)
      .Number("max_write_buffer_number", options.max_write_buffer_number)
      .Number("min_write_buffer_number_to_merge",
              options.min_write_buffer_number_to_merge)
      .Number("memtable_prefix_bloom_size_ratio",
              options.memtable_prefix_bloom_size_ratio)
      .Number("memtable_whole_key_filtering",
              options.memtable_whole_key_filtering)
      .Number("compression", options.compression)
      .Name("merge_operator", options.merge_operator)
      .Name("compaction_filter", options.compaction_filter)
      .Name("compaction_filter_factory", options.compaction_filter_factory)
      .Name("prefix_extractor", options.prefix_extractor)
      .Number("optimize_filters_for_hits", options.optimize_filters_for_hits)
      .Number("level0_file_num_compaction_trigger",
              options.level0_file_num_compaction_trigger)
      .Number("level0_slowdown_writes_trigger",
              options.level0_slowdown_writes_trigger)
      .Number("level0_stop_writes_trigger", options.level0_stop_writes_trigger)
      .Number("compaction_style", options.compaction_style)
      .Lines(DebugString(options.compaction_options_universal))
      .Number("compaction_options_fifo.max_table_files_size",
              options.compaction_options_fifo.max_table_files_size)
      .Number("compaction_options_fifo.allow_compaction",
              options.compaction_options_fifo.allow_compaction)
      .Number("num_levels", options.num_levels)
      .Number("level_compaction_dynamic_level_bytes",
              options.level_compaction_dynamic_level_bytes)
      .Number("compaction_pri", options.compaction_pri)
      .Number("max_compaction_bytes", options.max_compaction_bytes)
      .Number("ttl", options.ttl)
      .Number("soft_pending_compaction_bytes_limit",
              options.soft_pending_compaction_bytes_limit)
      .Number("hard_pending_compaction_bytes_limit",
              options.hard_pending_compaction_bytes_limit)
      .Number("periodic_compaction_seconds",
              options.periodic_compaction_seconds)
      .Numbers("max_bytes_for_level_multiplier_additional",
               options.max_bytes_for_level_multiplier_additional)
      .Number("target_file_size_multiplier",
              options.target_file_size_multiplier)
      .Number("max_bytes_for_level_base", options.max_bytes_for_level_base)
      .Number("max_bytes_for_level_multiplier",
              options.max_bytes_for_level_multiplier)
      .Number("target_file_size_base", options.target_file_size_base)
      .Number("disable_auto_compactions", options.disable_auto_compactions)
      .Number("compression_opts.parallel_threads",
              options.compression_opts.parallel_threads)
      .Number("compression_opts.level", options.compression_opts.level)
      .Number("compression_opts.enabled", options.compression_opts.enabled)
      .Numbers("compression_per_level", options.compression_per_level)
      .Number("bottommost_compression", options.bottommost_compression)
      .Number("bottommost_compression_opts.level",
              options.bottommost_compression_opts.level)
      .Number("bottommost_compression_opts.enabled",
              options.bottommost_compression_opts.enabled)
      .Number("table_properties_collector_factories",
              options.table_properties_collector_factories.size())
      .Name("table_factory", options.table_factory)
      .Lines(options.table_factory == nullptr
                 ? std::string()
                 : DebugString(options.table_factory->block_based_options()))
      .text();
}

std::string DebugString(const BlockBasedTableOptions& options) {
  return OptionLines()
      .Number("block_size", options.block_size)
      .Number("block_size_deviation", options.block_size_deviation)
      .Number("block_restart_interval", options.block_restart_interval)
      .Number("index_block_restart_interval",
              options.index_block_restart_interval)
      .Number("use_delta_encoding", options.use_delta_encoding)
      .Number("block_align", options.block_align)
      .Number("format_version", options.format_version)
      .Name("filter_policy", options.filter_policy)
      .Number("whole_key_filtering", options.whole_key_filtering)
      .Number("index_type", options.index_type)
      .Number("partition_filters", options.partition_filters)
      .Number("decouple_partitioned_filters",
              options.decouple_partitioned_filters)
      .Number("metadata_block_size", options.metadata_block_size)
      .Number("index_shortening", options.index_shortening)
      .Number("data_block_index_type", options.data_block_index_type)
      .Number("data_block_hash_table_util_ratio",
              options.data_block_hash_table_util_ratio)
      .Number("range_filter", options.range_filter)
      .Number("range_filter_bits_per_key", options.range_filter_bits_per_key)
      .Number("checksum", options.checksum)
      .Name("block_cache", options.block_cache)
      .Number("no_block_cache", options.no_block_cache)
      .Number("cache_index_and_filter_blocks",
              options.cache_index_and_filter_blocks)
      .Number("max_decompressed_block_bytes",
              options.max_decompressed_block_bytes)
      .text();
}

}  // namespace tamis
