// SPDX-License-Identifier: Apache-2.0
//
// A FakeClock is a Clock for tests. Sleeping advances it at once, and each
// reading advances it by 1 us, so that no two events have the same time. Any
// thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "tamis/clock.h"

namespace tamis {

class FakeClock : public Clock {
 public:
  explicit FakeClock(uint64_t start_micros = 1'700'000'000'000'000)
      : nanos_(start_micros * 1000) {}

  uint64_t NowMicros() override { return NowNanos() / 1000; }
  uint64_t NowNanos() override {
    return nanos_.fetch_add(1000, std::memory_order_relaxed);
  }
  void SleepForMicroseconds(uint64_t micros) override {
    nanos_.fetch_add(micros * 1000, std::memory_order_relaxed);
  }

 private:
  std::atomic<uint64_t> nanos_;
};

}  // namespace tamis
