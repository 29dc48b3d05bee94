// SPDX-License-Identifier: Apache-2.0
//
// One piece of work cut into parts that may run at the same time.
#pragma once

#include <cstddef>
#include <functional>

#include "tamis/job_runner.h"

namespace tamis {

// Has the job run once, later, as JobRunner::Schedule does.
using ScheduleJob = std::function<void(std::function<void()> job)>;

// Calls part(0) ... part(n - 1), each once, and returns when all have. The
// caller takes them one by one, in order, and so do n - 1 jobs that it has
// scheduled, as far as the runner has threads for them: it may itself be called
// in a job, and goes on where no other thread is free. A job that begins when
// all is over does nothing. Throws what a part threw, when all are done. Parts
// for which no job can be scheduled are the caller's.
void RunParts(JobRunner* runner, const ScheduleJob& schedule, size_t n,
              const std::function<void(size_t)>& part);

}  // namespace tamis
