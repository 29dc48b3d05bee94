// SPDX-License-Identifier: Apache-2.0
//
// A JobRunner runs background work (flushes, compactions). The database waits
// on condition variables only through it. A threaded runner runs jobs
// concurrently with the callers. The deterministic runner has no threads. It
// runs jobs inside Wait, WaitFor, RunOne, RunUntilIdle and its destructor, in
// an order derived from a seed, so that a run can be replayed.
//
// Threads: any; only one for a deterministic runner.
// Exceptions: jobs must not throw. Schedule and ScheduleAfter may throw on a
// failed allocation or thread creation; other functions do not throw.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "tamis/export.h"

namespace tamis {

class Clock;

// What a job is for.
enum class JobPriority : uint8_t {
  kHigh = 0,  // flushes, which writers may be waiting for
  kLow = 1,   // compactions
};

class TAMIS_EXPORT JobRunner {
 public:
  virtual ~JobRunner();

  // Runs `job` once, later. Jobs of one priority start in the order scheduled;
  // the deterministic runner picks any job.
  // REQUIRES: a caller that holds a lock which the job takes blocks only in
  // Wait, and passes it that lock.
  virtual void Schedule(JobPriority priority, std::function<void()> job) = 0;

  // Runs `job` once, about `micros` microseconds from now; drops it if the
  // runner is destroyed earlier. The job may block on jobs passed to Schedule,
  // so it must not occupy one of their threads. Returns false if the runner has
  // no timer and dropped the job.
  virtual bool ScheduleAfter(
      uint64_t /*micros*/,
      // NOLINTNEXTLINE(performance-unnecessary-value-param): overriders keep it
      std::function<void()> /*job*/) {
    return false;
  }

  // Blocks until predicate() is true. Calls predicate() with `lock` held and
  // releases `lock` while waiting. A thread that makes predicate() true must
  // notify `changed`. The deterministic runner aborts the process when no
  // queued job remains that could make it true.
  virtual void Wait(std::unique_lock<std::mutex>& lock,
                    std::condition_variable& changed,
                    const std::function<bool()>& predicate) = 0;

  // Waits as Wait does, for about `micros` microseconds at most, and returns
  // predicate() at the end. A threaded runner measures real time. The
  // deterministic runner runs one queued job; if predicate() is still false, it
  // sleeps on `clock`. The default is for runners without timed waits: it
  // releases `lock`, sleeps on `clock` and does not notice `changed`.
  virtual bool WaitFor(std::unique_lock<std::mutex>& lock,
                       std::condition_variable& changed, Clock& clock,
                       uint64_t micros, const std::function<bool()>& predicate);

  // Returns false in a forked child of the process that created a threaded
  // runner, because threads do not survive fork. DB::Open rejects such a
  // runner.
  virtual bool IsUsable() const { return true; }
};

// Creates a runner with up to `high_threads` threads for flushes and
// `low_threads` for compactions. A thread is started when a job finds none
// idle, and stays. If the system creates fewer threads, those run all jobs;
// if there is none, Schedule throws. The runner's destructor first runs every
// job passed to Schedule; in a forked child it does nothing.
// A thread inherits the signal mask, the CPU affinity, the scheduling policy
// and the nice value of the thread that schedules the job it is started for.
// Callbacks that run in jobs (merge operators, comparators, Logger) must not
// wait for another database on the same runner: all threads may be taken, and
// two databases that wait for each other never end. REQUIRES: both > 0; no job
// destroys the runner that runs it.
TAMIS_EXPORT std::shared_ptr<JobRunner> NewThreadJobRunner(size_t high_threads,
                                                           size_t low_threads);

// Runs jobs on the only thread that uses it. One queue serves both priorities.
class TAMIS_EXPORT DeterministicJobRunner : public JobRunner {
 public:
  // Runs one job, picked by the seed. Returns false if no job was queued.
  virtual bool RunOne() = 0;
  // Runs jobs until none is queued.
  virtual void RunUntilIdle() = 0;
  // Returns how many jobs are queued.
  virtual size_t pending() const = 0;
};

// Returns a runner whose jobs the caller runs: the seed decides on their order.
TAMIS_EXPORT std::shared_ptr<DeterministicJobRunner> NewDeterministicJobRunner(
    uint64_t seed);

}  // namespace tamis
