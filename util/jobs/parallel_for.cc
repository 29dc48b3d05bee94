// SPDX-License-Identifier: Apache-2.0
#include "util/jobs/parallel_for.h"

#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include "util/base/exceptions.h"
#include "util/base/mutex.h"

namespace tamis {

namespace {

// Outlives the call, because jobs may start after it. `part` is used only by
// threads that obtained an index, and the call waits for those.
class Parts {
 public:
  Parts(size_t n, const std::function<void(size_t)>& part)
      : n_(n), part_(part) {}

  void Take() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    while (next_ < n_) {
      const size_t i = next_++;
      try {
        MutexUnlock unlock(&mutex_);
        part_(i);
      } catch (...) {
        thrown_ = std::current_exception();
      }
      if (++done_ == n_) all_done_.notify_all();
    }
  }

  void WaitForAll(JobRunner* runner) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    mutex_.Wait(runner, all_done_, [this] {
      mutex_.AssertHeld();
      return done_ == n_;
    });
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  }

 private:
  const size_t n_;
  const std::function<void(size_t)>& part_;
  Mutex mutex_;
  CondVar all_done_;
  size_t next_ GUARDED_BY(mutex_) = 0;
  size_t done_ GUARDED_BY(mutex_) = 0;
  std::exception_ptr thrown_ GUARDED_BY(mutex_);  // the last one
};

struct FirstError {
  Mutex mutex;
  Status status GUARDED_BY(mutex);
};

}  // namespace

void ParallelFor(JobRunner* runner, const ScheduleJob& schedule, size_t n,
                 const std::function<void(size_t)>& part) {
  if (n == 1) {
    part(0);
    return;
  }
  const auto parts = std::make_shared<Parts>(n, part);
  for (size_t i = 1; i < n; ++i) {
    IgnoreExceptions([&] { schedule([parts] { parts->Take(); }); });
  }
  parts->Take();
  parts->WaitForAll(runner);
}

Status ParallelFor(JobRunner* runner, size_t n,
                   const std::function<Status(size_t)>& part) {
  FirstError first;
  std::atomic<bool> failed{false};
  const auto run = [&](size_t i) {
    if (failed.load()) return;
    Status status = CatchExceptions([&] { return part(i); });
    if (status.ok()) return;
    MutexLock lock(&first.mutex);
    if (first.status.ok()) first.status = std::move(status);
    failed.store(true);
  };
  if (runner == nullptr) {
    for (size_t i = 0; i < n; ++i) run(i);
  } else {
    ParallelFor(
        runner,
        [runner](std::function<void()> job) {
          runner->Schedule(JobPriority::kLow, std::move(job));
        },
        n, run);
  }
  MutexLock lock(&first.mutex);
  return std::move(first.status);
}

}  // namespace tamis
