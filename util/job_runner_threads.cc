// SPDX-License-Identifier: Apache-2.0
//
// Background work on threads: a queue and a set of threads for each priority,
// so that a long compaction never keeps a flush waiting.
#include <array>
#include <deque>
#include <thread>
#include <vector>

#include "tamis/job_runner.h"

#include "util/check.h"
#include "util/mutex.h"

namespace tamis {

namespace {

constexpr size_t kPriorities = 2;

// Any thread. The mutex is never held while a job runs.
class ThreadJobRunner final : public JobRunner {
 public:
  ThreadJobRunner(size_t high_threads, size_t low_threads) {
    TAMIS_CHECK(high_threads > 0);
    TAMIS_CHECK(low_threads > 0);
    for (size_t i = 0; i < high_threads; ++i) {
      threads_.emplace_back([this] { RunJobs(JobPriority::kHigh); });
    }
    for (size_t i = 0; i < low_threads; ++i) {
      threads_.emplace_back([this] { RunJobs(JobPriority::kLow); });
    }
  }
  ThreadJobRunner(const ThreadJobRunner&) = delete;
  ThreadJobRunner& operator=(const ThreadJobRunner&) = delete;

  ~ThreadJobRunner() override {
    {
      MutexLock lock(&mutex_);
      stopping_ = true;
    }
    WakeAll();
    for (std::thread& thread : threads_) {
      // A job that holds the last reference would wait for itself.
      TAMIS_CHECK(thread.get_id() != std::this_thread::get_id());
      thread.join();
    }
  }

  void Schedule(JobPriority priority, std::function<void()> job) override {
    {
      MutexLock lock(&mutex_);
      queues_[static_cast<size_t>(priority)].push_back(std::move(job));
      ++unfinished_;
    }
    changed_[static_cast<size_t>(priority)].notify_one();
  }

  void Wait(std::unique_lock<std::mutex>& lock,
            std::condition_variable& changed,
            const std::function<bool()>& predicate) override {
    changed.wait(lock, predicate);
  }

 private:
  void RunJobs(JobPriority priority) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    std::deque<std::function<void()>>& queue =
        queues_[static_cast<size_t>(priority)];
    for (;;) {
      mutex_.Wait(this, changed_[static_cast<size_t>(priority)],
                  [this, &queue] {
                    mutex_.AssertHeld();
                    return !queue.empty() || (stopping_ && unfinished_ == 0);
                  });
      if (queue.empty()) return;
      std::function<void()> job = std::move(queue.front());
      queue.pop_front();
      {
        MutexUnlock unlock(&mutex_);
        job();
        job = nullptr;  // what it holds may take locks on its way out
      }
      --unfinished_;
      // A job may have scheduled others elsewhere: threads stay until the
      // last is done.
      if (stopping_ && unfinished_ == 0) WakeAll();
    }
  }

  void WakeAll() {
    for (CondVar& changed : changed_) changed.notify_all();
  }

  Mutex mutex_;
  // For the threads of each priority, which are all alike: one is woken for a
  // job, all for the end.
  std::array<CondVar, kPriorities> changed_;
  std::array<std::deque<std::function<void()>>, kPriorities> queues_
      GUARDED_BY(mutex_);
  size_t unfinished_ GUARDED_BY(mutex_) = 0;  // queued or running
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace

std::shared_ptr<JobRunner> NewThreadJobRunner(size_t high_threads,
                                              size_t low_threads) {
  return std::make_shared<ThreadJobRunner>(high_threads, low_threads);
}

}  // namespace tamis
