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
#include "tamis/job_runner.h"

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

TEST_F(ThreadTest, OpenFailsByNameWithoutAThread) {
  {
    const ThreadLimit limit(0);
    const Status status = Open();
    EXPECT_TRUE(status.IsTryAgain()) << status;
    EXPECT_NE(status.message().find("thread"), std::string::npos) << status;
    EXPECT_EQ(NewThreadJobRunner(1, 1), nullptr);
  }
  const Status status = Open();
  EXPECT_TRUE(status.ok()) << status;
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
