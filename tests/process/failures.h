// SPDX-License-Identifier: Apache-2.0
//
// Allocations and callbacks that fail on purpose. The program's operator new
// counts, and so does whatever callback calls Callback().
#pragma once

#include <cstdint>

namespace tamis::process {

class Failures {
 public:
  enum class Kind : uint8_t {
    kAllocation,     // the n-th throws std::bad_alloc
    kAllocationsOn,  // the n-th and all after it
    kCallback,       // the n-th throws std::runtime_error
  };

  // REQUIRES: n > 0
  static void Arm(Kind kind, uint64_t n);
  // Whether one has failed since.
  static bool Disarm();

  // Where a callback may throw.
  static void Callback();

  // What a thread allocates in the scope does not count.
  class Pause {
   public:
    Pause();
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
  };
};

}  // namespace tamis::process
