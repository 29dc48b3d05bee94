// SPDX-License-Identifier: Apache-2.0
//
// Numbers for threads, with which objects that threads share choose a part for
// each: threads that come one after the other have different parts.
#pragma once

#include <cstddef>

namespace tamis {

namespace internal {
// 0: none yet.
extern constinit thread_local size_t tls_thread_number;
size_t NumberThisThread();
}  // namespace internal

// Returns the number of the calling thread, from 1: how many threads have asked
// before it, and itself.
inline size_t ThreadNumber() {
  const size_t number = internal::tls_thread_number;
  return number != 0 ? number : internal::NumberThisThread();
}

}  // namespace tamis
