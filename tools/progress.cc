// SPDX-License-Identifier: Apache-2.0
#include "tools/progress.h"

#include <cstdio>
#include <unistd.h>
#include <utility>

#include "tools/decimal.h"

namespace tamis {

Progress::Progress(std::string unit, uint64_t whole)
    : unit_(std::move(unit)),
      whole_(whole),
      shown_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (shown_) std::fprintf(stderr, "\r%70s\r", "");
}

void Progress::Step(uint64_t count, uint64_t part) {
  if (!shown_) return;
  constexpr auto kPeriod = std::chrono::milliseconds(250);
  const Clock::time_point now = Clock::now();
  if (now - last_ < kPeriod) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  std::fprintf(stderr, "\r%-70s",
               ProgressLine(unit_, count, part, whole_, seconds).c_str());
}

std::string ProgressLine(const std::string& unit, uint64_t count, uint64_t part,
                         uint64_t whole, double seconds) {
  std::string line = std::to_string(count) + " " + unit;
  if (seconds <= 0) return line;
  line += ", " + Decimal(static_cast<double>(count) / seconds, 0) + " a second";
  if (whole == 0 || part == 0) return line;
  const double done = static_cast<double>(part) / static_cast<double>(whole);
  if (done >= 1) return line;
  return line + ", " + Decimal(100 * done, 0, " %") + ", " +
         Decimal(seconds / done - seconds, 0, " s left");
}

}  // namespace tamis
