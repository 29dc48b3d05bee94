// SPDX-License-Identifier: Apache-2.0
//
// Open, writes, point reads, iterators with bounds, snapshots.
#include "program.h"

static void OpenErrors(const char* path) {
  tamis_options_t* options = tamis_options_create();
  CHECK(tamis_open(options, path, &err) == NULL);
  PrintError("open of nothing");
  // A message that is there is replaced.
  err = malloc(4);
  strcpy(err, "old");
  CHECK(tamis_open(options, path, &err) == NULL);
  PrintError("open with an old message");
  tamis_options_destroy(options);
}

static void Writes(tamis_t* db) {
  tamis_writeoptions_t* w = tamis_writeoptions_create();
  tamis_writeoptions_set_sync(w, 1);
  tamis_put(db, w, "a", 1, "1", 1, &err);
  tamis_put(db, w, "b", 1, "2", 1, &err);
  tamis_put(db, w, "c", 1, "", 0, &err);
  tamis_put(db, w, "d\0e", 3, "x\0y", 3, &err);
  tamis_put(db, w, "once", 4, "only", 4, &err);
  tamis_delete(db, w, "b", 1, &err);
  tamis_singledelete(db, w, "once", 4, &err);
  CHECK_OK();
  tamis_merge(db, w, "a", 1, "+", 1, &err);
  PrintError("merge without an operator");
  tamis_writeoptions_disable_WAL(w, 1);
  tamis_put(db, w, "f", 1, "6", 1, &err);
  PrintError("sync without a log");
  tamis_writeoptions_set_sync(w, 0);
  tamis_put(db, w, "f", 1, "6", 1, &err);
  CHECK_OK();
  tamis_writeoptions_destroy(w);
}

static void PointReads(tamis_t* db) {
  PrintGet(db, "a");
  PrintGet(db, "b");
  PrintGet(db, "c");
  PrintGet(db, "once");
  tamis_readoptions_t* r = tamis_readoptions_create();
  size_t size = 0;
  char* value = tamis_get(db, r, "d\0e", 3, &size, &err);
  CHECK_OK();
  CHECK(size == 3 && memcmp(value, "x\0y", 3) == 0);
  tamis_free(value);

  const char* keys[] = {"a", "b", "f", "absent"};
  const size_t sizes[] = {1, 1, 1, 6};
  char* values[4];
  size_t value_sizes[4];
  char* errs[4];
  tamis_multi_get(db, r, 4, keys, sizes, values, value_sizes, errs);
  for (int i = 0; i < 4; ++i) {
    CHECK(errs[i] == NULL);
    PrintAndFree(keys[i], values[i], value_sizes[i]);
  }

  tamis_pinnableslice_t* pinned = tamis_get_pinned(db, r, "a", 1, &err);
  CHECK_OK();
  const char* bytes = tamis_pinnableslice_value(pinned, &size);
  PrintBytes("pinned", bytes, size);
  tamis_pinnableslice_destroy(pinned);
  pinned = tamis_get_pinned(db, r, "absent", 6, &err);
  CHECK_OK();
  bytes = tamis_pinnableslice_value(pinned, &size);
  PrintBytes("pinned", bytes, size);
  tamis_pinnableslice_destroy(pinned);

  unsigned char found = 0;
  char* may = NULL;
  size_t may_size = 0;
  CHECK(tamis_key_may_exist(db, r, "a", 1, &may, &may_size, NULL, 0, &found));
  printf("found %d\n", found);
  PrintAndFree("may exist", may, may_size);
  CHECK(tamis_key_may_exist(db, r, "a", 1, NULL, NULL, NULL, 0, NULL));
  tamis_readoptions_destroy(r);
}

static void Iterators(tamis_t* db) {
  tamis_readoptions_t* r = tamis_readoptions_create();
  tamis_readoptions_set_iterate_lower_bound(r, "b", 1);
  tamis_readoptions_set_iterate_upper_bound(r, "f", 1);
  printf("bounded:\n");
  tamis_iterator_t* it = tamis_create_iterator(db, r);
  size_t size = 0;
  for (tamis_iter_seek_to_last(it); tamis_iter_valid(it); tamis_iter_prev(it)) {
    const char* key = tamis_iter_key(it, &size);
    PrintBytes("  key", key, strnlen(key, size));
  }
  tamis_iter_seek(it, "bb", 2);
  CHECK(tamis_iter_valid(it));
  const char* key = tamis_iter_key(it, &size);
  PrintBytes("seek bb", key, size);
  tamis_iter_seek_for_prev(it, "cc", 2);
  CHECK(tamis_iter_valid(it));
  key = tamis_iter_key(it, &size);
  PrintBytes("seek for prev cc", key, size);
  tamis_iter_seek_for_prev(it, "aa", 2);
  CHECK(!tamis_iter_valid(it));
  tamis_iter_get_error(it, &err);
  CHECK_OK();
  tamis_iter_destroy(it);
  tamis_readoptions_set_iterate_lower_bound(r, NULL, 0);
  tamis_readoptions_set_iterate_upper_bound(r, NULL, 0);
  printf("unbounded:\n");
  PrintAll(db, r, NULL);
  tamis_readoptions_set_managed(r, 1);
  it = tamis_create_iterator(db, r);
  CHECK(!tamis_iter_valid(it));
  tamis_iter_get_error(it, &err);
  PrintError("a managed iterator");
  tamis_iter_destroy(it);
  tamis_readoptions_destroy(r);
}

static void Snapshots(tamis_t* db) {
  const tamis_snapshot_t* snapshot = tamis_create_snapshot(db);
  Put(db, "a", "newer");
  PrintGet(db, "a");
  tamis_readoptions_t* r = tamis_readoptions_create();
  tamis_readoptions_set_snapshot(r, snapshot);
  size_t size = 0;
  char* value = tamis_get(db, r, "a", 1, &size, &err);
  CHECK_OK();
  PrintAndFree("of the snapshot", value, size);
  tamis_readoptions_set_snapshot(r, NULL);
  value = tamis_get(db, r, "a", 1, &size, &err);
  CHECK_OK();
  PrintAndFree("of the present", value, size);
  tamis_readoptions_destroy(r);
  tamis_release_snapshot(db, snapshot);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  OpenErrors(argv[1]);
  tamis_options_t* options = NewOptions();
  tamis_t* db = Open(options, argv[1]);
  Writes(db);
  PointReads(db);
  Iterators(db);
  Snapshots(db);
  Flush(db);
  printf("latest: %" PRIu64 "\n", tamis_get_latest_sequence_number(db));
  tamis_close(db);

  db = tamis_open_for_read_only(options, argv[1], 0, &err);
  CHECK_OK();
  PrintGet(db, "a");
  tamis_writeoptions_t* w = tamis_writeoptions_create();
  tamis_put(db, w, "a", 1, "1", 1, &err);
  PrintError("put while read only");
  tamis_writeoptions_destroy(w);
  tamis_close(db);

  tamis_options_set_error_if_exists(options, 1);
  CHECK(tamis_open(options, argv[1], &err) == NULL);
  PrintError("open of what exists");
  tamis_destroy_db(options, argv[1], &err);
  CHECK_OK();
  tamis_options_set_create_if_missing(options, 0);
  CHECK(tamis_open(options, argv[1], &err) == NULL);
  PrintError("open of what was destroyed");
  tamis_options_destroy(options);
  return 0;
}
