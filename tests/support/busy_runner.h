// SPDX-License-Identifier: Apache-2.0
//
// A JobRunner whose threads are busy: it keeps what is scheduled until a test
// runs it.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "tamis/job_runner.h"

#include "util/jobs/helpers.h"

namespace tamis {

class BusyRunner final : public JobRunner {
 public:
  void Schedule(JobPriority, std::function<void()> job) override {
    jobs.push_back(std::move(job));
  }
  void Wait(std::unique_lock<std::mutex>& lock,
            std::condition_variable& changed,
            const std::function<bool()>& predicate) override {
    changed.wait(lock, predicate);
  }

  std::vector<std::function<void()>> jobs;
};

// Returns helpers that run on this runner; none if it is nullptr.
inline Helpers HelpersOn(JobRunner* runner) {
  if (runner == nullptr) return {};
  return {runner, [runner](std::function<void()> job) {
            runner->Schedule(JobPriority::kLow, std::move(job));
          }};
}

}  // namespace tamis
