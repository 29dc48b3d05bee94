// SPDX-License-Identifier: Apache-2.0
//
// A JobRunner that passes jobs and waits to another one. A test derives from it
// to observe or to change a call. WaitFor and ScheduleAfter are the interface's
// own: a timed wait runs no jobs, and there is no timer.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "tamis/job_runner.h"

namespace tamis {

class WrappedJobRunner : public JobRunner {
 public:
  explicit WrappedJobRunner(std::shared_ptr<JobRunner> base)
      : base_(std::move(base)) {}
  void Schedule(JobPriority priority, std::function<void()> job) override {
    base_->Schedule(priority, std::move(job));
  }
  void Wait(std::unique_lock<std::mutex>& lock,
            std::condition_variable& changed,
            const std::function<bool()>& predicate) override {
    base_->Wait(lock, changed, predicate);
  }

 protected:
  JobRunner* base() { return base_.get(); }

 private:
  const std::shared_ptr<JobRunner> base_;
};

}  // namespace tamis
