// SPDX-License-Identifier: Apache-2.0
#include "util/jobs/ordered_pipeline.h"

#include <atomic>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/busy_runner.h"
#include "util/base/random.h"

namespace tamis {
namespace {

std::vector<int> UpTo(int n) {
  std::vector<int> numbers(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Hands over the numbers 0, 1, ... in slots, and notes what was done.
struct Numbers {
  Numbers(JobRunner* runner, size_t slots)
      : values(slots), pipeline(HelpersOn(runner), slots, [this](size_t s) {
          EXPECT_FALSE(inside.exchange(true));
          done.push_back(values[s]);
          pushed_when_done.push_back(pushed.load());
          inside = false;
        }) {}
  void Push(int n) {
    for (int i = 0; i < n; ++i) {
      values[pipeline.slot()] = pushed++;
      pipeline.Push();
    }
  }

  std::vector<int> values;
  std::vector<int> done;
  std::vector<int> pushed_when_done;
  std::atomic<int> pushed{0};
  std::atomic<bool> inside{false};
  OrderedPipeline pipeline;
};

TEST(OrderedPipelineTest, EveryPieceIsProcessedOnceAndInOrder) {
  const auto runner = NewThreadJobRunner(1, 2);
  for (const size_t slots : {1u, 2u, 3u, 8u, 32u}) {
    Numbers numbers(runner.get(), slots);
    Random random(static_cast<uint32_t>(slots));
    for (int round = 0; round < 50; ++round) {
      numbers.Push(static_cast<int>(random.Uniform(100)));
      if (round % 7 == 0) std::this_thread::yield();
      if (round % 5 == 0) {
        numbers.pipeline.Drain();
        ASSERT_EQ(numbers.done, UpTo(numbers.pushed));
      }
    }
    numbers.pipeline.Drain();
    EXPECT_EQ(numbers.done, UpTo(numbers.pushed));
  }
}

TEST(OrderedPipelineTest, OneSlotIsProcessedAtOnceWithoutAHelper) {
  Numbers numbers(nullptr, 1);
  numbers.Push(3);
  EXPECT_EQ(numbers.done, UpTo(3));
  EXPECT_EQ(numbers.pushed_when_done, (std::vector<int>{1, 2, 3}));
}

TEST(OrderedPipelineTest, AtMostOnePiecePerSlotWaits) {
  const auto runner = NewThreadJobRunner(1, 1);
  Numbers numbers(runner.get(), 4);
  numbers.Push(10'000);
  numbers.pipeline.Drain();
  for (size_t i = 0; i < numbers.done.size(); ++i) {
    // The slot being prepared is not the pusher's until it is free.
    ASSERT_LE(numbers.pushed_when_done[i] - numbers.done[i], 4);
  }
}

TEST(OrderedPipelineTest, WithoutAFreeThreadThePusherWorksAlone) {
  BusyRunner runner;
  Numbers numbers(&runner, 4);
  numbers.Push(3);
  EXPECT_TRUE(numbers.done.empty());
  EXPECT_EQ(runner.jobs.size(), 1u);
  numbers.Push(10);
  EXPECT_EQ(numbers.done, UpTo(10));
  numbers.pipeline.Drain();
  EXPECT_EQ(numbers.done, UpTo(13));
  // A helper was scheduled and has not started, so no other one is scheduled.
  EXPECT_EQ(runner.jobs.size(), 1u);
}

TEST(OrderedPipelineTest, AHelperProcessesWaitingPiecesAndIsScheduledAgain) {
  BusyRunner runner;
  Numbers numbers(&runner, 4);
  numbers.Push(3);
  runner.jobs[0]();
  EXPECT_EQ(numbers.done, UpTo(3));
  numbers.Push(1);
  EXPECT_EQ(runner.jobs.size(), 1u);  // not for one piece of four
  numbers.Push(1);
  ASSERT_EQ(runner.jobs.size(), 2u);
  runner.jobs[1]();
  EXPECT_EQ(numbers.done, UpTo(5));
}

TEST(OrderedPipelineTest, TwoThreadsAreAtWorkAtTheSameTime) {
  const auto runner = NewThreadJobRunner(1, 1);
  std::atomic<bool> inside{false};
  std::atomic<bool> pushed_all{false};
  OrderedPipeline pipeline(HelpersOn(runner.get()), 8, [&](size_t) {
    inside = true;
    while (!pushed_all) {
    }
  });
  for (int i = 0; i < 4; ++i) pipeline.Push();
  while (!inside) {
  }
  pushed_all = true;
  pipeline.Drain();
}

// The helper is inside of work() until the pusher has done the other work,
// which it does only instead of waiting.
TEST(OrderedPipelineTest, ThePusherDoesOtherWorkBeforeItWaits) {
  const auto runner = NewThreadJobRunner(1, 1);
  std::atomic<int> pieces{3};
  std::atomic<bool> inside{false};
  OrderedPipeline pipeline(
      HelpersOn(runner.get()), 4,
      [&](size_t) {
        inside = true;
        while (pieces > 0) {
        }
      },
      [&] {
        if (pieces == 0) return false;
        --pieces;
        return true;
      });
  pipeline.Push();
  pipeline.Push();
  while (!inside) {
  }
  EXPECT_EQ(pieces, 3);
  pipeline.Push();
  EXPECT_EQ(pieces, 3);
  pipeline.Push();
  EXPECT_EQ(pieces, 0);
  pipeline.Drain();
}

TEST(OrderedPipelineTest, DroppedPiecesAreNotProcessed) {
  BusyRunner runner;
  {
    Numbers numbers(&runner, 4);
    numbers.Push(6);
    const std::vector<int> done = numbers.done;
    numbers.pipeline.Drop();
    numbers.pipeline.Drain();
    EXPECT_EQ(numbers.done, done);
  }
  // The helper comes when all is gone.
  ASSERT_EQ(runner.jobs.size(), 1u);
  runner.jobs[0]();
}

TEST(OrderedPipelineTest, DestructionWaitsForTheRunningPiece) {
  const auto runner = NewThreadJobRunner(1, 1);
  for (int round = 0; round < 200; ++round) {
    std::atomic<bool> inside{false};
    {
      OrderedPipeline pipeline(HelpersOn(runner.get()), 8, [&](size_t) {
        inside = true;
        std::this_thread::yield();
        inside = false;
      });
      for (int i = 0; i < 20 + round % 10; ++i) pipeline.Push();
    }
    ASSERT_FALSE(inside);
  }
}

TEST(OrderedPipelineTest, WithoutThreadsTheOrderOfCallsIsAlwaysTheSame) {
  std::vector<int> first;
  for (int round = 0; round < 2; ++round) {
    const auto runner = NewDeterministicJobRunner(301);
    Numbers numbers(runner.get(), 4);
    numbers.Push(20);
    runner->RunUntilIdle();
    numbers.Push(20);
    numbers.pipeline.Drain();
    EXPECT_EQ(numbers.done, UpTo(40));
    if (round == 0) first = numbers.pushed_when_done;
    EXPECT_EQ(numbers.pushed_when_done, first);
  }
}

}  // namespace
}  // namespace tamis
