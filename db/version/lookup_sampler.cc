// SPDX-License-Identifier: Apache-2.0
#include "db/version/lookup_sampler.h"

#include "util/base/random.h"

namespace tamis {

constinit thread_local uint32_t LookupSampler::tls_left_ = 0;

namespace {

// Returns 1 to 2 * kWeight - 1, on average kWeight.
uint32_t NextGap() {
  return static_cast<uint32_t>(1 + ThreadRandom() %
                                       (2 * LookupSampler::kWeight - 1));
}

}  // namespace

uint64_t LookupSampler::PickOrBegin() {
  const bool begins = tls_left_ == 0;
  tls_left_ = NextGap();
  return begins ? NextWeight() : kWeight;
}

}  // namespace tamis
