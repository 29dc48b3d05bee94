// SPDX-License-Identifier: Apache-2.0
//
// Batches with an index.
#include "batch_entries.h"
#include "program.h"

static void PrintBatch(tamis_writebatch_wi_t* b) {
  int calls = 0;
  tamis_writebatch_wi_iterate(b, &calls, OnPut, OnDelete);
  printf("%d calls, %d entries\n", calls, tamis_writebatch_wi_count(b));
}

static void PrintBoth(tamis_t* db, tamis_writebatch_wi_t* b,
                      const tamis_options_t* options, const char* key) {
  tamis_readoptions_t* read = tamis_readoptions_create();
  size_t size = 0;
  char* value = tamis_writebatch_wi_get_from_batch(b, options, key, strlen(key),
                                                   &size, &err);
  CHECK_OK();
  printf("%s, ", key);
  PrintAndFree("batch", value, size);
  value = tamis_writebatch_wi_get_from_batch_and_db(b, db, read, key,
                                                    strlen(key), &size, &err);
  CHECK_OK();
  printf("%s, ", key);
  PrintAndFree("both", value, size);
  tamis_readoptions_destroy(read);
}

static void Parts(tamis_writebatch_wi_t* b) {
  const char* key[] = {"par", "ts"};
  const size_t key_sizes[] = {3, 2};
  const char* value[] = {"of ", "a ", "value"};
  const size_t value_sizes[] = {3, 2, 5};
  tamis_writebatch_wi_putv(b, 2, key, key_sizes, 3, value, value_sizes);
  const char* gone[] = {"go", "ne"};
  const size_t gone_sizes[] = {2, 2};
  tamis_writebatch_wi_put(b, "gone", 4, "x", 1);
  tamis_writebatch_wi_deletev(b, 2, gone, gone_sizes);
}

static void OfAFamily(tamis_t* db, const tamis_options_t* options,
                      tamis_writeoptions_t* w) {
  tamis_column_family_handle_t* family =
      tamis_create_column_family(db, options, "family", &err);
  CHECK_OK();
  tamis_readoptions_t* read = tamis_readoptions_create();
  tamis_put_cf(db, w, family, "a", 1, "stored", 6, &err);
  CHECK_OK();
  tamis_writebatch_wi_t* b = tamis_writebatch_wi_create(100, 1);
  tamis_writebatch_wi_put_cf(b, family, "b", 1, "put", 3);
  tamis_writebatch_wi_put_cf(b, family, "c", 1, "put", 3);
  tamis_writebatch_wi_delete_cf(b, family, "c", 1);
  tamis_writebatch_wi_put_cf(b, family, "d", 1, "put", 3);
  tamis_writebatch_wi_singledelete_cf(b, family, "d", 1);
  size_t size = 0;
  char* value = tamis_writebatch_wi_get_from_batch_cf(b, options, family, "b",
                                                      1, &size, &err);
  CHECK_OK();
  PrintAndFree("batch", value, size);
  value = tamis_writebatch_wi_get_from_batch_and_db_cf(b, db, read, family, "a",
                                                       1, &size, &err);
  CHECK_OK();
  PrintAndFree("both", value, size);
  tamis_iterator_t* it = tamis_writebatch_wi_create_iterator_with_base_cf(
      b, tamis_create_iterator_cf(db, read, family), family);
  PrintIterator(it);
  tamis_write_writebatch_wi(db, w, b, &err);
  CHECK_OK();
  it = tamis_create_iterator_cf(db, read, family);
  PrintIterator(it);
  tamis_writebatch_wi_destroy(b);
  tamis_readoptions_destroy(read);
  tamis_column_family_handle_destroy(family);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  tamis_options_t* options = NewOptions();
  tamis_t* db = Open(options, argv[1]);
  tamis_writeoptions_t* w = tamis_writeoptions_create();
  Put(db, "k", "stored");
  Put(db, "m", "stored");
  Put(db, "z", "stored");

  tamis_writebatch_wi_t* b = tamis_writebatch_wi_create(0, 0);
  CHECK(tamis_writebatch_wi_count(b) == 0);
  tamis_writebatch_wi_put(b, "k", 1, "v", 1);
  tamis_writebatch_wi_put(b, "l", 1, "", 0);
  tamis_writebatch_wi_delete(b, "m", 1);
  Parts(b);
  tamis_writebatch_wi_put_log_data(b, "not an entry", 12);
  PrintBatch(b);
  tamis_writebatch_wi_rollback_to_save_point(b, &err);
  PrintError("rollback without a save point");
  tamis_writebatch_wi_set_save_point(b);
  tamis_writebatch_wi_put(b, "never", 5, "x", 1);
  tamis_writebatch_wi_rollback_to_save_point(b, &err);
  CHECK_OK();
  const char* keys[] = {"k", "l", "m", "never", "parts", "gone", "z"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
    PrintBoth(db, b, options, keys[i]);
  }
  tamis_readoptions_t* read = tamis_readoptions_create();
  tamis_iterator_t* it = tamis_writebatch_wi_create_iterator_with_base(
      b, tamis_create_iterator(db, read));
  PrintIterator(it);
  size_t size = 0;
  CHECK(tamis_writebatch_wi_data(b, &size) != NULL);
  printf("%d bytes\n", (int)size);
  tamis_write_writebatch_wi(db, w, b, &err);
  CHECK_OK();
  PrintDatabase(db);
  tamis_writebatch_wi_clear(b);
  CHECK(tamis_writebatch_wi_count(b) == 0);
  tamis_writebatch_wi_singledelete(b, "k", 1);
  tamis_write_writebatch_wi(db, w, b, &err);
  CHECK_OK();
  PrintDatabase(db);
  tamis_writebatch_wi_destroy(b);

  OfAFamily(db, options, w);
  tamis_readoptions_destroy(read);
  tamis_writeoptions_destroy(w);
  tamis_close(db);
  tamis_options_destroy(options);
  return 0;
}
