// SPDX-License-Identifier: Apache-2.0
//
// A deterministic JobRunner that may reject a job (tests/failures/failures.h),
// like one without memory for its queue or threads.
#pragma once

#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "tamis/job_runner.h"

#include "tests/failures/failures.h"

namespace tamis::crash {

class RefusingJobRunner final : public DeterministicJobRunner {
 public:
  explicit RefusingJobRunner(uint64_t seed)
      : base_(NewDeterministicJobRunner(seed)) {}

  void Schedule(JobPriority priority, std::function<void()> job) override {
    MayRefuse();
    base_->Schedule(priority, std::move(job));
  }
  bool ScheduleAfter(uint64_t micros, std::function<void()> job) override {
    MayRefuse();
    return base_->ScheduleAfter(micros, std::move(job));
  }
  void Wait(std::unique_lock<std::mutex>& lock,
            std::condition_variable& changed,
            const std::function<bool()>& predicate) override {
    base_->Wait(lock, changed, predicate);
  }
  bool WaitFor(std::unique_lock<std::mutex>& lock,
               std::condition_variable& changed, Clock& clock, uint64_t micros,
               const std::function<bool()>& predicate) override {
    return base_->WaitFor(lock, changed, clock, micros, predicate);
  }
  bool RunOne() override { return base_->RunOne(); }
  void RunUntilIdle() override { base_->RunUntilIdle(); }
  size_t pending() const override { return base_->pending(); }

 private:
  static void MayRefuse() {
    if (!Failures::ThreadFails()) return;
    const Failures::Pause pause;
    throw std::system_error(EAGAIN, std::generic_category(),
                            "refused on purpose");
  }

  const std::shared_ptr<DeterministicJobRunner> base_;
};

}  // namespace tamis::crash
