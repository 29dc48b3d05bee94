// SPDX-License-Identifier: Apache-2.0
//
// Runs background work on threads. Each priority has its own queue and threads,
// so that a long compaction never delays a flush.
#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tamis/job_runner.h"

#include "util/base/check.h"
#include "util/base/mutex.h"
#include "util/base/process.h"

namespace tamis {

namespace {

constexpr size_t kPriorities = 2;

// Calls functions at given times, on one thread that the first call starts. Any
// thread.
class Timer {
 public:
  using Clock = std::chrono::steady_clock;

  Timer() = default;
  // Drops calls that are not due yet.
  ~Timer() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Throws if an allocation or the creation of the thread fails.
  void CallAt(Clock::time_point time, std::function<void()> call) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
    calls_.emplace(time, std::move(call));
    changed_.notify_all();
  }

 private:
  void Run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stopping_) {
      if (calls_.empty()) {
        changed_.wait(lock);
      } else if (calls_.begin()->first > Clock::now()) {
        changed_.wait_until(lock, calls_.begin()->first);
      } else {
        const auto call = calls_.extract(calls_.begin());
        lock.unlock();
        call.mapped()();
        lock.lock();
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<Clock::time_point, std::function<void()>> calls_;
  bool stopping_ = false;
  std::thread thread_;
};

// Any thread. Never holds the mutex while a job runs.
class ThreadJobRunner final : public JobRunner {
 public:
  ThreadJobRunner() = default;
  ThreadJobRunner(const ThreadJobRunner&) = delete;
  ThreadJobRunner& operator=(const ThreadJobRunner&) = delete;

  ~ThreadJobRunner() override {
    timer_.reset();
    {
      MutexLock lock(&mutex_);
      stopping_ = true;
    }
    WakeAll();
    for (std::thread& thread : threads_) {
      // If a job held the last reference, this would join its own thread.
      TAMIS_CHECK(thread.get_id() != std::this_thread::get_id());
      thread.join();
    }
  }

  // Starts as many threads as the system allows. Returns false if none started.
  // REQUIRES: called once, before anything else.
  bool Start(size_t high_threads, size_t low_threads) {
    threads_.reserve(high_threads + low_threads);
    const size_t high = StartSome(JobPriority::kHigh, high_threads);
    const size_t low = StartSome(JobPriority::kLow, low_threads);
    MutexLock lock(&mutex_);
    has_threads_ = {high > 0, low > 0};
    return high + low > 0;
  }

  void Schedule(JobPriority priority, std::function<void()> job) override {
    size_t woken = static_cast<size_t>(priority);
    {
      MutexLock lock(&mutex_);
      queues_[woken].push_back(std::move(job));
      ++unfinished_;
      if (!has_threads_[woken]) woken = kPriorities - 1 - woken;
    }
    changed_[woken].notify_one();
  }

  bool ScheduleAfter(uint64_t micros, std::function<void()> job) override {
    MutexLock lock(&mutex_);
    if (timer_ == nullptr) timer_ = std::make_unique<Timer>();
    timer_->CallAt(Timer::Clock::now() + std::chrono::microseconds(micros),
                   std::move(job));
    return true;
  }

  void Wait(std::unique_lock<std::mutex>& lock,
            std::condition_variable& changed,
            const std::function<bool()>& predicate) override {
    changed.wait(lock, predicate);
  }

  bool WaitFor(std::unique_lock<std::mutex>& lock,
               std::condition_variable& changed, Clock&, uint64_t micros,
               const std::function<bool()>& predicate) override {
    return changed.wait_for(lock, std::chrono::microseconds(micros), predicate);
  }

  bool IsUsable() const override { return owner_.IsCurrent(); }

 private:
  size_t StartSome(JobPriority priority, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      try {
        threads_.emplace_back([this, priority] { RunJobs(priority); });
      } catch (const std::system_error&) {
        return i;
      }
    }
    return n;
  }

  // Returns the queue that a thread of `priority` takes from, or nullptr if
  // there is nothing to do.
  std::deque<std::function<void()>>* Next(JobPriority priority)
      REQUIRES(mutex_) {
    const auto own = static_cast<size_t>(priority);
    const size_t other = kPriorities - 1 - own;
    if (has_threads_[other]) {
      return queues_[own].empty() ? nullptr : &queues_[own];
    }
    // The other priority has no threads: serve both, flushes first.
    for (auto& queue : queues_) {
      if (!queue.empty()) return &queue;
    }
    return nullptr;
  }

  void RunJobs(JobPriority priority) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    for (;;) {
      mutex_.Wait(
          this, changed_[static_cast<size_t>(priority)], [this, priority] {
            mutex_.AssertHeld();
            return Next(priority) != nullptr || (stopping_ && unfinished_ == 0);
          });
      std::deque<std::function<void()>>* const queue = Next(priority);
      if (queue == nullptr) return;
      std::function<void()> job = std::move(queue->front());
      queue->pop_front();
      {
        MutexUnlock unlock(&mutex_);
        job();
        job = nullptr;  // its destructor may take locks: not under mutex_
      }
      TAMIS_CHECK(unfinished_ > 0);
      --unfinished_;
      // A running job may schedule others, so threads stay until the last is
      // done.
      if (stopping_ && unfinished_ == 0) WakeAll();
    }
  }

  void WakeAll() {
    for (CondVar& changed : changed_) changed.notify_all();
  }

  const OwnerProcess owner_;
  Mutex mutex_;
  // Per priority; its threads are interchangeable. A job wakes one thread,
  // shutdown wakes all.
  std::array<CondVar, kPriorities> changed_;
  std::array<std::deque<std::function<void()>>, kPriorities> queues_
      GUARDED_BY(mutex_);
  // Per priority. Both true until all threads have been started.
  std::array<bool, kPriorities> has_threads_ GUARDED_BY(mutex_) = {true, true};
  size_t unfinished_ GUARDED_BY(mutex_) = 0;  // queued or running
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
  std::unique_ptr<Timer> timer_;  // guarded by mutex_; created on first use
};

}  // namespace

std::shared_ptr<JobRunner> NewThreadJobRunner(size_t high_threads,
                                              size_t low_threads) {
  TAMIS_CHECK(high_threads > 0);
  TAMIS_CHECK(low_threads > 0);
  auto runner = MakeSharedInProcess<ThreadJobRunner>();
  if (!runner->Start(high_threads, low_threads)) return nullptr;
  return runner;
}

}  // namespace tamis
