// SPDX-License-Identifier: Apache-2.0
//
// Waiting for background work, pausing it, disabling manual compactions, and
// locking the log.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/convenience.h"

#include "tests/db/test_families.h"

namespace tamis {
namespace {

class BackgroundControlTest : public FamiliesTest {
 protected:
  BackgroundControlTest() { options_.level0_file_num_compaction_trigger = 2; }

  uint64_t Number(const std::string& property) {
    uint64_t number = 0;
    EXPECT_TRUE(db_->GetIntProperty(property, &number)) << property;
    return number;
  }
  void FlushLater() {
    FlushOptions options;
    options.wait = false;
    ASSERT_EQ(db_->Flush(options), Status::OK());
  }
  void CloseDb() {
    EXPECT_EQ(db_->Close(), Status::OK());
    db_.reset();
  }
};

TEST_F(BackgroundControlTest, WaitForCompactWaitsForCompactionsThatAreDue) {
  Open();
  MakeLevel0Files(2);
  ASSERT_EQ(Number("rocksdb.num-running-compactions"), 1u);
  EXPECT_EQ(db_->WaitForCompact({}), Status::OK());
  EXPECT_EQ(Number("rocksdb.num-running-compactions"), 0u);
  EXPECT_EQ(Number("rocksdb.compaction-pending"), 0u);
  std::string level0;
  ASSERT_TRUE(db_->GetProperty("rocksdb.num-files-at-level0", &level0));
  EXPECT_EQ(level0, "0");
}

TEST_F(BackgroundControlTest, WaitForCompactFlushesAndClosesIfAsked) {
  MakeFamilies({"f"});
  Put("a", "1");
  Put("f", "a", "1");
  EXPECT_EQ(db_->WaitForCompact({}), Status::OK());
  EXPECT_EQ(Number("rocksdb.num-entries-active-mem-table"), 1u);
  WaitForCompactOptions options;
  options.flush = true;
  EXPECT_EQ(db_->WaitForCompact(options), Status::OK());
  EXPECT_EQ(Number("rocksdb.num-entries-active-mem-table"), 0u);
  EXPECT_EQ(Number("rocksdb.num-immutable-mem-table"), 0u);
  handles_.clear();
  options.close_db = true;
  EXPECT_EQ(db_->WaitForCompact(options), Status::OK());
  EXPECT_TRUE(db_->Put({}, "b", "1").IsShutdownInProgress());
}

TEST_F(BackgroundControlTest, WaitForCompactEndsWithTimePauseOrError) {
  Open();
  EXPECT_EQ(db_->PauseBackgroundWork(), Status::OK());
  // Nothing is due.
  EXPECT_EQ(db_->WaitForCompact({}), Status::OK());
  Put("a", "1");
  FlushLater();
  WaitForCompactOptions options;
  options.timeout = std::chrono::milliseconds(1);
  const uint64_t before = clock_->NowMicros();
  EXPECT_TRUE(db_->WaitForCompact(options).IsTimedOut());
  EXPECT_GE(clock_->NowMicros() - before, 1000u);
  options.abort_on_pause = true;
  EXPECT_TRUE(db_->WaitForCompact(options).IsAborted());
  options.timeout = std::chrono::milliseconds(-1);
  EXPECT_TRUE(db_->WaitForCompact(options).IsInvalidArgument());
  fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
    return call.path.ends_with(".sst") ? Status::IOError(call.path, "broken")
                                       : Status::OK();
  });
  EXPECT_EQ(db_->ContinueBackgroundWork(), Status::OK());
  EXPECT_TRUE(db_->WaitForCompact({}).IsIOError());
  fs_->SetFaultHook(nullptr);
  EXPECT_EQ(db_->Resume(), Status::OK());
  EXPECT_EQ(db_->WaitForCompact({}), Status::OK());
}

TEST_F(BackgroundControlTest, NothingStartsWhilePaused) {
  Open();
  MakeLevel0Files(1);
  EXPECT_EQ(db_->PauseBackgroundWork(), Status::OK());
  EXPECT_EQ(db_->PauseBackgroundWork(), Status::OK());
  Put("a", "2");
  Put("z", "2");
  FlushLater();
  RunJobs();
  EXPECT_EQ(Number("rocksdb.num-immutable-mem-table"), 1u);
  EXPECT_EQ(db_->ContinueBackgroundWork(), Status::OK());
  RunJobs();
  EXPECT_EQ(Number("rocksdb.num-immutable-mem-table"), 1u);
  EXPECT_EQ(Get("a"), "2");
  EXPECT_EQ(db_->ContinueBackgroundWork(), Status::OK());
  RunJobs();
  EXPECT_EQ(Number("rocksdb.num-immutable-mem-table"), 0u);
  std::string level1;
  ASSERT_TRUE(db_->GetProperty("rocksdb.num-files-at-level1", &level1));
  EXPECT_EQ(level1, "1");
  EXPECT_TRUE(db_->ContinueBackgroundWork().IsInvalidArgument());
}

// A pause waits for the compaction that has its inputs.
TEST_F(BackgroundControlTest, APauseWaitsForWhatRuns) {
  Open();
  MakeLevel0Files(2);
  ASSERT_EQ(Number("rocksdb.num-running-compactions"), 1u);
  EXPECT_EQ(db_->PauseBackgroundWork(), Status::OK());
  EXPECT_EQ(Number("rocksdb.num-running-compactions"), 0u);
}

TEST_F(BackgroundControlTest, CloseContinues) {
  Open();
  EXPECT_EQ(db_->PauseBackgroundWork(), Status::OK());
  EXPECT_EQ(db_->LockWAL(), Status::OK());
  EXPECT_EQ(db_->UnlockWAL(), Status::OK());
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_EQ(db_->Put(unlogged, "a", "1"), Status::OK());
  EXPECT_EQ(db_->LockWAL(), Status::OK());
  CloseDb();
  Open();
  EXPECT_EQ(Get("a"), "1");
}

TEST_F(BackgroundControlTest, NothingIsWrittenAfterACancel) {
  MakeFamilies({"f"});
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  Put("a", "1");
  ASSERT_EQ(db_->Put(unlogged, Family("f"), "b", "1"), Status::OK());
  EXPECT_EQ(db_->PauseBackgroundWork(), Status::OK());
  EXPECT_EQ(db_->LockWAL(), Status::OK());
  CancelAllBackgroundWork(db_.get(), /*wait=*/true);
  CancelAllBackgroundWork(db_.get());
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(GetIn("f", "b"), "1");
  const std::pair<const char*, Status> calls[] = {
      {"Put", db_->Put({}, "a", "2")},
      {"unlogged Put", db_->Put(unlogged, "a", "2")},
      {"Flush", db_->Flush({})},
      {"CompactRange", db_->CompactRange({}, nullptr, nullptr)},
      {"WaitForCompact", db_->WaitForCompact({})},
      {"Resume", db_->Resume()}};
  for (const auto& [call, status] : calls) {
    EXPECT_TRUE(status.IsShutdownInProgress()) << call << ": " << status;
  }
  ColumnFamilyHandle* family = nullptr;
  EXPECT_TRUE(db_->CreateColumnFamily({}, "g", &family).IsShutdownInProgress());
  handles_.clear();
  CloseDb();
  ASSERT_EQ(TryOpenFamilies({"f"}), Status::OK());
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(GetIn("f", "b"), "1");
  Put("a", "2");
}

TEST_F(BackgroundControlTest, ACancelDoesNotFlushWhatAnOptionLetsGo) {
  options_.avoid_flush_during_shutdown = true;
  Open();
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  Put("a", "1");
  ASSERT_EQ(db_->Put(unlogged, "b", "1"), Status::OK());
  CancelAllBackgroundWork(db_.get(), /*wait=*/true);
  CloseDb();
  Open();
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(Get("b"), "NOT_FOUND");
}

// One is due, and starts when it is too late.
TEST_F(BackgroundControlTest, ACancelledCompactionLeavesItsInputs) {
  Open();
  MakeLevel0Files(2);
  ASSERT_EQ(Number("rocksdb.num-running-compactions"), 1u);
  CancelAllBackgroundWork(db_.get(), /*wait=*/true);
  EXPECT_EQ(Number("rocksdb.num-running-compactions"), 0u);
  std::string level0;
  ASSERT_TRUE(db_->GetProperty("rocksdb.num-files-at-level0", &level0));
  EXPECT_EQ(level0, "2");
  CloseDb();
}

TEST_F(BackgroundControlTest, DisabledManualCompactionsFail) {
  options_.level0_file_num_compaction_trigger = 10;
  Open();
  MakeLevel0Files(2);
  db_->DisableManualCompaction();
  db_->DisableManualCompaction();
  db_->EnableManualCompaction();
  const Status status = db_->CompactRange({}, nullptr, nullptr);
  EXPECT_TRUE(status.IsManualCompactionPaused()) << status;
  std::string level0;
  ASSERT_TRUE(db_->GetProperty("rocksdb.num-files-at-level0", &level0));
  EXPECT_EQ(level0, "2");
  db_->EnableManualCompaction();
  EXPECT_EQ(db_->CompactRange({}, nullptr, nullptr), Status::OK());
  // Writes were not stopped.
  Put("b", "1");
}

TEST_F(BackgroundControlTest, TheCallsOfAReadOnlyDatabaseAreRefused) {
  Open();
  CloseDb();
  ASSERT_EQ(DB::OpenForReadOnly(options_, kTestDirectory, &db_), Status::OK());
  EXPECT_TRUE(db_->WaitForCompact({}).IsNotSupported());
  EXPECT_TRUE(db_->PauseBackgroundWork().IsNotSupported());
  EXPECT_TRUE(db_->LockWAL().IsNotSupported());
}

class BackgroundControlThreadsTest : public BackgroundControlTest {
 protected:
  BackgroundControlThreadsTest() { UseThreads(); }
};

TEST_F(BackgroundControlThreadsTest, NothingIsWrittenWhileTheLogIsLocked) {
  Open();
  EXPECT_TRUE(db_->UnlockWAL().IsAborted());
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; !done; ++i) Put(Key(i % 100), "1");
  });
  for (int round = 0; round < 20; ++round) {
    const uint64_t at = db_->GetLatestSequenceNumber();
    while (db_->GetLatestSequenceNumber() == at) std::this_thread::yield();
    EXPECT_EQ(db_->LockWAL(), Status::OK());
    EXPECT_EQ(db_->LockWAL(), Status::OK());
    EXPECT_EQ(db_->UnlockWAL(), Status::OK());
    const uint64_t locked = db_->GetLatestSequenceNumber();
    for (int i = 0; i < 1000; ++i) {
      std::this_thread::yield();
      ASSERT_EQ(db_->GetLatestSequenceNumber(), locked);
    }
    EXPECT_EQ(db_->UnlockWAL(), Status::OK());
  }
  done = true;
  writer.join();
}

TEST_F(BackgroundControlThreadsTest, ARunningManualCompactionIsCancelled) {
  options_.disable_auto_compactions = true;
  Open();
  for (int i = 0; i < 3; ++i) {
    PutMany(20000);
    Flush();
  }
  Status status;
  std::thread compacting([&] {
    CompactRangeOptions options;
    options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    while (status.ok()) status = db_->CompactRange(options, nullptr, nullptr);
  });
  while (Number("rocksdb.num-running-compactions") == 0) {
    std::this_thread::yield();
  }
  db_->DisableManualCompaction();
  // It waits for the compaction, whose inputs are free again.
  EXPECT_EQ(Number("rocksdb.num-running-compactions"), 0u);
  compacting.join();
  EXPECT_TRUE(status.IsManualCompactionPaused()) << status;
  db_->EnableManualCompaction();
  Put("b", "1");
  EXPECT_EQ(db_->CompactRange({}, nullptr, nullptr), Status::OK());
  EXPECT_EQ(Get(Key(19999)), Noise(100, 19999));
}

// Writers that wait for flushes, readers, a compaction: a cancel ends the
// first and the last of them.
TEST_F(BackgroundControlThreadsTest, ACancelEndsEveryWait) {
  options_.write_buffer_size = 64 << 10;
  options_.max_write_buffer_number = 2;
  Open();
  PutMany(2000);
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  std::vector<Status> ends(4);
  for (const size_t t : {size_t{0}, size_t{1}}) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; ends[t].ok(); ++i) {
        ends[t] = db_->Put({}, Key(static_cast<int>(i % 2000)), Noise(1000, i));
      }
    });
  }
  threads.emplace_back([&] {
    while (ends[2].ok()) ends[2] = db_->CompactRange({}, nullptr, nullptr);
  });
  threads.emplace_back([&] {
    while (ends[3].ok()) ends[3] = db_->Flush({});
  });
  std::thread reader([&] {
    while (!done) EXPECT_NE(Get(Key(7)), "NOT_FOUND");
  });
  while (Number("rocksdb.total-sst-files-size") < (1 << 20)) {
    std::this_thread::yield();
  }
  CancelAllBackgroundWork(db_.get(), /*wait=*/true);
  for (std::thread& thread : threads) thread.join();
  for (const Status& end : ends) {
    EXPECT_TRUE(end.IsShutdownInProgress()) << end;
  }
  done = true;
  reader.join();
  CloseDb();
  Open();
  EXPECT_NE(Get(Key(7)), "NOT_FOUND");
}

}  // namespace
}  // namespace tamis
