// SPDX-License-Identifier: Apache-2.0
//
// The operating system's priorities of threads that run jobs. A program lowers
// them for the whole process (Env::LowerThreadPoolIOPriority,
// LowerThreadPoolCPUPriority): there is one wish for each JobPriority. A thread
// of a runner follows it when it begins its next job.
//
//   LowerThreadIO, LowerThreadCpu ──▶ wishes, one for each JobPriority
//                                        │
//   a thread, before each job ─────▶ FollowThreadPriority
//
// A thread cannot raise its priority again, and threads inherit that of the
// thread that starts them. So a lowered thread must not start those of others.
#pragma once

#include "tamis/env.h"
#include "tamis/job_runner.h"

namespace tamis {

// Wishes the idle class for reads and direct writes of files. Any thread.
void LowerThreadIO(JobPriority jobs) noexcept;
// Wishes a lower CPU priority: kLow or kIdle. Any thread.
void LowerThreadCpu(JobPriority jobs, CpuPriority priority) noexcept;

// Returns whether FollowThreadPriority(jobs) would lower the calling thread.
// Costs a load.
bool WouldBeLowered(JobPriority jobs) noexcept;
// Gives the calling thread, which runs such jobs, what was wished for them. If
// the system has no such priorities, or refuses them, nothing happens.
void FollowThreadPriority(JobPriority jobs) noexcept;
// Returns whether a thread that the calling one starts would have no lower
// priority than what was wished for such jobs.
bool MayStartThreadsFor(JobPriority jobs) noexcept;

}  // namespace tamis
