// SPDX-License-Identifier: Apache-2.0
//
// A pair of a setter and a getter: the option keeps what it was set to.
#ifndef TAMIS_TESTS_CAPI_KEEPS_H_
#define TAMIS_TESTS_CAPI_KEEPS_H_

#include "program.h"

// Sets the option to a value that is not its default, and reads it back. At the
// end it is 1.
#define KEEPS(group, name)                                     \
  do {                                                         \
    const unsigned long long old =                             \
        (unsigned long long)tamis_##group##_get_##name(o);     \
    tamis_##group##_set_##name(o, old == 0 ? 1 : 0);           \
    CHECK((unsigned long long)tamis_##group##_get_##name(o) == \
          (old == 0 ? 1 : 0));                                 \
    tamis_##group##_set_##name(o, 1);                          \
    printf("%s %s\n", #group, #name);                          \
    ++count;                                                   \
  } while (0)

// All that were set before have kept it.
#define KEPT(group, name) sum += (int)tamis_##group##_get_##name(o)

static int count = 0;
static int sum = 0;

#endif  // TAMIS_TESTS_CAPI_KEEPS_H_
