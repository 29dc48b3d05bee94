// SPDX-License-Identifier: Apache-2.0
#include "util/jobs/thread_job_runner.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "util/base/check.h"
#include "util/jobs/thread_priority.h"

namespace tamis {

// Calls functions at given times, on one thread that the first call starts. Any
// thread.
class ThreadJobRunner::Timer {
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

  // Throws if the thread cannot be started.
  void Start() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  }
  // Throws if an allocation or the creation of the thread fails.
  void CallAt(Clock::time_point time, std::function<void()> call) {
    Start();
    const std::lock_guard<std::mutex> lock(mutex_);
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

ThreadJobRunner::ThreadJobRunner(size_t high_threads, size_t low_threads,
                                 bool follows)
    : follows_(follows) {
  TAMIS_CHECK(high_threads > 0);
  TAMIS_CHECK(low_threads > 0);
  AllowThreads(high_threads, low_threads);
}

ThreadJobRunner::~ThreadJobRunner() {
  timer_.reset();
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
  }
  WakeAll();
  // A running job may schedule others, and so start threads.
  for (size_t i = 0;; ++i) {
    std::thread thread;
    {
      MutexLock lock(&mutex_);
      if (i == threads_.size()) return;
      thread = std::move(threads_[i]);
    }
    // If a job held the last reference, this would join its own thread.
    TAMIS_CHECK(thread.get_id() != std::this_thread::get_id());
    thread.join();
  }
}

void ThreadJobRunner::AllowThreads(size_t high_threads, size_t low_threads) {
  MutexLock lock(&mutex_);
  const std::array<size_t, kPriorities> wanted = {high_threads, low_threads};
  for (size_t kind = 0; kind < kPriorities; ++kind) {
    kinds_[kind].threads_max = std::max(kinds_[kind].threads_max, wanted[kind]);
  }
}

void ThreadJobRunner::StartThread(size_t kind) {
  threads_.emplace_back([this, kind] { RunJobs(kind); });
  ++kinds_[kind].threads;
}

void ThreadJobRunner::StartThreadIfNeeded(size_t kind) {
  Kind& own = kinds_[kind];
  // As many idle threads as there are jobs have been woken.
  if (own.idle > own.jobs.size() || own.threads == own.threads_max) return;
  // Another thread may start it, or one that there is takes the job.
  if (own.threads > 0 && !MayStartThreadsFor(static_cast<JobPriority>(kind))) {
    return;
  }
  try {
    StartThread(kind);
  } catch (...) {
    for (const Kind& other : kinds_) {
      if (other.threads > 0) return;
    }
    throw;
  }
}

void ThreadJobRunner::Schedule(JobPriority priority,
                               std::function<void()> job) {
  size_t woken = static_cast<size_t>(priority);
  {
    MutexLock lock(&mutex_);
    StartThreadIfNeeded(woken);
    kinds_[woken].jobs.push_back(std::move(job));
    ++unfinished_;
    if (kinds_[woken].threads == 0) woken = kPriorities - 1 - woken;
  }
  changed_[woken].notify_one();
}

bool ThreadJobRunner::ScheduleAfter(uint64_t micros,
                                    std::function<void()> job) {
  MutexLock lock(&mutex_);
  if (timer_ == nullptr) timer_ = std::make_unique<Timer>();
  timer_->CallAt(Timer::Clock::now() + std::chrono::microseconds(micros),
                 std::move(job));
  return true;
}

void ThreadJobRunner::Wait(std::unique_lock<std::mutex>& lock,
                           std::condition_variable& changed,
                           const std::function<bool()>& predicate) {
  changed.wait(lock, predicate);
}

bool ThreadJobRunner::WaitFor(std::unique_lock<std::mutex>& lock,
                              std::condition_variable& changed, Clock&,
                              uint64_t micros,
                              const std::function<bool()>& predicate) {
  return changed.wait_for(lock, std::chrono::microseconds(micros), predicate);
}

ThreadJobRunner::Queue* ThreadJobRunner::Next(size_t kind) {
  const Kind& other = kinds_[kPriorities - 1 - kind];
  if (other.threads > 0) {
    return kinds_[kind].jobs.empty() ? nullptr : &kinds_[kind].jobs;
  }
  // The other priority has no thread, because none could be started when it had
  // a job: serve both, flushes first.
  for (Kind& any : kinds_) {
    if (!any.jobs.empty()) return &any.jobs;
  }
  return nullptr;
}

bool ThreadJobRunner::PrepareToBeLowered(size_t kind) {
  const size_t other = kPriorities - 1 - kind;
  try {
    if (kinds_[other].threads == 0) StartThread(other);
    if (timer_ == nullptr) timer_ = std::make_unique<Timer>();
    timer_->Start();
    return true;
  } catch (...) {
    return false;
  }
}

void ThreadJobRunner::RunJobs(size_t kind) {
  MutexLock lock(&mutex_);
  for (;;) {
    ++kinds_[kind].idle;
    mutex_.Wait(this, changed_[kind], [this, kind] {
      mutex_.AssertHeld();
      return Next(kind) != nullptr || (stopping_ && unfinished_ == 0);
    });
    --kinds_[kind].idle;
    Queue* const queue = Next(kind);
    if (queue == nullptr) return;
    std::function<void()> job = std::move(queue->front());
    queue->pop_front();
    const auto priority = static_cast<JobPriority>(kind);
    const bool is_lowered =
        follows_ && WouldBeLowered(priority) && PrepareToBeLowered(kind);
    {
      MutexUnlock unlock(&mutex_);
      if (is_lowered) FollowThreadPriority(priority);
      job();
      job = nullptr;  // its destructor may take locks: not under mutex_
    }
    TAMIS_CHECK(unfinished_ > 0);
    --unfinished_;
    // Threads stay until the last job is done: it may schedule others.
    if (stopping_ && unfinished_ == 0) WakeAll();
  }
}

void ThreadJobRunner::WakeAll() {
  for (CondVar& changed : changed_) changed.notify_all();
}

std::shared_ptr<JobRunner> NewThreadJobRunner(size_t high_threads,
                                              size_t low_threads) {
  return MakeSharedInProcess<ThreadJobRunner>(high_threads, low_threads);
}

std::shared_ptr<JobRunner> NewHelperThreads(size_t threads) {
  return MakeSharedInProcess<ThreadJobRunner>(size_t{1}, threads,
                                              /*follows=*/false);
}

}  // namespace tamis
