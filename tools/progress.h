// SPDX-License-Identifier: Apache-2.0
//
// Shows on a terminal how far long work is: a line on stderr with count, rate
// and, where the whole is known, the time that is left. Silent elsewhere.
//
// One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tamis {

class Progress {
 public:
  // `unit` names what is counted, "entries". `whole` is in steps of `part` of
  // Step; 0: unknown.
  Progress(std::string unit, uint64_t whole);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `count` in all so far; `part` of the whole is done.
  void Step(uint64_t count, uint64_t part);

 private:
  using Clock = std::chrono::steady_clock;

  const std::string unit_;
  const uint64_t whole_;
  const bool shown_;
  const Clock::time_point begun_ = Clock::now();
  Clock::time_point last_ = begun_;
};

// The line for `seconds` since the beginning.
std::string ProgressLine(const std::string& unit, uint64_t count, uint64_t part,
                         uint64_t whole, double seconds);

}  // namespace tamis
