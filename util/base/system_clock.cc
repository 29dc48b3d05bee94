// SPDX-License-Identifier: Apache-2.0
//
// The operating system's Clock.
#include <chrono>
#include <thread>

#include "tamis/clock.h"

namespace tamis {

namespace {

template <typename Unit, typename TimePoint>
uint64_t Since(TimePoint moment) {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<Unit>(moment.time_since_epoch()).count());
}

class SystemClock final : public Clock {
 public:
  uint64_t NowMicros() override {
    return Since<std::chrono::microseconds>(std::chrono::system_clock::now());
  }
  uint64_t NowNanos() override {
    return Since<std::chrono::nanoseconds>(std::chrono::steady_clock::now());
  }
  void SleepForMicroseconds(uint64_t micros) override {
    std::this_thread::sleep_for(std::chrono::microseconds(micros));
  }
};

}  // namespace

std::shared_ptr<Clock> NewSystemClock() {
  return std::make_shared<SystemClock>();
}

}  // namespace tamis
