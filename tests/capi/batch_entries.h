// SPDX-License-Identifier: Apache-2.0
//
// Callbacks that print the entries of a batch, and count in an int.
#ifndef TAMIS_TESTS_CAPI_BATCH_ENTRIES_H_
#define TAMIS_TESTS_CAPI_BATCH_ENTRIES_H_

#include "program.h"

static void OnPut(void* state, const char* k, size_t klen, const char* v,
                  size_t vlen) {
  ++*(int*)state;
  printf("  put %.*s = %.*s\n", (int)klen, k, (int)vlen, v);
}

static void OnDelete(void* state, const char* k, size_t klen) {
  ++*(int*)state;
  printf("  delete %.*s\n", (int)klen, k);
}

#endif  // TAMIS_TESTS_CAPI_BATCH_ENTRIES_H_
