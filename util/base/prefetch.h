// SPDX-License-Identifier: Apache-2.0
//
// A prefetch for writing, which __builtin_prefetch does not always emit.
#pragma once

namespace tamis {

// Prefetches the cache line that contains `p`, and takes it from the other
// cores that hold it. Otherwise the first store to such a line waits, and
// delays all later stores; when the store buffer is full, loads wait too. `p`
// need not be mapped.
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
