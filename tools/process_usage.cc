// SPDX-License-Identifier: Apache-2.0
#include "tools/process_usage.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <sys/resource.h>
#include <thread>

namespace tamis {

namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) / 1e6;
}

// Returns the numbers of the lines "<name>: <number>" of a file of /proc/self.
std::map<std::string, uint64_t> NumbersOf(const std::string& file) {
  std::map<std::string, uint64_t> numbers;
  std::ifstream in("/proc/self/" + file);
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    numbers[line.substr(0, colon)] =
        std::strtoull(line.c_str() + colon + 1, nullptr, 10);
  }
  return numbers;
}

// Returns the number of one line, or 0.
uint64_t NumberOf(const std::string& file, const std::string& name) {
  return NumbersOf(file)[name];
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
  std::map<std::string, uint64_t> io = NumbersOf("io");
  return {.user_seconds = Seconds(usage.ru_utime),
          .system_seconds = Seconds(usage.ru_stime),
          .read_bytes = io["rchar"],
          .written_bytes = io["wchar"],
          .device_read_bytes = io["read_bytes"],
          .device_written_bytes = io["write_bytes"]};
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
