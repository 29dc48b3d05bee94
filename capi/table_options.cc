// SPDX-License-Identifier: Apache-2.0
//
// Options of tables: of block-based ones, a setter and a getter for each field.
#include "capi/call.h"
#include "capi/option_fields.h"
#include "capi/types.h"

#define TABLE_FIELD(set, get, name, field)                                   \
  TAMIS_C_FIELD(block_based_options, tamis_block_based_table_options_t, set, \
                get, name, field)

TABLE_FIELD(size_t, size_t, block_size, block_size)
TABLE_FIELD(int, int, block_size_deviation, block_size_deviation)
TABLE_FIELD(int, int, block_restart_interval, block_restart_interval)
TABLE_FIELD(int, int, index_block_restart_interval,
            index_block_restart_interval)
TABLE_FIELD(unsigned char, unsigned char, use_delta_encoding,
            use_delta_encoding)
TABLE_FIELD(unsigned char, unsigned char, block_align, block_align)
TABLE_FIELD(int, int, format_version, format_version)
TABLE_FIELD(unsigned char, unsigned char, whole_key_filtering,
            whole_key_filtering)
TABLE_FIELD(int, int, index_type, index_type)
TABLE_FIELD(unsigned char, unsigned char, partition_filters, partition_filters)
TABLE_FIELD(unsigned char, unsigned char, decouple_partitioned_filters,
            decouple_partitioned_filters)
TABLE_FIELD(uint64_t, uint64_t, metadata_block_size, metadata_block_size)
TABLE_FIELD(int, int, index_shortening, index_shortening)
TABLE_FIELD(int, int, data_block_index_type, data_block_index_type)
TABLE_FIELD(double, double, data_block_hash_ratio,
            data_block_hash_table_util_ratio)
TABLE_FIELD(int, int, range_filter, range_filter)
TABLE_FIELD(double, double, range_filter_bits_per_key,
            range_filter_bits_per_key)
TABLE_FIELD(char, char, checksum, checksum)
TABLE_FIELD(unsigned char, unsigned char, no_block_cache, no_block_cache)
TABLE_FIELD(unsigned char, unsigned char, cache_index_and_filter_blocks,
            cache_index_and_filter_blocks)
TABLE_FIELD(uint64_t, uint64_t, max_decompressed_block_bytes,
            max_decompressed_block_bytes)
TABLE_FIELD(unsigned char, unsigned char,
            cache_index_and_filter_blocks_with_high_priority,
            cache_index_and_filter_blocks_with_high_priority)
TABLE_FIELD(unsigned char, unsigned char, pin_top_level_index_and_filter,
            pin_top_level_index_and_filter)
TABLE_FIELD(unsigned char, unsigned char,
            pin_l0_filter_and_index_blocks_in_cache,
            pin_l0_filter_and_index_blocks_in_cache)
TABLE_FIELD(unsigned char, unsigned char, optimize_filters_for_memory,
            optimize_filters_for_memory)
TABLE_FIELD(uint32_t, uint32_t, read_amp_bytes_per_bit, read_amp_bytes_per_bit)

#undef TABLE_FIELD

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_block_based_table_options_t* tamis_block_based_options_create(void) {
  return Create<tamis_block_based_table_options_t>();
}

void tamis_block_based_options_destroy(
    tamis_block_based_table_options_t* options) {
  delete options;
}

void tamis_block_based_options_set_filter_policy(
    tamis_block_based_table_options_t* options,
    tamis_filterpolicy_t* filter_policy) {
  options->rep.filter_policy.reset();
  if (filter_policy == nullptr) return;
  options->rep.filter_policy = std::move(filter_policy->rep);
  delete filter_policy;
}

void tamis_block_based_options_set_block_cache(
    tamis_block_based_table_options_t* options, tamis_cache_t* block_cache) {
  options->rep.block_cache.reset();
  if (block_cache != nullptr) options->rep.block_cache = block_cache->rep;
}

void tamis_block_based_options_set_block_cache_compressed(
    tamis_block_based_table_options_t* options,
    tamis_cache_t* block_cache_compressed) {
  options->rep.block_cache_compressed =
      block_cache_compressed == nullptr ? nullptr : block_cache_compressed->rep;
}

void tamis_options_set_block_based_table_factory(
    tamis_options_t* opt, tamis_block_based_table_options_t* table_options) {
  if (table_options == nullptr) return;
  Must([&] {
    opt->rep.table_factory.reset(NewBlockBasedTableFactory(table_options->rep));
  });
}

void tamis_options_set_plain_table_factory(tamis_options_t* opt,
                                           uint32_t user_key_len,
                                           int bloom_bits_per_key,
                                           double hash_table_ratio,
                                           size_t index_sparseness) {
  Must([&] {
    PlainTableOptions plain;
    plain.user_key_len = user_key_len;
    plain.bloom_bits_per_key = bloom_bits_per_key;
    plain.hash_table_ratio = hash_table_ratio;
    plain.index_sparseness = index_sparseness;
    opt->rep.table_factory.reset(NewPlainTableFactory(plain));
  });
}

void tamis_options_set_cuckoo_table_factory(
    tamis_options_t* opt, tamis_cuckoo_table_options_t* table_options) {
  if (table_options == nullptr) return;
  Must([&] {
    opt->rep.table_factory.reset(NewCuckooTableFactory(table_options->rep));
  });
}

tamis_cuckoo_table_options_t* tamis_cuckoo_options_create(void) {
  return Create<tamis_cuckoo_table_options_t>();
}

void tamis_cuckoo_options_destroy(tamis_cuckoo_table_options_t* options) {
  delete options;
}

void tamis_cuckoo_options_set_hash_ratio(tamis_cuckoo_table_options_t* options,
                                         double v) {
  options->rep.hash_table_ratio = v;
}

void tamis_cuckoo_options_set_max_search_depth(
    tamis_cuckoo_table_options_t* options, uint32_t v) {
  options->rep.max_search_depth = v;
}

void tamis_cuckoo_options_set_cuckoo_block_size(
    tamis_cuckoo_table_options_t* options, uint32_t v) {
  options->rep.cuckoo_block_size = v;
}

void tamis_cuckoo_options_set_identity_as_first_hash(
    tamis_cuckoo_table_options_t* options, unsigned char v) {
  options->rep.identity_as_first_hash = v != 0;
}

void tamis_cuckoo_options_set_use_module_hash(
    tamis_cuckoo_table_options_t* options, unsigned char v) {
  options->rep.use_module_hash = v != 0;
}

void tamis_options_set_memtable_vector_rep(tamis_options_t* opt) {
  Must([&] {
    opt->rep.memtable_factory = std::make_shared<VectorRepFactory>();
  });
}

void tamis_options_set_hash_skip_list_rep(tamis_options_t* opt,
                                          size_t bucket_count, int32_t height,
                                          int32_t branching) {
  Must([&] {
    opt->rep.memtable_factory.reset(
        NewHashSkipListRepFactory(bucket_count, height, branching));
  });
}

void tamis_options_set_hash_link_list_rep(tamis_options_t* opt,
                                          size_t bucket_count) {
  Must([&] {
    opt->rep.memtable_factory.reset(NewHashLinkListRepFactory(bucket_count));
  });
}

void tamis_options_set_blob_cache(tamis_options_t* opt,
                                  tamis_cache_t* blob_cache) {
  opt->rep.blob_cache = blob_cache == nullptr ? nullptr : blob_cache->rep;
}

tamis_filterpolicy_t* tamis_filterpolicy_create_bloom(double bits_per_key) {
  return tamis_filterpolicy_create_bloom_full(bits_per_key);
}

tamis_filterpolicy_t* tamis_filterpolicy_create_bloom_full(
    double bits_per_key) {
  return Must([&] {
    return new tamis_filterpolicy_t{std::shared_ptr<const FilterPolicy>(
        NewBloomFilterPolicy(bits_per_key))};
  });
}

tamis_filterpolicy_t* tamis_filterpolicy_create_ribbon(
    double bloom_equivalent_bits_per_key) {
  return tamis_filterpolicy_create_ribbon_hybrid(bloom_equivalent_bits_per_key,
                                                 -1);
}

tamis_filterpolicy_t* tamis_filterpolicy_create_ribbon_hybrid(
    double bloom_equivalent_bits_per_key, int bloom_before_level) {
  return Must([&] {
    return new tamis_filterpolicy_t{
        std::shared_ptr<const FilterPolicy>(NewRibbonFilterPolicy(
            bloom_equivalent_bits_per_key, bloom_before_level))};
  });
}

tamis_filterpolicy_t* tamis_filterpolicy_create_fpr(double fpr) {
  return Must([&] {
    FilterPolicyOptions options;
    options.fpr = fpr;
    return new tamis_filterpolicy_t{
        std::shared_ptr<const FilterPolicy>(NewFilterPolicy(options))};
  });
}

tamis_filterpolicy_t* tamis_filterpolicy_create_budget(uint64_t bytes) {
  return Must([&] {
    return new tamis_filterpolicy_t{
        std::shared_ptr<const FilterPolicy>(NewBudgetFilterPolicy(bytes))};
  });
}

void tamis_filterpolicy_destroy(tamis_filterpolicy_t* policy) { delete policy; }
