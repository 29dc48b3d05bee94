// SPDX-License-Identifier: Apache-2.0
//
// LOCK: which of several processes has the directory.
#include <csignal>
#include <memory>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/file_system.h"

#include "tests/process/child.h"
#include "tests/support/directories.h"
#include "tests/support/effort.h"
#include "tests/support/locked.h"

namespace tamis::process {
namespace {

class LockTest : public ::testing::Test {
 protected:
  Status Open(std::unique_ptr<DB>* db) const {
    Options options;
    options.create_if_missing = true;
    return DB::Open(options, directory_, db);
  }

  const TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.Path("db");
  SharedCounters shared_;
};

TEST_F(LockTest, CloseReleasesItWhileAForkedChildLives) {
  std::unique_ptr<DB> db;
  ASSERT_TRUE(Open(&db).ok());
  Child child([]() -> int {
    ::pause();
    return 0;
  });
  ASSERT_TRUE(db->Close().ok());
  db.reset();
  const Status status = Open(&db);
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(LockTest, NamesTheOrphanThatHoldsIt) {
  Child program([&] {
    std::unique_ptr<DB> db;
    Require(Open(&db).ok(), "open");
    // Not waited for: it lives on when its parent is killed.
    const pid_t orphan = ::fork();
    if (orphan == 0) {
      ::pause();
      ::_exit(0);
    }
    shared_[0] = static_cast<uint64_t>(orphan);
    ::raise(SIGKILL);
    return 0;
  });
  ASSERT_EQ(program.Wait(), 128 + SIGKILL);
  const auto orphan = static_cast<pid_t>(shared_[0].load());
  std::unique_ptr<DB> db;
  Status status = Open(&db);
  EXPECT_TRUE(SaysLocked(status)) << status;
  EXPECT_NE(status.message().find("process " + std::to_string(orphan) + " ("),
            std::string::npos)
      << status;
  ::kill(orphan, SIGKILL);
  // It is not our child: it is gone some time after.
  for (int i = 0; i < 1000 && SaysLocked(status); ++i) {
    ::usleep(10'000);
    status = Open(&db);
  }
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(LockTest, NamesThisProcess) {
  std::unique_ptr<DB> first;
  ASSERT_TRUE(Open(&first).ok());
  std::unique_ptr<DB> second;
  const Status status = Open(&second);
  EXPECT_TRUE(SaysLocked(status)) << status;
  EXPECT_NE(status.message().find("this process"), std::string::npos) << status;
}

TEST_F(LockTest, AForkedChildThatClosesItsCopyDoesNotReleaseIt) {
  const auto fs = NewPosixFileSystem();
  const std::string path = temporary_.Path("LOCK");
  std::unique_ptr<FileLock> lock;
  ASSERT_TRUE(fs->LockFile(path, &lock).ok());
  EXPECT_EQ(RunChild([&] {
              lock.reset();
              return 0;
            }),
            0);
  std::unique_ptr<FileLock> second;
  const Status status = fs->LockFile(path, &second);
  EXPECT_TRUE(SaysLocked(status)) << status;
}

// Several processes take the lock, and remove its file before they give it
// back, as DestroyDB does: never do two have it.
TEST_F(LockTest, IsExclusiveThoughHoldersRemoveItsFile) {
  const int rounds = Rounds(400);
  const std::string path = temporary_.Path("LOCK");
  const auto contend = [&] {
    const auto fs = NewPosixFileSystem();
    for (int taken = 0; taken < rounds;) {
      std::unique_ptr<FileLock> lock;
      const Status status = fs->LockFile(path, &lock);
      if (SaysLocked(status)) continue;
      Require(status.ok(), status.ToString());
      Require(shared_[0].fetch_add(1) == 0, "two have the lock");
      ++taken;
      Require(shared_[0].fetch_sub(1) == 1, "two have the lock");
      // From here on another may have it.
      Require(fs->RemoveFile(path).ok(), "remove");
    }
    return 0;
  };
  Child first(contend);
  Child second(contend);
  Child third(contend);
  EXPECT_EQ(first.Wait(), 0);
  EXPECT_EQ(second.Wait(), 0);
  EXPECT_EQ(third.Wait(), 0);
}

}  // namespace
}  // namespace tamis::process
