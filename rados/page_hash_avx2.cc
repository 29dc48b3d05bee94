// SPDX-License-Identifier: Apache-2.0
//
// Compiled with -mavx2 (cmake/Rados.cmake), so it must use no inline function
// that other sources use: the linker might keep this source's.
#if defined(__x86_64__)

#include "rados/page_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tamis::rados {

uint64_t PageHashAvx2(uint64_t seed, const char* bytes, size_t n) {
  return XXH3_64bits_withSeed(bytes, n, seed);
}

}  // namespace tamis::rados

#endif
