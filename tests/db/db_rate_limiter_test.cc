// SPDX-License-Identifier: Apache-2.0
//
// DBOptions::rate_limiter: which bytes count, at which priority.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tamis/rate_limiter.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class DBRateLimiterTest : public DBTest {
 protected:
  void Make(RateLimiter::Mode mode = RateLimiter::Mode::kWritesOnly) {
    options_.rate_limiter.reset(NewGenericRateLimiter(
        10 << 20, 100'000, 10, mode, /*auto_tuned=*/false, clock_));
    options_.disable_auto_compactions = true;
  }
  uint64_t Through(IOPriority priority) {
    return static_cast<uint64_t>(
        options_.rate_limiter->GetTotalBytesThrough(priority));
  }
};

TEST_F(DBRateLimiterTest, FlushesAndCompactionsAreCharged) {
  Make();
  Open();
  PutMany(1000);
  EXPECT_EQ(Through(IO_TOTAL), 0u);  // not the log
  Flush();
  const uint64_t flushed = LiveFiles()[0].size;
  EXPECT_EQ(Through(IO_HIGH), flushed);
  EXPECT_EQ(Through(IO_LOW), 0u);
  PutMany(1000);
  Flush();
  Compact();
  const uint64_t compacted = LiveFiles()[0].size;
  EXPECT_EQ(Through(IO_LOW), compacted);
  RewriteFiltersOptions all;
  ASSERT_TRUE(db_->RewriteFilters(all).ok());
  EXPECT_EQ(Through(IO_LOW), compacted + LiveFiles()[0].size);
}

TEST_F(DBRateLimiterTest, AFlushTakesAsLongAsItsBytes) {
  Make();
  Open();
  PutMany(20'000);  // 2 MiB, of 10 MiB per second
  const uint64_t start = clock_->NowMicros();
  Flush();
  EXPECT_GT(clock_->NowMicros() - start, 100'000u);
  EXPECT_LT(clock_->NowMicros() - start, 400'000u);
  EXPECT_GT(Tick(NUMBER_RATE_LIMITER_DRAINS), 0u);
}

TEST_F(DBRateLimiterTest, ReadsOfCompactionsAreChargedByMode) {
  Make(RateLimiter::Mode::kReadsOnly);
  Open();
  MakeLevel0Files(2);
  PutMany(1000);
  Flush();
  EXPECT_EQ(Get(Key(5)), Noise(100, 5));
  EXPECT_EQ(Through(IO_TOTAL), 0u);
  const uint64_t inputs = Property(DB::Properties::kTotalSstFilesSize);
  Compact();
  EXPECT_GT(Through(IO_LOW), inputs / 2);
  EXPECT_EQ(Through(IO_HIGH), 0u);
}

TEST_F(DBRateLimiterTest, DatabasesShareALimiter) {
  Make();
  Open();
  std::unique_ptr<DB> other;
  ASSERT_TRUE(DB::Open(options_, "/parent/other", &other).ok());
  Put("a", "1");
  Flush();
  const uint64_t one = Through(IO_HIGH);
  ASSERT_TRUE(other->Put(WriteOptions(), "a", "1").ok());
  ASSERT_TRUE(other->Flush(FlushOptions()).ok());
  EXPECT_GT(Through(IO_HIGH), one);
}

TEST_F(DBRateLimiterTest, WritesMayAskForIt) {
  Make();
  Open();
  WriteOptions user;
  user.rate_limiter_priority = IO_USER;
  ASSERT_TRUE(db_->Put(user, "a", std::string(1000, 'v')).ok());
  EXPECT_GT(Through(IO_USER), 1000u);
  EXPECT_LT(Through(IO_USER), 1100u);
  WriteOptions wrong = user;
  wrong.disableWAL = true;
  EXPECT_TRUE(db_->Put(wrong, "a", "1").IsInvalidArgument());
  wrong = WriteOptions();
  wrong.rate_limiter_priority = IO_LOW;
  EXPECT_TRUE(db_->Put(wrong, "a", "1").IsInvalidArgument());
  Destroy();
  options_.rate_limiter = nullptr;
  Open();
  EXPECT_TRUE(db_->Put(user, "a", "1").ok());
}

}  // namespace
}  // namespace tamis
