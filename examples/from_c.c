/* SPDX-License-Identifier: Apache-2.0
 *
 * The C API. Run: from_c DIRECTORY */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/c.h>

/* Errors are messages in *errptr. */
static void Check(char* err) {
  if (err == NULL) return;
  fprintf(stderr, "%s\n", err);
  exit(1);
}

int main(int argc, char** argv) {
  const char* directory = argc > 1 ? argv[1] : "from_c_db";
  char* err = NULL;
  tamis_options_t* options = tamis_options_create();
  tamis_options_set_create_if_missing(options, 1);
  tamis_destroy_db(options, directory, &err);
  Check(err);
  tamis_t* db = tamis_open(options, directory, &err);
  Check(err);

  tamis_writeoptions_t* write = tamis_writeoptions_create();
  tamis_put(db, write, "apple", 5, "green", 5, &err);
  Check(err);
  tamis_writebatch_t* batch = tamis_writebatch_create();
  tamis_writebatch_put(batch, "banana", 6, "yellow", 6);
  tamis_writebatch_put(batch, "cherry", 6, "red", 3);
  tamis_write(db, write, batch, &err);
  Check(err);
  tamis_writebatch_destroy(batch);

  tamis_readoptions_t* read = tamis_readoptions_create();
  size_t length = 0;
  char* value = tamis_get(db, read, "apple", 5, &length, &err);
  Check(err);
  printf("apple is %.*s\n", (int)length, value);
  tamis_free(value);

  tamis_iterator_t* it = tamis_create_iterator(db, read);
  for (tamis_iter_seek(it, "b", 1); tamis_iter_valid(it); tamis_iter_next(it)) {
    const char* key = tamis_iter_key(it, &length);
    printf("%.*s\n", (int)length, key);
  }
  tamis_iter_get_error(it, &err);
  Check(err);

  tamis_iter_destroy(it);
  tamis_readoptions_destroy(read);
  tamis_writeoptions_destroy(write);
  tamis_close(db);
  tamis_options_destroy(options);
  return 0;
}
