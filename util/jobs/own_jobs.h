// SPDX-License-Identifier: Apache-2.0
//
// OwnJobs lists the jobs that one owner passed to a runner and that have not
// started. Others may use the runner, too, and their jobs may take long.
// Therefore the owner need not wait until its own are started: it can run them
// itself.
//
//   Schedule ──▶ runner's queue ──▶ a thread ─┐
//            └─▶ list ────▶ RunWaiting, End ──┴▶ the first one runs it
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tamis/job_runner.h"

#include "util/base/mutex.h"

namespace tamis {

// While it lives, the thread's IOStatsContext names the pool of these jobs. The
// thread may be a user's that waits.
class PoolScope {
 public:
  explicit PoolScope(JobPriority priority) noexcept;
  ~PoolScope();
  PoolScope(const PoolScope&) = delete;
  PoolScope& operator=(const PoolScope&) = delete;

 private:
  const uint64_t before_;
};

// Any thread. Must outlive the jobs that it has started, but not those that the
// runner still lists.
class OwnJobs {
 public:
  OwnJobs() = default;
  OwnJobs(const OwnJobs&) = delete;
  OwnJobs& operator=(const OwnJobs&) = delete;

  // Passes the job to the runner. Returns false, and drops the job, after End.
  // Throws what JobRunner::Schedule throws; the job is then not run.
  bool Schedule(JobRunner* runner, JobPriority priority,
                std::function<void()> job) EXCLUDES(mutex_);
  // Runs, on this thread, the jobs that have not started. REQUIRES: the caller
  // holds no lock that a job takes.
  void RunWaiting() EXCLUDES(mutex_);
  // Does the same, and lets no further job in.
  void End() EXCLUDES(mutex_);

 private:
  // Shared with the runner, in whose queue it may outlive the owner.
  struct Job {
    Job(JobPriority with_priority, std::function<void()> function)
        : priority(with_priority), run(std::move(function)) {}
    // Returns true to the first caller, which runs the job. The owner then
    // exists until the job has ended.
    bool Take() { return !taken.exchange(true, std::memory_order_acq_rel); }
    void RunOnce();

    const JobPriority priority;
    std::function<void()> run;
    std::atomic<bool> taken{false};
  };
  using JobPtr = std::shared_ptr<Job>;

  void Unlist(const JobPtr& job) EXCLUDES(mutex_);

  Mutex mutex_;
  std::vector<JobPtr> listed_ GUARDED_BY(mutex_);  // oldest first
  bool ended_ GUARDED_BY(mutex_) = false;
};

}  // namespace tamis
