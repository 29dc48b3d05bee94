// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/process_usage.h"

#include <chrono>
#include <sys/resource.h>
#include <thread>

namespace tamis::peers {

namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

double CpuSeconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

void WaitUntilIdle(double seconds) {
  constexpr double kBusy = 0.01;
  for (double before = CpuSeconds();;) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    const double now = CpuSeconds();
    if (now - before < kBusy * seconds) return;
    before = now;
  }
}

}  // namespace tamis::peers
