// SPDX-License-Identifier: Apache-2.0
//
// Runs the parts of a divisible task concurrently.
#pragma once

#include <cstddef>
#include <functional>

#include "tamis/job_runner.h"
#include "tamis/status.h"

namespace tamis {

// Schedules `job` to run once, later, as JobRunner::Schedule does.
using ScheduleJob = std::function<void(std::function<void()> job)>;

// Calls part(0) ... part(n - 1), each once, and returns when all have returned.
// The caller and up to n - 1 scheduled jobs take the parts in order. The caller
// needs no free thread to make progress, so a job of the same runner may call
// this. A job that starts late does nothing; jobs that cannot be scheduled
// leave their parts to the caller. If parts throw, rethrows one of the
// exceptions after all parts have ended.
void ParallelFor(JobRunner* runner, const ScheduleJob& schedule, size_t n,
                 const std::function<void(size_t)>& part);

// Does the same with jobs of low priority and parts that may fail. After a
// failure, also by an exception, no further part is called. Returns the first
// failure. With a `runner` of nullptr, the caller takes all parts.
Status ParallelFor(JobRunner* runner, size_t n,
                   const std::function<Status(size_t)>& part);

}  // namespace tamis
