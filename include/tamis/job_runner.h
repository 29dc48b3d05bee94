// SPDX-License-Identifier: Apache-2.0
//
// A JobRunner runs background work (flushes, compactions), and the database
// waits on condition variables only through it. A runner with threads runs jobs
// beside the callers. The deterministic runner has no threads: it runs jobs
// inside Wait, RunOne and RunUntilIdle, in an order that a seed decides, so
// that a run can be replayed.
//
// Threads: any thread. A deterministic runner is used by one thread only.
// Exceptions: a job throws none. Schedule and ScheduleAfter throw what an
// allocation or a new thread throws; the other functions throw nothing.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace tamis {

enum class JobPriority : uint8_t {
  kHigh = 0,  // flushes: writers may be waiting for them
  kLow = 1,   // compactions
};

class JobRunner {
 public:
  virtual ~JobRunner();

  // Runs `job` once, later. Jobs of one priority start in the order in which
  // they were scheduled; the deterministic runner picks any of the jobs.
  // REQUIRES: a caller that holds a lock which the job takes blocks only in
  // Wait, and passes it that lock.
  virtual void Schedule(JobPriority priority, std::function<void()> job) = 0;

  // Runs `job` once, about `micros` microseconds from now. Drops it if the
  // runner is destroyed before. The job may wait for jobs of Schedule, so it
  // occupies none of their threads. False: the runner has no timer and drops
  // the job.
  virtual bool ScheduleAfter(uint64_t /*micros*/,
                             std::function<void()> /*job*/) {
    return false;
  }

  // Blocks until predicate() is true. Calls predicate() with `lock` held, and
  // releases `lock` while it waits. The code that makes predicate() true
  // notifies `changed`. The deterministic runner ends the process when no job
  // is left that could make it true.
  virtual void Wait(std::unique_lock<std::mutex>& lock,
                    std::condition_variable& changed,
                    const std::function<bool()>& predicate) = 0;

  // False in a forked child of the process that made a runner with threads: the
  // child has none of the threads. DB::Open refuses a runner that returns
  // false.
  virtual bool IsUsable() const { return true; }
};

// Starts `high_threads` for flushes and `low_threads` for compactions, or as
// many of them as the system allows. If it allows threads of one kind only,
// they do all the work; if it allows none, the result is nullptr. The
// destructor runs every scheduled job first; in a forked process it does
// nothing.
// REQUIRES: both > 0; no job destroys the runner that runs it.
std::shared_ptr<JobRunner> NewThreadJobRunner(size_t high_threads,
                                              size_t low_threads);

// Used by one thread; one queue for both priorities.
class DeterministicJobRunner : public JobRunner {
 public:
  // Runs one job that the seed picks. False: no job was queued.
  virtual bool RunOne() = 0;
  // Runs jobs until none is queued.
  virtual void RunUntilIdle() = 0;
  virtual size_t pending() const = 0;
};
std::shared_ptr<DeterministicJobRunner> NewDeterministicJobRunner(
    uint64_t seed);

}  // namespace tamis
