// SPDX-License-Identifier: Apache-2.0
//
// The part of the scheduler that passes jobs other than flushes and compactions
// to the runner, and that waits for all jobs.
#include <utility>

#include "db/compaction/scheduler.h"

namespace tamis {

ScheduleJob Scheduler::ForHelpers(JobPriority priority) {
  return [this, priority](std::function<void()> help) {
    const auto count = [this](int change) {
      MutexLock lock(&mutex_);
      jobs_ += change;
      TAMIS_CHECK(jobs_ >= 0);
      // Stop waits only for the last job, so others need not notify.
      if (jobs_ == 0) changed_.notify_all();
    };
    count(1);
    try {
      const bool scheduled = own_jobs_.Schedule(
          context_.runner(), priority, [count, help = std::move(help)] {
            help();
            count(-1);
          });
      if (!scheduled) count(-1);
    } catch (...) {
      count(-1);
      throw;
    }
  };
}

void Scheduler::Stop() {
  mutex_.AssertHeld();
  stopping_.store(true, std::memory_order_relaxed);
  changed_.notify_all();
  {
    // Those that wait for a thread end at once.
    MutexUnlock unlock(&mutex_);
    own_jobs_.End();
  }
  mutex_.Wait(context_.runner(), changed_, [this] {
    mutex_.AssertHeld();
    return jobs_ == 0 && manual_.empty();
  });
  TAMIS_CHECK(!flushing_);
  TAMIS_CHECK(compactions_ == 0);
  TAMIS_CHECK(busy_.empty());
  rewrites_.clear();
}

void Scheduler::WaitForJobs() {
  mutex_.AssertHeld();
  TAMIS_CHECK(!MayStart());
  {
    MutexUnlock unlock(&mutex_);
    own_jobs_.RunWaiting();
  }
  mutex_.Wait(context_.runner(), changed_, [this] {
    mutex_.AssertHeld();
    return jobs_ == 0;
  });
}

}  // namespace tamis
