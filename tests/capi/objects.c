// SPDX-License-Identifier: Apache-2.0
//
// Objects that options take: tables, caches, filters, rate limiters,
// environments; options as text and from a directory; counters.
#include "program.h"

static tamis_block_based_table_options_t* Tables(tamis_cache_t* cache,
                                                 tamis_filterpolicy_t* filter) {
  tamis_block_based_table_options_t* t = tamis_block_based_options_create();
  tamis_block_based_options_set_block_cache(t, cache);
  tamis_block_based_options_set_filter_policy(t, filter);
  tamis_block_based_options_set_block_size(t, 1024);
  tamis_block_based_options_set_block_size_deviation(t, 5);
  tamis_block_based_options_set_block_restart_interval(t, 8);
  tamis_block_based_options_set_index_block_restart_interval(t, 2);
  tamis_block_based_options_set_metadata_block_size(t, 2048);
  tamis_block_based_options_set_index_type(
      t, tamis_block_based_table_index_type_two_level_index_search);
  tamis_block_based_options_set_partition_filters(t, 1);
  tamis_block_based_options_set_use_delta_encoding(t, 1);
  tamis_block_based_options_set_whole_key_filtering(t, 1);
  tamis_block_based_options_set_format_version(t, 5);
  tamis_block_based_options_set_checksum(t, 4);
  tamis_block_based_options_set_cache_index_and_filter_blocks(t, 1);
  tamis_block_based_options_set_cache_index_and_filter_blocks_with_high_priority(
      t, 1);
  tamis_block_based_options_set_pin_top_level_index_and_filter(t, 1);
  tamis_block_based_options_set_data_block_index_type(
      t, tamis_block_based_table_data_block_index_type_binary_search_and_hash);
  tamis_block_based_options_set_data_block_hash_ratio(t, 0.5);
  tamis_block_based_options_set_no_block_cache(t, 0);
  return t;
}

static void Fill(tamis_t* db) {
  char key[32];
  char value[64];
  for (int i = 0; i < 2000; ++i) {
    snprintf(key, sizeof key, "key%06d", i);
    snprintf(value, sizeof value, "a value of the key with the number %d", i);
    Put(db, key, value);
  }
  Flush(db);
}

// With a filter, keys that are absent are turned away by it.
static void FilteredReads(const char* path, tamis_filterpolicy_t* filter) {
  tamis_cache_t* cache = tamis_cache_create_lru(4 << 20);
  tamis_block_based_table_options_t* tables = Tables(cache, filter);
  tamis_options_t* options = NewOptions();
  tamis_options_set_block_based_table_factory(options, tables);
  tamis_block_based_options_destroy(tables);
  tamis_options_enable_statistics(options);
  tamis_t* db = Open(options, path);
  Fill(db);

  tamis_set_perf_level(tamis_enable_count);
  tamis_perfcontext_t* perf = tamis_perfcontext_create();
  tamis_perfcontext_reset(perf);
  tamis_readoptions_t* r = tamis_readoptions_create();
  int found = 0;
  for (int i = 0; i < 1000; ++i) {
    char key[32];
    snprintf(key, sizeof key, "key%06dx", i);
    size_t size = 0;
    char* value = tamis_get(db, r, key, strlen(key), &size, &err);
    CHECK_OK();
    found += value != NULL;
    tamis_free(value);
  }
  const uint64_t misses =
      tamis_perfcontext_metric(perf, tamis_bloom_sst_miss_count);
  printf("found %d, most are turned away: %d\n", found, misses > 900);
  CHECK(tamis_perfcontext_metric(perf, tamis_total_metric_count + 1) == 0);
  char* report = tamis_perfcontext_report(perf, 1);
  CHECK(strstr(report, "bloom_sst_miss_count = ") != NULL);
  tamis_free(report);
  tamis_perfcontext_reset(perf);
  CHECK(tamis_perfcontext_metric(perf, tamis_bloom_sst_miss_count) == 0);
  tamis_perfcontext_destroy(perf);

  char* statistics = tamis_options_statistics_get_string(options);
  CHECK(strstr(statistics, "rocksdb.bloom.filter.useful COUNT : ") != NULL);
  tamis_free(statistics);

  PrintGet(db, "key000007");
  CHECK(tamis_cache_get_capacity(cache) == 4 << 20);
  CHECK(tamis_cache_get_usage(cache) > 0);
  (void)tamis_cache_get_pinned_usage(cache);
  tamis_cache_set_capacity(cache, 1 << 20);
  printf("capacity %zu\n", tamis_cache_get_capacity(cache));
  // The options hold the cache.
  tamis_cache_destroy(cache);
  PrintGet(db, "key000008");
  tamis_readoptions_destroy(r);
  tamis_close(db);
  tamis_destroy_db(options, path, &err);
  CHECK_OK();
  tamis_options_destroy(options);
}

static void Caches(void) {
  tamis_lru_cache_options_t* lru = tamis_lru_cache_options_create();
  tamis_lru_cache_options_set_capacity(lru, 12345678);
  tamis_lru_cache_options_set_num_shard_bits(lru, 2);
  tamis_cache_t* cache = tamis_cache_create_lru_opts(lru);
  printf("capacity %zu\n", tamis_cache_get_capacity(cache));
  tamis_cache_disown_data(cache);
  tamis_lru_cache_options_destroy(lru);
  tamis_cache_t* strict =
      tamis_cache_create_lru_with_strict_capacity_limit(1 << 20);
  printf("capacity %zu\n", tamis_cache_get_capacity(strict));
  tamis_cache_destroy(strict);
  // RocksDB gives no disowned memory back.
  tamis_cache_destroy(cache);
  tamis_filterpolicy_destroy(tamis_filterpolicy_create_bloom(10));
}

static void EnvAndLimits(const char* path) {
  tamis_env_t* env = tamis_create_default_env();
  tamis_env_set_background_threads(env, 3);
  tamis_env_set_high_priority_background_threads(env, 2);
  printf("threads %d %d\n", tamis_env_get_background_threads(env),
         tamis_env_get_high_priority_background_threads(env));
  tamis_env_set_low_priority_background_threads(env, 2);
  printf("threads %d\n", tamis_env_get_low_priority_background_threads(env));
  tamis_env_lower_thread_pool_io_priority(env);
  tamis_env_lower_high_priority_thread_pool_io_priority(env);
  tamis_env_lower_thread_pool_cpu_priority(env);
  tamis_env_lower_high_priority_thread_pool_cpu_priority(env);
  char directory[512];
  snprintf(directory, sizeof directory, "%s_directory", path);
  tamis_create_dir_if_missing(env, directory, &err);
  tamis_create_dir_if_missing(env, directory, &err);
  CHECK_OK();

  tamis_options_t* options = NewOptions();
  tamis_options_set_env(options, env);
  tamis_ratelimiter_t* limiter = tamis_ratelimiter_create(1 << 30, 100000, 10);
  tamis_options_set_ratelimiter(options, limiter);
  tamis_ratelimiter_destroy(limiter);
  tamis_options_set_uint64add_merge_operator(options);
  tamis_cache_t* rows = tamis_cache_create_lru(1 << 20);
  tamis_options_set_row_cache(options, rows);
  tamis_block_based_table_options_t* table = tamis_block_based_options_create();
  tamis_block_based_options_set_block_cache_compressed(table, rows);
  tamis_options_set_block_based_table_factory(options, table);
  tamis_block_based_options_destroy(table);
  tamis_cache_destroy(rows);
  tamis_t* db = Open(options, directory);
  tamis_env_destroy(env);
  tamis_writeoptions_t* w = tamis_writeoptions_create();
  const char one[8] = {1, 0, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 5; ++i) tamis_merge(db, w, "n", 1, one, 8, &err);
  CHECK_OK();
  tamis_writeoptions_destroy(w);
  Flush(db);
  tamis_compact_range(db, NULL, 0, NULL, 0);
  tamis_readoptions_t* r = tamis_readoptions_create();
  size_t size = 0;
  char* value = tamis_get(db, r, "n", 1, &size, &err);
  CHECK_OK();
  CHECK(size == 8);
  printf("sum %d\n", value[0]);
  tamis_free(value);
  tamis_readoptions_destroy(r);
  tamis_close(db);
  tamis_options_destroy(options);
}

static void OptionsAsText(const char* path) {
  tamis_options_t* base = NewOptions();
  tamis_options_t* options = tamis_options_create();
  tamis_get_options_from_string(
      base, "write_buffer_size=1234567;compression=kLZ4Compression", options,
      &err);
  CHECK_OK();
  printf("write_buffer_size %zu, compression %d, create_if_missing %d\n",
         tamis_options_get_write_buffer_size(options),
         tamis_options_get_compression(options),
         tamis_options_get_create_if_missing(options));
  tamis_get_options_from_string(base, "no_such_option=1", options, &err);
  PrintError("an option that does not exist");
  // RocksDB has reset it.
  tamis_options_set_write_buffer_size(options, 1234567);
  tamis_options_set_create_if_missing(options, 1);
  tamis_options_set_num_levels(options, 5);
  const int compressions[] = {tamis_no_compression, tamis_zstd_compression};
  tamis_options_set_compression_per_level(options, compressions, 2);
  tamis_options_set_min_level_to_compress(options, 2);
  int additional[] = {1, 2, 3, 4, 5};
  tamis_options_set_max_bytes_for_level_multiplier_additional(options,
                                                              additional, 5);
  tamis_options_set_compression_options(options, -14, 3, 0, 4096);
  tamis_options_set_bottommost_compression_options(options, -14, 5, 0, 8192, 1);
  tamis_options_set_bottommost_compression_options_zstd_max_train_bytes(
      options, 65536, 1);
  tamis_options_set_bottommost_compression_options_max_dict_buffer_bytes(
      options, 1 << 20, 1);
  tamis_universal_compaction_options_t* universal =
      tamis_universal_compaction_options_create();
  tamis_universal_compaction_options_set_size_ratio(universal, 7);
  tamis_options_set_universal_compaction_options(options, universal);
  tamis_universal_compaction_options_destroy(universal);
  tamis_fifo_compaction_options_t* fifo =
      tamis_fifo_compaction_options_create();
  tamis_fifo_compaction_options_set_max_table_files_size(fifo, 4242);
  tamis_options_set_fifo_compaction_options(options, fifo);
  tamis_fifo_compaction_options_destroy(fifo);
  tamis_options_set_create_if_missing(options, 1);
  tamis_t* db = Open(options, path);
  tamis_close(db);
  tamis_options_destroy(options);
  tamis_options_destroy(base);

  tamis_env_t* env = tamis_create_default_env();
  tamis_cache_t* cache = tamis_cache_create_lru(1 << 20);
  tamis_options_t** family_options = NULL;
  char** names = NULL;
  size_t count = 0;
  tamis_load_latest_options(path, env, false, cache, &options, &count, &names,
                            &family_options, &err);
  CHECK_OK();
  CHECK(count == 1);
  printf("%s: write_buffer_size %zu, num_levels %d, style %d\n", names[0],
         tamis_options_get_write_buffer_size(family_options[0]),
         tamis_options_get_num_levels(family_options[0]),
         tamis_options_get_compaction_style(family_options[0]));
  tamis_load_latest_options_destroy(options, names, family_options, count);
  tamis_load_latest_options("/no/such/directory", env, false, cache, &options,
                            &count, &names, &family_options, &err);
  CHECK(err != NULL);  // RocksDB: NotFound, Tamis: IO error
  tamis_free(err);
  err = NULL;
  tamis_cache_destroy(cache);
  tamis_env_destroy(env);
}

// A database in memory, that is there as long as its environment.
static void InMemory(const char* path) {
  tamis_env_t* env = tamis_create_mem_env();
  tamis_options_t* options = NewOptions();
  tamis_options_set_create_if_missing(options, 1);
  tamis_options_set_env(options, env);
  tamis_t* db = Open(options, path);
  tamis_writeoptions_t* write_options = tamis_writeoptions_create();
  tamis_put(db, write_options, "key", 3, "value", 5, &err);
  CHECK_OK();
  tamis_close(db);
  db = Open(options, path);
  tamis_readoptions_t* read_options = tamis_readoptions_create();
  size_t size = 0;
  char* value = tamis_get(db, read_options, "key", 3, &size, &err);
  CHECK_OK();
  printf("in memory: %.*s\n", (int)size, value);
  tamis_free(value);
  tamis_readoptions_destroy(read_options);
  tamis_writeoptions_destroy(write_options);
  tamis_close(db);
  tamis_options_destroy(options);
  tamis_env_join_all_threads(env);
  tamis_env_destroy(env);
  FILE* on_disk = fopen(path, "r");
  printf("on the disk: %d\n", on_disk != NULL);
  if (on_disk != NULL) fclose(on_disk);
}

static void Presets(const char* path) {
  tamis_options_t* options = NewOptions();
  tamis_options_increase_parallelism(options, 5);
  tamis_options_optimize_level_style_compaction(options, 64 << 20);
  printf("jobs %d, buffers %d of %zu\n",
         tamis_options_get_max_background_jobs(options),
         tamis_options_get_max_write_buffer_number(options),
         tamis_options_get_write_buffer_size(options));
  tamis_options_optimize_universal_style_compaction(options, 64 << 20);
  printf("style %d\n", tamis_options_get_compaction_style(options));
  tamis_options_set_compaction_style(options, tamis_level_compaction);
  tamis_options_optimize_for_point_lookup(options, 8);
  tamis_options_t* bulk_load = NewOptions();
  tamis_options_prepare_for_bulk_load(bulk_load);
  printf("bulk load: %d %d\n", tamis_options_get_num_levels(bulk_load),
         tamis_options_get_disable_auto_compactions(bulk_load));
  tamis_options_destroy(bulk_load);
  tamis_options_set_compression(options, tamis_no_compression);
  const int none[] = {0, 0, 0, 0, 0, 0, 0};
  tamis_options_set_compression_per_level(options, none, 7);
  tamis_t* db = Open(options, path);
  Put(db, "k", "v");
  PrintGet(db, "k");
  tamis_close(db);
  tamis_options_destroy(options);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  FilteredReads(argv[1], tamis_filterpolicy_create_bloom_full(10));
  FilteredReads(argv[1], tamis_filterpolicy_create_ribbon(10));
  FilteredReads(argv[1], tamis_filterpolicy_create_ribbon_hybrid(10, 1));
  Caches();
  EnvAndLimits(argv[1]);
  OptionsAsText(argv[1]);
  char path[512];
  snprintf(path, sizeof path, "%s_presets", argv[1]);
  Presets(path);
  InMemory("/in/memory/database");
  return 0;
}
