// SPDX-License-Identifier: Apache-2.0
//
// Prefetching for writes, which compilers do not always emit as such.
#pragma once

namespace tamis {

// Prefetches the cache line at `p` for writing, and takes it from other cores
// that have read it. Without that, the first store to such a line delays all
// later stores, and then the loads. `p` need not be mapped.
inline void PrefetchForWrite(const char* p) {
#if defined(__x86_64__)
  // __builtin_prefetch becomes a read prefetch unless the target is known to
  // have prefetchw. Processors without it execute prefetchw as a no-op.
  asm volatile("prefetchw %0" : : "m"(*p));
#else
  __builtin_prefetch(p, 1);
#endif
}

}  // namespace tamis
