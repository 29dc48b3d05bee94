// SPDX-License-Identifier: Apache-2.0
//
// What RocksDB 7.8.3 has no function for, or does in another way: listeners,
// table filters, export and import, waits, managers, loggers, and errors that a
// batch keeps.
#include <errno.h>
#include <unistd.h>

#include "program.h"

static int freed = 0;
static int flushes_begun = 0;
static int flushes = 0;
static int compactions_begun = 0;
static int compactions = 0;
static int sealed = 0;
static int ingested = 0;
static int lines = 0;

static void Free(void* state) {
  CHECK(state == &freed);
  ++freed;
}

static void OnFlushBegin(void* state, tamis_t* db,
                         const tamis_flushjobinfo_t* info) {
  (void)info;
  CHECK(state == &freed && db != NULL);
  ++flushes_begun;
}
static void OnFlush(void* state, tamis_t* db,
                    const tamis_flushjobinfo_t* info) {
  CHECK(state == &freed && db != NULL);
  size_t size = 0;
  const char* name = tamis_flushjobinfo_cf_name(info, &size);
  CHECK(size == 7 && memcmp(name, "default", 7) == 0);
  (void)tamis_flushjobinfo_file_path(info, &size);
  CHECK(size > 0);
  CHECK(tamis_flushjobinfo_smallest_seqno(info) <=
        tamis_flushjobinfo_largest_seqno(info));
  CHECK(tamis_flushjobinfo_triggered_writes_slowdown(info) == 0);
  CHECK(tamis_flushjobinfo_triggered_writes_stop(info) == 0);
  CHECK(tamis_flushjobinfo_flush_reason(info) == 10 ||
        tamis_flushjobinfo_flush_reason(info) == 3);
  ++flushes;
}
static void OnCompactionBegin(void* state, tamis_t* db,
                              const tamis_compactionjobinfo_t* info) {
  (void)state, (void)db, (void)info;
  ++compactions_begun;
}
static void OnCompaction(void* state, tamis_t* db,
                         const tamis_compactionjobinfo_t* info) {
  CHECK(state == &freed && db != NULL);
  char* error = NULL;
  tamis_compactionjobinfo_status(info, &error);
  CHECK(error == NULL);
  size_t size = 0;
  const char* name = tamis_compactionjobinfo_cf_name(info, &size);
  CHECK(size == 7 && memcmp(name, "default", 7) == 0);
  const size_t inputs = tamis_compactionjobinfo_input_files_count(info);
  const size_t outputs = tamis_compactionjobinfo_output_files_count(info);
  CHECK(inputs >= 2 && outputs == 1);
  (void)tamis_compactionjobinfo_input_file_at(info, inputs - 1, &size);
  CHECK(size > 0);
  (void)tamis_compactionjobinfo_output_file_at(info, 0, &size);
  CHECK(size > 0);
  CHECK(tamis_compactionjobinfo_base_input_level(info) <=
        tamis_compactionjobinfo_output_level(info));
  CHECK(tamis_compactionjobinfo_input_records(info) >=
        tamis_compactionjobinfo_output_records(info));
  CHECK(tamis_compactionjobinfo_output_records(info) > 0);
  CHECK(tamis_compactionjobinfo_total_input_bytes(info) > 0);
  CHECK(tamis_compactionjobinfo_total_output_bytes(info) > 0);
  CHECK(tamis_compactionjobinfo_compaction_reason(info) == 9);
  ++compactions;
}
static void OnSealed(void* state, const tamis_memtableinfo_t* info) {
  CHECK(state == &freed);
  size_t size = 0;
  (void)tamis_memtableinfo_cf_name(info, &size);
  CHECK(size == 7);
  CHECK(tamis_memtableinfo_num_entries(info) > 0);
  CHECK(tamis_memtableinfo_num_deletes(info) <=
        tamis_memtableinfo_num_entries(info));
  (void)tamis_memtableinfo_earliest_seqno(info);
  ++sealed;
}
static void OnIngested(void* state, tamis_t* db,
                       const tamis_externalfileingestioninfo_t* info) {
  CHECK(state == &freed && db != NULL);
  size_t size = 0;
  (void)tamis_externalfileingestioninfo_cf_name(info, &size);
  CHECK(size == 7);
  const char* path =
      tamis_externalfileingestioninfo_internal_file_path(info, &size);
  CHECK(size > 4 && memcmp(path + size - 4, ".sst", 4) == 0);
  ++ingested;
}

static void Log(void* priv, unsigned level, char* msg, size_t len) {
  CHECK(priv == &lines);
  CHECK(level >= 1 && strlen(msg) == len);
  ++lines;
}

static tamis_options_t* NewListenedOptions(void) {
  tamis_options_t* options = NewOptions();
  tamis_options_add_eventlistener(
      options, tamis_eventlistener_create(
                   &freed, Free, OnFlushBegin, OnFlush, OnCompactionBegin,
                   OnCompaction, NULL, NULL, OnIngested, NULL, NULL, OnSealed));
  tamis_logger_t* logger = tamis_logger_create_callback_logger(1, Log, &lines);
  tamis_options_set_info_log(options, logger);
  tamis_logger_destroy(logger);
  logger = tamis_options_get_info_log(options);
  CHECK(logger != NULL);
  tamis_logger_destroy(logger);
  return options;
}

static void Ingest(tamis_t* db, tamis_options_t* options, const char* path) {
  char file[512];
  snprintf(file, sizeof file, "%s_outside.sst", path);
  tamis_envoptions_t* env = tamis_envoptions_create();
  tamis_sstfilewriter_t* writer =
      tamis_sstfilewriter_create_with_comparator(env, options, NULL);
  tamis_sstfilewriter_open(writer, file, &err);
  tamis_sstfilewriter_put(writer, "i", 1, "ingested", 8, &err);
  tamis_sstfilewriter_singledelete(writer, "j", 1, &err);
  tamis_sstfilewriter_finish(writer, &err);
  CHECK_OK();
  tamis_sstfilewriter_destroy(writer);
  tamis_envoptions_destroy(env);
  tamis_ingestexternalfileoptions_t* ingest =
      tamis_ingestexternalfileoptions_create();
  tamis_ingestexternalfileoptions_set_move_files(ingest, 1);
  CHECK(tamis_ingestexternalfileoptions_get_move_files(ingest) == 1);
  const char* files[] = {file};
  tamis_ingest_external_file(db, files, 1, ingest, &err);
  CHECK_OK();
  CHECK(fopen(file, "r") == NULL);
  tamis_ingestexternalfileoptions_destroy(ingest);
}

static void Listeners(const char* path) {
  tamis_options_t* options = NewListenedOptions();
  tamis_t* db = Open(options, path);
  Put(db, "a", "1");
  Flush(db);
  Put(db, "a", "2");
  Flush(db);
  tamis_compact_range(db, NULL, 0, NULL, 0);
  Ingest(db, options, path);
  PrintGet(db, "i");
  tamis_close(db);  // after all calls
  printf("flushes %d %d, compactions %d %d, sealed %d, ingested %d\n",
         flushes_begun, flushes, compactions_begun, compactions, sealed,
         ingested);
  CHECK(lines > 10);
  CHECK(freed == 0);
  tamis_options_destroy(options);
  CHECK(freed == 1);
  tamis_eventlistener_destroy(
      tamis_eventlistener_create(&freed, Free, NULL, NULL, NULL, NULL, NULL,
                                 NULL, NULL, NULL, NULL, NULL));
  CHECK(freed == 2);
}

// Tables of more than one entry are not read.
static unsigned char SmallTables(void* state,
                                 const tamis_table_properties_t* properties) {
  CHECK(state == &freed);
  size_t size = 0;
  (void)tamis_table_properties_get_column_family_name(properties, &size);
  CHECK(size == 7 || size == 0);  // a table from outside has none
  CHECK(tamis_table_properties_get_data_size(properties) > 0);
  CHECK(tamis_table_properties_get_num_deletions(properties) <=
        tamis_table_properties_get_num_entries(properties));
  (void)tamis_table_properties_get_creation_time(properties);
  CHECK(tamis_table_properties_get_user_collected_property(
            properties, "no such property", &size) == NULL);
  return tamis_table_properties_get_num_entries(properties) == 1;
}

static void Reads(tamis_t* db) {
  const int before = freed;
  tamis_readoptions_t* r = tamis_readoptions_create();
  tamis_readoptions_set_table_filter(r, &freed, SmallTables, Free);
  printf("small tables:\n");
  PrintAll(db, r, NULL);
  tamis_readoptions_destroy(r);
  CHECK(freed == before + 1);

  r = tamis_readoptions_create();
  tamis_iterator_t* it = tamis_create_iterator(db, r);
  Put(db, "later", "x");
  tamis_iter_seek(it, "later", 5);
  CHECK(!tamis_iter_valid(it));
  tamis_iter_refresh(it, &err);
  CHECK_OK();
  tamis_iter_seek(it, "later", 5);
  CHECK(tamis_iter_valid(it));
  tamis_iter_destroy(it);
  tamis_readoptions_destroy(r);

  const tamis_snapshot_t* snapshot = tamis_create_snapshot(db);
  CHECK(tamis_snapshot_get_sequence_number(snapshot) ==
        tamis_get_latest_sequence_number(db));
  tamis_release_snapshot(db, snapshot);
  size_t size = 0;
  char* identity = tamis_get_db_identity(db, &size);
  CHECK(size > 30);
  tamis_free(identity);
}

// A count of calls for each kind of entry.
static void CountWithValue(void* state, uint32_t family, const char* k,
                           size_t klen, const char* v, size_t vlen) {
  (void)k, (void)klen, (void)v, (void)vlen;
  ((int*)state)[family] += 1;
}
static void CountDelete(void* state, uint32_t family, const char* k,
                        size_t klen) {
  (void)k, (void)klen;
  ((int*)state)[family] += 10;
}

static void Batches(tamis_t* db) {
  tamis_writeoptions_t* w = tamis_writeoptions_create();
  // What does not parse is an error of the write.
  tamis_writebatch_t* b =
      tamis_writebatch_create_from("\0\0\0\0\0\0\0\0\1\0\0\0\1\377", 14);
  tamis_write(db, w, b, &err);
  PrintError("write of a broken batch");
  tamis_writebatch_destroy(b);

  // A piece whose size does not fit, and is not read: the write reports it.
  b = tamis_writebatch_create();
  tamis_writebatch_put(b, "k", 1, "v", 1);
  tamis_writebatch_put(b, "big", 3, "v", (size_t)1 << 40);
  tamis_writebatch_put(b, "l", 1, "v", 1);
  tamis_write(db, w, b, &err);
  PrintError("write of a batch with an error");
  PrintGet(db, "k");
  tamis_writebatch_clear(b);
  tamis_writebatch_put(b, "k", 1, "v", 1);
  // What is rolled back takes its error along.
  tamis_writebatch_set_save_point(b);
  tamis_writebatch_put(b, "big", 3, "v", (size_t)1 << 40);
  tamis_writebatch_rollback_to_save_point(b, &err);
  CHECK_OK();
  tamis_writebatch_delete(b, "l", 1);
  int counts[1] = {0};
  tamis_writebatch_iterate_cf(b, counts, CountWithValue, CountDelete,
                              CountWithValue);
  CHECK(counts[0] == 11);
  tamis_write(db, w, b, &err);
  CHECK_OK();
  PrintGet(db, "k");
  tamis_writebatch_destroy(b);
  tamis_delete_range(db, w, "k", 1, "l", 1, &err);
  CHECK_OK();
  PrintGet(db, "k");
  tamis_writeoptions_destroy(w);
}

static void Work(tamis_t* db) {
  tamis_wait_for_compact_options_t* wait =
      tamis_wait_for_compact_options_create();
  tamis_wait_for_compact_options_set_flush(wait, 1);
  tamis_wait_for_compact_options_set_timeout(wait, 60000000);
  CHECK(tamis_wait_for_compact_options_get_timeout(wait) == 60000000);
  CHECK(tamis_wait_for_compact_options_get_flush(wait) == 1);
  tamis_wait_for_compact_options_set_abort_on_pause(wait, 1);
  CHECK(tamis_wait_for_compact_options_get_abort_on_pause(wait) == 1);
  CHECK(tamis_wait_for_compact_options_get_close_db(wait) == 0);
  Put(db, "unflushed", "x");
  tamis_wait_for_compact(db, wait, &err);
  CHECK_OK();
  tamis_pause_background_work(db, &err);
  CHECK_OK();
  tamis_wait_for_compact(db, wait, &err);
  PrintError("wait while paused");
  tamis_continue_background_work(db, &err);
  CHECK_OK();
  tamis_wait_for_compact_options_destroy(wait);
  uint64_t entries = 9;
  CHECK(tamis_property_int(db, "rocksdb.num-entries-active-mem-table",
                           &entries) == 0);
  printf("entries in memory %" PRIu64 "\n", entries);
  tamis_resume(db, &err);
  tamis_verify_checksum(db, &err);
  CHECK_OK();
  tamis_rewrite_filters(db, NULL, 1.0, 1, &err);
  PrintError("filters of an ingested table");
  const char* keys[] = {"max_total_wal_size", "no_such_option"};
  const char* values[] = {"1000000", "1"};
  tamis_set_db_options(db, 1, keys, values, &err);
  CHECK_OK();
  tamis_set_db_options(db, 2, keys, values, &err);
  PrintError("an option that does not exist");
}

static void Families(tamis_t* db, tamis_options_t* options, const char* path) {
  const char* names[] = {"one", "two", "one"};
  size_t count = 0;
  tamis_column_family_handle_t** families =
      tamis_create_column_families(db, options, 3, names, &count, &err);
  PrintError("create one of them twice");
  CHECK(count == 2);
  tamis_column_family_handle_t* standard =
      tamis_get_default_column_family_handle(db);
  CHECK(tamis_column_family_handle_get_id(standard) == 0);
  tamis_writeoptions_t* w = tamis_writeoptions_create();
  tamis_put_cf(db, w, families[0], "x", 1, "exported", 8, &err);
  tamis_merge_cf(db, w, families[0], "x", 1, "y", 1, &err);
  PrintError("merge without an operator");
  tamis_writeoptions_destroy(w);
  tamis_flushoptions_t* f = tamis_flushoptions_create();
  tamis_column_family_handle_t* both[] = {standard, families[0]};
  tamis_flush_cfs(db, f, both, 2, &err);
  CHECK_OK();
  tamis_flushoptions_destroy(f);
  const char* starts[] = {"a"};
  const char* limits[] = {"z"};
  const size_t ones[] = {1};
  uint64_t sizes[1] = {0};
  tamis_approximate_sizes_cf_with_flags(db, families[0], 1, starts, ones,
                                        limits, ones, 2, sizes, &err);
  CHECK_OK();
  CHECK(sizes[0] > 0);
  tamis_approximate_sizes_cf_with_flags(db, families[0], 1, starts, ones,
                                        limits, ones, 1, sizes, &err);
  CHECK(sizes[0] == 0);

  char directory[512];
  snprintf(directory, sizeof directory, "%s_export", path);
  tamis_checkpoint_t* checkpoint = tamis_checkpoint_object_create(db, &err);
  tamis_export_import_files_metadata_t* exported =
      tamis_checkpoint_export_column_family(checkpoint, families[0], directory,
                                            &err);
  CHECK_OK();
  tamis_checkpoint_object_destroy(checkpoint);

  // The list, as a program gives it that has it from elsewhere.
  tamis_export_import_files_metadata_t* list =
      tamis_export_import_files_metadata_create();
  char* comparator =
      tamis_export_import_files_metadata_get_db_comparator_name(exported);
  tamis_export_import_files_metadata_set_db_comparator_name(list, comparator);
  tamis_free(comparator);
  tamis_livefiles_t* from =
      tamis_export_import_files_metadata_get_files(exported);
  CHECK(tamis_livefiles_count(from) == 1);
  tamis_livefile_t* file = tamis_livefile_create();
  tamis_livefile_set_column_family_name(
      file, tamis_livefiles_column_family_name(from, 0));
  tamis_livefile_set_name(file, tamis_livefiles_name(from, 0));
  tamis_livefile_set_directory(file, tamis_livefiles_directory(from, 0));
  tamis_livefile_set_level(file, tamis_livefiles_level(from, 0));
  tamis_livefile_set_size(file, tamis_livefiles_size(from, 0));
  size_t size = 0;
  const char* key = tamis_livefiles_smallestkey(from, 0, &size);
  tamis_livefile_set_smallest_key(file, key, size);
  key = tamis_livefiles_largestkey(from, 0, &size);
  tamis_livefile_set_largest_key(file, key, size);
  tamis_livefile_set_smallest_seqno(file,
                                    tamis_livefiles_smallest_seqno(from, 0));
  tamis_livefile_set_largest_seqno(file,
                                   tamis_livefiles_largest_seqno(from, 0));
  tamis_livefile_set_num_entries(file, tamis_livefiles_entries(from, 0));
  tamis_livefiles_t* to = tamis_livefiles_create();
  tamis_livefiles_add(to, file);
  tamis_export_import_files_metadata_set_files(list, to);
  tamis_livefiles_destroy(to);
  tamis_livefiles_destroy(from);
  tamis_livefile_destroy(tamis_livefile_create());

  tamis_import_column_family_options_t* import =
      tamis_import_column_family_options_create();
  tamis_import_column_family_options_set_move_files(import, 1);
  tamis_column_family_handle_t* imported =
      tamis_create_column_family_with_import(db, options, "imported", import,
                                             list, &err);
  CHECK_OK();
  tamis_readoptions_t* r = tamis_readoptions_create();
  printf("imported:\n");
  PrintAll(db, r, imported);
  tamis_readoptions_destroy(r);
  tamis_import_column_family_options_destroy(import);
  tamis_export_import_files_metadata_destroy(list);
  tamis_export_import_files_metadata_destroy(exported);
  tamis_column_family_handle_destroy(imported);
  tamis_column_family_handle_destroy(standard);
  for (size_t i = 0; i < count; ++i) {
    tamis_column_family_handle_destroy(families[i]);
  }
  tamis_create_column_families_destroy(families);
}

static void Managers(const char* path) {
  tamis_hyper_clock_cache_options_t* clock =
      tamis_hyper_clock_cache_options_create(1 << 20, 4096);
  tamis_hyper_clock_cache_options_set_capacity(clock, 8 << 20);
  tamis_hyper_clock_cache_options_set_estimated_entry_charge(clock, 8192);
  tamis_cache_t* cache = tamis_cache_create_hyper_clock_opts(clock);
  tamis_hyper_clock_cache_options_destroy(clock);
  CHECK(tamis_cache_get_capacity(cache) == 8 << 20);
  tamis_cache_destroy(tamis_cache_create_hyper_clock(1 << 20, 0));

  tamis_write_buffer_manager_t* manager =
      tamis_write_buffer_manager_create_with_cache(4 << 20, cache, 1);
  CHECK(tamis_write_buffer_manager_enabled(manager));
  CHECK(tamis_write_buffer_manager_cost_to_cache(manager));
  CHECK(tamis_write_buffer_manager_buffer_size(manager) == 4 << 20);
  tamis_write_buffer_manager_set_buffer_size(manager, 2 << 20);
  CHECK(tamis_write_buffer_manager_buffer_size(manager) == 2 << 20);
  tamis_options_t* options = NewOptions();
  tamis_options_set_write_buffer_manager(options, manager);
  tamis_options_enable_statistics(options);
  tamis_options_set_statistics_level(options, 5);
  CHECK(tamis_options_get_statistics_level(options) == 5);
  tamis_ratelimiter_t* limiter =
      tamis_ratelimiter_create_with_mode(1 << 30, 100000, 10, 2, false);
  tamis_options_set_ratelimiter(options, limiter);
  tamis_ratelimiter_destroy(limiter);
  tamis_ratelimiter_destroy(
      tamis_ratelimiter_create_auto_tuned(1 << 20, 100000, 10));
  tamis_block_based_table_options_t* tables =
      tamis_block_based_options_create();
  tamis_block_based_options_set_filter_policy(
      tables, tamis_filterpolicy_create_fpr(0.01));
  tamis_options_set_block_based_table_factory(options, tables);
  tamis_block_based_options_destroy(tables);
  tamis_filterpolicy_destroy(tamis_filterpolicy_create_budget(1 << 20));
  tamis_options_set_prefix_extractor(
      options, tamis_slicetransform_create_capped_prefix(4));

  tamis_t* db = Open(options, path);
  Put(db, "k", "v");
  CHECK(tamis_write_buffer_manager_memory_usage(manager) > 0);
  CHECK(tamis_write_buffer_manager_mutable_memtable_memory_usage(manager) > 0);
  CHECK(tamis_write_buffer_manager_dummy_entries_in_cache_usage(manager) > 0);
  PrintGet(db, "k");
  tamis_statistics_histogram_data_t* data =
      tamis_statistics_histogram_data_create();
  tamis_options_statistics_get_histogram_data(options, 0, data);  // DB_GET
  CHECK(tamis_statistics_histogram_data_get_count(data) == 1);
  CHECK(tamis_statistics_histogram_data_get_max(data) >=
        tamis_statistics_histogram_data_get_min(data));
  CHECK(tamis_statistics_histogram_data_get_p99(data) >=
        tamis_statistics_histogram_data_get_median(data));
  CHECK(tamis_statistics_histogram_data_get_p95(data) >= 0);
  CHECK((double)tamis_statistics_histogram_data_get_sum(data) ==
        tamis_statistics_histogram_data_get_average(data));
  CHECK(tamis_statistics_histogram_data_get_std_dev(data) == 0);
  tamis_statistics_histogram_data_destroy(data);
  uint64_t counted = 0;
  for (uint32_t t = 0; t < 100; ++t) {
    counted += tamis_options_statistics_get_ticker_count(options, t);
  }
  CHECK(counted > 0);
  tamis_close(db);

  // A buffer of all families, as an option of the database.
  tamis_write_buffer_manager_destroy(manager);
  tamis_options_set_write_buffer_manager(options, NULL);
  tamis_options_set_db_write_buffer_size(options, 64 << 10);
  CHECK(tamis_options_get_db_write_buffer_size(options) == 64 << 10);
  db = Open(options, path);
  char value[4097];
  memset(value, 'v', 4096);
  value[4096] = '\0';
  for (char c = 'a'; c < 'z'; ++c) {
    const char key[2] = {c, '\0'};
    Put(db, key, value);
  }
  tamis_wait_for_compact_options_t* wait =
      tamis_wait_for_compact_options_create();
  tamis_wait_for_compact(db, wait, &err);
  CHECK_OK();
  tamis_wait_for_compact_options_destroy(wait);
  const tamis_livefiles_t* files = tamis_livefiles(db);
  CHECK(tamis_livefiles_count(files) > 0);
  tamis_livefiles_destroy(files);
  tamis_rewrite_filters(db, NULL, 1.5, 1, &err);
  CHECK_OK();
  tamis_close(db);
  tamis_options_destroy(options);
  tamis_cache_destroy(cache);
  tamis_logger_destroy(tamis_logger_create_stderr_logger(4, "prefix"));
}

// An open without the directory of the logs is refused: a log there is needed.
static void LogsElsewhere(const char* path) {
  char logs[600];
  snprintf(logs, sizeof logs, "%s_of_logs", path);
  tamis_options_t* options = NewOptions();
  tamis_options_set_wal_dir(options, logs);
  tamis_t* db = Open(options, path);
  Put(db, "k", "v");
  tamis_close(db);
  tamis_options_set_wal_dir(options, "");
  CHECK(tamis_open(options, path, &err) == NULL);
  CHECK(err != NULL && strstr(err, logs) != NULL);
  tamis_free(err);
  err = NULL;
  tamis_options_set_wal_dir(options, logs);
  db = Open(options, path);
  tamis_close(db);
  tamis_options_destroy(options);
}

// LOG has the name of the database in a directory of its own.
static void LogElsewhere(const char* path) {
  char logs[600];
  snprintf(logs, sizeof logs, "%s_of_log", path);
  tamis_options_t* options = NewOptions();
  tamis_options_set_db_log_dir(options, logs);
  tamis_t* db = Open(options, path);
  tamis_close(db);
  CHECK(rmdir(logs) != 0 && errno == ENOTEMPTY);
  tamis_destroy_db(options, path, &err);
  CHECK_OK();
  CHECK(rmdir(logs) != 0 && errno == ENOENT);
  tamis_options_destroy(options);
}

// Tables go to the paths of the database, or to those of the family.
static void TablesElsewhere(const char* path) {
  char tables[600];
  snprintf(tables, sizeof tables, "%s_of_tables", path);
  tamis_dbpath_t* first = tamis_dbpath_create(tables, 1 << 20);
  const tamis_dbpath_t* paths[1] = {first};
  tamis_options_t* options = NewOptions();
  for (int of_family = 0; of_family < 2; ++of_family) {
    tamis_options_set_db_paths(options, paths, of_family ? 0 : 1);
    tamis_options_set_cf_paths(options, paths, of_family ? 1 : 0);
    tamis_t* db = Open(options, path);
    Put(db, "k", "v");
    tamis_flushoptions_t* flush = tamis_flushoptions_create();
    tamis_flush(db, flush, &err);
    CHECK(err == NULL);
    tamis_flushoptions_destroy(flush);
    tamis_close(db);
  }
  tamis_options_set_cf_paths(options, NULL, 0);
  CHECK(tamis_open(options, path, &err) == NULL);
  CHECK(err != NULL && strstr(err, ".sst") != NULL);
  tamis_free(err);
  err = NULL;
  tamis_dbpath_destroy(first);
  tamis_options_destroy(options);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  Listeners(argv[1]);
  tamis_options_t* options = NewOptions();
  tamis_t* db = Open(options, argv[1]);
  Reads(db);
  Batches(db);
  Work(db);
  Families(db, options, argv[1]);
  tamis_close(db);
  tamis_options_destroy(options);
  char path[512];
  snprintf(path, sizeof path, "%s_managers", argv[1]);
  Managers(path);
  snprintf(path, sizeof path, "%s_logs", argv[1]);
  LogsElsewhere(path);
  snprintf(path, sizeof path, "%s_log", argv[1]);
  LogElsewhere(path);
  snprintf(path, sizeof path, "%s_tables", argv[1]);
  TablesElsewhere(path);
  printf("right\n");
  return 0;
}
