// SPDX-License-Identifier: Apache-2.0
//
// Compiled with -mavx2 (CMakeLists.txt), so it must use no inline function that
// other sources use: the linker might keep this source's.
#if defined(__x86_64__)

#include "util/coding/xxh3_avx2.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tamis {

uint64_t Xxh3Avx2(const char* data, size_t n) { return XXH3_64bits(data, n); }

}  // namespace tamis

#endif
