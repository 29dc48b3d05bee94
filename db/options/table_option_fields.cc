// SPDX-License-Identifier: Apache-2.0
#include "db/options/option_fields.h"

namespace tamis {

namespace table_fields {

template <auto kMember>
constexpr OptionField<BlockBasedTableOptions> Common(
    std::string_view name, bool live = kFixedWhileOpen) {
  return MakeField<BlockBasedTableOptions, kMember>(name, OptionKind::kCommon,
                                                    live);
}
template <auto kMember>
constexpr OptionField<BlockBasedTableOptions> Tamis(
    std::string_view name, bool live = kFixedWhileOpen) {
  return MakeField<BlockBasedTableOptions, kMember>(name, OptionKind::kTamis,
                                                    live);
}
template <auto kMember>
constexpr OptionField<BlockBasedTableOptions> Ignored(std::string_view name) {
  return MakeField<BlockBasedTableOptions, kMember>(name, OptionKind::kIgnored,
                                                    kFixedWhileOpen);
}

using T = BlockBasedTableOptions;

using M = MetadataCacheOptions;

constexpr OptionField<MetadataCacheOptions> kMetadataCacheFields[] = {
    MakeField<M, &M::top_level_index_pinning>(
        "top_level_index_pinning", OptionKind::kCommon, kFixedWhileOpen),
    MakeField<M, &M::partition_pinning>("partition_pinning",
                                        OptionKind::kCommon, kFixedWhileOpen),
    MakeField<M, &M::unpartitioned_pinning>(
        "unpartitioned_pinning", OptionKind::kCommon, kFixedWhileOpen),
};

// Those that say how new tables are written may change at any time: every table
// describes its own format.
constexpr OptionField<BlockBasedTableOptions> kFields[] = {
    Common<&T::block_size>("block_size", kLive),
    Common<&T::block_size_deviation>("block_size_deviation", kLive),
    Common<&T::block_restart_interval>("block_restart_interval", kLive),
    Common<&T::index_block_restart_interval>("index_block_restart_interval",
                                             kLive),
    Tamis<&T::use_delta_encoding>("use_delta_encoding", kLive),
    Common<&T::block_align>("block_align", kLive),
    Common<&T::enable_index_compression>("enable_index_compression", kLive),
    Common<&T::verify_compression>("verify_compression", kLive),
    Common<&T::format_version>("format_version", kLive),
    Common<&T::filter_policy>("filter_policy", kLive),
    Common<&T::whole_key_filtering>("whole_key_filtering", kLive),
    Common<&T::index_type>("index_type", kLive),
    Common<&T::partition_filters>("partition_filters", kLive),
    Common<&T::detect_filter_construct_corruption>(
        "detect_filter_construct_corruption", kLive),
    Tamis<&T::decouple_partitioned_filters>("decouple_partitioned_filters",
                                            kLive),
    Common<&T::metadata_block_size>("metadata_block_size", kLive),
    Common<&T::index_shortening>("index_shortening", kLive),
    Common<&T::data_block_index_type>("data_block_index_type", kLive),
    Common<&T::prepopulate_block_cache>("prepopulate_block_cache", kLive),
    Common<&T::data_block_hash_table_util_ratio>(
        "data_block_hash_table_util_ratio", kLive),
    Tamis<&T::range_filter>("range_filter", kLive),
    Tamis<&T::range_filter_bits_per_key>("range_filter_bits_per_key", kLive),
    Common<&T::checksum>("checksum", kLive),
    MakeParsedField<T, &T::block_cache>("block_cache"),
    Common<&T::no_block_cache>("no_block_cache"),
    Common<&T::cache_index_and_filter_blocks>("cache_index_and_filter_blocks"),
    Common<&T::cache_index_and_filter_blocks_with_high_priority>(
        "cache_index_and_filter_blocks_with_high_priority"),
    Common<&T::metadata_cache_options>("metadata_cache_options"),
    Common<&T::pin_l0_filter_and_index_blocks_in_cache>(
        "pin_l0_filter_and_index_blocks_in_cache"),
    Common<&T::pin_top_level_index_and_filter>(
        "pin_top_level_index_and_filter"),
    Tamis<&T::max_decompressed_block_bytes>("max_decompressed_block_bytes"),

    Ignored<&T::optimize_filters_for_memory>("optimize_filters_for_memory"),
    Ignored<&T::read_amp_bytes_per_bit>("read_amp_bytes_per_bit"),
    MakeParsedField<T, &T::block_cache_compressed>("block_cache_compressed",
                                                   OptionKind::kIgnoredObject),
};

// Of RocksDB 6.29 to 11.9.
constexpr MissingOption kMissing[] = {
    {"cache_usage_options", "*"},
    {"fail_if_no_udi_on_open", "*"},
    {"flush_block_policy_factory", "FlushBlockBySizePolicyFactory"},
    {"hash_index_allow_collision", "*"},
    {"index_block_search_type", "*"},
    {"initial_auto_readahead_size", "*"},
    {"max_auto_readahead_size", "*"},
    {"num_file_reads_for_auto_readahead", "*"},
    {"persistent_cache", "nullptr"},
    {"reserve_table_builder_memory", "*"},
    {"separate_key_value_in_data_block", "false"},
    {"super_block_alignment_size", "0"},
    {"super_block_alignment_space_overhead_ratio", "*"},
    {"uniform_cv_threshold", "*"},
    {"use_udi_as_primary_index", "false"},
    {"user_defined_index_factory", "nullptr"},
};

template <auto kMember>
constexpr OptionField<PlainTableOptions> Plain(
    std::string_view name, OptionKind kind = OptionKind::kCommon) {
  return MakeField<PlainTableOptions, kMember>(name, kind, kLive);
}

using P = PlainTableOptions;

constexpr OptionField<PlainTableOptions> kPlainFields[] = {
    Plain<&P::user_key_len>("user_key_len"),
    Plain<&P::bloom_bits_per_key>("bloom_bits_per_key"),
    Plain<&P::hash_table_ratio>("hash_table_ratio"),
    Plain<&P::index_sparseness>("index_sparseness"),
    Plain<&P::encoding_type>("encoding_type"),
    Plain<&P::store_index_in_file>("store_index_in_file"),
    Plain<&P::huge_page_tlb_size>("huge_page_tlb_size", OptionKind::kIgnored),
    Plain<&P::full_scan_mode>("full_scan_mode", OptionKind::kIgnored),
};

template <auto kMember>
constexpr OptionField<CuckooTableOptions> Cuckoo(std::string_view name) {
  return MakeField<CuckooTableOptions, kMember>(name, OptionKind::kCommon,
                                                kLive);
}

using H = CuckooTableOptions;

constexpr OptionField<CuckooTableOptions> kCuckooFields[] = {
    Cuckoo<&H::hash_table_ratio>("hash_table_ratio"),
    Cuckoo<&H::max_search_depth>("max_search_depth"),
    Cuckoo<&H::cuckoo_block_size>("cuckoo_block_size"),
    Cuckoo<&H::identity_as_first_hash>("identity_as_first_hash"),
    Cuckoo<&H::use_module_hash>("use_module_hash"),
};

}  // namespace table_fields

template <>
const OptionTable<PlainTableOptions>& OptionTableOf() {
  static constexpr OptionTable<PlainTableOptions> kTable{
      table_fields::kPlainFields, {}};
  return kTable;
}

template <>
const OptionTable<CuckooTableOptions>& OptionTableOf() {
  static constexpr OptionTable<CuckooTableOptions> kTable{
      table_fields::kCuckooFields, {}};
  return kTable;
}

template <>
const OptionTable<MetadataCacheOptions>& OptionTableOf() {
  static constexpr OptionTable<MetadataCacheOptions> kTable{
      table_fields::kMetadataCacheFields, {}};
  return kTable;
}

template <>
const OptionTable<BlockBasedTableOptions>& OptionTableOf() {
  static constexpr OptionTable<BlockBasedTableOptions> kTable{
      table_fields::kFields, table_fields::kMissing};
  return kTable;
}

}  // namespace tamis
