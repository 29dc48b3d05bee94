// SPDX-License-Identifier: Apache-2.0
//
// A JobRunner runs background work (flushes, compactions) and owns every wait.
// With threads, jobs run beside the callers. With the deterministic runner
// there are no threads: jobs run inside Wait and RunUntilIdle, in an order
// that a seed decides, so that a history can be replayed.
//
// Threads: any thread, except that a deterministic runner belongs to one.
// Exceptions: none from a job, and none from a runner's own functions but what
// an allocation or a new thread throws in Schedule and ScheduleAfter.
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
  // they were scheduled (the deterministic runner picks among them).
  // REQUIRES: the job takes no lock that the caller of Schedule holds while it
  // waits for something other than through Wait.
  virtual void Schedule(JobPriority priority, std::function<void()> job) = 0;

  // Runs `job` once, about so many microseconds later, or never if the runner
  // ends before. The job may wait for jobs of Schedule, and so takes none of
  // their threads. False: the runner keeps no time, and drops the job.
  virtual bool ScheduleAfter(uint64_t /*micros*/,
                             std::function<void()> /*job*/) {
    return false;
  }

  // Blocks until predicate() is true. It is called with `lock` held; the lock
  // is given up while waiting. Whoever makes it true notifies `changed`.
  virtual void Wait(std::unique_lock<std::mutex>& lock,
                    std::condition_variable& changed,
                    const std::function<bool()>& predicate) = 0;

  // False in a process that cannot use it: threads stay behind when a process
  // forks. DB::Open refuses such a runner.
  virtual bool IsUsable() const { return true; }
};

// `high_threads` for flushes and `low_threads` for compactions; fewer where the
// system gives no more, and then those of one kind may do the work of both.
// nullptr: it gives none. The destructor finishes what was scheduled; in a
// forked process it does nothing. REQUIRES: both > 0
std::shared_ptr<JobRunner> NewThreadJobRunner(size_t high_threads,
                                              size_t low_threads);

// One thread, one queue: see above.
class DeterministicJobRunner : public JobRunner {
 public:
  // Runs one job that the seed picks. False: there was none.
  virtual bool RunOne() = 0;
  virtual void RunUntilIdle() = 0;
  virtual size_t pending() const = 0;
};
std::shared_ptr<DeterministicJobRunner> NewDeterministicJobRunner(
    uint64_t seed);

}  // namespace tamis
