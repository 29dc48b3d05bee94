// SPDX-License-Identifier: Apache-2.0
//
// What a manager counts, when it has room, and how it deletes files: at once,
// or slowly, by its rate.
#include "util/io/sst_file_manager.h"

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "tests/support/simulated_file_system.h"
#include "tests/support/timer_runner.h"
#include "tests/support/wrapped_file_system.h"
#include "util/base/fake_clock.h"

namespace tamis {
namespace {

constexpr double kAnyRatio = 1e9;

TEST(TrackedFilesTest, TheTotalIsTheSumOfTheFiles) {
  TrackedFiles files;
  files.Add("/a/1", 10);
  files.Add("/a/2", 20);
  files.Add("/a/1", 11);
  EXPECT_EQ(files.total(), 31u);
  files.Rename("/a/1", "/a/1.trash");
  files.Rename("/a/9", "/a/8");  // neither counts
  EXPECT_EQ(files.all(), (std::unordered_map<std::string, uint64_t>{
                             {"/a/1.trash", 11}, {"/a/2", 20}}));
  files.Rename("/a/1.trash", "/a/2");
  EXPECT_EQ(files.total(), 11u);
  files.Rename("/a/9", "/a/2");  // what did not count replaces it
  EXPECT_EQ(files.total(), 0u);
  files.Add("/a/1", 10);
  files.Shorten("/a/1", 4);
  files.Shorten("/a/1", 7);
  files.Shorten("/a/7", 7);
  EXPECT_EQ(files.total(), 4u);
  files.Remove("/a/1");
  files.Remove("/a/1");
  EXPECT_EQ(files.total(), 0u);
}

TEST(TrackedFilesTest, ADirectoryIsReplacedWithoutOthers) {
  TrackedFiles files;
  for (const char* const path : {"/a/1", "/a/2", "/a/b/1", "/ab/1", "/a"}) {
    files.Add(path, 1);
  }
  files.ReplaceDirectory("/a", {{"/a/2", 5}, {"/a/3", 7}});
  EXPECT_EQ(
      files.all(),
      (std::unordered_map<std::string, uint64_t>{
          {"/a/2", 5}, {"/a/3", 7}, {"/a/b/1", 1}, {"/ab/1", 1}, {"/a", 1}}));
  EXPECT_EQ(files.total(), 15u);
}

TEST(TrackedFilesTest, CompactionsShareTheRoom) {
  TrackedFiles files;
  files.Add("/a", 100);
  EXPECT_FALSE(files.LimitIsReached(true));
  EXPECT_TRUE(files.Reserve(1000));  // there is no limit
  files.Release(1000);
  files.SetLimit(200);
  EXPECT_TRUE(files.HasRoomFor(99));
  EXPECT_FALSE(files.HasRoomFor(100));
  ASSERT_TRUE(files.Reserve(60));
  EXPECT_FALSE(files.Reserve(40));
  EXPECT_TRUE(files.HasRoomFor(99));  // if the other did not run
  files.SetCompactionBuffer(30);
  EXPECT_FALSE(files.Reserve(10));
  EXPECT_FALSE(files.HasRoomFor(70));
  EXPECT_TRUE(files.HasRoomFor(0));
  ASSERT_TRUE(files.Reserve(9));
  files.Release(9);
  EXPECT_FALSE(files.LimitIsReached(true));
  files.Add("/b", 40);
  EXPECT_TRUE(files.LimitIsReached(true));
  EXPECT_FALSE(files.LimitIsReached(false));
  files.Add("/c", 60);
  EXPECT_TRUE(files.LimitIsReached(false));
  EXPECT_FALSE(files.HasRoomFor(0));
  files.Release(60);
  EXPECT_FALSE(files.Reserve(UINT64_MAX));
}

class SstFileManagerTest : public ::testing::Test {
 protected:
  SstFileManagerTest() { EXPECT_TRUE(fs_->CreateDirIfMissing("/db").ok()); }

  // The manager, which counts the files that Write makes.
  SstFileManagerImpl& Make(int64_t rate, uint64_t chunk = 0,
                           double ratio = kAnyRatio) {
    manager_.reset(
        NewSstFileManager(clock_, runner_, nullptr, rate, ratio, chunk));
    manager_->SetStatisticsPtr(statistics_);
    return *SstFileManagerImpl::Of(manager_.get());
  }
  SstFileManagerImpl& manager() {
    return *SstFileManagerImpl::Of(manager_.get());
  }
  void Write(const std::string& path, size_t bytes = 1000) {
    ASSERT_TRUE(
        WriteStringToFile(fs_.get(), std::string(bytes, 'x'), path, false)
            .ok());
    manager().files().Add(path, bytes);
  }
  // The delays of the timers that are set. The clock advances with each look.
  std::vector<uint64_t> Millis() const {
    std::vector<uint64_t> millis;
    for (const uint64_t micros : runner_->delays) {
      millis.push_back((micros + 500) / 1000);
    }
    return millis;
  }
  bool Exists(const std::string& path) { return fs_->FileExists(path).ok(); }
  uint64_t Tick(Tickers ticker) { return statistics_->getTickerCount(ticker); }

  const std::shared_ptr<SimulatedFileSystem> fs_ = NewSimulatedFileSystem();
  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  const std::shared_ptr<TimerRunner> runner_ =
      std::make_shared<TimerRunner>(NewDeterministicJobRunner(1));
  const std::shared_ptr<Statistics> statistics_ = CreateDBStatistics();
  std::unique_ptr<SstFileManager> manager_;
};

TEST_F(SstFileManagerTest, WithoutARateFilesAreDeletedAtOnce) {
  for (const int64_t rate : {0, -5}) {
    Make(rate);
    Write("/db/000001.sst");
    EXPECT_EQ(manager_->GetTotalSize(), 1000u);
    EXPECT_TRUE(manager().Delete(fs_, "/db/000001.sst").ok());
    EXPECT_FALSE(Exists("/db/000001.sst"));
    EXPECT_EQ(manager_->GetTotalSize(), 0u);
    EXPECT_EQ(manager_->GetDeleteRateBytesPerSecond(), rate);
  }
  EXPECT_EQ(Tick(FILES_DELETED_IMMEDIATELY), 2u);
  EXPECT_EQ(Tick(FILES_MARKED_TRASH), 0u);
  EXPECT_TRUE(manager().Delete(fs_, "/db/none.sst").IsPathNotFound());
}

TEST_F(SstFileManagerTest, TrashIsDeletedAtTheRate) {
  Make(/*rate=*/500);
  for (const char* const path : {"/db/1.sst", "/db/2.sst", "/db/3.log"}) {
    Write(path);
    EXPECT_TRUE(manager().Delete(fs_, path).ok());
    EXPECT_FALSE(Exists(path));
    EXPECT_TRUE(Exists(std::string(path) + ".trash"));
  }
  EXPECT_EQ(Tick(FILES_MARKED_TRASH), 3u);
  EXPECT_EQ(manager_->GetTotalTrashSize(), 3000u);
  EXPECT_EQ(manager_->GetTotalSize(), 3000u);  // it still takes space
  ASSERT_EQ(Millis(), std::vector<uint64_t>{0});
  runner_->Expire();
  EXPECT_FALSE(Exists("/db/1.sst.trash"));
  EXPECT_TRUE(Exists("/db/2.sst.trash"));
  EXPECT_EQ(manager_->GetTotalTrashSize(), 2000u);
  EXPECT_EQ(manager_->GetTotalSize(), 2000u);
  // 1000 bytes take two seconds.
  ASSERT_EQ(Millis(), std::vector<uint64_t>{2000});
  clock_->SleepForMicroseconds(2'000'000);
  runner_->Expire();
  clock_->SleepForMicroseconds(2'000'000);
  runner_->Expire();
  EXPECT_EQ(manager_->GetTotalTrashSize(), 0u);
  EXPECT_EQ(manager_->GetTotalSize(), 0u);
  EXPECT_FALSE(Exists("/db/3.log.trash"));
  EXPECT_TRUE(runner_->delays.empty());
  // The pause after the last deletion counts for the next file.
  clock_->SleepForMicroseconds(500'000);
  Write("/db/4.sst");
  EXPECT_TRUE(manager().Delete(fs_, "/db/4.sst").ok());
  ASSERT_EQ(Millis(), std::vector<uint64_t>{1500});
}

TEST_F(SstFileManagerTest, MuchTrashIsDeletedAtOnce) {
  Make(/*rate=*/500, /*chunk=*/0, /*ratio=*/0.25);
  for (int i = 1; i <= 8; ++i) Write("/db/" + std::to_string(i) + ".sst");
  for (int i = 1; i <= 4; ++i) {
    EXPECT_TRUE(
        manager().Delete(fs_, "/db/" + std::to_string(i) + ".sst").ok());
  }
  // Three are above a quarter of 8000 bytes.
  EXPECT_EQ(manager_->GetTotalTrashSize(), 3000u);
  EXPECT_FALSE(Exists("/db/4.sst.trash"));
  EXPECT_EQ(Tick(FILES_DELETED_IMMEDIATELY), 1u);
  EXPECT_EQ(manager_->GetMaxTrashDBRatio(), 0.25);
  manager_->SetMaxTrashDBRatio(1);
  EXPECT_TRUE(manager().Delete(fs_, "/db/5.sst").ok());
  EXPECT_TRUE(Exists("/db/5.sst.trash"));
  for (const double none : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    manager_->SetMaxTrashDBRatio(none);
    Write("/db/6.sst");
    EXPECT_TRUE(manager().Delete(fs_, "/db/6.sst").ok());
    EXPECT_FALSE(Exists("/db/6.sst.trash"));
  }
}

TEST_F(SstFileManagerTest, ANewRateCountsAtOnce) {
  Make(/*rate=*/1);
  for (const char* const path : {"/db/1.sst", "/db/2.sst", "/db/3.sst"}) {
    Write(path);
    EXPECT_TRUE(manager().Delete(fs_, path).ok());
  }
  runner_->Expire();
  ASSERT_EQ(Millis(), std::vector<uint64_t>{1'000'000});
  manager_->SetDeleteRateBytesPerSecond(100);
  ASSERT_EQ(Millis(), (std::vector<uint64_t>{1'000'000, 10'000}));
  // The timer that was set first does nothing.
  runner_->Expire();
  EXPECT_EQ(manager_->GetTotalTrashSize(), 1000u);
  manager_->SetDeleteRateBytesPerSecond(0);
  EXPECT_EQ(runner_->delays.back(), 0u);
  runner_->Expire();
  EXPECT_EQ(manager_->GetTotalTrashSize(), 0u);
}

TEST_F(SstFileManagerTest, ALargeFileIsCutIfNothingElseHasIt) {
  Make(/*rate=*/500, /*chunk=*/400);
  Write("/db/1.sst");
  EXPECT_TRUE(manager().Delete(fs_, "/db/1.sst").ok());
  for (const uint64_t left : {600u, 200u, 0u}) {
    runner_->Expire();
    uint64_t size = 0;
    const Status sized = fs_->GetFileSize("/db/1.sst.trash", &size);
    EXPECT_EQ(sized.ok(), left > 0);
    EXPECT_EQ(size, left);
    EXPECT_EQ(manager_->GetTotalTrashSize(), left);
    EXPECT_EQ(manager_->GetTotalSize(), left);
    if (left > 0) {
      EXPECT_EQ(Millis(), std::vector<uint64_t>{800});
    }
  }
  // As in a checkpoint.
  Write("/db/2.sst");
  ASSERT_TRUE(fs_->LinkFile("/db/2.sst", "/copy").ok());
  EXPECT_TRUE(manager().Delete(fs_, "/db/2.sst").ok());
  runner_->Expire();
  EXPECT_EQ(manager_->GetTotalTrashSize(), 0u);
  uint64_t size = 0;
  ASSERT_TRUE(fs_->GetFileSize("/copy", &size).ok());
  EXPECT_EQ(size, 1000u);
}

TEST_F(SstFileManagerTest, TrashOfEarlierOpensIsNotRenamed) {
  Make(/*rate=*/500);
  Write("/db/1.sst.trash");
  for (int i = 0; i < 2; ++i) {  // the second call changes nothing
    EXPECT_TRUE(manager().Delete(fs_, "/db/1.sst.trash").ok());
    EXPECT_EQ(manager_->GetTotalTrashSize(), 1000u);
  }
  runner_->Expire();
  EXPECT_FALSE(Exists("/db/1.sst.trash"));
  EXPECT_EQ(manager_->GetTotalSize(), 0u);
  EXPECT_EQ(manager_->GetTotalTrashSize(), 0u);
}

TEST_F(SstFileManagerTest, AFileThatReplacesTrashHasItsOwnSize) {
  Make(/*rate=*/500, /*chunk=*/900);
  Write("/db/1.sst", 1000);
  EXPECT_TRUE(manager().Delete(fs_, "/db/1.sst").ok());
  Write("/db/1.sst", 50);
  EXPECT_TRUE(manager().Delete(fs_, "/db/1.sst").ok());
  EXPECT_EQ(manager_->GetTotalTrashSize(), 50u);
  EXPECT_EQ(manager_->GetTotalSize(), 50u);
  runner_->Expire();
  EXPECT_EQ(manager_->GetTotalSize(), 0u);
}

TEST_F(SstFileManagerTest, WithoutATimerFilesAreDeletedAtOnce) {
  Make(/*rate=*/500);
  runner_->has_timers = false;
  Write("/db/1.sst");
  EXPECT_TRUE(manager().Delete(fs_, "/db/1.sst").ok());
  EXPECT_FALSE(Exists("/db/1.sst.trash"));
  EXPECT_EQ(manager_->GetTotalSize(), 0u);
  EXPECT_EQ(manager_->GetTotalTrashSize(), 0u);
}

TEST_F(SstFileManagerTest, DeletedTrashLeavesTheList) {
  Make(/*rate=*/500);
  Write("/db/1.sst");
  EXPECT_TRUE(manager().Delete(fs_, "/db/1.sst").ok());
  EXPECT_TRUE(manager().DeleteAtOnce(fs_.get(), "/db/1.sst.trash").ok());
  EXPECT_EQ(manager_->GetTotalTrashSize(), 0u);
  EXPECT_EQ(manager_->GetTotalSize(), 0u);
  runner_->Expire();
  EXPECT_TRUE(runner_->delays.empty());
}

TEST_F(SstFileManagerTest, ADestroyedManagerLeavesItsTrash) {
  Make(/*rate=*/500);
  Write("/db/1.sst");
  EXPECT_TRUE(manager().Delete(fs_, "/db/1.sst").ok());
  manager_.reset();
  runner_->Expire();
  EXPECT_TRUE(Exists("/db/1.sst.trash"));
}

// Removes the file, or not, and throws.
class ThrowingFileSystem final : public WrappedFileSystem {
 public:
  using WrappedFileSystem::WrappedFileSystem;
  Status RemoveFile(const std::string& path) override {
    if (removes) {
      WrappedFileSystem::RemoveFile(path).PermitUncheckedError();
    }
    if (throws) throw std::runtime_error("of the file system");
    return WrappedFileSystem::RemoveFile(path);
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    if (no_renames) throw std::runtime_error("of the file system");
    return WrappedFileSystem::RenameFile(from, to);
  }
  bool removes = false;
  bool throws = true;
  bool no_renames = false;
};

TEST_F(SstFileManagerTest, WhatAFileSystemThrowsLeavesTheCountRight) {
  const auto fs = std::make_shared<ThrowingFileSystem>(fs_);
  Make(/*rate=*/0);
  for (const bool removes : {false, true}) {
    fs->removes = removes;
    Write("/db/1.sst");
    EXPECT_TRUE(manager().Delete(fs, "/db/1.sst").IsAborted());
    EXPECT_EQ(Exists("/db/1.sst"), !removes);
    EXPECT_EQ(manager_->GetTotalSize(), removes ? 0u : 1000u);
  }
  manager_->SetDeleteRateBytesPerSecond(500);
  for (const bool removes : {false, true}) {
    fs->removes = removes;
    Write("/db/1.sst");
    EXPECT_TRUE(manager().Delete(fs, "/db/1.sst").ok());
    for (int i = 0; i < 5; ++i) {
      runner_->Expire();
      EXPECT_EQ(Exists("/db/1.sst.trash"), !removes);
      EXPECT_EQ(manager_->GetTotalSize(), removes ? 0u : 1000u);
      // What is left is tried again, but not for ever.
      const bool again = !removes && i < 4;
      EXPECT_EQ(manager_->GetTotalTrashSize(), again ? 1000u : 0u);
      EXPECT_EQ(Millis(),
                again ? std::vector<uint64_t>{2000} : std::vector<uint64_t>());
    }
    clock_->SleepForMicroseconds(10'000'000);
  }
  fs->removes = false;
  Write("/db/1.sst");
  EXPECT_TRUE(manager().Delete(fs, "/db/1.sst").ok());
  runner_->Expire();
  EXPECT_TRUE(Exists("/db/1.sst.trash"));
  fs->throws = false;
  runner_->Expire();
  EXPECT_FALSE(Exists("/db/1.sst.trash"));
  EXPECT_EQ(manager_->GetTotalSize(), 0u);
  EXPECT_EQ(manager_->GetTotalTrashSize(), 0u);
  // A file that cannot be renamed is deleted at once.
  fs->no_renames = true;
  fs->throws = false;
  fs->removes = false;
  Write("/db/2.sst");
  EXPECT_TRUE(manager().Delete(fs, "/db/2.sst").ok());
  EXPECT_FALSE(Exists("/db/2.sst"));
  EXPECT_EQ(manager_->GetTotalSize(), 0u);
}

TEST_F(SstFileManagerTest, TheLimitIsReachedByTheTotal) {
  Make(0);
  EXPECT_FALSE(manager_->IsMaxAllowedSpaceReached());
  Write("/db/1.sst");
  manager_->SetMaxAllowedSpaceUsage(1001);
  EXPECT_FALSE(manager_->IsMaxAllowedSpaceReached());
  ASSERT_FALSE(manager().files().Reserve(1));
  manager_->SetMaxAllowedSpaceUsage(1002);
  ASSERT_TRUE(manager().files().Reserve(1));
  manager_->SetMaxAllowedSpaceUsage(1001);
  EXPECT_TRUE(manager_->IsMaxAllowedSpaceReachedIncludingCompactions());
  EXPECT_FALSE(manager_->IsMaxAllowedSpaceReached());
  manager().files().Release(1);
  manager_->SetMaxAllowedSpaceUsage(1000);
  EXPECT_TRUE(manager_->IsMaxAllowedSpaceReached());
  manager_->SetMaxAllowedSpaceUsage(0);
  EXPECT_FALSE(manager_->IsMaxAllowedSpaceReached());
  manager_->SetMaxAllowedSpaceUsage(2000);
  EXPECT_TRUE(manager().files().HasRoomFor(500));
  manager_->SetCompactionBufferSize(500);
  EXPECT_FALSE(manager().files().HasRoomFor(500));
  EXPECT_EQ(manager_->GetTrackedFiles(),
            (std::unordered_map<std::string, uint64_t>{{"/db/1.sst", 1000}}));
}

// With a thread of its own, and the files of the system.
TEST(SstFileManagerThreadsTest, ItsOwnThreadDeletesTrash) {
  const TemporaryDirectory directory;
  const std::shared_ptr<FileSystem> fs = NewPosixFileSystem();
  Status status = Status::IOError("not set");
  const std::unique_ptr<SstFileManager> manager(NewSstFileManager(
      Env::Default(), fs, nullptr, "", /*rate_bytes_per_sec=*/100'000'000, true,
      &status, kAnyRatio, /*bytes_max_delete_chunk=*/10'000));
  EXPECT_TRUE(status.ok());
  for (int i = 0; i < 20; ++i) {
    const std::string path = directory.Path(std::to_string(i));
    ASSERT_TRUE(
        WriteStringToFile(fs.get(), std::string(25'000, 'x'), path, false)
            .ok());
    EXPECT_TRUE(SstFileManagerImpl::Of(manager.get())->Delete(fs, path).ok());
  }
  while (manager->GetTotalTrashSize() > 0) std::this_thread::yield();
  std::vector<std::string> names;
  ASSERT_TRUE(fs->GetChildren(directory.Path("."), &names).ok());
  EXPECT_TRUE(names.empty());
}

}  // namespace
}  // namespace tamis
