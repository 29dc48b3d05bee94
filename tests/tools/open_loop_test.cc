// SPDX-License-Identifier: Apache-2.0
//
// The accounting of the open loop, with a clock that moves only when told.
#include "tools/peers/open_loop.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace tamis::peers {
namespace {

class FakeClock {
 public:
  uint64_t Nanos() const { return now_; }
  void WaitUntil(uint64_t nanos) {
    EXPECT_GT(nanos, now_);
    now_ = nanos;
  }
  void Pass(uint64_t nanos) { now_ += nanos; }

 private:
  uint64_t now_ = 0;
};

// One every `gap` nanoseconds, the first after one gap.
class EvenArrivals {
 public:
  explicit EvenArrivals(uint64_t gap) : gap_(gap) {}
  uint64_t Next() { return now_ += gap_; }

 private:
  const uint64_t gap_;
  uint64_t now_ = 0;
};

TEST(OpenLoopTest, WithoutWaitsTheLatencyIsThatOfTheOperation) {
  FakeClock clock;
  EvenArrivals arrivals(100);
  const OpenLoopResult result =
      RunOpenLoop(clock, arrivals, 1001, [&] { clock.Pass(40); });
  EXPECT_EQ(result.latency.count(), 10u);
  EXPECT_EQ(result.latency.most(), 40u);
  EXPECT_EQ(result.latency.Quantile(0), 40u);
  EXPECT_EQ(result.finished_nanos, 1040u);
  EXPECT_NEAR(result.PerSecond(), 10 * 1e9 / 1040, 1);
}

// A stall of 60 gaps delays the operations that arrive meanwhile, and those
// that queue behind them. A closed loop would see one slow operation of a
// hundred.
TEST(OpenLoopTest, AStallDelaysEachOperationThatArrivesMeanwhile) {
  FakeClock clock;
  EvenArrivals arrivals(100);
  int operations = 0;
  const OpenLoopResult result =
      RunOpenLoop(clock, arrivals, 100 * 100 + 1,
                  [&] { clock.Pass(++operations == 11 ? 6000 : 20); });
  EXPECT_EQ(result.latency.count(), 100u);
  EXPECT_EQ(result.latency.most(), 6000u);
  EXPECT_EQ(result.call.count(), 100u);
  EXPECT_EQ(result.call.most(), 6000u);
  EXPECT_EQ(result.call.Quantile(0.99), 20u);
  // The 11th took 6000; the i-th behind it had waited 6000 - 100 i since it
  // arrived, and 20 for each that was before it in the queue.
  std::vector<uint64_t> expected;
  for (uint64_t i = 1; 6000 + 20 * i > 100 * i + 20; ++i) {
    expected.push_back(6000 - 100 * i + 20 * i);
  }
  EXPECT_EQ(expected.size(), 74u);
  uint64_t sum = 6000 + 20 * (99 - expected.size());
  for (const uint64_t latency : expected) sum += latency;
  EXPECT_DOUBLE_EQ(result.latency.Mean(), static_cast<double>(sum) / 100);
  EXPECT_GT(result.latency.Quantile(0.5), 1000u);
}

TEST(OpenLoopTest, WhatArrivedBeforeTheEndIsRunHoweverLate) {
  FakeClock clock;
  EvenArrivals arrivals(10);
  const OpenLoopResult result =
      RunOpenLoop(clock, arrivals, 1000, [&] { clock.Pass(30); });
  EXPECT_EQ(result.latency.count(), 99u);
  EXPECT_EQ(result.finished_nanos, 10 + 99 * 30u);
  // The last one arrived at 990.
  EXPECT_EQ(result.latency.most(), 10 + 99 * 30u - 990);
}

TEST(OpenLoopTest, NothingBeginsAfterTheStop) {
  FakeClock clock;
  EvenArrivals arrivals(10);
  const OpenLoopResult result = RunOpenLoop(
      clock, arrivals, 1000, [&] { clock.Pass(30); }, 500);
  EXPECT_EQ(result.finished_nanos, 10 + 17 * 30u);
  EXPECT_EQ(result.latency.count(), 17u);
}

TEST(OpenLoopTest, NothingArrivesNothingRuns) {
  FakeClock clock;
  EvenArrivals arrivals(10);
  const OpenLoopResult result =
      RunOpenLoop(clock, arrivals, 10, [] { FAIL(); });
  EXPECT_EQ(result.latency.count(), 0u);
  EXPECT_EQ(result.PerSecond(), 0);
}

TEST(OpenLoopTest, PoissonArrivalsHaveTheirRateAndExponentialGaps) {
  PoissonArrivals arrivals(1e6, 301);  // a microsecond between two
  constexpr int kArrivals = 200'000;
  uint64_t previous = 0;
  int long_gaps = 0;
  for (int i = 0; i < kArrivals; ++i) {
    const uint64_t next = arrivals.Next();
    ASSERT_GE(next, previous);
    if (next - previous > 1000) ++long_gaps;
    previous = next;
  }
  EXPECT_NEAR(static_cast<double>(previous), kArrivals * 1e3, kArrivals * 10);
  // Gaps above the mean have a share of 1 / e.
  EXPECT_NEAR(long_gaps / static_cast<double>(kArrivals), 0.3679, 0.005);
}

TEST(OpenLoopTest, PoissonArrivalsAreThoseOfTheSeed) {
  PoissonArrivals a(5, 1);
  PoissonArrivals b(5, 1);
  PoissonArrivals c(5, 2);
  const uint64_t first = a.Next();
  EXPECT_EQ(first, b.Next());
  EXPECT_NE(first, c.Next());
}

}  // namespace
}  // namespace tamis::peers
