// SPDX-License-Identifier: Apache-2.0
//
// Picks one of 64 lookups on average, at random, so that counting lookups costs
// the others a decrement of a number of their thread.
//
// The gaps between picked lookups vary. With a fixed gap, a workload that
// repeats itself could have the same kind of lookup picked each time.
//
// Any thread.
#pragma once

#include <cstdint>

namespace tamis {

class LookupSampler {
 public:
  // The number of lookups that a picked one represents.
  static constexpr uint64_t kWeight = 64;

  // Returns the weight of the thread's next lookup: kWeight or, for most, 0.
  static uint64_t NextWeight() {
    if (tls_left_ > 1) [[likely]] {
      --tls_left_;
      return 0;
    }
    return PickOrBegin();
  }

 private:
  static uint64_t PickOrBegin();

  // The lookups up to the next picked one, which is included; 0 before the
  // thread's first.
  static constinit thread_local uint32_t tls_left_;
};

}  // namespace tamis
