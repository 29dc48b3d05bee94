// SPDX-License-Identifier: Apache-2.0
//
// Write batches and the log of updates.
#include "batch_entries.h"
#include "program.h"

static void PrintBatch(tamis_writebatch_t* batch) {
  int calls = 0;
  tamis_writebatch_iterate(batch, &calls, OnPut, OnDelete);
  printf("%d calls, %d entries\n", calls, tamis_writebatch_count(batch));
}

static void Parts(tamis_writebatch_t* b) {
  const char* key[] = {"par", "ts"};
  const size_t key_sizes[] = {3, 2};
  const char* value[] = {"of ", "a ", "value"};
  const size_t value_sizes[] = {3, 2, 5};
  tamis_writebatch_putv(b, 2, key, key_sizes, 3, value, value_sizes);
  const char* gone[] = {"go", "ne"};
  const size_t gone_sizes[] = {2, 2};
  tamis_writebatch_put(b, "gone", 4, "x", 1);
  tamis_writebatch_deletev(b, 2, gone, gone_sizes);
}

static void SavePoints(tamis_writebatch_t* b) {
  tamis_writebatch_rollback_to_save_point(b, &err);
  PrintError("rollback without a save point");
  tamis_writebatch_set_save_point(b);
  tamis_writebatch_put(b, "never", 5, "x", 1);
  tamis_writebatch_rollback_to_save_point(b, &err);
  CHECK_OK();
  tamis_writebatch_set_save_point(b);
  tamis_writebatch_put(b, "always", 6, "y", 1);
  tamis_writebatch_pop_save_point(b, &err);
  CHECK_OK();
  tamis_writebatch_pop_save_point(b, &err);
  PrintError("pop without a save point");
}

static void Ranges(tamis_t* db, tamis_writeoptions_t* w) {
  for (char c = 'p'; c < 'w'; ++c) {
    const char key[2] = {c, '\0'};
    Put(db, key, key);
  }
  tamis_writebatch_t* b = tamis_writebatch_create();
  tamis_writebatch_delete_range(b, "q", 1, "s", 1);
  const char* start[] = {"t"};
  const char* end[] = {"u", "0"};
  const size_t ones[] = {1, 1};
  tamis_writebatch_delete_rangev(b, 1, start, ones, end, ones);
  tamis_writebatch_singledelete(b, "v", 1);
  tamis_writebatch_put_log_data(b, "not an entry", 12);
  CHECK(tamis_writebatch_count(b) == 3);
  tamis_write(db, w, b, &err);
  CHECK_OK();
  tamis_writebatch_destroy(b);
}

static void Updates(tamis_t* db) {
  tamis_wal_iterator_t* it = tamis_get_updates_since(db, 1, NULL, &err);
  CHECK_OK();
  for (; tamis_wal_iter_valid(it); tamis_wal_iter_next(it)) {
    tamis_wal_iter_status(it, &err);
    CHECK_OK();
    uint64_t seq = 0;
    tamis_writebatch_t* batch = tamis_wal_iter_get_batch(it, &seq);
    printf("update %" PRIu64 ":\n", seq);
    PrintBatch(batch);
    tamis_writebatch_destroy(batch);
  }
  tamis_wal_iter_destroy(it);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  tamis_options_t* options = NewOptions();
  tamis_t* db = Open(options, argv[1]);
  tamis_writeoptions_t* w = tamis_writeoptions_create();

  tamis_writebatch_t* b = tamis_writebatch_create();
  CHECK(tamis_writebatch_count(b) == 0);
  tamis_writebatch_put(b, "k", 1, "v", 1);
  tamis_writebatch_put(b, "l", 1, "", 0);
  tamis_writebatch_delete(b, "m", 1);
  Parts(b);
  SavePoints(b);
  PrintBatch(b);
  size_t size = 0;
  const char* data = tamis_writebatch_data(b, &size);
  tamis_writebatch_t* copy = tamis_writebatch_create_from(data, size);
  CHECK(tamis_writebatch_count(copy) == tamis_writebatch_count(b));
  tamis_writebatch_clear(b);
  CHECK(tamis_writebatch_count(b) == 0);
  tamis_write(db, w, copy, &err);
  CHECK_OK();
  tamis_writebatch_destroy(copy);
  tamis_writebatch_destroy(b);
  PrintDatabase(db);

  Ranges(db, w);
  PrintDatabase(db);
  Updates(db);
  tamis_writeoptions_destroy(w);
  tamis_close(db);
  tamis_options_destroy(options);
  return 0;
}
