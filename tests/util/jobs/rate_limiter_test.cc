// SPDX-License-Identifier: Apache-2.0
//
// What a rate limiter grants, when by the clock, and to whom first.
#include "tamis/rate_limiter.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "util/base/fake_clock.h"

namespace tamis {
namespace {

constexpr int64_t kPeriod = 100'000;
constexpr int64_t kRate = 1'000'000;  // 100,000 bytes a refill

class RateLimiterTest : public testing::Test {
 protected:
  void Make(bool auto_tuned = false,
            RateLimiter::Mode mode = RateLimiter::Mode::kWritesOnly) {
    limiter_.reset(
        NewGenericRateLimiter(kRate, kPeriod, 10, mode, auto_tuned, clock_));
  }
  // The microseconds that the requests took.
  uint64_t Request(int64_t bytes, IOPriority priority = IO_LOW) {
    const uint64_t start = clock_->NowMicros();
    limiter_->Request(bytes, priority);
    return clock_->NowMicros() - start;
  }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  std::unique_ptr<RateLimiter> limiter_;
};

TEST_F(RateLimiterTest, GrantsOneBurstEachPeriod) {
  Make();
  EXPECT_EQ(limiter_->GetBytesPerSecond(), kRate);
  EXPECT_EQ(limiter_->GetSingleBurstBytes(), 100'000);
  EXPECT_LT(Request(60'000), 100u);
  EXPECT_LT(Request(40'000), 100u);
  EXPECT_NEAR(static_cast<double>(Request(1)), kPeriod, 200);
  EXPECT_LT(Request(99'999), 100u);
  // A second of the rate, in portions.
  EXPECT_NEAR(static_cast<double>(Request(kRate)), 1'000'000, 1000);
  EXPECT_EQ(limiter_->GetTotalBytesThrough(), 1'200'000);
  EXPECT_EQ(limiter_->GetTotalBytesThrough(IO_LOW), 1'200'000);
  EXPECT_EQ(limiter_->GetTotalBytesThrough(IO_HIGH), 0);
  EXPECT_EQ(limiter_->GetTotalRequests(), 5);
  int64_t pending = -1;
  ASSERT_TRUE(limiter_->GetTotalPendingRequests(&pending).ok());
  EXPECT_EQ(pending, 0);
}

TEST_F(RateLimiterTest, TheRateMayChange) {
  Make();
  limiter_->SetBytesPerSecond(kRate / 10);
  EXPECT_EQ(limiter_->GetSingleBurstBytes(), 10'000);
  Request(100'000);  // the rest of the old burst
  EXPECT_NEAR(static_cast<double>(Request(100'000)), 1'000'000, 2000);
}

TEST_F(RateLimiterTest, ModesChooseWhatIsLimited) {
  using Mode = RateLimiter::Mode;
  using OpType = RateLimiter::OpType;
  for (const Mode mode : {Mode::kReadsOnly, Mode::kWritesOnly, Mode::kAllIo}) {
    Make(false, mode);
    EXPECT_EQ(limiter_->GetMode(), mode);
    limiter_->Request(1, IO_LOW, nullptr, OpType::kRead);
    limiter_->Request(10, IO_LOW, nullptr, OpType::kWrite);
    EXPECT_EQ(limiter_->GetTotalBytesThrough(),
              (mode != Mode::kWritesOnly ? 1 : 0) +
                  (mode != Mode::kReadsOnly ? 10 : 0));
  }
}

TEST_F(RateLimiterTest, AutoTuningFollowsTheDemand) {
  Make(/*auto_tuned=*/true);
  EXPECT_EQ(limiter_->GetBytesPerSecond(), kRate / 2);
  // All that is granted is used.
  for (int i = 0; i < 3000; ++i) {
    Request(limiter_->GetSingleBurstBytes());
  }
  EXPECT_GT(limiter_->GetBytesPerSecond(), kRate * 9 / 10);
  EXPECT_LE(limiter_->GetBytesPerSecond(), kRate);
  // Almost nothing is.
  for (int i = 0; i < 20'000; ++i) {
    clock_->SleepForMicroseconds(kPeriod);
    Request(1);
  }
  EXPECT_EQ(limiter_->GetBytesPerSecond(), kRate / 20);
}

TEST_F(RateLimiterTest, WaitsAreCounted) {
  Make();
  const auto statistics = CreateDBStatistics();
  limiter_->Request(100'000, IO_LOW, statistics.get());
  EXPECT_EQ(statistics->getTickerCount(NUMBER_RATE_LIMITER_DRAINS), 0u);
  limiter_->Request(100'000, IO_LOW, statistics.get());
  EXPECT_EQ(statistics->getTickerCount(NUMBER_RATE_LIMITER_DRAINS), 1u);
}

// A clock on which each sleep ends when the test permits it.
class HeldClock final : public Clock {
 public:
  uint64_t NowMicros() override { return micros_; }
  uint64_t NowNanos() override { return micros_ * 1000; }
  void SleepForMicroseconds(uint64_t micros) override {
    while (permits == 0) std::this_thread::yield();
    --permits;
    micros_ += micros;
  }
  std::atomic<int> permits{0};  // one thread sleeps at a time

 private:
  std::atomic<uint64_t> micros_{1};
};

TEST_F(RateLimiterTest, HigherPrioritiesAreServedFirst) {
  const auto clock = std::make_shared<HeldClock>();
  limiter_.reset(NewGenericRateLimiter(
      kRate, kPeriod, 100, RateLimiter::Mode::kWritesOnly, false, clock));
  limiter_->Request(100'000, IO_LOW);
  // In this order. Each needs a refill of its own.
  const std::vector<IOPriority> order = {IO_LOW, IO_HIGH, IO_MID, IO_USER,
                                         IO_LOW};
  std::mutex mutex;
  std::vector<IOPriority> served;
  std::vector<std::thread> threads;
  int64_t pending = 0;
  for (const IOPriority priority : order) {
    threads.emplace_back([&, priority] {
      limiter_->Request(100'000, priority);
      const std::lock_guard lock(mutex);
      served.push_back(priority);
    });
    const int64_t before = pending;
    while (pending == before) {
      ASSERT_TRUE(limiter_->GetTotalPendingRequests(&pending).ok());
    }
  }
  EXPECT_EQ(pending, 5);
  ASSERT_TRUE(limiter_->GetTotalPendingRequests(&pending, IO_LOW).ok());
  EXPECT_EQ(pending, 2);
  EXPECT_EQ(limiter_->GetTotalBytesThrough(), 100'000);
  const IOPriority expected[] = {IO_USER, IO_HIGH, IO_MID, IO_LOW, IO_LOW};
  for (size_t i = 0; i < 5; ++i) {
    ++clock->permits;  // one refill
    for (;;) {
      std::this_thread::yield();
      const std::lock_guard lock(mutex);
      if (served.size() > i) break;
    }
    EXPECT_EQ(served[i], expected[i]) << i;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(limiter_->GetTotalBytesThrough(), 600'000);
  EXPECT_EQ(limiter_->GetTotalBytesThrough(IO_LOW), 300'000);
}

TEST_F(RateLimiterTest, ManyThreadsShareTheRate) {
  Make();
  std::vector<std::thread> threads;
  const uint64_t start = clock_->NowMicros();
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 100; ++i) {
        limiter_->Request(5000, static_cast<IOPriority>(t % IO_TOTAL));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(limiter_->GetTotalBytesThrough(), 4'000'000);
  EXPECT_EQ(limiter_->GetTotalRequests(), 800);
  // Four seconds of the rate, less the first burst.
  EXPECT_GE(clock_->NowMicros() - start, 3'900'000u);
}

}  // namespace
}  // namespace tamis
