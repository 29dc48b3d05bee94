// SPDX-License-Identifier: Apache-2.0
//
// Options that say when bytes go to the operating system and to the device.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tamis/utilities/checkpoint.h"

#include "tests/db/test_db.h"
#include "tests/support/wrapped_file_system.h"
#include "tests/support/wrapped_job_runner.h"

namespace tamis {
namespace {

struct Calls {
  int flushes = 0;
  int range_syncs = 0;
  uint64_t largest_range = 0;
};

class CountingFile final : public WrappedWritableFile {
 public:
  CountingFile(std::unique_ptr<WritableFile> file, Calls* calls)
      : WrappedWritableFile(std::move(file)), calls_(calls) {}
  Status Flush() override {
    ++calls_->flushes;
    return WrappedWritableFile::Flush();
  }
  void RangeSync(uint64_t /*offset*/, uint64_t n) override {
    ++calls_->range_syncs;
    calls_->largest_range = std::max(calls_->largest_range, n);
  }

 private:
  Calls* const calls_;
};

// Counts calls by the end of the file's name.
class CountingFileSystem final : public WrappedFileSystem {
 public:
  using WrappedFileSystem::WrappedFileSystem;
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    std::unique_ptr<WritableFile> base;
    const Status status = WrappedFileSystem::NewWritableFile(path, &base);
    if (status.ok()) {
      *file = std::make_unique<CountingFile>(
          std::move(base), &calls[path.substr(path.find_last_of("./"))]);
    }
    return status;
  }
  std::map<std::string, Calls> calls;
};

class DBSyncOptionsTest : public DBTest {
 protected:
  DBSyncOptionsTest() { options_.file_system = counting_; }
  const std::shared_ptr<CountingFileSystem> counting_ =
      std::make_shared<CountingFileSystem>(fs_);
};

TEST_F(DBSyncOptionsTest, ManualWalFlushLeavesRecordsInTheBuffer) {
  for (const bool manual : {false, true}) {
    SCOPED_TRACE(manual);
    options_.manual_wal_flush = manual;
    Open();
    const int& flushes = counting_->calls[".log"].flushes;
    const int before = flushes;
    Put("a", "1");
    Put("b", "1");
    EXPECT_EQ(flushes - before, manual ? 0 : 2);
    EXPECT_EQ(Get("a"), "1");
    ASSERT_TRUE(db_->FlushWAL(/*sync=*/false).ok());
    EXPECT_EQ(flushes - before, manual ? 1 : 3);
    WriteOptions sync;
    sync.sync = true;
    ASSERT_TRUE(db_->Put(sync, "c", "1").ok());
    EXPECT_EQ(flushes - before, manual ? 2 : 4);
    Put("d", "1");
    Reopen();  // Close writes what is buffered
    EXPECT_EQ(Contents(), "a=1 b=1 c=1 d=1");
    Destroy();
  }
}

TEST_F(DBSyncOptionsTest, ACheckpointHasWhatIsInTheBuffer) {
  options_.manual_wal_flush = true;
  Open();
  Put("a", "1");
  std::unique_ptr<Checkpoint> checkpoint;
  ASSERT_TRUE(Checkpoint::Create(db_.get(), &checkpoint).ok());
  const Status status =
      checkpoint->CreateCheckpoint("/parent/copy", UINT64_MAX);
  ASSERT_TRUE(status.ok()) << status;
  std::unique_ptr<DB> copy;
  ASSERT_TRUE(DB::Open(options_, "/parent/copy", &copy).ok());
  std::string value;
  EXPECT_TRUE(copy->Get(ReadOptions(), "a", &value).ok());
}

TEST_F(DBSyncOptionsTest, BytesPerSyncIsTheStepOfWriteback) {
  options_.compression = kNoCompression;
  for (const uint64_t step :
       {uint64_t{0}, uint64_t{64} << 10, uint64_t{1} << 20}) {
    SCOPED_TRACE(step);
    options_.bytes_per_sync = step;
    Open();
    PutMany(4000, 500);  // 2 MB
    counting_->calls[".sst"] = Calls();
    Flush();
    const Calls& calls = counting_->calls[".sst"];
    const uint64_t size = LiveFiles()[0].size;
    // The last call names the whole table.
    const int expected = step == 0 ? 0 : static_cast<int>(size / step) + 1;
    EXPECT_LE(calls.range_syncs, expected);
    EXPECT_GE(calls.range_syncs, expected * 9 / 10);
    if (step != 0) {
      EXPECT_EQ(calls.largest_range, size);
    }
    Destroy();
  }
}

TEST_F(DBSyncOptionsTest, WalBytesPerSyncIsThatOfTheLog) {
  for (const uint64_t step : {uint64_t{0}, uint64_t{10'000}}) {
    SCOPED_TRACE(step);
    options_.wal_bytes_per_sync = step;
    Open();
    counting_->calls[".log"] = Calls();
    PutMany(1000);
    const Calls& calls = counting_->calls[".log"];
    if (step == 0) {
      EXPECT_EQ(calls.range_syncs, 0);
    } else {
      EXPECT_GE(calls.range_syncs, 100'000 / 11'000);
      EXPECT_LE(calls.range_syncs, 150'000 / 10'000);
      EXPECT_LT(calls.largest_range, 11'000u);
    }
    Destroy();
  }
}

TEST_F(DBSyncOptionsTest, DelayedWriteRateDelaysByBytes) {
  // The job that would end the delay is not run in a timed wait.
  options_.job_runner = std::make_shared<WrappedJobRunner>(runner_);
  options_.level0_file_num_compaction_trigger = 2;
  options_.level0_slowdown_writes_trigger = 2;
  for (const uint64_t rate : {uint64_t{0}, uint64_t{1'000'000}}) {
    options_.delayed_write_rate = rate;
    Open();
    MakeLevel0Files(2);
    const uint64_t start = clock_->NowMicros();
    Put("key", std::string(50'000, 'v'));
    const uint64_t micros = clock_->NowMicros() - start;
    EXPECT_GT(micros, rate == 0 ? 1'000u : 50'000u);
    EXPECT_LT(micros, rate == 0 ? 1'200u : 50'300u);
    Destroy();
  }
}

TEST_F(DBSyncOptionsTest, SetDBOptionsChangesThem) {
  // The job that would end the delay is not run in a timed wait.
  options_.job_runner = std::make_shared<WrappedJobRunner>(runner_);
  options_.compression = kNoCompression;
  Open();
  const auto syncs_of = [&](const std::string& kind) {
    counting_->calls[kind] = Calls();
    PutMany(4000, 500);  // 2 MB
    Flush();
    return counting_->calls[kind].range_syncs;
  };
  EXPECT_EQ(syncs_of(".log"), 0);
  EXPECT_LE(syncs_of(".sst"), 3);
  ASSERT_EQ(db_->SetDBOptions({{"wal_bytes_per_sync", "100000"},
                               {"bytes_per_sync", "65536"}}),
            Status::OK());
  EXPECT_GE(syncs_of(".log"), 15);
  EXPECT_GE(syncs_of(".sst"), 15);
  EXPECT_EQ(db_->GetDBOptions().bytes_per_sync, 65536u);

  ASSERT_EQ(db_->SetDBOptions({{"delayed_write_rate", "1000000"}}),
            Status::OK());
  ASSERT_EQ(db_->SetOptions({{"level0_file_num_compaction_trigger", "2"},
                             {"level0_slowdown_writes_trigger", "2"}}),
            Status::OK());
  EXPECT_EQ(Property("rocksdb.actual-delayed-write-rate"), 1'000'000u);
  const uint64_t start = clock_->NowMicros();
  Put("key", std::string(50'000, 'v'));
  EXPECT_GT(clock_->NowMicros() - start, 50'000u);
}

}  // namespace
}  // namespace tamis
