// SPDX-License-Identifier: Apache-2.0
//
// Readers of a volume are told what its owner has synced.
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "rados/rados_file_system.h"
#include "tests/rados/cluster_file_system.h"
#include "tests/rados/simulated_cluster.h"
#include "util/base/fake_clock.h"

namespace tamis::rados {
namespace {

struct Process {
  std::shared_ptr<Volume> volume;
  SimulatedClient* client = nullptr;
  std::unique_ptr<RadosFileSystem> fs;
  std::unique_ptr<FileLock> lock;
};

class ChangeWatchTest : public testing::Test {
 protected:
  ChangeWatchTest() : owner_(NewProcess()), reader_(NewProcess()) {
    owner_.client->SetHook(
        [this](const std::string& call, const ObjectName&) -> StoreResult {
          if (call == "notify") ++notifications_;
          return {};
        });
    EXPECT_EQ(owner_.fs->LockFile("/LOCK", &owner_.lock), Status::OK());
  }
  Process NewProcess() {
    Process process;
    auto client = std::make_unique<SimulatedClient>(
        &cluster_, "client" + std::to_string(++clients_));
    process.client = client.get();
    process.volume =
        std::make_shared<Volume>(std::move(client), SimulatedVolume(clock_));
    process.fs = std::make_unique<RadosFileSystem>(process.volume, false);
    return process;
  }
  std::unique_ptr<DirectoryWatch> Watch() {
    std::unique_ptr<DirectoryWatch> watch;
    EXPECT_EQ(reader_.fs->WatchDirectory(
                  "/db", [this] { ++calls_; }, &watch),
              Status::OK());
    return watch;
  }
  void Sync(FileRole role) {
    std::unique_ptr<WritableFile> file;
    FileOptions options;
    options.role = role;
    ASSERT_EQ(owner_.fs->OpenWritableFile("/file", options, &file),
              Status::OK());
    ASSERT_EQ(file->Append("contents"), Status::OK());
    ASSERT_EQ(file->Sync(), Status::OK());
    ASSERT_EQ(file->Close(), Status::OK());
  }
  void PassSeconds(uint64_t seconds) {
    clock_->SleepForMicroseconds(seconds * 1'000'000);
  }

  SimulatedCluster cluster_{3};
  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  int clients_ = 0;
  int notifications_ = 0;
  int calls_ = 0;
  Process owner_;
  Process reader_;
};

TEST_F(ChangeWatchTest, SyncedLogsAreTold) {
  auto watch = Watch();
  Sync(FileRole::kLog);
  EXPECT_EQ(calls_, 1);
  Sync(FileRole::kManifest);
  EXPECT_EQ(calls_, 2);
  Sync(FileRole::kTable);
  EXPECT_EQ(calls_, 2) << "the MANIFEST will tell of it";
  watch.reset();
  Sync(FileRole::kLog);
  EXPECT_EQ(calls_, 2);
}

// While the first one is told, which is simulated as a call.
TEST_F(ChangeWatchTest, AChangeDuringANotificationIsToldNext) {
  std::unique_ptr<DirectoryWatch> watch;
  const auto changed = [this] {
    if (++calls_ == 1) Sync(FileRole::kLog);
  };
  ASSERT_EQ(reader_.fs->WatchDirectory("/db", changed, &watch), Status::OK());
  Sync(FileRole::kLog);
  EXPECT_EQ(calls_, 2);
}

TEST_F(ChangeWatchTest, EveryWatchIsCalled) {
  const auto first = Watch();
  const auto second = Watch();
  Sync(FileRole::kLog);
  EXPECT_EQ(calls_, 2);
}

TEST_F(ChangeWatchTest, WithoutReadersTheOwnerAsksRarely) {
  for (int i = 0; i < 5; ++i) Sync(FileRole::kLog);
  EXPECT_EQ(notifications_, 1);
  const auto watch = Watch();
  Sync(FileRole::kLog);
  EXPECT_EQ(calls_, 0);
  PassSeconds(1);
  owner_.volume->Tend();
  EXPECT_EQ(calls_, 1) << "of what was synced meanwhile";
  owner_.volume->Tend();
  EXPECT_EQ(calls_, 1);
  Sync(FileRole::kLog);
  EXPECT_EQ(calls_, 2);
  EXPECT_EQ(notifications_, 3);
}

// A reader that is stopped does not keep the others from being told.
TEST_F(ChangeWatchTest, AReaderThatDoesNotAnswerIsNotWaitedForLong) {
  const auto watch = Watch();
  cluster_.SetReadersAnswer(false);
  Sync(FileRole::kLog);
  EXPECT_EQ(calls_, 1);
  Sync(FileRole::kLog);
  EXPECT_EQ(calls_, 1);
  clock_->SleepForMicroseconds(50'000);
  owner_.volume->Tend();
  EXPECT_EQ(calls_, 2) << "of what was synced meanwhile";
  for (int i = 0; i < 30; ++i) {
    clock_->SleepForMicroseconds(50'000);
    Sync(FileRole::kLog);
  }
  EXPECT_EQ(calls_, 16) << "no more are under way at once";
  cluster_.SetReadersAnswer(true);
  EXPECT_EQ(calls_, 17) << "of what was synced meanwhile";
  Sync(FileRole::kLog);
  EXPECT_EQ(calls_, 18);
}

TEST_F(ChangeWatchTest, AForgottenWatchIsReplaced) {
  const auto watch = Watch();
  cluster_.ForgetWatches();
  Sync(FileRole::kLog);
  EXPECT_EQ(calls_, 0);
  reader_.volume->Tend();
  EXPECT_EQ(calls_, 1) << "it may have missed something";
  reader_.volume->Tend();
  EXPECT_EQ(calls_, 1);
  PassSeconds(1);
  Sync(FileRole::kLog);
  EXPECT_EQ(calls_, 2);
}

TEST_F(ChangeWatchTest, AFailedNotificationHarmsNoWrite) {
  const auto watch = Watch();
  owner_.client->SetHook(
      [](const std::string& call, const ObjectName&) -> StoreResult {
        if (call != "notify") return {};
        return {StoreCode::kFailed, "no notifications today"};
      });
  Sync(FileRole::kLog);
  EXPECT_EQ(calls_, 0);
  owner_.client->SetHook(nullptr);
  Sync(FileRole::kLog);
  EXPECT_EQ(calls_, 1);
}

TEST_F(ChangeWatchTest, AVolumeThatIsNotThereCannotBeWatched) {
  SimulatedCluster empty{1};
  auto client = std::make_unique<SimulatedClient>(&empty, "lonely");
  const auto volume =
      std::make_shared<Volume>(std::move(client), SimulatedVolume(clock_));
  RadosFileSystem fs(volume, false);
  std::unique_ptr<DirectoryWatch> watch;
  EXPECT_TRUE(fs.WatchDirectory(
                    "/db", [] {}, &watch)
                  .IsPathNotFound());
  EXPECT_EQ(watch, nullptr);
}

// A watch may outlive the file system that made it.
TEST_F(ChangeWatchTest, AWatchKeepsItsVolume) {
  const auto watch = Watch();
  reader_.fs.reset();
  reader_.volume.reset();
  Sync(FileRole::kLog);
  EXPECT_EQ(calls_, 1);
}

}  // namespace
}  // namespace tamis::rados
