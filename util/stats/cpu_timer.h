// SPDX-License-Identifier: Apache-2.0
//
// A CpuTimer adds the processor time that its thread spends while it lives to a
// total, which several threads may share. A timer within the life of another
// one of the same thread takes its time away from that one: a thread that waits
// may run a job that others have to account for.
#pragma once

#include <atomic>
#include <cstdint>

namespace tamis {

class CpuTimer {
 public:
  using Total = std::atomic<uint64_t>;  // nanoseconds

  // `total` must outlive the timer.
  explicit CpuTimer(Total* total) noexcept;
  // REQUIRES: the thread of the constructor.
  ~CpuTimer();
  CpuTimer(const CpuTimer&) = delete;
  CpuTimer& operator=(const CpuTimer&) = delete;

 private:
  Total& total_;
  CpuTimer* const outer_;  // of the same thread; may be nullptr
  const uint64_t start_;
  uint64_t inner_ = 0;  // of timers within this one's life
};

}  // namespace tamis
