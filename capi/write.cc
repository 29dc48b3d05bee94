// SPDX-License-Identifier: Apache-2.0
//
// Writes of one entry, and of a batch.
#include "capi/call.h"
#include "capi/types.h"

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

void tamis_put(tamis_t* db, const tamis_writeoptions_t* options,
               const char* key, size_t keylen, const char* val, size_t vallen,
               char** errptr) {
  Try(errptr, [&] {
    return db->rep->Put(options->rep, Slice(key, keylen), Slice(val, vallen));
  });
}

void tamis_put_cf(tamis_t* db, const tamis_writeoptions_t* options,
                  tamis_column_family_handle_t* column_family, const char* key,
                  size_t keylen, const char* val, size_t vallen,
                  char** errptr) {
  Try(errptr, [&] {
    return db->rep->Put(options->rep, column_family->rep, Slice(key, keylen),
                        Slice(val, vallen));
  });
}

void tamis_delete(tamis_t* db, const tamis_writeoptions_t* options,
                  const char* key, size_t keylen, char** errptr) {
  Try(errptr,
      [&] { return db->rep->Delete(options->rep, Slice(key, keylen)); });
}

void tamis_delete_cf(tamis_t* db, const tamis_writeoptions_t* options,
                     tamis_column_family_handle_t* column_family,
                     const char* key, size_t keylen, char** errptr) {
  Try(errptr, [&] {
    return db->rep->Delete(options->rep, column_family->rep,
                           Slice(key, keylen));
  });
}

void tamis_singledelete(tamis_t* db, const tamis_writeoptions_t* options,
                        const char* key, size_t keylen, char** errptr) {
  Try(errptr,
      [&] { return db->rep->SingleDelete(options->rep, Slice(key, keylen)); });
}

void tamis_singledelete_cf(tamis_t* db, const tamis_writeoptions_t* options,
                           tamis_column_family_handle_t* column_family,
                           const char* key, size_t keylen, char** errptr) {
  Try(errptr, [&] {
    return db->rep->SingleDelete(options->rep, column_family->rep,
                                 Slice(key, keylen));
  });
}

void tamis_delete_range(tamis_t* db, const tamis_writeoptions_t* options,
                        const char* start_key, size_t start_key_len,
                        const char* end_key, size_t end_key_len,
                        char** errptr) {
  Try(errptr, [&] {
    return db->rep->DeleteRange(options->rep, Slice(start_key, start_key_len),
                                Slice(end_key, end_key_len));
  });
}

void tamis_delete_range_cf(tamis_t* db, const tamis_writeoptions_t* options,
                           tamis_column_family_handle_t* column_family,
                           const char* start_key, size_t start_key_len,
                           const char* end_key, size_t end_key_len,
                           char** errptr) {
  Try(errptr, [&] {
    return db->rep->DeleteRange(options->rep, column_family->rep,
                                Slice(start_key, start_key_len),
                                Slice(end_key, end_key_len));
  });
}

void tamis_merge(tamis_t* db, const tamis_writeoptions_t* options,
                 const char* key, size_t keylen, const char* val, size_t vallen,
                 char** errptr) {
  Try(errptr, [&] {
    return db->rep->Merge(options->rep, Slice(key, keylen), Slice(val, vallen));
  });
}

void tamis_merge_cf(tamis_t* db, const tamis_writeoptions_t* options,
                    tamis_column_family_handle_t* column_family,
                    const char* key, size_t keylen, const char* val,
                    size_t vallen, char** errptr) {
  Try(errptr, [&] {
    return db->rep->Merge(options->rep, column_family->rep, Slice(key, keylen),
                          Slice(val, vallen));
  });
}

void tamis_write(tamis_t* db, const tamis_writeoptions_t* options,
                 tamis_writebatch_t* batch, char** errptr) {
  Try(errptr, [&] {
    if (!batch->errors.first.ok()) return batch->errors.first;
    return db->rep->Write(options->rep, &batch->rep);
  });
}
