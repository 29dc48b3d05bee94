// SPDX-License-Identifier: Apache-2.0
//
// What the C programs share. Each gets a directory, and prints what it saw; the
// same source is built for either engine, where the names of RocksDB's
// functions come from rocksdb_names.h.
#ifndef TAMIS_TESTS_CAPI_PROGRAM_H_
#define TAMIS_TESTS_CAPI_PROGRAM_H_

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FOR_ROCKSDB
#include <rocksdb/c.h>
#else
#include "tamis/c.h"
#endif

// Ends the program if the condition does not hold.
#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

// The error of each call, which must be NULL after it.
static char* err = NULL;

#define CHECK_OK()                                             \
  do {                                                         \
    if (err != NULL) {                                         \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, err); \
      exit(1);                                                 \
    }                                                          \
  } while (0)

// Prints the kind of the error, which is the part before the first colon, and
// frees it.
static inline void PrintError(const char* call) {
  CHECK(err != NULL);
  printf("%s: %.*s\n", call, (int)strcspn(err, ":"), err);
  tamis_free(err);
  err = NULL;
}

// Prints bytes in quotes, or "none" for NULL.
static inline void PrintBytes(const char* what, const char* bytes,
                              size_t size) {
  if (bytes == NULL) {
    printf("%s: none\n", what);
  } else {
    printf("%s: \"%.*s\"\n", what, (int)size, bytes);
  }
}

// The same, and frees them.
static inline void PrintAndFree(const char* what, char* bytes, size_t size) {
  PrintBytes(what, bytes, size);
  tamis_free(bytes);
}

static inline void Put(tamis_t* db, const char* key, const char* value) {
  tamis_writeoptions_t* options = tamis_writeoptions_create();
  tamis_put(db, options, key, strlen(key), value, strlen(value), &err);
  CHECK_OK();
  tamis_writeoptions_destroy(options);
}

static inline void PrintGet(tamis_t* db, const char* key) {
  tamis_readoptions_t* options = tamis_readoptions_create();
  size_t size = 0;
  char* value = tamis_get(db, options, key, strlen(key), &size, &err);
  CHECK_OK();
  PrintAndFree(key, value, size);
  tamis_readoptions_destroy(options);
}

// Prints all that the iterator yields, checks its status, and destroys it.
static inline void PrintIterator(tamis_iterator_t* it) {
  for (tamis_iter_seek_to_first(it); tamis_iter_valid(it);
       tamis_iter_next(it)) {
    size_t key_size = 0;
    size_t value_size = 0;
    const char* key = tamis_iter_key(it, &key_size);
    const char* value = tamis_iter_value(it, &value_size);
    printf("  %.*s = %.*s\n", (int)key_size, key, (int)value_size, value);
  }
  tamis_iter_get_error(it, &err);
  CHECK_OK();
  tamis_iter_destroy(it);
}

static inline void PrintAll(tamis_t* db, tamis_readoptions_t* options,
                            tamis_column_family_handle_t* family) {
  PrintIterator(family == NULL ? tamis_create_iterator(db, options)
                               : tamis_create_iterator_cf(db, options, family));
}

static inline void PrintDatabase(tamis_t* db) {
  tamis_readoptions_t* options = tamis_readoptions_create();
  printf("all:\n");
  PrintAll(db, options, NULL);
  tamis_readoptions_destroy(options);
}

static inline void Flush(tamis_t* db) {
  tamis_flushoptions_t* options = tamis_flushoptions_create();
  tamis_flush(db, options, &err);
  CHECK_OK();
  tamis_flushoptions_destroy(options);
}

static inline tamis_options_t* NewOptions(void) {
  tamis_options_t* options = tamis_options_create();
  tamis_options_set_create_if_missing(options, 1);
  // The same codec for both: sizes differ by less.
  tamis_options_set_compression(options, tamis_no_compression);
  return options;
}

static inline tamis_t* Open(const tamis_options_t* options, const char* path) {
  tamis_t* db = tamis_open(options, path, &err);
  CHECK_OK();
  CHECK(db != NULL);
  return db;
}

#endif  // TAMIS_TESTS_CAPI_PROGRAM_H_
