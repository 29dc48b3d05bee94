// SPDX-License-Identifier: Apache-2.0
//
// Every function of LevelDB's C API.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <leveldb/c.h>

static char* err = NULL;

#define CHECK(condition)                                     \
  do {                                                       \
    if (!(condition)) {                                      \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                               \
    }                                                        \
  } while (0)

static void CheckOk(int line) {
  if (err == NULL) return;
  printf("line %d: %s\n", line, err);
  exit(1);
}
#define CHECK_OK() CheckOk(__LINE__)

static void PrintError(const char* what) {
  CHECK(err != NULL);
  printf("%s: %.*s\n", what, (int)strcspn(err, ":"), err);
  leveldb_free(err);
  err = NULL;
}

static int destroyed = 0;
static void Destroy(void* state) { destroyed += *(int*)state; }

static int CompareBackwards(void* state, const char* a, size_t alen,
                            const char* b, size_t blen) {
  (void)state;
  const size_t n = alen < blen ? alen : blen;
  const int r = memcmp(b, a, n);
  if (r != 0) return r;
  return alen < blen ? 1 : alen > blen ? -1 : 0;
}
static const char* ComparatorName(void* state) {
  (void)state;
  return "backwards";
}

static int filters = 0;
static int probes = 0;
static char* CreateFilter(void* state, const char* const* keys,
                          const size_t* lengths, int n, size_t* size) {
  (void)state;
  (void)keys;
  (void)lengths;
  ++filters;
  char* const filter = malloc(4);
  memcpy(filter, "fake", 4);
  *size = n > 0 ? 4 : 0;
  return filter;
}
static unsigned char MayMatch(void* state, const char* key, size_t length,
                              const char* filter, size_t filter_length) {
  (void)state;
  (void)filter;
  (void)filter_length;
  ++probes;
  return length > 0 && key[0] != 'n';
}
static const char* FilterName(void* state) {
  (void)state;
  return "fake";
}

static void OnPut(void* state, const char* k, size_t klen, const char* v,
                  size_t vlen) {
  ++*(int*)state;
  printf("put %.*s %.*s\n", (int)klen, k, (int)vlen, v);
}
static void OnDelete(void* state, const char* k, size_t klen) {
  ++*(int*)state;
  printf("delete %.*s\n", (int)klen, k);
}

static void PrintGet(leveldb_t* db, const leveldb_readoptions_t* options,
                     const char* key) {
  size_t size = 77;
  char* const value = leveldb_get(db, options, key, strlen(key), &size, &err);
  CHECK_OK();
  printf("%s: %.*s %d\n", key, (int)size, value == NULL ? "" : value,
         value == NULL);
  leveldb_free(value);
}

static void PrintAll(leveldb_t* db, const leveldb_readoptions_t* options) {
  leveldb_iterator_t* const it = leveldb_create_iterator(db, options);
  CHECK(!leveldb_iter_valid(it));
  for (leveldb_iter_seek_to_first(it); leveldb_iter_valid(it);
       leveldb_iter_next(it)) {
    size_t klen = 0;
    size_t vlen = 0;
    const char* const k = leveldb_iter_key(it, &klen);
    const char* const v = leveldb_iter_value(it, &vlen);
    printf("  %.*s = %.*s\n", (int)klen, k, (int)vlen, v);
  }
  leveldb_iter_seek_to_last(it);
  if (leveldb_iter_valid(it)) leveldb_iter_prev(it);
  leveldb_iter_seek(it, "b", 1);
  if (leveldb_iter_valid(it)) {
    size_t klen = 0;
    const char* const k = leveldb_iter_key(it, &klen);
    printf("  seek: %.*s\n", (int)klen, k);
  }
  leveldb_iter_get_error(it, &err);
  CHECK_OK();
  leveldb_iter_destroy(it);
}

static void Use(const leveldb_options_t* options, const char* path) {
  leveldb_t* db = leveldb_open(options, path, &err);
  CHECK_OK();
  leveldb_writeoptions_t* const write = leveldb_writeoptions_create();
  leveldb_writeoptions_set_sync(write, 1);
  leveldb_readoptions_t* const read = leveldb_readoptions_create();
  leveldb_readoptions_set_verify_checksums(read, 1);
  leveldb_readoptions_set_fill_cache(read, 0);
  leveldb_put(db, write, "a", 1, "1", 1, &err);
  leveldb_put(db, write, "b", 1, "2", 1, &err);
  leveldb_put(db, write, "nothing", 7, "", 0, &err);
  leveldb_delete(db, write, "b", 1, &err);
  CHECK_OK();
  PrintGet(db, read, "a");
  PrintGet(db, read, "b");

  const leveldb_snapshot_t* const snapshot = leveldb_create_snapshot(db);
  leveldb_writebatch_t* const batch = leveldb_writebatch_create();
  leveldb_writebatch_put(batch, "x", 1, "y", 1);
  leveldb_writebatch_clear(batch);
  leveldb_writebatch_put(batch, "c", 1, "3", 1);
  leveldb_writebatch_delete(batch, "a", 1);
  leveldb_writebatch_t* const more = leveldb_writebatch_create();
  leveldb_writebatch_put(more, "d", 1, "4", 1);
  leveldb_writebatch_append(batch, more);
  int calls = 0;
  leveldb_writebatch_iterate(batch, &calls, OnPut, OnDelete);
  CHECK(calls == 3);
  leveldb_write(db, write, batch, &err);
  CHECK_OK();
  leveldb_writebatch_destroy(more);
  leveldb_writebatch_destroy(batch);
  PrintAll(db, read);
  leveldb_readoptions_set_snapshot(read, snapshot);
  PrintAll(db, read);
  leveldb_readoptions_set_snapshot(read, NULL);
  leveldb_release_snapshot(db, snapshot);

  leveldb_compact_range(db, NULL, 0, NULL, 0);
  leveldb_compact_range(db, "a", 1, "c", 1);
  PrintGet(db, read, "c");
  PrintGet(db, read, "absent");
  PrintGet(db, read, "not");
  const char* const starts[] = {"a", "k"};
  const size_t start_sizes[] = {1, 1};
  const char* const limits[] = {"k", "z"};
  const size_t limit_sizes[] = {1, 1};
  uint64_t sizes[2] = {9, 9};
  leveldb_approximate_sizes(db, 2, starts, start_sizes, limits, limit_sizes,
                            sizes);
  CHECK(sizes[0] < 10000 && sizes[1] < 10000);
  char* value = leveldb_property_value(db, "leveldb.stats");
  CHECK(value != NULL);
  leveldb_free(value);
  CHECK(leveldb_property_value(db, "nosuchprop") == NULL);

  leveldb_close(db);
  leveldb_readoptions_destroy(read);
  leveldb_writeoptions_destroy(write);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  const char* const path = argv[1];
  CHECK(leveldb_major_version() == 1 && leveldb_minor_version() == 23);
  int one = 1;
  int ten = 10;
  leveldb_comparator_t* const comparator = leveldb_comparator_create(
      &one, Destroy, CompareBackwards, ComparatorName);
  leveldb_filterpolicy_t* const policy = leveldb_filterpolicy_create(
      &ten, Destroy, CreateFilter, MayMatch, FilterName);
  leveldb_filterpolicy_t* const bloom = leveldb_filterpolicy_create_bloom(10);
  leveldb_cache_t* const cache = leveldb_cache_create_lru(100000);
  leveldb_env_t* const env = leveldb_create_default_env();
  char* const directory = leveldb_env_get_test_directory(env);
  CHECK(directory != NULL);
  leveldb_free(directory);

  leveldb_options_t* const options = leveldb_options_create();
  leveldb_options_set_env(options, env);
  leveldb_options_set_info_log(options, NULL);
  leveldb_options_set_cache(options, cache);
  leveldb_options_set_write_buffer_size(options, 100000);
  leveldb_options_set_paranoid_checks(options, 1);
  leveldb_options_set_max_open_files(options, 100);
  leveldb_options_set_block_size(options, 1024);
  leveldb_options_set_block_restart_interval(options, 8);
  leveldb_options_set_max_file_size(options, 3 << 20);
  leveldb_options_set_compression(options, leveldb_no_compression);

  leveldb_open(options, path, &err);
  PrintError("open of nothing");
  leveldb_options_set_create_if_missing(options, 1);
  Use(options, path);
  leveldb_options_set_error_if_exists(options, 1);
  leveldb_open(options, path, &err);
  PrintError("open of what exists");
  leveldb_options_set_error_if_exists(options, 0);
  leveldb_options_set_filter_policy(options, bloom);
  leveldb_options_set_compression(options, leveldb_snappy_compression);
  Use(options, path);
  leveldb_repair_db(options, path, &err);
  CHECK_OK();
  leveldb_destroy_db(options, path, &err);
  CHECK_OK();
  leveldb_options_set_comparator(options, comparator);
  leveldb_options_set_filter_policy(options, policy);
  Use(options, path);
  printf("filters %d, probes %d\n", filters > 0, probes > 0);

  leveldb_options_destroy(options);
  leveldb_comparator_destroy(comparator);
  leveldb_filterpolicy_destroy(policy);
  leveldb_filterpolicy_destroy(bloom);
  leveldb_cache_destroy(cache);
  leveldb_env_destroy(env);
  printf("destroyed %d\n", destroyed);
  return 0;
}
