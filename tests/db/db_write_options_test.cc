// SPDX-License-Identifier: Apache-2.0
//
// WriteOptions that say how a write meets stalls and missing families.
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "tests/support/wrapped_job_runner.h"

namespace tamis {
namespace {

// Runs flushes where a call waits without a limit, and compactions after
// Release.
class LazyRunner final : public WrappedJobRunner {
 public:
  using WrappedJobRunner::WrappedJobRunner;
  void Schedule(JobPriority priority, std::function<void()> job) override {
    if (priority == JobPriority::kLow && holds_) {
      held_.push_back(std::move(job));
    } else {
      base()->Schedule(priority, std::move(job));
    }
  }
  void Release() {
    holds_ = false;
    for (auto& job : held_) {
      base()->Schedule(JobPriority::kLow, std::move(job));
    }
    held_.clear();
  }

 private:
  bool holds_ = true;
  std::vector<std::function<void()>> held_;
};

class DBWriteOptionsTest : public DBTest {
 protected:
  Status PutWith(const WriteOptions& options, const Slice& value = "v") {
    return db_->Put(options, "key", value);
  }
  static WriteOptions NoSlowdown() {
    WriteOptions options;
    options.no_slowdown = true;
    return options;
  }
};

TEST_F(DBWriteOptionsTest, NoSlowdownIsRefusedWhereAWriteIsDelayed) {
  options_.level0_file_num_compaction_trigger = 2;
  options_.level0_slowdown_writes_trigger = 2;
  Open();
  EXPECT_TRUE(PutWith(NoSlowdown()).ok());
  MakeLevel0Files(2);
  const Status refused = PutWith(NoSlowdown(), "refused");
  EXPECT_TRUE(refused.IsIncomplete()) << refused;
  EXPECT_EQ(Get("key"), "v");
  EXPECT_TRUE(PutWith(WriteOptions(), "delayed").ok());
  EXPECT_EQ(Get("key"), "delayed");
  RunJobs();
  EXPECT_TRUE(PutWith(NoSlowdown()).ok());
}

TEST_F(DBWriteOptionsTest, NoSlowdownIsRefusedWhereWritesStop) {
  options_.write_buffer_size = 64 << 10;
  options_.max_write_buffer_number = 2;
  Open();
  Status status;
  int written = 0;
  while (status.ok() && written < 1000) {
    status = db_->Put(NoSlowdown(), Key(written), Noise(1000, 1));
    ++written;
  }
  EXPECT_TRUE(status.IsIncomplete()) << status;
  EXPECT_GT(written, 60);                     // two memtables
  EXPECT_LT(written, 300);                    // no more
  EXPECT_TRUE(PutWith(WriteOptions()).ok());  // waits for the flush
  EXPECT_TRUE(PutWith(NoSlowdown()).ok());
}

TEST_F(DBWriteOptionsTest, LowPriorityWaitsWhileCompactionsAreBehind) {
  const auto lazy = std::make_shared<LazyRunner>(runner_);
  options_.job_runner = lazy;
  options_.level0_file_num_compaction_trigger = 2;
  options_.level0_slowdown_writes_trigger = 10;
  Open();
  WriteOptions low;
  low.low_pri = true;
  const auto micros_of = [this](const WriteOptions& options) {
    const uint64_t start = clock_->NowMicros();
    EXPECT_TRUE(PutWith(options, Noise(100 << 10, 1)).ok());
    return clock_->NowMicros() - start;
  };
  MakeLevel0Files(1);
  EXPECT_LT(micros_of(low), 1000u);
  MakeLevel0Files(3);  // four: 2 * 2, and 2 + (10 - 2) / 4
  EXPECT_LT(micros_of(WriteOptions()), 1000u);
  const uint64_t micros = micros_of(low);  // 100 KiB at 1 MiB per second
  EXPECT_GT(micros, 97'000u);
  EXPECT_LT(micros, 100'000u);
  WriteOptions neither = low;
  neither.no_slowdown = true;
  const Status refused = PutWith(neither);
  EXPECT_TRUE(refused.IsIncomplete()) << refused;
  EXPECT_TRUE(PutWith(NoSlowdown()).ok());
  lazy->Release();
  RunJobs();
  EXPECT_TRUE(PutWith(neither).ok());
  EXPECT_LT(micros_of(low), 1000u);
}

TEST_F(DBWriteOptionsTest, MissingFamiliesMayBeIgnored) {
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_TRUE(
      db_->CreateColumnFamily(ColumnFamilyOptions(), "other", &other).ok());
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("a", "1").ok());
  ASSERT_TRUE(batch.Put(other, "a", "2").ok());
  ASSERT_TRUE(batch.DeleteRange(other, "z", "a").ok());  // not judged
  ASSERT_TRUE(batch.Put("b", "3").ok());
  ASSERT_TRUE(db_->DropColumnFamily(other).ok());
  const Status refused = db_->Write(WriteOptions(), &batch);
  EXPECT_TRUE(refused.IsInvalidArgument()) << refused;
  EXPECT_EQ(Contents(), "");
  WriteOptions options;
  options.ignore_missing_column_families = true;
  const Status written = db_->Write(options, &batch);
  EXPECT_TRUE(written.ok()) << written;
  EXPECT_EQ(Contents(), "a=1 b=3");
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(other).ok());
  Put("c", "4");
  Reopen();
  EXPECT_EQ(Contents(), "a=1 b=3 c=4");
}

// A later family would get what was written under its id.
TEST_F(DBWriteOptionsTest, AFamilyThatNeverWasIsNotIgnored) {
  Open();
  ColumnFamilyHandle* family = nullptr;
  ASSERT_TRUE(
      db_->CreateColumnFamily(ColumnFamilyOptions(), "f", &family).ok());
  WriteBatch batch;
  ASSERT_TRUE(batch.Put(family, "a", "1").ok());
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(family).ok());
  Destroy();
  Open();
  WriteOptions options;
  options.ignore_missing_column_families = true;
  EXPECT_TRUE(db_->Write(options, &batch).IsInvalidArgument());
}

TEST_F(DBWriteOptionsTest, AHintForTheMemTableChangesNothing) {
  Open();
  WriteOptions options;
  options.memtable_insert_hint_per_batch = true;
  EXPECT_TRUE(PutWith(options).ok());
  EXPECT_EQ(Get("key"), "v");
}

}  // namespace
}  // namespace tamis
