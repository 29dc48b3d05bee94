// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/jobs/thread_priority.h"

namespace tamis {

namespace {

// A wish only grows, so a thread compares it with what it has.
constexpr uint32_t kIdleIO = 1;
constexpr uint32_t kLowCpu = 2;
constexpr uint32_t kIdleCpu = 4;

constexpr size_t kJobPriorities = 2;
std::array<std::atomic<uint32_t>, kJobPriorities> wishes;
// What the thread has taken.
thread_local uint32_t taken = 0;

uint32_t WishFor(JobPriority jobs) noexcept {
  return wishes[static_cast<size_t>(jobs)].load(std::memory_order_relaxed);
}

// Linux's numbers, which its C library does not declare: ioprio_set(2).
constexpr int kIOPriorityOfProcess = 1;
constexpr int kIOClassIdle = 3;
constexpr int kIOClassShift = 13;

constexpr int kLowestNice = 19;

void Wish(JobPriority jobs, uint32_t what) noexcept {
  wishes[static_cast<size_t>(jobs)].fetch_or(what, std::memory_order_relaxed);
}

void Take(uint32_t what) noexcept {
#if defined(__linux__)
  // Of a thread: Linux has both priorities for each, and 0 is the caller.
  if ((what & kIdleIO) != 0) {
    ::syscall(SYS_ioprio_set, kIOPriorityOfProcess, 0,
              kIOClassIdle << kIOClassShift);
  }
  if ((what & kLowCpu) != 0) ::setpriority(PRIO_PROCESS, 0, kLowestNice);
  if ((what & kIdleCpu) != 0) {
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_IDLE, &none);
  }
#else
  (void)what;
#endif
}

}  // namespace

void LowerThreadIO(JobPriority jobs) noexcept { Wish(jobs, kIdleIO); }

void LowerThreadCpu(JobPriority jobs, CpuPriority priority) noexcept {
  if (priority == CpuPriority::kLow) Wish(jobs, kLowCpu);
  if (priority == CpuPriority::kIdle) Wish(jobs, kLowCpu | kIdleCpu);
}

bool WouldBeLowered(JobPriority jobs) noexcept {
  return (WishFor(jobs) & ~taken) != 0;
}

void FollowThreadPriority(JobPriority jobs) noexcept {
  const uint32_t wished = WishFor(jobs);
  Take(wished & ~taken);
  taken |= wished;
}

bool MayStartThreadsFor(JobPriority jobs) noexcept {
  return (taken & ~WishFor(jobs)) == 0;
}

}  // namespace tamis
