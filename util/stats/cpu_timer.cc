// SPDX-License-Identifier: Apache-2.0
#include "util/stats/cpu_timer.h"

#include <ctime>

namespace tamis {

namespace {

thread_local CpuTimer* tls_innermost = nullptr;

uint64_t ThreadNanos() noexcept {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace

CpuTimer::CpuTimer(Total* total) noexcept
    : total_(*total), outer_(tls_innermost), start_(ThreadNanos()) {
  tls_innermost = this;
}

CpuTimer::~CpuTimer() {
  const uint64_t nanos = ThreadNanos() - start_;
  total_.fetch_add(nanos - inner_, std::memory_order_relaxed);
  if (outer_ != nullptr) outer_->inner_ += nanos;
  tls_innermost = outer_;
}

}  // namespace tamis
