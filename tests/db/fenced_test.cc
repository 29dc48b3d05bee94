// SPDX-License-Identifier: Apache-2.0
//
// A database whose lock is lost: another owner has taken it over. From then on
// every call fails, and not a byte of its files changes.
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/iterator.h"

#include "tests/db/test_families.h"
#include "tests/support/wrapped_file_system.h"

namespace tamis {
namespace {

// Records who holds the lock. Take gives it to another owner, and calls what
// the holder registered.
class Ownership {
 public:
  void Register(std::function<void(const Status&)> lost) {
    std::function<void(const Status&)> call;
    Status why;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      lost_ = std::move(lost);
      if (taken_.ok()) return;
      std::swap(call, lost_);
      why = taken_;
    }
    if (call) call(why);
  }
  void Take(const Status& why) {
    std::function<void(const Status&)> call;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      taken_ = why;
      std::swap(call, lost_);
    }
    if (call) call(why);
  }
  bool registered() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lost_ != nullptr;
  }

 private:
  std::mutex mutex_;
  std::function<void(const Status&)> lost_;
  Status taken_;
};

class TakenLock : public FileLock {
 public:
  TakenLock(std::unique_ptr<FileLock> base, Ownership* owner)
      : base_(std::move(base)), owner_(*owner) {}
  void WhenLost(std::function<void(const Status&)> lost) override {
    owner_.Register(std::move(lost));
  }

 private:
  const std::unique_ptr<FileLock> base_;
  Ownership& owner_;
};

class TakenFileSystem : public WrappedFileSystem {
 public:
  TakenFileSystem(std::shared_ptr<FileSystem> base, Ownership* owner)
      : WrappedFileSystem(std::move(base)), owner_(*owner) {}
  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* lock) override {
    std::unique_ptr<FileLock> base;
    const Status status = WrappedFileSystem::LockFile(path, &base);
    if (status.ok()) {
      *lock = std::make_unique<TakenLock>(std::move(base), &owner_);
    }
    return status;
  }

 private:
  Ownership& owner_;
};

class FencedTest : public FamiliesTest {
 protected:
  FencedTest() {
    options_.file_system = std::make_shared<TakenFileSystem>(fs_, &owner_);
    options_.level0_file_num_compaction_trigger = 2;
  }

  // Every file of the directory but LOG.
  std::map<std::string, std::string> Contents() {
    std::map<std::string, std::string> contents;
    std::vector<std::string> names;
    EXPECT_EQ(fs_->GetChildren(kTestDirectory, &names), Status::OK());
    for (const std::string& name : names) {
      if (name.starts_with("LOG") || name == "lost") continue;
      std::string bytes;
      EXPECT_EQ(
          ReadFileToString(fs_.get(), std::string(kTestDirectory) + "/" + name,
                           &bytes),
          Status::OK());
      contents[name] = bytes;
    }
    return contents;
  }

  Ownership owner_;
};

TEST_F(FencedTest, EveryCallFailsAndNoFileChanges) {
  Open();
  Put("a", "1");
  MakeLevel0Files(2);  // a compaction is due
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_EQ(db_->Put(unlogged, "u", "1"), Status::OK());
  const auto before = Contents();
  owner_.Take(Status::IOFenced("epoch 2 has the database"));

  std::string value;
  PinnableSlice pinned;
  const Slice key = "a";
  Status one;
  db_->MultiGet({}, db_->DefaultColumnFamily(), 1, &key, &pinned, &one);
  const std::unique_ptr<Iterator> it(db_->NewIterator({}));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  for (const Status& status :
       {db_->Get({}, "a", &value), one, it->status(), db_->Put({}, "a", "2"),
        db_->Put(unlogged, "a", "2"), db_->Delete({}, "a"), db_->Flush({}),
        db_->CompactRange({}, nullptr, nullptr), db_->Resume(),
        db_->FlushWAL(true), db_->SyncWAL(), db_->WaitForCompact({}),
        db_->SetOptions({{"write_buffer_size", "1000000"}}),
        db_->VerifyChecksum()}) {
    EXPECT_TRUE(status.IsIOFenced()) << status;
  }
  RunJobs();
  EXPECT_TRUE(db_->Close().IsIOFenced());
  db_.reset();
  EXPECT_EQ(Contents(), before);
}

TEST_F(FencedTest, ALossBeforeTheOpenHasEndedIsNotLost) {
  owner_.Take(Status::IOFenced("too late"));
  Open();
  std::string value;
  EXPECT_TRUE(db_->Get({}, "a", &value).IsIOFenced());
  EXPECT_TRUE(db_->Close().IsIOFenced());
  db_.reset();
}

TEST_F(FencedTest, ALossAfterCloseIsNobodys) {
  Open();
  EXPECT_TRUE(owner_.registered());
  Put("a", "1");
  EXPECT_EQ(db_->Close(), Status::OK());
  EXPECT_FALSE(owner_.registered());
  owner_.Take(Status::IOFenced("the next owner"));
  db_.reset();
}

// The file system refuses a write before it tells that the lock is lost.
TEST_F(FencedTest, ARefusedWriteIsNotRetried) {
  Open();
  fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
    return call.path.ends_with(".sst") ? Status::IOFenced(call.path)
                                       : Status::OK();
  });
  Put("a", "1");
  EXPECT_TRUE(db_->Flush({}).IsIOFenced());
  fs_->SetFaultHook(nullptr);
  clock_->SleepForMicroseconds(60'000'000);
  RunJobs();
  EXPECT_TRUE(db_->Put({}, "a", "2").IsIOFenced());
}

class FencedThreadsTest : public FencedTest {
 protected:
  FencedThreadsTest() { UseThreads(); }
};

TEST_F(FencedThreadsTest, EveryThreadEnds) {
  options_.write_buffer_size = 64 << 10;
  options_.max_write_buffer_number = 2;
  Open();
  std::vector<Status> ends(4);
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    for (uint64_t i = 0; ends[0].ok(); ++i) {
      ends[0] = db_->Put({}, Key(static_cast<int>(i % 1000)), Noise(1000, i));
    }
  });
  threads.emplace_back([&] {
    std::string value;
    while (ends[1].ok() || ends[1].IsNotFound()) {
      ends[1] = db_->Get({}, Key(7), &value);
    }
  });
  threads.emplace_back([&] {
    while (ends[2].ok()) ends[2] = db_->CompactRange({}, nullptr, nullptr);
  });
  threads.emplace_back([&] {
    while (ends[3].ok()) ends[3] = db_->Flush({});
  });
  uint64_t bytes = 0;
  while (bytes < (1 << 20)) {
    ASSERT_TRUE(db_->GetIntProperty("rocksdb.total-sst-files-size", &bytes));
    std::this_thread::yield();
  }
  owner_.Take(Status::IOFenced("another owner"));
  for (std::thread& thread : threads) thread.join();
  for (const Status& end : ends) EXPECT_TRUE(end.IsIOFenced()) << end;
  EXPECT_TRUE(db_->Close().IsIOFenced());
  db_.reset();
}

}  // namespace
}  // namespace tamis
