// SPDX-License-Identifier: Apache-2.0
//
// A hint to the processor that compilers do not always give as it is meant.
#pragma once

namespace tamis {

// Begins to fetch the cache line at `p`, which need not exist, to be written:
// away from another core that has read it. Without that, later stores and then
// loads queue up behind the first store to such a line.
inline void PrefetchForWrite(const char* p) {
#if defined(__x86_64__)
  // Of the builtin, compilers make a read unless told that every processor
  // knows this one. Those that do not take it for a nop.
  asm volatile("prefetchw %0" : : "m"(*p));
#else
  __builtin_prefetch(p, 1);
#endif
}

}  // namespace tamis
