// SPDX-License-Identifier: Apache-2.0
#include "util/base/random.h"

#include <atomic>
#include <sys/random.h>
#include <unistd.h>

#include "util/base/check.h"

namespace tamis {

namespace {

constinit thread_local Random tls_random(0);
constinit thread_local bool tls_has_begun = false;

}  // namespace

uint64_t ThreadRandom() {
  if (!tls_has_begun) [[unlikely]] {
    static constinit std::atomic<uint64_t> threads{0};
    // The number of the thread, scattered: the sequences of neighbouring seeds
    // would begin a step apart otherwise.
    const uint64_t thread = threads.fetch_add(1, std::memory_order_relaxed);
    tls_random = Random(Random(thread).Next());
    tls_has_begun = true;
  }
  return tls_random.Next();
}

std::array<uint64_t, 2> RandomBitsFromSystem() {
  std::array<uint64_t, 2> bits{};
  TAMIS_CHECK(getentropy(bits.data(), sizeof(bits)) == 0);
  return bits;
}

}  // namespace tamis
