// SPDX-License-Identifier: Apache-2.0
//
// A Clock supplies time. Tests substitute their own.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <memory>

#include "tamis/export.h"

namespace tamis {

class TAMIS_EXPORT Clock {
 public:
  virtual ~Clock();
  // Returns microseconds since the Unix epoch.
  virtual uint64_t NowMicros() = 0;
  // Returns nanoseconds since an arbitrary fixed point. Monotonic.
  virtual uint64_t NowNanos() = 0;
  // Returns when so much time has passed, by this clock.
  virtual void SleepForMicroseconds(uint64_t micros) = 0;
};

// Returns the clock of the operating system.
TAMIS_EXPORT std::shared_ptr<Clock> NewSystemClock();

}  // namespace tamis
