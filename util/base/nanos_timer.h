// SPDX-License-Identifier: Apache-2.0
//
// A NanosTimer adds the nanoseconds of its lifetime to a counter. Without a
// counter, it reads no clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace tamis {

class NanosTimer {
 public:
  // `counter` may be nullptr.
  explicit NanosTimer(uint64_t* counter) : counter_(counter) {
    if (counter_ != nullptr) [[unlikely]]
      start_ = Now();
  }
  ~NanosTimer() { Stop(); }
  NanosTimer(const NanosTimer&) = delete;
  NanosTimer& operator=(const NanosTimer&) = delete;

  // Adds the time now instead of in the destructor.
  void Stop() {
    if (counter_ == nullptr) [[likely]]
      return;
    *counter_ += Now() - start_;
    counter_ = nullptr;
  }

  static uint64_t Now() {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::steady_clock::now().time_since_epoch())
            .count());
  }

 private:
  uint64_t* counter_;
  uint64_t start_ = 0;
};

}  // namespace tamis
