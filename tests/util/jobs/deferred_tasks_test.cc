// SPDX-License-Identifier: Apache-2.0
#include "util/jobs/deferred_tasks.h"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/busy_runner.h"

namespace tamis {
namespace {

// Adds tasks that note their numbers.
struct Notes {
  Notes(const Helpers& helpers, size_t waiting_max)
      : tasks(helpers, waiting_max) {}
  void Add(int n) {
    tasks.Add([this, n] { done.push_back(n); });
  }
  std::vector<int> done;
  DeferredTasks tasks;
};

TEST(DeferredTasksTest, WithoutHelpersAddRunsTheTask) {
  Notes notes({}, 8);
  for (int i = 0; i < 3; ++i) {
    notes.Add(i);
    EXPECT_EQ(notes.done.size(), static_cast<size_t>(i + 1));
  }
  EXPECT_FALSE(notes.tasks.RunOne());
  notes.tasks.WaitForAll();
}

TEST(DeferredTasksTest, TheOldestRunsWhenTooManyWait) {
  BusyRunner runner;
  Notes notes(HelpersOn(&runner), 2);
  for (int i = 0; i < 5; ++i) notes.Add(i);
  EXPECT_EQ(notes.done, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(runner.jobs.size(), 1u);  // as long as it has not come
  EXPECT_TRUE(notes.tasks.RunOne());
  EXPECT_EQ(notes.done, (std::vector<int>{0, 1, 2, 3}));
  notes.tasks.WaitForAll();
  EXPECT_EQ(notes.done, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(DeferredTasksTest, AHelperRunsAllAndIsScheduledAgain) {
  BusyRunner runner;
  Notes notes(HelpersOn(&runner), 8);
  notes.Add(0);
  notes.Add(1);
  ASSERT_EQ(runner.jobs.size(), 1u);
  runner.jobs[0]();
  EXPECT_EQ(notes.done, (std::vector<int>{0, 1}));
  notes.Add(2);
  ASSERT_EQ(runner.jobs.size(), 2u);
  notes.tasks.WaitForAll();
  EXPECT_EQ(notes.done, (std::vector<int>{0, 1, 2}));
  runner.jobs[1]();
  EXPECT_EQ(notes.done.size(), 3u);
}

TEST(DeferredTasksTest, DroppedTasksDoNotRun) {
  BusyRunner runner;
  {
    Notes notes(HelpersOn(&runner), 8);
    notes.Add(0);
    notes.tasks.Drop();
    EXPECT_FALSE(notes.tasks.RunOne());
    notes.tasks.WaitForAll();
    EXPECT_TRUE(notes.done.empty());
    notes.Add(1);
  }
  // The helper comes when all is gone.
  ASSERT_EQ(runner.jobs.size(), 1u);
  runner.jobs[0]();
}

TEST(DeferredTasksTest, EveryTaskRunsOnceBesideTheAdder) {
  const auto runner = NewThreadJobRunner(1, 3);
  for (int round = 0; round < 100; ++round) {
    constexpr size_t kTasks = 100;
    std::vector<int> runs(kTasks, 0);
    std::vector<int> seen(kTasks, 0);
    DeferredTasks tasks(HelpersOn(runner.get()),
                        static_cast<size_t>(round % 5));
    for (size_t i = 0; i < kTasks; ++i) {
      seen[i] = 1;
      tasks.Add([&, i] { runs[i] += seen[i]; });
      if (i % 7 == 0) tasks.RunOne();
    }
    tasks.WaitForAll();
    ASSERT_EQ(runs, std::vector<int>(kTasks, 1));
  }
}

TEST(DeferredTasksTest, DestructionWaitsForTheRunningTask) {
  const auto runner = NewThreadJobRunner(1, 1);
  for (int round = 0; round < 200; ++round) {
    std::atomic<bool> inside{false};
    {
      DeferredTasks tasks(HelpersOn(runner.get()), 8);
      for (int i = 0; i < 4; ++i) {
        tasks.Add([&] {
          inside = true;
          std::this_thread::yield();
          inside = false;
        });
      }
    }
    ASSERT_FALSE(inside);
  }
}

TEST(DeferredTasksTest, AnExceptionEndsTheTasksAndIsRethrown) {
  const auto fail = [] { throw std::runtime_error("task"); };
  BusyRunner runner;
  Notes notes(HelpersOn(&runner), 8);
  notes.Add(0);
  notes.tasks.Add(fail);
  notes.Add(1);
  EXPECT_TRUE(notes.tasks.RunOne());
  EXPECT_TRUE(notes.tasks.RunOne());
  EXPECT_FALSE(notes.tasks.RunOne());
  EXPECT_THROW(notes.Add(2), std::runtime_error);
  EXPECT_THROW(notes.tasks.WaitForAll(), std::runtime_error);
  EXPECT_EQ(notes.done, std::vector<int>{0});
  DeferredTasks alone({}, 8);
  alone.Add([] {});
  EXPECT_NO_THROW(alone.Add(fail));
  EXPECT_THROW(alone.WaitForAll(), std::runtime_error);
}

TEST(DeferredTasksTest, AHelperThatCannotBeScheduledIsNotNeeded) {
  BusyRunner runner;
  DeferredTasks tasks({&runner,
                       [](const std::function<void()>&) {
                         throw std::runtime_error("schedule");
                       }},
                      8);
  int done = 0;
  tasks.Add([&] { ++done; });
  tasks.Add([&] { ++done; });
  tasks.WaitForAll();
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace tamis
