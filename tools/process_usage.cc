// SPDX-License-Identifier: Apache-2.0
#include "tools/process_usage.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <thread>

namespace tamis {

namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) / 1e6;
}

// Returns the number after "<name>:" in a file of /proc/self, or 0.
uint64_t NumberOf(const std::string& file, const std::string& name) {
  std::ifstream in("/proc/self/" + file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(name + ":")) {
      return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10);
    }
  }
  return 0;
}

}  // namespace

int ThreadCount() { return static_cast<int>(NumberOf("status", "Threads")); }

uint64_t ResidentBytes() { return NumberOf("status", "VmRSS") << 10; }

uint64_t AnonymousResidentBytes() {
  return NumberOf("status", "RssAnon") << 10;
}

uint64_t PeakResidentBytes() { return NumberOf("status", "VmHWM") << 10; }

uint64_t StoredBytes() { return NumberOf("io", "write_bytes"); }

ProcessUsage UsageSoFar() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {.user_seconds = Seconds(usage.ru_utime),
          .system_seconds = Seconds(usage.ru_stime),
          .read_bytes = NumberOf("io", "rchar"),
          .written_bytes = NumberOf("io", "wchar"),
          .device_read_bytes = NumberOf("io", "read_bytes"),
          .device_written_bytes = StoredBytes()};
}

ProcessUsage ProcessUsage::Since(const ProcessUsage& before) const {
  return {.user_seconds = user_seconds - before.user_seconds,
          .system_seconds = system_seconds - before.system_seconds,
          .read_bytes = read_bytes - before.read_bytes,
          .written_bytes = written_bytes - before.written_bytes,
          .device_read_bytes = device_read_bytes - before.device_read_bytes,
          .device_written_bytes =
              device_written_bytes - before.device_written_bytes};
}

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

}  // namespace tamis
