// SPDX-License-Identifier: Apache-2.0
#include "rados/page_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tamis::rados {

namespace {

#if defined(__x86_64__)
bool HasAvx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0;
}
const bool kHasAvx2 = HasAvx2();
#endif

}  // namespace

uint64_t PageHash(uint64_t seed, const char* bytes, size_t n) {
#if defined(__x86_64__)
  if (kHasAvx2) return PageHashAvx2(seed, bytes, n);
#endif
  return XXH3_64bits_withSeed(bytes, n, seed);
}

}  // namespace tamis::rados
