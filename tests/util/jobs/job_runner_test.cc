// SPDX-License-Identifier: Apache-2.0
#include "tamis/job_runner.h"

#include <atomic>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "util/base/fake_clock.h"
#include "util/base/mutex.h"

namespace tamis {
namespace {

TEST(ThreadJobRunnerTest, DestructionFinishesJobsAndThoseTheySchedule) {
  std::atomic<int> done{0};
  {
    const auto runner = NewThreadJobRunner(1, 2);
    JobRunner* const raw = runner.get();
    for (int i = 0; i < 50; ++i) {
      raw->Schedule(JobPriority::kLow, [raw, &done] {
        ++done;
        raw->Schedule(JobPriority::kHigh, [&done] { ++done; });
      });
    }
  }
  EXPECT_EQ(done.load(), 100);
}

TEST(ThreadJobRunnerTest, FlushesPassABlockedCompaction) {
  const auto runner = NewThreadJobRunner(1, 1);
  Mutex mutex;
  CondVar changed;
  bool flushed = false;
  bool compacted = false;
  const auto set = [&](bool* flag) {
    MutexLock lock(&mutex);
    *flag = true;
    changed.notify_all();
  };
  runner->Schedule(JobPriority::kLow, [&] {
    {
      MutexLock lock(&mutex);
      mutex.Wait(runner.get(), changed, [&] { return flushed; });
    }
    set(&compacted);
  });
  runner->Schedule(JobPriority::kHigh, [&] { set(&flushed); });
  MutexLock lock(&mutex);
  mutex.Wait(runner.get(), changed, [&] { return compacted; });
  EXPECT_TRUE(flushed);
}

std::string OrderOfTenJobs(uint64_t seed) {
  const auto runner = NewDeterministicJobRunner(seed);
  std::string order;
  for (char job = '0'; job <= '9'; ++job) {
    runner->Schedule(JobPriority::kLow, [&order, job] { order += job; });
  }
  EXPECT_EQ(runner->pending(), 10u);
  EXPECT_TRUE(order.empty());
  runner->RunUntilIdle();
  EXPECT_EQ(runner->pending(), 0u);
  EXPECT_FALSE(runner->RunOne());
  return order;
}

TEST(DeterministicJobRunnerTest, TheSeedDeterminesTheOrder) {
  EXPECT_EQ(OrderOfTenJobs(1), OrderOfTenJobs(1));
  EXPECT_NE(OrderOfTenJobs(1), OrderOfTenJobs(2));
  EXPECT_EQ(OrderOfTenJobs(3).size(), 10u);
}

TEST(ThreadJobRunnerTest, ATimedWaitEndsEarlyIfItMay) {
  const auto runner = NewThreadJobRunner(1, 1);
  const auto clock = NewSystemClock();
  Mutex mutex;
  CondVar changed;
  bool set = false;
  constexpr uint64_t kHour = 3600ULL * 1'000'000;
  // The job cannot set it before the wait begins.
  MutexLock lock(&mutex);
  runner->Schedule(JobPriority::kHigh, [&] {
    MutexLock job_lock(&mutex);
    set = true;
    changed.notify_all();
  });
  EXPECT_TRUE(
      mutex.WaitFor(runner.get(), changed, *clock, kHour, [&] { return set; }));
}

TEST(ThreadJobRunnerTest, ATimedWaitEndsInTime) {
  const auto runner = NewThreadJobRunner(1, 1);
  const auto clock = NewSystemClock();
  Mutex mutex;
  CondVar changed;
  const uint64_t start = clock->NowNanos();
  MutexLock lock(&mutex);
  EXPECT_FALSE(
      mutex.WaitFor(runner.get(), changed, *clock, 2000, [] { return false; }));
  EXPECT_GE(clock->NowNanos() - start, 2'000'000u);
}

TEST(DeterministicJobRunnerTest, WaitRunsJobsWithoutTheLock) {
  const auto runner = NewDeterministicJobRunner(1);
  Mutex mutex;
  CondVar changed;
  int steps = 0;
  std::function<void()> step = [&] {
    MutexLock lock(&mutex);
    if (++steps < 5) runner->Schedule(JobPriority::kHigh, step);
  };
  runner->Schedule(JobPriority::kHigh, step);
  MutexLock lock(&mutex);
  mutex.Wait(runner.get(), changed, [&] { return steps == 5; });
  EXPECT_EQ(steps, 5);
}

TEST(DeterministicJobRunnerTest, ATimedWaitRunsOneJobOrPassesOnTheClock) {
  const auto runner = NewDeterministicJobRunner(1);
  FakeClock clock;
  Mutex mutex;
  CondVar changed;
  int done = 0;
  for (int i = 0; i < 2; ++i) {
    runner->Schedule(JobPriority::kLow, [&] {
      MutexLock lock(&mutex);
      ++done;
    });
  }
  const auto wait_for = [&](int wanted) {
    MutexLock lock(&mutex);
    return mutex.WaitFor(runner.get(), changed, clock, 1000,
                         [&] { return done >= wanted; });
  };
  const uint64_t start = clock.NowMicros();
  EXPECT_TRUE(wait_for(1));
  EXPECT_EQ(done, 1);
  EXPECT_LT(clock.NowMicros() - start, 1000u);
  EXPECT_FALSE(wait_for(3));
  EXPECT_EQ(done, 2);
  EXPECT_GE(clock.NowMicros() - start, 1000u);
  EXPECT_FALSE(wait_for(3));
  EXPECT_GE(clock.NowMicros() - start, 2000u);
}

TEST(DeterministicJobRunnerTest, DestructionRunsWhatIsLeft) {
  int done = 0;
  {
    const auto runner = NewDeterministicJobRunner(1);
    runner->Schedule(JobPriority::kLow, [&done] { ++done; });
  }
  EXPECT_EQ(done, 1);
}

TEST(DeterministicJobRunnerDeathTest, AWaitWithoutJobsAborts) {
  EXPECT_DEATH(
      {
        const auto runner = NewDeterministicJobRunner(1);
        Mutex mutex;
        CondVar changed;
        MutexLock lock(&mutex);
        mutex.Wait(runner.get(), changed, [] { return false; });
      },
      "no job is left");
}

}  // namespace
}  // namespace tamis
