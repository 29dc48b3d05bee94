// SPDX-License-Identifier: Apache-2.0
//
// Runs background work on threads. Each priority has its own queue and threads,
// so that a long compaction never delays a flush. A thread is started when a
// job finds none idle, and stays until the runner is destroyed; a runner
// without jobs has no thread.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tamis/job_runner.h"

#include "util/base/mutex.h"
#include "util/base/process.h"

namespace tamis {

// Any thread. Never holds the mutex while a job runs. REQUIRES: owned through
// MakeSharedInProcess, so that the destructor runs in the owner process only.
class ThreadJobRunner final : public JobRunner {
 public:
  // The numbers are the most threads of each kind. `follows`: they follow what
  // is wished for the priorities of threads (thread_priority.h). REQUIRES: both
  // > 0.
  ThreadJobRunner(size_t high_threads, size_t low_threads, bool follows = true);
  ThreadJobRunner(const ThreadJobRunner&) = delete;
  ThreadJobRunner& operator=(const ThreadJobRunner&) = delete;
  // Runs every job that is left, and ends the threads.
  ~ThreadJobRunner() override;

  // Raises the largest numbers of threads to these.
  void AllowThreads(size_t high_threads, size_t low_threads) EXCLUDES(mutex_);

  void Schedule(JobPriority priority, std::function<void()> job) override
      EXCLUDES(mutex_);
  bool ScheduleAfter(uint64_t micros, std::function<void()> job) override
      EXCLUDES(mutex_);
  void Wait(std::unique_lock<std::mutex>& lock,
            std::condition_variable& changed,
            const std::function<bool()>& predicate) override;
  bool WaitFor(std::unique_lock<std::mutex>& lock,
               std::condition_variable& changed, Clock& clock, uint64_t micros,
               const std::function<bool()>& predicate) override;
  bool IsUsable() const override { return owner_.IsCurrent(); }

 private:
  static constexpr size_t kPriorities = 2;
  using Queue = std::deque<std::function<void()>>;
  class Timer;

  // A priority, whose threads are interchangeable.
  struct Kind {
    Queue jobs;
    size_t threads_max = 0;
    size_t threads = 0;
    size_t idle = 0;  // threads that wait; some may have been woken
  };

  // Throws if the system does.
  void StartThread(size_t kind) REQUIRES(mutex_);
  // Starts a thread if another job of the kind would find none idle. Throws if
  // there is no thread at all that could run it.
  void StartThreadIfNeeded(size_t kind) REQUIRES(mutex_);
  // Returns the queue that a thread of the kind takes from, or nullptr if there
  // is nothing to do.
  Queue* Next(size_t kind) REQUIRES(mutex_);
  // Returns whether the calling thread, of the kind, may be lowered: it has
  // started what it must not start afterwards.
  bool PrepareToBeLowered(size_t kind) REQUIRES(mutex_);
  void RunJobs(size_t kind) EXCLUDES(mutex_);
  void WakeAll();

  const OwnerProcess owner_;
  const bool follows_;
  Mutex mutex_;
  // Per priority. A job wakes one thread, the destructor wakes all.
  std::array<CondVar, kPriorities> changed_;
  std::array<Kind, kPriorities> kinds_ GUARDED_BY(mutex_);
  size_t unfinished_ GUARDED_BY(mutex_) = 0;  // jobs queued or running
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_ GUARDED_BY(mutex_);  // of both kinds
  std::unique_ptr<Timer> timer_;  // guarded by mutex_; created on first use
};

// Returns a runner whose threads help a call that waits for them. Their
// priority stays that of the thread that makes the call. REQUIRES: threads > 0.
std::shared_ptr<JobRunner> NewHelperThreads(size_t threads);

}  // namespace tamis
