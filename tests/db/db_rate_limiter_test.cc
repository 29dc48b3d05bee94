// SPDX-License-Identifier: Apache-2.0
//
// DBOptions::rate_limiter: which bytes count, at which priority.
// Writes and reads that ask for it, too.
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/file_checksum.h"
#include "tamis/rate_limiter.h"
#include "tamis/sst_file_reader.h"
#include "tamis/table.h"

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

// A limiter of reads, and a database that caches no blocks.
class ReadRateTest : public DBRateLimiterTest {
 protected:
  ReadRateTest() {
    BlockBasedTableOptions table;
    table.no_block_cache = true;
    options_.table_factory.reset(NewBlockBasedTableFactory(table));
    options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
    Make(RateLimiter::Mode::kReadsOnly);
    user_.rate_limiter_priority = IO_USER;
  }

  void OpenWithTable() {
    Open();
    PutMany(1000);
    Flush();
    Get(Key(0));  // opens the table
    get_perf_context()->Reset();
  }
  static uint64_t BlockBytesRead() {
    return get_perf_context()->block_read_byte;
  }

  ReadOptions user_;
};

TEST_F(ReadRateTest, AGetIsChargedWhatItReads) {
  OpenWithTable();
  std::string value;
  ASSERT_TRUE(db_->Get(ReadOptions(), Key(7), &value).ok());
  EXPECT_GT(BlockBytesRead(), 1000u);
  EXPECT_EQ(Through(IO_TOTAL), 0u);
  get_perf_context()->Reset();
  ASSERT_TRUE(db_->Get(user_, Key(7), &value).ok());
  EXPECT_EQ(Through(IO_USER), BlockBytesRead());
  EXPECT_EQ(Through(IO_TOTAL), BlockBytesRead());
  user_.rate_limiter_priority = IO_MID;
  ASSERT_TRUE(db_->Get(user_, Key(7), &value).ok());
  EXPECT_EQ(Through(IO_MID), BlockBytesRead() / 2);
}

TEST_F(ReadRateTest, AMultiGetIsChargedEachBlockOnce) {
  OpenWithTable();
  const std::vector<std::string> keys = {Key(1), Key(2), Key(500), Key(999)};
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<std::string> values;
  for (const Status& status : db_->MultiGet(user_, slices, &values)) {
    EXPECT_TRUE(status.ok()) << status;
  }
  EXPECT_GT(BlockBytesRead(), 3000u);
  EXPECT_EQ(Through(IO_USER), BlockBytesRead());
}

TEST_F(ReadRateTest, AnIteratorIsChargedWhatItPasses) {
  OpenWithTable();
  const std::unique_ptr<Iterator> it(db_->NewIterator(user_));
  int entries = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++entries;
  EXPECT_EQ(entries, 1000);
  EXPECT_GT(BlockBytesRead(), 100'000u);
  EXPECT_EQ(Through(IO_USER), BlockBytesRead());
}

TEST_F(ReadRateTest, BlocksInMemoryAreFree) {
  options_.table_factory.reset(NewBlockBasedTableFactory());
  OpenWithTable();
  std::string value;
  ASSERT_TRUE(db_->Get(user_, Key(7), &value).ok());
  const uint64_t once = Through(IO_USER);
  ASSERT_TRUE(db_->Get(user_, Key(7), &value).ok());
  EXPECT_EQ(Through(IO_USER), once);
}

TEST_F(ReadRateTest, ALimiterOfWritesLimitsNoReads) {
  Make(RateLimiter::Mode::kWritesOnly);
  OpenWithTable();
  std::string value;
  ASSERT_TRUE(db_->Get(user_, Key(7), &value).ok());
  EXPECT_EQ(Through(IO_USER), 0u);
}

TEST_F(ReadRateTest, AWaitBeyondTheDeadlineTimesOut) {
  OpenWithTable();
  const int64_t burst = options_.rate_limiter->GetSingleBurstBytes();
  options_.rate_limiter->Request(burst, IO_USER);  // leaves nothing
  const uint64_t start = clock_->NowMicros();
  user_.deadline = std::chrono::microseconds(start + 1000);
  std::string value;
  const Status status = db_->Get(user_, Key(7), &value);
  EXPECT_TRUE(status.IsTimedOut()) << status;
  EXPECT_GT(clock_->NowMicros() - start, 1000u);
}

TEST_F(ReadRateTest, VerifyFileChecksumsIsChargedTheFiles) {
  OpenWithTable();
  user_.rate_limiter_priority = IO_LOW;
  ASSERT_TRUE(db_->VerifyFileChecksums(ReadOptions()).ok());
  EXPECT_EQ(Through(IO_TOTAL), 0u);
  ASSERT_TRUE(db_->VerifyFileChecksums(user_).ok());
  EXPECT_EQ(Through(IO_LOW), LiveFiles()[0].size);
}

TEST_F(ReadRateTest, AnSstFileReaderIsChargedToo) {
  OpenWithTable();
  SstFileReader reader(options_);
  ASSERT_TRUE(reader.Open(LiveFiles()[0].directory + LiveFiles()[0].name).ok());
  std::string value;
  ASSERT_TRUE(reader.Get(user_, Key(7), &value).ok());
  const uint64_t once = Through(IO_USER);
  EXPECT_GT(once, 1000u);
  const std::unique_ptr<Iterator> it(reader.NewIterator(user_));
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_GT(Through(IO_USER), once);
}

// A limiter of the user's that fails.
class ThrowingLimiter final : public RateLimiter {
 public:
  ThrowingLimiter() : RateLimiter(Mode::kReadsOnly) {}
  using RateLimiter::Request;
  void SetBytesPerSecond(int64_t /*bytes*/) override {}
  int64_t GetBytesPerSecond() const override { return 1; }
  int64_t GetSingleBurstBytes() const override { return 1; }
  void Request(int64_t /*bytes*/, IOPriority /*priority*/,
               Statistics* /*statistics*/) override {
    throw std::runtime_error("no rate");
  }
  int64_t GetTotalBytesThrough(IOPriority /*priority*/) const override {
    return 0;
  }
  int64_t GetTotalRequests(IOPriority /*priority*/) const override { return 0; }
  Status GetTotalPendingRequests(int64_t* requests,
                                 IOPriority /*priority*/) const override {
    *requests = 0;
    return Status::OK();
  }
};

TEST_F(ReadRateTest, AnExceptionOfTheLimiterIsAnError) {
  options_.rate_limiter = std::make_shared<ThrowingLimiter>();
  OpenWithTable();
  std::string value;
  const Status status = db_->Get(user_, Key(7), &value);
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.ToString().find("no rate"), std::string::npos) << status;
  EXPECT_TRUE(db_->Get(ReadOptions(), Key(7), &value).ok());
}

}  // namespace
}  // namespace tamis
