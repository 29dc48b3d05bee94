// SPDX-License-Identifier: Apache-2.0
//
// Time, behind an interface so that a test can own it.
//
// Threads: any thread.
#pragma once

#include <cstdint>
#include <memory>

namespace tamis {

class Clock {
 public:
  virtual ~Clock();
  // Microseconds since the Unix epoch.
  virtual uint64_t NowMicros() = 0;
  // Nanoseconds since some fixed point; never goes back.
  virtual uint64_t NowNanos() = 0;
  virtual void SleepForMicroseconds(uint64_t micros) = 0;
};

std::shared_ptr<Clock> NewSystemClock();

}  // namespace tamis
