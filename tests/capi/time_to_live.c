// SPDX-License-Identifier: Apache-2.0
//
// Values with a time to live.
#include "program.h"

static void WithTtl(const tamis_options_t* options, const char* path) {
  tamis_writeoptions_t* w = tamis_writeoptions_create();
  tamis_readoptions_t* r = tamis_readoptions_create();
  tamis_t* db = tamis_open_with_ttl(options, path, 1000, &err);
  CHECK_OK();
  Put(db, "a", "1");
  PrintGet(db, "a");
  tamis_column_family_handle_t* family =
      tamis_create_column_family_with_ttl(db, options, "brief", 1000, &err);
  CHECK_OK();
  tamis_put_cf(db, w, family, "b", 1, "2", 1, &err);
  CHECK_OK();
  tamis_column_family_handle_destroy(family);
  tamis_close(db);

  const char* names[] = {"default", "brief"};
  const tamis_options_t* both[] = {options, options};
  const int ttls[] = {1000, 1000};
  tamis_column_family_handle_t* handles[2];
  db = tamis_open_column_families_with_ttl(options, path, 2, names, both,
                                           handles, ttls, &err);
  CHECK_OK();
  size_t size = 0;
  char* value = tamis_get_cf(db, r, handles[1], "b", 1, &size, &err);
  CHECK_OK();
  PrintAndFree("b", value, size);
  for (int i = 0; i < 2; ++i) tamis_column_family_handle_destroy(handles[i]);
  tamis_close(db);

  // Without the time to live, each value has its time behind it.
  db = tamis_open_column_families(options, path, 2, names, both, handles, &err);
  CHECK_OK();
  value = tamis_get_cf(db, r, handles[1], "b", 1, &size, &err);
  CHECK_OK();
  printf("%d bytes\n", (int)size);
  tamis_free(value);
  for (int i = 0; i < 2; ++i) tamis_column_family_handle_destroy(handles[i]);
  tamis_close(db);
  tamis_writeoptions_destroy(w);
  tamis_readoptions_destroy(r);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  tamis_options_t* options = NewOptions();
  WithTtl(options, argv[1]);
  tamis_options_destroy(options);
  return 0;
}
