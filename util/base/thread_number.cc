// SPDX-License-Identifier: Apache-2.0
#include "util/base/thread_number.h"

#include <atomic>

namespace tamis::internal {

constinit thread_local size_t tls_thread_number = 0;

namespace {
constinit std::atomic<size_t> numbered{0};
}

size_t NumberThisThread() {
  tls_thread_number = numbered.fetch_add(1, std::memory_order_relaxed) + 1;
  return tls_thread_number;
}

}  // namespace tamis::internal
