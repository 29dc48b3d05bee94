// SPDX-License-Identifier: Apache-2.0
#include "util/jobs/parallel_for.h"

#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "util/base/mutex.h"

namespace tamis {
namespace {

ScheduleJob To(JobRunner* runner) {
  return [runner](std::function<void()> job) {
    runner->Schedule(JobPriority::kLow, std::move(job));
  };
}

TEST(ParallelForTest, EachPartRunsOnceWhateverThreadsThereAre) {
  for (const size_t threads : {1u, 2u, 4u}) {
    const auto runner = NewThreadJobRunner(1, threads);
    for (const size_t n : {1u, 2u, 3u, 17u}) {
      std::vector<std::atomic<int>> calls(n);
      ParallelFor(runner.get(), To(runner.get()), n,
                  [&calls](size_t i) { ++calls[i]; });
      for (const auto& count : calls) EXPECT_EQ(count.load(), 1);
    }
  }
}

TEST(ParallelForTest, AJobNeedsNoOtherThreadForItsParts) {
  const auto runner = NewThreadJobRunner(1, 1);
  Mutex mutex;
  CondVar changed;
  int parts = 0;
  bool done = false;
  runner->Schedule(JobPriority::kLow, [&] {
    ParallelFor(runner.get(), To(runner.get()), 3,
                [&parts](size_t) { ++parts; });
    MutexLock lock(&mutex);
    done = true;
    changed.notify_all();
  });
  MutexLock lock(&mutex);
  mutex.Wait(runner.get(), changed, [&done] { return done; });
  EXPECT_EQ(parts, 3);
}

TEST(ParallelForTest, TwoThreadsTakePartAtTheSameTime) {
  const auto runner = NewThreadJobRunner(1, 1);
  std::atomic<int> inside{0};
  ParallelFor(runner.get(), To(runner.get()), 2, [&inside](size_t) {
    ++inside;
    while (inside.load() < 2) {
    }
  });
  EXPECT_EQ(inside.load(), 2);
}

TEST(ParallelForTest, PartsComeInOrderWithoutThreads) {
  const auto runner = NewDeterministicJobRunner(301);
  std::vector<size_t> order;
  ParallelFor(runner.get(), To(runner.get()), 4,
              [&order](size_t i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 3}));
  runner->RunUntilIdle();
  EXPECT_EQ(order.size(), 4u);
}

}  // namespace
}  // namespace tamis
