// SPDX-License-Identifier: Apache-2.0
//
// Threads that the system does not create, and threads that end while the
// database is open.
#include <memory>
#include <pthread.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/process/child.h"
#include "tests/process/new_threads.h"
#include "tests/support/directories.h"

namespace tamis::process {
namespace {

class ThreadTest : public ::testing::Test {
 protected:
  Status Open() {
    Options options;
    options.create_if_missing = true;
    options.write_buffer_size = 64 << 10;
    options.level0_file_num_compaction_trigger = 2;
    options.max_background_jobs = 4;
    options.max_subcompactions = 4;
    return DB::Open(options, temporary_.Path("db"), &db_);
  }
  // Enough for flushes and compactions.
  void Work() {
    for (int i = 0; i < 5000; ++i) {
      const std::string key = "key" + std::to_string(i * 7919 % 5000);
      ASSERT_TRUE(db_->Put({}, key, std::string(100, 'v')).ok());
    }
    ASSERT_TRUE(db_->CompactRange({}, nullptr, nullptr).ok());
    std::string value;
    for (int i = 0; i < 5000; ++i) {
      ASSERT_TRUE(db_->Get({}, "key" + std::to_string(i), &value).ok()) << i;
    }
  }

  const TemporaryDirectory temporary_;
  std::unique_ptr<DB> db_;
};

// Neither of an empty database, nor of one with writes in its log, nor of one
// with tables.
TEST_F(ThreadTest, OpenReadAndCloseStartNone) {
  Options options;
  options.create_if_missing = true;
  for (int i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const int before = ThreadsCreated();
    ASSERT_TRUE(DB::Open(options, temporary_.Path("db"), &db_).ok());
    std::string value;
    EXPECT_EQ(db_->Get({}, "a", &value).ok(), i > 0);
    ASSERT_TRUE(db_->Put({}, "a", std::to_string(i)).ok());
    ASSERT_TRUE(db_->Close().ok());
    db_.reset();
    EXPECT_EQ(ThreadsCreated(), before);
  }
}

TEST_F(ThreadTest, DatabasesShareThem) {
  const int before = ThreadsCreated();
  std::vector<std::unique_ptr<DB>> databases(20);
  Options options;
  options.create_if_missing = true;
  for (auto& db : databases) {
    const auto i = std::to_string(&db - databases.data());
    ASSERT_TRUE(DB::Open(options, temporary_.Path("db" + i), &db).ok());
  }
  for (const auto& db : databases) {
    ASSERT_TRUE(db->Put({}, "a", "1").ok());
    ASSERT_TRUE(db->Flush({}).ok());
  }
  EXPECT_GT(ThreadsCreated(), before);
  EXPECT_LE(ThreadsCreated(), before + 4);
}

TEST_F(ThreadTest, WithoutAnyAFlushFailsByNameAndResumes) {
  ASSERT_TRUE(Open().ok());
  ASSERT_TRUE(db_->Put({}, "a", "1").ok());
  std::string value;
  {
    const ThreadLimit limit(0);
    const Status status = db_->Flush({});
    EXPECT_TRUE(status.IsTryAgain()) << status;
    EXPECT_NE(status.message().find("thread"), std::string::npos) << status;
    EXPECT_TRUE(db_->Put({}, "b", "2").IsTryAgain());
    EXPECT_TRUE(db_->Get({}, "a", &value).ok());
  }
  const Status status = db_->Resume();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(db_->Put({}, "b", "2").ok());
  EXPECT_TRUE(db_->Flush({}).ok());
  EXPECT_TRUE(db_->Close().ok());
  db_.reset();
  ASSERT_TRUE(Open().ok());
  EXPECT_TRUE(db_->Get({}, "a", &value).ok());
  EXPECT_TRUE(db_->Get({}, "b", &value).ok());
}

// With one thread, flushes and compactions share it.
TEST_F(ThreadTest, FewerThreadsDoAllTheWork) {
  for (const int n : {1, 2, 3, 5}) {
    SCOPED_TRACE(n);
    const ThreadLimit limit(n);
    const Status status = Open();
    ASSERT_TRUE(status.ok()) << status;
    Work();
    ASSERT_TRUE(db_->Close().ok());
    db_.reset();
  }
}

void* PutAndExit(void* argument) {
  auto* const db = static_cast<DB*>(argument);
  std::string value;
  Require(db->Put({}, "of a thread", "v").ok(), "put");
  Require(db->Get({}, "of a thread", &value).ok(), "get");
  ::pthread_exit(nullptr);
}

TEST_F(ThreadTest, MayEndByPthreadExit) {
  ASSERT_TRUE(Open().ok());
  for (int i = 0; i < 100; ++i) {
    pthread_t thread;
    ASSERT_EQ(::pthread_create(&thread, nullptr, PutAndExit, db_.get()), 0);
    ASSERT_EQ(::pthread_join(thread, nullptr), 0);
  }
  Work();
  EXPECT_TRUE(db_->Close().ok());
}

}  // namespace
}  // namespace tamis::process
