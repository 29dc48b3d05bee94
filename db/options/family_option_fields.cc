// SPDX-License-Identifier: Apache-2.0
#include "db/options/option_fields.h"

namespace tamis {

namespace family_fields {

template <auto kMember>
constexpr OptionField<ColumnFamilyOptions> Common(std::string_view name,
                                                  bool live = kFixedWhileOpen) {
  return MakeField<ColumnFamilyOptions, kMember>(name, OptionKind::kCommon,
                                                 live);
}
template <auto kMember>
constexpr OptionField<ColumnFamilyOptions> Ignored(std::string_view name) {
  return MakeField<ColumnFamilyOptions, kMember>(name, OptionKind::kIgnored,
                                                 kFixedWhileOpen);
}

template <auto kMember>
constexpr OptionField<ColumnFamilyOptions> Object(std::string_view name) {
  return MakeObjectField<ColumnFamilyOptions, kMember>(name);
}

using C = ColumnFamilyOptions;

constexpr OptionField<ColumnFamilyOptions> kFields[] = {
    Common<&C::comparator>("comparator"),
    Common<&C::write_buffer_size>("write_buffer_size", kLive),
    Common<&C::max_write_buffer_number>("max_write_buffer_number", kLive),
    Common<&C::memtable_prefix_bloom_size_ratio>(
        "memtable_prefix_bloom_size_ratio", kLive),
    Common<&C::memtable_whole_key_filtering>("memtable_whole_key_filtering",
                                             kLive),
    Common<&C::compression>("compression", kLive),
    Common<&C::compression_opts>("compression_opts", kLive),
    Common<&C::merge_operator>("merge_operator"),
    Common<&C::prefix_extractor>("prefix_extractor", kLive),
    Common<&C::optimize_filters_for_hits>("optimize_filters_for_hits", kLive),
    Common<&C::level0_file_num_compaction_trigger>(
        "level0_file_num_compaction_trigger", kLive),
    Common<&C::level0_slowdown_writes_trigger>("level0_slowdown_writes_trigger",
                                               kLive),
    Common<&C::level0_stop_writes_trigger>("level0_stop_writes_trigger", kLive),
    Common<&C::max_bytes_for_level_base>("max_bytes_for_level_base", kLive),
    Common<&C::max_bytes_for_level_multiplier>("max_bytes_for_level_multiplier",
                                               kLive),
    Common<&C::target_file_size_base>("target_file_size_base", kLive),
    Common<&C::disable_auto_compactions>("disable_auto_compactions", kLive),
    Common<&C::paranoid_file_checks>("paranoid_file_checks", kLive),
    Common<&C::table_factory>("table_factory", kLive),
    Common<&C::min_write_buffer_number_to_merge>(
        "min_write_buffer_number_to_merge"),
    Common<&C::compression_per_level>("compression_per_level", kLive),
    Common<&C::bottommost_compression>("bottommost_compression", kLive),
    Common<&C::bottommost_compression_opts>("bottommost_compression_opts",
                                            kLive),
    Common<&C::inplace_update_support>("inplace_update_support"),
    Object<&C::cf_paths>("cf_paths"),
    Object<&C::compaction_filter>("compaction_filter"),
    Object<&C::compaction_filter_factory>("compaction_filter_factory"),
    Object<&C::sst_partitioner_factory>("sst_partitioner_factory"),
    Object<&C::table_properties_collector_factories>(
        "table_properties_collector_factories"),
    Common<&C::compaction_style>("compaction_style"),
    Common<&C::compaction_options_universal>("compaction_options_universal",
                                             kLive),
    Common<&C::compaction_options_fifo>("compaction_options_fifo", kLive),
    Common<&C::num_levels>("num_levels"),
    Common<&C::max_bytes_for_level_multiplier_additional>(
        "max_bytes_for_level_multiplier_additional", kLive),
    Common<&C::level_compaction_dynamic_level_bytes>(
        "level_compaction_dynamic_level_bytes"),
    // RocksDB has it since 10.0.
    MakeField<C, &C::cf_allow_ingest_behind>(
        "cf_allow_ingest_behind", OptionKind::kTamis, kFixedWhileOpen),
    Common<&C::compaction_pri>("compaction_pri"),
    Common<&C::target_file_size_multiplier>("target_file_size_multiplier",
                                            kLive),
    Common<&C::max_compaction_bytes>("max_compaction_bytes", kLive),
    Common<&C::ttl>("ttl", kLive),
    Common<&C::periodic_compaction_seconds>("periodic_compaction_seconds",
                                            kLive),
    Common<&C::soft_pending_compaction_bytes_limit>(
        "soft_pending_compaction_bytes_limit", kLive),
    Common<&C::hard_pending_compaction_bytes_limit>(
        "hard_pending_compaction_bytes_limit", kLive),

    Ignored<&C::max_sequential_skip_in_iterations>(
        "max_sequential_skip_in_iterations"),
    Ignored<&C::arena_block_size>("arena_block_size"),
    Ignored<&C::memtable_huge_page_size>("memtable_huge_page_size"),
    Ignored<&C::bloom_locality>("bloom_locality"),
    Ignored<&C::inplace_update_num_locks>("inplace_update_num_locks"),
    Ignored<&C::max_write_buffer_size_to_maintain>(
        "max_write_buffer_size_to_maintain"),
    Ignored<&C::max_write_buffer_number_to_maintain>(
        "max_write_buffer_number_to_maintain"),
    Ignored<&C::experimental_mempurge_threshold>(
        "experimental_mempurge_threshold"),
    Ignored<&C::max_successive_merges>("max_successive_merges"),
    Ignored<&C::force_consistency_checks>("force_consistency_checks"),
    Ignored<&C::check_flush_compaction_key_order>(
        "check_flush_compaction_key_order"),
    Ignored<&C::report_bg_io_stats>("report_bg_io_stats"),
    Ignored<&C::sample_for_compression>("sample_for_compression"),
    Ignored<&C::memtable_factory>("memtable_factory"),
    Ignored<&C::enable_blob_files>("enable_blob_files"),
    Ignored<&C::min_blob_size>("min_blob_size"),
    Ignored<&C::blob_file_size>("blob_file_size"),
    Ignored<&C::blob_compression_type>("blob_compression_type"),
    Ignored<&C::enable_blob_garbage_collection>(
        "enable_blob_garbage_collection"),
    Ignored<&C::blob_garbage_collection_age_cutoff>(
        "blob_garbage_collection_age_cutoff"),
    Ignored<&C::blob_garbage_collection_force_threshold>(
        "blob_garbage_collection_force_threshold"),
    Ignored<&C::blob_compaction_readahead_size>(
        "blob_compaction_readahead_size"),
    Ignored<&C::blob_file_starting_level>("blob_file_starting_level"),
    MakeParsedField<C, &C::blob_cache>("blob_cache",
                                       OptionKind::kIgnoredObject),
    Ignored<&C::prepopulate_blob_cache>("prepopulate_blob_cache"),
};

// Of RocksDB 6.29 to 11.9.
constexpr MissingOption kMissing[] = {
    {"blob_compression_opts", "*"},
    {"blob_direct_write_partitions", "*"},
    {"block_protection_bytes_per_key", "0"},
    {"bottommost_file_compaction_delay", "*"},
    {"bottommost_temperature", "*"},
    {"compression_manager", "nullptr"},
    {"default_temperature", "*"},
    {"default_write_temperature", "*"},
    {"disallow_memtable_writes", "false"},
    {"enable_blob_direct_write", "false"},
    {"ignore_max_compaction_bytes_for_input", "*"},
    {"last_level_temperature", "*"},
    {"level_compaction_dynamic_file_size", "*"},
    {"memtable_avg_op_scan_flush_trigger", "*"},
    {"memtable_batch_lookup_optimization", "*"},
    {"memtable_insert_with_hint_prefix_extractor", "*"},
    {"memtable_max_range_deletions", "*"},
    {"memtable_op_scan_flush_trigger", "*"},
    {"memtable_protection_bytes_per_key", "0"},
    {"memtable_verify_per_key_checksum_on_seek", "false"},
    {"min_tombstones_for_range_conversion", "*"},
    {"paranoid_memory_checks", "false"},
    {"persist_user_defined_timestamps", "*"},
    {"preclude_last_level_data_seconds", "*"},
    {"preserve_internal_time_seconds", "*"},
    {"read_triggered_compaction_threshold", "*"},
    {"strict_max_successive_merges", "*"},
    {"target_file_size_is_upper_bound", "*"},
    {"uncache_aggressiveness", "*"},
    {"verify_output_flags", "0"},
};

constexpr OptionField<CompressionOptions> kCompressionFields[] = {
    MakeField<CompressionOptions, &CompressionOptions::parallel_threads>(
        "parallel_threads", OptionKind::kCommon, kLive),
    MakeField<CompressionOptions, &CompressionOptions::level>(
        "level", OptionKind::kCommon, kLive),
    MakeField<CompressionOptions, &CompressionOptions::enabled>(
        "enabled", OptionKind::kCommon, kLive),
    MakeField<CompressionOptions, &CompressionOptions::max_dict_bytes>(
        "max_dict_bytes", OptionKind::kCommon, kLive),
    MakeField<CompressionOptions, &CompressionOptions::zstd_max_train_bytes>(
        "zstd_max_train_bytes", OptionKind::kCommon, kLive),
    MakeField<CompressionOptions, &CompressionOptions::max_dict_buffer_bytes>(
        "max_dict_buffer_bytes", OptionKind::kCommon, kLive),
    // RocksDB has it since 7.4.
    MakeField<CompressionOptions, &CompressionOptions::use_zstd_dict_trainer>(
        "use_zstd_dict_trainer", OptionKind::kTamis, kLive),
};

constexpr MissingOption kMissingCompression[] = {
    {"checksum", "*"},
    {"max_compressed_bytes_per_kb", "896"},
    {"strategy", "0"},
    {"window_bits", "-14"},
};

template <auto kMember>
constexpr OptionField<CompactionOptionsUniversal> Universal(
    std::string_view name) {
  return MakeField<CompactionOptionsUniversal, kMember>(
      name, OptionKind::kCommon, kLive);
}

using U = CompactionOptionsUniversal;

constexpr OptionField<CompactionOptionsUniversal> kUniversalFields[] = {
    Universal<&U::size_ratio>("size_ratio"),
    Universal<&U::min_merge_width>("min_merge_width"),
    Universal<&U::max_merge_width>("max_merge_width"),
    Universal<&U::max_size_amplification_percent>(
        "max_size_amplification_percent"),
    Universal<&U::compression_size_percent>("compression_size_percent"),
    Universal<&U::stop_style>("stop_style"),
    Universal<&U::allow_trivial_move>("allow_trivial_move"),
};

constexpr MissingOption kMissingUniversal[] = {
    {"incremental", "false"},
    {"max_read_amp", "-1"},
    {"reduce_file_locking", "*"},
};

using F = CompactionOptionsFIFO;

constexpr OptionField<CompactionOptionsFIFO> kFifoFields[] = {
    MakeField<F, &F::max_table_files_size>("max_table_files_size",
                                           OptionKind::kCommon, kLive),
    MakeField<F, &F::allow_compaction>("allow_compaction", OptionKind::kCommon,
                                       kLive),
};

constexpr MissingOption kMissingFifo[] = {
    {"age_for_warm", "*"},
    {"allow_trivial_copy_when_change_temperature", "*"},
    {"file_temperature_age_thresholds", ""},
    {"max_data_files_size", "0"},
    {"trivial_copy_buffer_size", "*"},
    {"ttl", "0"},
    {"use_kv_ratio_compaction", "false"},
};

}  // namespace family_fields

template <>
const OptionTable<ColumnFamilyOptions>& OptionTableOf() {
  static constexpr OptionTable<ColumnFamilyOptions> kTable{
      family_fields::kFields, family_fields::kMissing};
  return kTable;
}

template <>
const OptionTable<CompressionOptions>& OptionTableOf() {
  static constexpr OptionTable<CompressionOptions> kTable{
      family_fields::kCompressionFields, family_fields::kMissingCompression};
  return kTable;
}

template <>
const OptionTable<CompactionOptionsUniversal>& OptionTableOf() {
  static constexpr OptionTable<CompactionOptionsUniversal> kTable{
      family_fields::kUniversalFields, family_fields::kMissingUniversal};
  return kTable;
}

template <>
const OptionTable<CompactionOptionsFIFO>& OptionTableOf() {
  static constexpr OptionTable<CompactionOptionsFIFO> kTable{
      family_fields::kFifoFields, family_fields::kMissingFifo};
  return kTable;
}

}  // namespace tamis
