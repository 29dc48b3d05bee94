// SPDX-License-Identifier: Apache-2.0
//
// Helpers run jobs beside the thread that has a task. No task waits for a
// helper to be free: its thread then does all of the work.
#pragma once

#include "tamis/job_runner.h"

#include "util/jobs/parallel_for.h"

namespace tamis {

// A value type; the runner must outlive it.
struct Helpers {
  JobRunner* runner = nullptr;
  // Schedules a job. Empty if there are no helpers. The job may run after its
  // work has been done, and then does nothing.
  ScheduleJob schedule;
};

}  // namespace tamis
