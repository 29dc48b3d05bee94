// SPDX-License-Identifier: Apache-2.0
//
// Samples one lookup in 64 on average, at random. A lookup that is not sampled
// only decrements a thread-local counter.
//
// Gaps between samples are random: with a fixed gap, a periodic workload could
// have the same kind of lookup sampled each time.
//
// Any thread.
#pragma once

#include <cstdint>

namespace tamis {

class LookupSampler {
 public:
  // The number of lookups that a sampled one represents.
  static constexpr uint64_t kWeight = 64;

  // Called once per lookup. Returns kWeight if it is sampled, otherwise 0.
  static uint64_t NextWeight() {
    if (tls_left_ > 1) [[likely]] {
      --tls_left_;
      return 0;
    }
    return PickOrBegin();
  }

 private:
  static uint64_t PickOrBegin();

  // The number of lookups up to and including the next sampled one; 0 before
  // the thread's first.
  static constinit thread_local uint32_t tls_left_;
};

}  // namespace tamis
