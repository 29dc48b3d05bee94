// SPDX-License-Identifier: Apache-2.0
//
// Bounded spinning: a thread that expects an event within a microsecond or so
// polls for it, since to sleep and to be woken takes ten times as long.
//
//   for (uint32_t i = 0; i < pauses; ++i) {
//     if (TryToProceed()) return;
//     SpinPause();
//   }
//   ...  // sleep
#pragma once

#include <cstdint>

#include "util/base/process.h"

namespace tamis {

// Tells the processor that the thread polls: it saves power and leaves the core
// to a sibling thread for tens of nanoseconds.
inline void SpinPause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // `yield` does nothing on most cores
#elif defined(__arm__)
  asm volatile("yield" ::: "memory");
#endif
}

// Returns `pauses`, or 0 if this process may use only one core: the event would
// then wait for the thread that polls for it.
inline uint32_t SpinPauses(uint32_t pauses) {
  return UsableCores() <= 1 ? 0 : pauses;
}

}  // namespace tamis
