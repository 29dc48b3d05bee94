// SPDX-License-Identifier: Apache-2.0
//
// Env lowers the operating system's priorities of the threads of a pool, in
// databases, too, and of no other thread. Each check is in a process of its
// own, as the priorities stay.
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tamis/compaction_filter.h"
#include "tamis/db.h"
#include "tamis/env.h"
#include "tamis/job_runner.h"

#include "tests/process/child.h"
#include "tests/support/directories.h"

namespace tamis::process {
namespace {

struct Priorities {
  long io = 0;  // ioprio_get(2)
  int nice = 0;
  int policy = 0;

  static Priorities OfThisThread() {
    return {::syscall(SYS_ioprio_get, 1, 0), ::getpriority(PRIO_PROCESS, 0),
            ::sched_getscheduler(0)};
  }
  bool operator==(const Priorities&) const = default;
};

constexpr long kIdleClass = 3 << 13;
constexpr int kLowest = 19;

// As a thread of the pool sees them.
Priorities OfPool(Env::Priority pool) {
  struct Call {
    Priorities seen;
    std::atomic<bool> done{false};
  } call;
  Env::Default()->Schedule(
      [](void* arg) {
        auto* const its = static_cast<Call*>(arg);
        its->seen = Priorities::OfThisThread();
        its->done = true;
      },
      &call, pool);
  while (!call.done) std::this_thread::yield();
  return call.seen;
}

class LookingFilter final : public CompactionFilter {
 public:
  explicit LookingFilter(Priorities* seen) : seen_(seen) {}
  const char* Name() const override { return "Looking"; }
  bool Filter(int, const Slice&, const Slice&, std::string*,
              bool*) const override {
    *seen_ = Priorities::OfThisThread();
    return false;
  }

 private:
  Priorities* const seen_;
};

TEST(ThreadPriorityTest, APoolIsLoweredAndNoOther) {
  EXPECT_EQ(
      RunChild([] {
        Env* const env = Env::Default();
        const Priorities before = Priorities::OfThisThread();
        Require(OfPool(Env::LOW) == before, "LOW before");
        env->LowerThreadPoolIOPriority(Env::LOW);
        env->LowerThreadPoolCPUPriority(Env::LOW);
        const Priorities lowered = OfPool(Env::LOW);
        Require(lowered.io == kIdleClass, "I/O of LOW");
        Require(lowered.nice == kLowest, "nice of LOW");
        Require(lowered.policy == before.policy, "policy of LOW");
        Require(OfPool(Env::HIGH) == before, "HIGH");
        Require(Priorities::OfThisThread() == before, "the caller");
        Require(env->LowerThreadPoolCPUPriority(Env::HIGH, CpuPriority::kHigh)
                    .IsNotSupported(),
                "kHigh");
        Require(
            env->LowerThreadPoolCPUPriority(Env::HIGH, CpuPriority::kIdle).ok(),
            "kIdle");
        Require(OfPool(Env::HIGH).policy == SCHED_IDLE, "SCHED_IDLE");
        Require(OfPool(Env::HIGH).io == before.io, "I/O of HIGH");
        return 0;
      }),
      0);
}

// A thread has the priority of the one that starts it, and cannot raise it.
TEST(ThreadPriorityTest, ALoweredThreadStartsNoOthers) {
  EXPECT_EQ(
      RunChild([] {
        const Priorities before = Priorities::OfThisThread();
        Env::Default()->LowerThreadPoolIOPriority();
        Require(Env::Default()
                    ->LowerThreadPoolCPUPriority(Env::LOW, CpuPriority::kIdle)
                    .ok(),
                "kIdle");
        const std::shared_ptr<JobRunner> runner = NewThreadJobRunner(4, 4);
        constexpr int kJobs = 4;
        std::array<Priorities, kJobs> flushes;
        Priorities timer;
        std::atomic<int> left{kJobs + 1};
        runner->Schedule(JobPriority::kLow, [&] {
          for (Priorities& seen : flushes) {
            runner->Schedule(JobPriority::kHigh, [&] {
              seen = Priorities::OfThisThread();
              --left;
            });
          }
          runner->ScheduleAfter(1, [&] {
            timer = Priorities::OfThisThread();
            --left;
          });
        });
        while (left > 0) std::this_thread::yield();
        for (const Priorities& seen : flushes) {
          Require(seen == before, "a flush");
        }
        Require(timer == before, "the timer");
        return 0;
      }),
      0);
}

TEST(ThreadPriorityTest, CompactionsOfADatabaseFollow) {
  const TemporaryDirectory directory;
  EXPECT_EQ(RunChild([&directory] {
              Env::Default()->LowerThreadPoolIOPriority();
              Env::Default()->LowerThreadPoolCPUPriority();
              Priorities seen;
              LookingFilter filter(&seen);
              Options options;
              options.create_if_missing = true;
              options.compaction_filter = &filter;
              std::unique_ptr<DB> db;
              Require(DB::Open(options, directory.path(), &db).ok(), "open");
              for (int i = 0; i < 2; ++i) {
                Require(db->Put({}, "k", "v").ok(), "put");
                Require(db->Flush({}).ok(), "flush");
              }
              Require(db->CompactRange({}, nullptr, nullptr).ok(), "compact");
              Require(seen.io == kIdleClass, "I/O");
              Require(seen.nice == kLowest, "nice");
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace tamis::process
