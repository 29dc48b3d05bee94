// SPDX-License-Identifier: Apache-2.0
//
// The clock of open loops (open_loop.h): the steady clock, from 0.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

namespace tamis::peers {

// Counts nanoseconds since its construction. Any thread.
class LoopClock {
 public:
  uint64_t Nanos() const {
    const std::chrono::nanoseconds passed =
        std::chrono::steady_clock::now() - start_;
    return static_cast<uint64_t>(passed.count());
  }
  // Sleeps until shortly before the time, then yields, because a sleep may end
  // late.
  void WaitUntil(uint64_t nanos) const {
    constexpr uint64_t kFar = 200'000;
    for (uint64_t now = Nanos(); now < nanos; now = Nanos()) {
      if (nanos - now > kFar) {
        std::this_thread::sleep_for(
            std::chrono::nanoseconds(nanos - now - kFar));
      } else {
        std::this_thread::yield();
      }
    }
  }

 private:
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

}  // namespace tamis::peers
