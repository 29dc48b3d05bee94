// SPDX-License-Identifier: Apache-2.0
#include "util/jobs/own_jobs.h"

#include <new>
#include <string>

#include <gtest/gtest.h>

namespace tamis {
namespace {

class OwnJobsTest : public testing::Test {
 protected:
  bool Schedule(OwnJobs* jobs, char name) {
    return jobs->Schedule(runner_.get(), JobPriority::kLow,
                          [this, name] { done_ += name; });
  }

  const std::shared_ptr<DeterministicJobRunner> runner_ =
      NewDeterministicJobRunner(1);
  std::string done_;
};

TEST_F(OwnJobsTest, EachRunsOnce) {
  OwnJobs jobs;
  EXPECT_TRUE(Schedule(&jobs, 'a'));
  EXPECT_TRUE(runner_->RunOne());
  EXPECT_EQ(done_, "a");
  EXPECT_TRUE(Schedule(&jobs, 'b'));
  EXPECT_TRUE(Schedule(&jobs, 'c'));
  jobs.RunWaiting();
  EXPECT_EQ(done_, "abc");
  jobs.RunWaiting();
  runner_->RunUntilIdle();
  EXPECT_EQ(done_, "abc");
  EXPECT_TRUE(Schedule(&jobs, 'd'));
  runner_->RunUntilIdle();
  EXPECT_EQ(done_, "abcd");
}

TEST_F(OwnJobsTest, TheRunnerMayListThemLonger) {
  {
    OwnJobs jobs;
    EXPECT_TRUE(Schedule(&jobs, 'a'));
    jobs.End();
    EXPECT_FALSE(Schedule(&jobs, 'b'));
  }
  EXPECT_EQ(runner_->pending(), 1u);
  runner_->RunUntilIdle();
  EXPECT_EQ(done_, "a");
}

class NoMemory final : public JobRunner {
 public:
  void Schedule(JobPriority, std::function<void()>) override {
    throw std::bad_alloc();
  }
  void Wait(std::unique_lock<std::mutex>&, std::condition_variable&,
            const std::function<bool()>&) override {}
};

TEST_F(OwnJobsTest, AJobThatIsRejectedIsNotRun) {
  OwnJobs jobs;
  NoMemory runner;
  EXPECT_THROW(
      jobs.Schedule(&runner, JobPriority::kHigh, [this] { done_ += 'a'; }),
      std::bad_alloc);
  jobs.End();
  EXPECT_EQ(done_, "");
}

}  // namespace
}  // namespace tamis
