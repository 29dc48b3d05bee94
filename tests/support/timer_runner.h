// SPDX-License-Identifier: Apache-2.0
//
// A JobRunner whose timers the test lets expire. All else is another runner's.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tests/support/wrapped_job_runner.h"

namespace tamis {

class TimerRunner final : public WrappedJobRunner {
 public:
  using WrappedJobRunner::WrappedJobRunner;
  bool ScheduleAfter(uint64_t micros, std::function<void()> job) override {
    if (!has_timers) return false;
    delays.push_back(micros);
    timers_.push_back(std::move(job));
    return true;
  }
  // Calls those that are set. What they set waits for the next call.
  void Expire() {
    delays.clear();
    for (const auto& timer : std::exchange(timers_, {})) timer();
  }

  bool has_timers = true;
  std::vector<uint64_t> delays;  // of those that are set

 private:
  std::vector<std::function<void()>> timers_;
};

}  // namespace tamis
