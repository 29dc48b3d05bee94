// SPDX-License-Identifier: Apache-2.0
//
// Tables from outside, lists of files, properties, sizes, checkpoints, repair.
#include "program.h"

static void Ingest(tamis_t* db, tamis_options_t* options, const char* path) {
  char file[512];
  snprintf(file, sizeof file, "%s_outside.sst", path);
  tamis_envoptions_t* env = tamis_envoptions_create();
  tamis_sstfilewriter_t* writer = tamis_sstfilewriter_create(env, options);
  tamis_sstfilewriter_open(writer, file, &err);
  CHECK_OK();
  tamis_sstfilewriter_put(writer, "i1", 2, "ingested", 8, &err);
  tamis_sstfilewriter_add(writer, "i2", 2, "ingested", 8, &err);
  tamis_sstfilewriter_delete(writer, "i3", 2, &err);
  tamis_sstfilewriter_delete_range(writer, "i4", 2, "i6", 2, &err);
  CHECK_OK();
  tamis_sstfilewriter_put(writer, "a", 1, "not in order", 12, &err);
  PrintError("put out of order");
  tamis_sstfilewriter_finish(writer, &err);
  CHECK_OK();
  uint64_t size = 0;
  tamis_sstfilewriter_file_size(writer, &size);
  CHECK(size > 0);
  tamis_sstfilewriter_destroy(writer);
  tamis_envoptions_destroy(env);

  Put(db, "i3", "was there");
  Put(db, "i5", "was there");
  tamis_ingestexternalfileoptions_t* ingest =
      tamis_ingestexternalfileoptions_create();
  tamis_ingestexternalfileoptions_set_move_files(ingest, 0);
  tamis_ingestexternalfileoptions_set_snapshot_consistency(ingest, 1);
  tamis_ingestexternalfileoptions_set_allow_global_seqno(ingest, 1);
  tamis_ingestexternalfileoptions_set_allow_blocking_flush(ingest, 1);
  const char* files[] = {file};
  tamis_ingest_external_file(db, files, 1, ingest, &err);
  CHECK_OK();
  const char* absent[] = {"/no/such/file.sst"};
  tamis_ingest_external_file(db, absent, 1, ingest, &err);
  PrintError("ingestion of nothing");
  tamis_ingestexternalfileoptions_destroy(ingest);
  PrintDatabase(db);
}

static void LiveFiles(tamis_t* db) {
  const tamis_livefiles_t* files = tamis_livefiles(db);
  const int count = tamis_livefiles_count(files);
  printf("%d files\n", count);
  uint64_t entries = 0;
  uint64_t deletions = 0;
  for (int i = 0; i < count; ++i) {
    size_t small = 0;
    size_t large = 0;
    const char* smallest = tamis_livefiles_smallestkey(files, i, &small);
    const char* largest = tamis_livefiles_largestkey(files, i, &large);
    CHECK(tamis_livefiles_size(files, i) > 0);
    CHECK(strlen(tamis_livefiles_name(files, i)) == strlen("/000001.sst"));
    printf("  %s, level %d, %.*s to %.*s\n",
           tamis_livefiles_column_family_name(files, i),
           tamis_livefiles_level(files, i), (int)small, smallest, (int)large,
           largest);
    entries += tamis_livefiles_entries(files, i);
    deletions += tamis_livefiles_deletions(files, i);
  }
  printf("%" PRIu64 " entries, %" PRIu64 " deletions\n", entries, deletions);
  tamis_livefiles_destroy(files);
}

static void Metadata(tamis_t* db) {
  tamis_column_family_metadata_t* family = tamis_get_column_family_metadata(db);
  char* name = tamis_column_family_metadata_get_name(family);
  PrintAndFree("family", name, strlen(name));
  CHECK(tamis_column_family_metadata_get_size(family) > 0);
  printf("%zu files, %zu levels\n",
         tamis_column_family_metadata_get_file_count(family),
         tamis_column_family_metadata_get_level_count(family));
  const size_t levels = tamis_column_family_metadata_get_level_count(family);
  CHECK(tamis_column_family_metadata_get_level_metadata(family, levels) ==
        NULL);
  for (size_t l = 0; l < levels; ++l) {
    tamis_level_metadata_t* level =
        tamis_column_family_metadata_get_level_metadata(family, l);
    const size_t count = tamis_level_metadata_get_file_count(level);
    CHECK((tamis_level_metadata_get_size(level) > 0) == (count > 0));
    for (size_t i = 0; i < count; ++i) {
      tamis_sst_file_metadata_t* file =
          tamis_level_metadata_get_sst_file_metadata(level, i);
      size_t size = 0;
      char* key = tamis_sst_file_metadata_get_smallestkey(file, &size);
      printf("  level %d:\n", tamis_level_metadata_get_level(level));
      PrintAndFree("  smallest", key, size);
      key = tamis_sst_file_metadata_get_largestkey(file, &size);
      PrintAndFree("  largest", key, size);
      char* file_name = tamis_sst_file_metadata_get_relative_filename(file);
      CHECK(strstr(file_name, ".sst") != NULL);
      tamis_free(file_name);
      CHECK(tamis_sst_file_metadata_get_size(file) > 0);
      tamis_sst_file_metadata_destroy(file);
    }
    CHECK(tamis_level_metadata_get_sst_file_metadata(level, count) == NULL);
    tamis_level_metadata_destroy(level);
  }
  tamis_column_family_metadata_destroy(family);
}

static void Properties(tamis_t* db) {
  char* value = tamis_property_value(db, "rocksdb.num-files-at-level0");
  PrintAndFree("level 0", value, strlen(value));
  CHECK(tamis_property_value(db, "rocksdb.no-such-property") == NULL);
  uint64_t keys = 0;
  CHECK(tamis_property_int(db, "rocksdb.num-snapshots", &keys) == 0);
  printf("snapshots %" PRIu64 "\n", keys);
  CHECK(tamis_property_int(db, "rocksdb.stats", &keys) == -1);

  const char* starts[] = {"a", "zz"};
  const char* limits[] = {"z", "zzz"};
  const size_t start_sizes[] = {1, 2};
  const size_t limit_sizes[] = {1, 3};
  uint64_t sizes[2];
  tamis_approximate_sizes(db, 2, starts, start_sizes, limits, limit_sizes,
                          sizes, &err);
  CHECK_OK();
  printf("sizes %d %d\n", sizes[0] > 0, sizes[1] > 0);

  tamis_cache_t* cache = tamis_cache_create_lru(1 << 20);
  tamis_memory_consumers_t* consumers = tamis_memory_consumers_create();
  tamis_memory_consumers_add_db(consumers, db);
  tamis_memory_consumers_add_cache(consumers, cache);
  tamis_memory_usage_t* usage =
      tamis_approximate_memory_usage_create(consumers, &err);
  CHECK_OK();
  CHECK(tamis_approximate_memory_usage_get_mem_table_total(usage) > 0);
  CHECK(tamis_approximate_memory_usage_get_mem_table_unflushed(usage) > 0);
  (void)tamis_approximate_memory_usage_get_mem_table_readers_total(usage);
  printf("cache %" PRIu64 "\n",
         tamis_approximate_memory_usage_get_cache_total(usage));
  tamis_approximate_memory_usage_destroy(usage);
  tamis_memory_consumers_destroy(consumers);
  tamis_cache_destroy(cache);
}

static void Deletions(tamis_t* db) {
  tamis_disable_file_deletions(db, &err);
  tamis_disable_file_deletions(db, &err);
  CHECK_OK();
  char* value = tamis_property_value(db, "rocksdb.is-file-deletions-enabled");
  // 0: they are enabled; else how often they were disabled.
  PrintAndFree("deletions", value, strlen(value));
  tamis_enable_file_deletions(db, 0, &err);
  CHECK_OK();
  value = tamis_property_value(db, "rocksdb.is-file-deletions-enabled");
  PrintAndFree("deletions", value, strlen(value));
  tamis_disable_file_deletions(db, &err);
  tamis_enable_file_deletions(db, 1, &err);
  CHECK_OK();
  value = tamis_property_value(db, "rocksdb.is-file-deletions-enabled");
  PrintAndFree("deletions", value, strlen(value));

  for (char c = 'k'; c < 'q'; ++c) {
    const char key[2] = {c, '\0'};
    Put(db, key, key);
    Flush(db);
    tamis_compact_range(db, key, 1, key, 1);
  }
  tamis_delete_file_in_range(db, "l", 1, "n", 1, &err);
  CHECK_OK();
  tamis_suggest_compact_range(db, "a", 1, "z", 1, &err);
  CHECK_OK();
}

// A table goes by its name if no older one is below it.
static void DeleteByName(tamis_t* db) {
  Put(db, "za", "1");
  Flush(db);
  tamis_compact_range(db, NULL, 0, NULL, 0);
  const tamis_livefiles_t* files = tamis_livefiles(db);
  const int count = tamis_livefiles_count(files);
  CHECK(count >= 1);
  tamis_delete_file(db, "/000001.sst");
  tamis_delete_file(db, tamis_livefiles_name(files, count - 1));
  tamis_livefiles_destroy(files);
  files = tamis_livefiles(db);
  printf("%d files fewer\n", count - tamis_livefiles_count(files));
  tamis_livefiles_destroy(files);
  PrintDatabase(db);
}

static void Checkpoint(tamis_t* db, tamis_options_t* options,
                       const char* path) {
  char copy[512];
  snprintf(copy, sizeof copy, "%s_copy", path);
  tamis_checkpoint_t* checkpoint = tamis_checkpoint_object_create(db, &err);
  CHECK_OK();
  tamis_checkpoint_create(checkpoint, copy, 0, &err);
  CHECK_OK();
  tamis_checkpoint_create(checkpoint, copy, 0, &err);
  PrintError("checkpoint into what exists");
  tamis_checkpoint_object_destroy(checkpoint);
  Put(db, "after the checkpoint", "x");
  tamis_t* other = Open(options, copy);
  PrintGet(other, "i1");
  PrintGet(other, "after the checkpoint");
  tamis_close(other);
  tamis_destroy_db(options, copy, &err);
  CHECK_OK();
}

static void Repair(tamis_options_t* options, const char* path) {
  char current[512];
  snprintf(current, sizeof current, "%s/CURRENT", path);
  CHECK(remove(current) == 0);
  tamis_repair_db(options, path, &err);
  CHECK_OK();
  tamis_t* db = Open(options, path);
  PrintGet(db, "i1");
  tamis_close(db);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  tamis_options_t* options = NewOptions();
  tamis_options_set_disable_auto_compactions(options, 1);
  tamis_t* db = Open(options, argv[1]);
  Put(db, "a", "1");
  Put(db, "y", "2");
  Put(db, "x", "2");
  tamis_writeoptions_t* w = tamis_writeoptions_create();
  tamis_delete(db, w, "w", 1, &err);
  CHECK_OK();
  tamis_writeoptions_destroy(w);
  Flush(db);
  Ingest(db, options, argv[1]);
  LiveFiles(db);
  Metadata(db);
  Properties(db);
  Checkpoint(db, options, argv[1]);
  Deletions(db);
  DeleteByName(db);
  tamis_flush_wal(db, 1, &err);
  CHECK_OK();
  tamis_disable_manual_compaction(db);
  tamis_enable_manual_compaction(db);
  const char* keys[] = {"write_buffer_size", "max_open_files"};
  const char* values[] = {"131072", "many"};
  tamis_set_options(db, 1, keys, values, &err);
  CHECK_OK();
  tamis_set_options(db, 2, keys, values, &err);
  PrintError("options that do not exist");
  tamis_cancel_all_background_work(db, 1);
  PrintGet(db, "i1");
  tamis_close(db);
  Repair(options, argv[1]);
  tamis_options_destroy(options);
  return 0;
}
