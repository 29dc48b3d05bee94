// SPDX-License-Identifier: Apache-2.0
//
// Column families: create, list, open, write, read, drop.
#include "program.h"

static void PrintFamilies(const tamis_options_t* options, const char* path) {
  size_t count = 0;
  char** names = tamis_list_column_families(options, path, &count, &err);
  CHECK_OK();
  for (size_t i = 0; i < count; ++i) printf("family %s\n", names[i]);
  tamis_list_column_families_destroy(names, count);
}

static void Data(tamis_t* db, tamis_column_family_handle_t** families) {
  tamis_writeoptions_t* w = tamis_writeoptions_create();
  tamis_put_cf(db, w, families[1], "k", 1, "of one", 6, &err);
  tamis_put_cf(db, w, families[1], "l", 1, "of one", 6, &err);
  tamis_put_cf(db, w, families[1], "m", 1, "of one", 6, &err);
  tamis_delete_cf(db, w, families[1], "l", 1, &err);
  tamis_put_cf(db, w, families[0], "k", 1, "of default", 10, &err);
  tamis_put_cf(db, w, families[0], "o", 1, "once", 4, &err);
  tamis_singledelete_cf(db, w, families[0], "o", 1, &err);
  CHECK_OK();
  tamis_writebatch_t* b = tamis_writebatch_create();
  tamis_writebatch_put_cf(b, families[1], "n", 1, "batch", 5);
  tamis_writebatch_put_cf(b, families[0], "n", 1, "batch", 5);
  tamis_writebatch_delete_cf(b, families[1], "m", 1);
  tamis_writebatch_singledelete_cf(b, families[0], "none", 4);
  tamis_writebatch_delete_range_cf(b, families[1], "x", 1, "z", 1);
  CHECK(tamis_writebatch_count(b) == 5);
  tamis_write(db, w, b, &err);
  CHECK_OK();
  tamis_writebatch_destroy(b);
  tamis_delete_range_cf(db, w, families[1], "p", 1, "q", 1, &err);
  CHECK_OK();
  tamis_writeoptions_destroy(w);
}

static void Reads(tamis_t* db, tamis_column_family_handle_t** families) {
  tamis_readoptions_t* r = tamis_readoptions_create();
  for (int i = 0; i < 2; ++i) {
    size_t size = 0;
    char* value = tamis_get_cf(db, r, families[i], "k", 1, &size, &err);
    CHECK_OK();
    PrintAndFree("k", value, size);
    tamis_pinnableslice_t* pinned =
        tamis_get_pinned_cf(db, r, families[i], "n", 1, &err);
    CHECK_OK();
    const char* bytes = tamis_pinnableslice_value(pinned, &size);
    PrintBytes("n", bytes, size);
    tamis_pinnableslice_destroy(pinned);
    printf("family %d:\n", i);
    PrintAll(db, r, families[i]);
  }

  const tamis_column_family_handle_t* const of[] = {families[0], families[1],
                                                    families[1]};
  const char* keys[] = {"k", "k", "l"};
  const size_t sizes[] = {1, 1, 1};
  char* values[3];
  size_t value_sizes[3];
  char* errs[3];
  tamis_multi_get_cf(db, r, of, 3, keys, sizes, values, value_sizes, errs);
  tamis_pinnableslice_t* pinned[3];
  char* pinned_errs[3];
  tamis_batched_multi_get_cf(db, r, families[1], 3, keys, sizes, pinned,
                             pinned_errs, false);
  for (int i = 0; i < 3; ++i) {
    CHECK(errs[i] == NULL && pinned_errs[i] == NULL);
    PrintAndFree(keys[i], values[i], value_sizes[i]);
    size_t size = 0;
    const char* bytes =
        pinned[i] == NULL ? NULL : tamis_pinnableslice_value(pinned[i], &size);
    PrintBytes("  batched", bytes, size);
    tamis_pinnableslice_destroy(pinned[i]);
  }

  tamis_iterator_t* iterators[2];
  tamis_create_iterators(db, r, families, iterators, 2, &err);
  CHECK_OK();
  for (int i = 0; i < 2; ++i) {
    tamis_iter_seek_to_first(iterators[i]);
    CHECK(tamis_iter_valid(iterators[i]));
    size_t size = 0;
    const char* value = tamis_iter_value(iterators[i], &size);
    PrintBytes("first", value, size);
    tamis_iter_destroy(iterators[i]);
  }
  tamis_readoptions_destroy(r);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  tamis_options_t* options = NewOptions();
  tamis_t* db = Open(options, argv[1]);
  tamis_column_family_handle_t* one =
      tamis_create_column_family(db, options, "one", &err);
  CHECK_OK();
  // RocksDB returns a handle to nothing, Tamis NULL.
  (void)tamis_create_column_family(db, options, "one", &err);
  PrintError("create what exists");
  size_t size = 0;
  char* name = tamis_column_family_handle_get_name(one, &size);
  printf("id %" PRIu32 "\n", tamis_column_family_handle_get_id(one));
  PrintAndFree("name", name, size);
  tamis_column_family_handle_destroy(one);
  tamis_close(db);
  PrintFamilies(options, argv[1]);

  const char* names[] = {"default", "one"};
  const tamis_options_t* family_options[] = {options, options};
  tamis_column_family_handle_t* families[2];
  CHECK(tamis_open(options, argv[1], &err) == NULL);
  PrintError("open without a family");
  db = tamis_open_column_families(options, argv[1], 2, names, family_options,
                                  families, &err);
  CHECK_OK();
  Data(db, families);
  Reads(db, families);
  tamis_flushoptions_t* f = tamis_flushoptions_create();
  tamis_flush_cf(db, f, families[1], &err);
  CHECK_OK();
  tamis_flushoptions_destroy(f);
  char* tables =
      tamis_property_value_cf(db, families[1], "rocksdb.num-files-at-level0");
  PrintAndFree("tables of one", tables, strlen(tables));
  uint64_t keys = 99;
  CHECK(tamis_property_int_cf(db, families[1], "rocksdb.no-such-property",
                              &keys) == -1);
  tamis_compact_range_cf(db, families[1], NULL, 0, NULL, 0);
  const char* option[] = {"disable_auto_compactions"};
  const char* option_value[] = {"true"};
  tamis_set_options_cf(db, families[1], 1, option, option_value, &err);
  CHECK_OK();
  for (int i = 0; i < 2; ++i) tamis_column_family_handle_destroy(families[i]);
  tamis_close(db);

  char secondary[4096];
  snprintf(secondary, sizeof secondary, "%s.secondary", argv[1]);
  db = tamis_open_as_secondary(options, argv[1], secondary, &err);
  CHECK_OK();
  tamis_try_catch_up_with_primary(db, &err);
  CHECK_OK();
  tamis_close(db);
  db = tamis_open_as_secondary_column_families(
      options, argv[1], secondary, 2, names, family_options, families, &err);
  CHECK_OK();
  Reads(db, families);
  tamis_try_catch_up_with_primary(db, &err);
  CHECK_OK();
  Reads(db, families);
  for (int i = 0; i < 2; ++i) tamis_column_family_handle_destroy(families[i]);
  tamis_close(db);

  db = tamis_open_for_read_only_column_families(
      options, argv[1], 2, names, family_options, families, 0, &err);
  CHECK_OK();
  Reads(db, families);
  for (int i = 0; i < 2; ++i) tamis_column_family_handle_destroy(families[i]);
  tamis_close(db);

  db = tamis_open_column_families(options, argv[1], 2, names, family_options,
                                  families, &err);
  CHECK_OK();
  tamis_drop_column_family(db, families[1], &err);
  CHECK_OK();
  tamis_drop_column_family(db, families[0], &err);
  PrintError("drop of the default family");
  for (int i = 0; i < 2; ++i) tamis_column_family_handle_destroy(families[i]);
  tamis_close(db);
  PrintFamilies(options, argv[1]);
  tamis_options_destroy(options);
  return 0;
}
