// SPDX-License-Identifier: Apache-2.0
#include "util/jobs/process_job_runner.h"

#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "util/base/mutex.h"

namespace tamis {
namespace {

TEST(ProcessJobRunnerTest, LivesAsLongAsItIsUsed) {
  auto first = ProcessJobRunner(1, 1);
  auto second = ProcessJobRunner(2, 3);
  EXPECT_EQ(first, second);
  EXPECT_TRUE(first->IsUsable());
  const std::weak_ptr<JobRunner> observed = first;
  first.reset();
  EXPECT_FALSE(observed.expired());
  second.reset();
  EXPECT_TRUE(observed.expired());
  EXPECT_NE(ProcessJobRunner(1, 1), nullptr);
}

// Three jobs that wait for each other need three threads.
TEST(ProcessJobRunnerTest, HasThreadsForTheLargestRequest) {
  const auto runner = ProcessJobRunner(1, 1);
  EXPECT_EQ(ProcessJobRunner(1, 3), runner);
  EXPECT_EQ(ProcessJobRunner(1, 2), runner);
  Mutex mutex;
  CondVar changed;
  int running = 0;
  int ended = 0;
  const auto all_run = [&] { return running == 3; };
  const auto all_ended = [&] { return ended == 3; };
  for (int i = 0; i < 3; ++i) {
    runner->Schedule(JobPriority::kLow, [&] {
      MutexLock lock(&mutex);
      ++running;
      changed.notify_all();
      mutex.Wait(runner.get(), changed, all_run);
      ++ended;
      changed.notify_all();
    });
  }
  MutexLock lock(&mutex);
  mutex.Wait(runner.get(), changed, all_ended);
  EXPECT_EQ(running, 3);
}

}  // namespace
}  // namespace tamis
