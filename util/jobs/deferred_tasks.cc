// SPDX-License-Identifier: Apache-2.0
#include "util/jobs/deferred_tasks.h"

#include <deque>
#include <exception>
#include <utility>

#include "util/base/exceptions.h"
#include "util/base/mutex.h"

namespace tamis {

// Outlives the tasks, because a helper job may start after they are destroyed.
// That job finds none.
class DeferredTasks::Queue {
 public:
  explicit Queue(JobRunner* runner) : runner_(runner) {}

  // Returns the number of tasks that wait.
  size_t Add(std::function<void()> task) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    Rethrow();
    waiting_.push_back(std::move(task));
    return waiting_.size();
  }

  // Returns true if the caller should schedule a helper.
  bool CallHelper() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    if (helper_called_ || waiting_.empty()) return false;
    helper_called_ = true;
    return true;
  }

  void Help() EXCLUDES(mutex_) {
    do {
      while (RunOne()) {
      }
    } while (!DismissHelper());
  }

  bool RunOne() EXCLUDES(mutex_) {
    std::function<void()> task;
    {
      MutexLock lock(&mutex_);
      if (waiting_.empty()) return false;
      task = std::move(waiting_.front());
      waiting_.pop_front();
      ++running_;
    }
    std::exception_ptr thrown;
    try {
      task();
    } catch (...) {
      thrown = std::current_exception();
    }
    task = nullptr;  // before others may see that it has run
    MutexLock lock(&mutex_);
    if (thrown != nullptr) {
      waiting_.clear();
      thrown_ = thrown;
    }
    if (--running_ == 0) idle_.notify_all();
    return true;
  }

  void WaitForAll() EXCLUDES(mutex_) {
    while (RunOne()) {
    }
    MutexLock lock(&mutex_);
    WaitUntilIdle();
    Rethrow();
  }

  void Drop() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    waiting_.clear();
    WaitUntilIdle();
  }

 private:
  // Returns false if a task was added meanwhile.
  bool DismissHelper() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    helper_called_ = !waiting_.empty();
    return !helper_called_;
  }

  void WaitUntilIdle() REQUIRES(mutex_) {
    if (running_ == 0) return;
    mutex_.Wait(runner_, idle_, [this] {
      mutex_.AssertHeld();
      return running_ == 0;
    });
  }

  void Rethrow() REQUIRES(mutex_) {
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  }

  JobRunner* const runner_;
  Mutex mutex_;
  CondVar idle_;  // wakes the thread that waits
  std::deque<std::function<void()>> waiting_ GUARDED_BY(mutex_);
  size_t running_ GUARDED_BY(mutex_) = 0;
  bool helper_called_ GUARDED_BY(mutex_) = false;
  std::exception_ptr thrown_ GUARDED_BY(mutex_);
};

DeferredTasks::DeferredTasks(Helpers helpers, size_t waiting_max)
    : helpers_(std::move(helpers)),
      waiting_max_(helpers_.schedule ? waiting_max : 0),
      queue_(std::make_shared<Queue>(helpers_.runner)) {}

DeferredTasks::~DeferredTasks() { Drop(); }

void DeferredTasks::Add(std::function<void()> task) {
  for (size_t n = queue_->Add(std::move(task)); n > waiting_max_; --n) {
    queue_->RunOne();
  }
  if (helpers_.schedule && queue_->CallHelper()) {
    // Without a helper, WaitForAll runs the rest.
    IgnoreExceptions(
        [this] { helpers_.schedule([queue = queue_] { queue->Help(); }); });
  }
}

bool DeferredTasks::RunOne() noexcept { return queue_->RunOne(); }

void DeferredTasks::WaitForAll() { queue_->WaitForAll(); }

void DeferredTasks::Drop() noexcept { queue_->Drop(); }

}  // namespace tamis
