// SPDX-License-Identifier: Apache-2.0
//
// Numbers the threads of the process. An object that many threads share can
// have several parts, and give each thread the part of its number: threads that
// were numbered one after the other then use different parts.
#pragma once

#include <cstddef>

namespace tamis {

namespace internal {
// 0: none yet.
extern constinit thread_local size_t tls_thread_number;
size_t NumberThisThread();
}  // namespace internal

// Returns the number of the calling thread. The first thread that calls has 1.
inline size_t ThreadNumber() {
  const size_t number = internal::tls_thread_number;
  return number != 0 ? number : internal::NumberThisThread();
}

}  // namespace tamis
