// SPDX-License-Identifier: Apache-2.0
#include "db/version/lookup_sampler.h"

#include <atomic>

namespace tamis {

constinit thread_local uint32_t LookupSampler::tls_left_ = 0;

namespace {

// The thread's random state. Threads begin with different ones, as those of a
// pool that are started for few lookups would otherwise all pick the same.
constinit thread_local uint64_t tls_random = 0;
constinit std::atomic<uint64_t> next_thread{0};

// Returns 1 to 2 * kWeight - 1, on average kWeight.
uint32_t NextGap() {
  uint64_t x = (tls_random += 0x9e3779b97f4a7c15);  // splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  x ^= x >> 31;
  return static_cast<uint32_t>(1 + x % (2 * LookupSampler::kWeight - 1));
}

}  // namespace

uint64_t LookupSampler::PickOrBegin() {
  const bool begins = tls_left_ == 0;
  if (begins) {
    tls_random = next_thread.fetch_add(1, std::memory_order_relaxed) << 32;
    tls_left_ = NextGap();
    return NextWeight();
  }
  tls_left_ = NextGap();
  return kWeight;
}

}  // namespace tamis
