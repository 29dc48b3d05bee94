// SPDX-License-Identifier: Apache-2.0
//
// Plain and cuckoo tables, the kinds of memtables, and what is only accepted: a
// memory allocator, options of blob files.
#include "program.h"

static tamis_t* OpenWith(const tamis_options_t* options, const char* path,
                         const char* kind) {
  char name[512];
  snprintf(name, sizeof name, "%s_%s", path, kind);
  return Open(options, name);
}

static tamis_options_t* MappedOptions(void) {
  tamis_options_t* options = NewOptions();
  tamis_options_set_allow_mmap_reads(options, 1);
  return options;
}

// Keys of five bytes and values of three.
static void Fill(tamis_t* db) {
  char key[16];
  char value[16];
  for (int i = 0; i < 50; ++i) {
    snprintf(key, sizeof key, "%02dkey", i);
    snprintf(value, sizeof value, "v%02d", i * 7 % 100);
    Put(db, key, value);
  }
  Flush(db);
  PrintGet(db, "07key");
  PrintGet(db, "49key");
  PrintGet(db, "50key");
}

static void PlainTables(const char* path) {
  tamis_options_t* options = MappedOptions();
  tamis_options_set_prefix_extractor(
      options, tamis_slicetransform_create_fixed_prefix(1));
  tamis_options_set_hash_skip_list_rep(options, 5000, 4, 4);
  tamis_options_set_allow_concurrent_memtable_write(options, 0);
  tamis_options_set_plain_table_factory(options, 5, 10, 0.75, 16);
  tamis_t* db = OpenWith(options, path, "plain");
  Fill(db);
  tamis_readoptions_t* read = tamis_readoptions_create();
  tamis_iterator_t* it = tamis_create_iterator(db, read);
  int count = 0;
  for (tamis_iter_seek(it, "3", 1); tamis_iter_valid(it); tamis_iter_next(it)) {
    size_t size = 0;
    const char* key = tamis_iter_key(it, &size);
    if (key[0] != '3') break;
    if (count++ == 0) PrintBytes("first of the prefix", key, size);
  }
  printf("%d of the prefix\n", count);
  tamis_iter_destroy(it);
  tamis_readoptions_destroy(read);
  tamis_writeoptions_t* write = tamis_writeoptions_create();
  tamis_writebatch_t* batch = tamis_writebatch_create();
  tamis_writebatch_delete_range(batch, "1", 1, "2", 1);
  tamis_write(db, write, batch, &err);
  PrintError("a range deletion");
  tamis_writebatch_destroy(batch);
  tamis_writeoptions_destroy(write);
  tamis_close(db);
  tamis_options_destroy(options);
}

static void CuckooTables(const char* path) {
  tamis_options_t* options = MappedOptions();
  tamis_cuckoo_table_options_t* cuckoo = tamis_cuckoo_options_create();
  tamis_cuckoo_options_set_hash_ratio(cuckoo, 0.5);
  tamis_cuckoo_options_set_max_search_depth(cuckoo, 200);
  tamis_cuckoo_options_set_cuckoo_block_size(cuckoo, 10);
  tamis_cuckoo_options_set_identity_as_first_hash(cuckoo, 0);
  tamis_cuckoo_options_set_use_module_hash(cuckoo, 0);
  tamis_options_set_cuckoo_table_factory(options, cuckoo);
  tamis_cuckoo_options_destroy(cuckoo);
  tamis_t* db = OpenWith(options, path, "cuckoo");
  Fill(db);
  tamis_close(db);
  tamis_options_destroy(options);
}

static void Memtables(const char* path) {
  tamis_options_t* options = MappedOptions();
  tamis_options_set_allow_concurrent_memtable_write(options, 0);
  tamis_options_set_memtable_vector_rep(options);
  tamis_t* db = OpenWith(options, path, "vector");
  Fill(db);
  tamis_close(db);
  tamis_options_set_prefix_extractor(
      options, tamis_slicetransform_create_fixed_prefix(1));
  tamis_options_set_hash_link_list_rep(options, 5000);
  db = OpenWith(options, path, "linked");
  Fill(db);
  tamis_close(db);
  tamis_options_destroy(options);
}

static void InplaceUpdates(const char* path) {
  tamis_options_t* options = MappedOptions();
  tamis_options_set_allow_concurrent_memtable_write(options, 0);
  tamis_options_set_inplace_update_support(options, 1);
  tamis_t* db = OpenWith(options, path, "inplace");
  Put(db, "key", "old");
  const tamis_snapshot_t* snapshot = tamis_create_snapshot(db);
  CHECK(snapshot != NULL);
  Put(db, "key", "new");
  tamis_readoptions_t* read = tamis_readoptions_create();
  tamis_readoptions_set_snapshot(read, snapshot);
  size_t size = 0;
  char* value = tamis_get(db, read, "key", 3, &size, &err);
  CHECK_OK();
  PrintAndFree("of a snapshot", value, size);
  tamis_readoptions_destroy(read);
  tamis_release_snapshot(db, snapshot);
  tamis_close(db);
  tamis_options_destroy(options);
}

static void Accepted(void) {
  tamis_jemalloc_nodump_allocator_create(&err);
  PrintError("an allocator");
  tamis_env_t* env = tamis_create_default_env();
  tamis_env_set_bottom_priority_background_threads(env, 3);
  printf("%d threads\n", tamis_env_get_bottom_priority_background_threads(env));
  tamis_env_destroy(env);
  tamis_options_t* options = tamis_options_create();
  tamis_cache_t* cache = tamis_cache_create_lru(1 << 20);
  tamis_options_set_blob_cache(options, cache);
  tamis_options_set_blob_gc_age_cutoff(options, 0.75);
  tamis_options_set_blob_gc_force_threshold(options, 0.5);
  printf("%.2f %.2f\n", tamis_options_get_blob_gc_age_cutoff(options),
         tamis_options_get_blob_gc_force_threshold(options));
  tamis_cache_destroy(cache);
  tamis_options_destroy(options);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  PlainTables(argv[1]);
  CuckooTables(argv[1]);
  Memtables(argv[1]);
  InplaceUpdates(argv[1]);
  Accepted();
  return 0;
}
