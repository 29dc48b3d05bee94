// SPDX-License-Identifier: Apache-2.0
//
// The leader of a write group writes for all, and each writer gets its own
// result, as if it had written alone.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/support/simulated_file_system.h"
#include "tests/support/wrapped_file_system.h"
#include "tests/support/wrapped_job_runner.h"

namespace tamis {
namespace {

// Counts the syncs of logs, and lets none of them end while it is shut.
class GatedFileSystem final : public WrappedFileSystem {
 public:
  GatedFileSystem() : WrappedFileSystem(NewSimulatedFileSystem()) {}

  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    const Status status = WrappedFileSystem::NewWritableFile(path, file);
    if (status.ok() && path.ends_with(".log")) {
      *file = std::make_unique<Log>(std::move(*file), this);
    }
    return status;
  }

  std::atomic<int> syncs{0};
  std::atomic<bool> shut{false};

 private:
  class Log final : public WrappedWritableFile {
   public:
    Log(std::unique_ptr<WritableFile> file, GatedFileSystem* of)
        : WrappedWritableFile(std::move(file)), of_(*of) {}
    Status Sync() override {
      ++of_.syncs;
      while (of_.shut) std::this_thread::yield();
      return WrappedWritableFile::Sync();
    }

   private:
    GatedFileSystem& of_;
  };
};

// Counts the threads that are waiting.
class CountingRunner final : public WrappedJobRunner {
 public:
  CountingRunner() : WrappedJobRunner(NewThreadJobRunner(1, 1)) {}
  void Wait(std::unique_lock<std::mutex>& lock,
            std::condition_variable& changed,
            const std::function<bool()>& predicate) override {
    ++waiting;
    WrappedJobRunner::Wait(lock, changed, predicate);
    --waiting;
  }

  std::atomic<int> waiting{0};
};

class WriteGroupConcurrencyTest : public testing::Test {
 protected:
  WriteGroupConcurrencyTest() {
    options_.create_if_missing = true;
    options_.file_system = fs_;
    options_.job_runner = runner_;
    EXPECT_TRUE(DB::Open(options_, "/db", &db_).ok());
  }

  struct Write {
    std::string value;
    bool sync;
  };
  // Puts "k" after a writer that holds the log, which has put "first". The
  // writes, in this order, are the next group.
  void WriteAsGroup(const std::vector<Write>& writes) {
    fs_->syncs = 0;
    fs_->shut = true;
    std::vector<std::thread> threads;
    const auto start = [&](const Write& write) {
      threads.emplace_back([this, write] {
        WriteOptions options;
        options.sync = write.sync;
        EXPECT_TRUE(db_->Put(options, "k", write.value).ok());
      });
    };
    start({"first", true});
    while (fs_->syncs == 0) std::this_thread::yield();
    for (size_t i = 0; i < writes.size(); ++i) {
      start(writes[i]);
      while (runner_->waiting <= static_cast<int>(i)) {
        std::this_thread::yield();
      }
    }
    fs_->shut = false;
    for (std::thread& thread : threads) thread.join();
  }

  const std::shared_ptr<GatedFileSystem> fs_ =
      std::make_shared<GatedFileSystem>();
  const std::shared_ptr<CountingRunner> runner_ =
      std::make_shared<CountingRunner>();
  Options options_;
  std::unique_ptr<DB> db_;
};

TEST_F(WriteGroupConcurrencyTest, ASyncRequestedByAFollowerIsDone) {
  WriteAsGroup({{"a", false}, {"b", true}, {"c", false}});
  EXPECT_EQ(fs_->syncs, 2);  // that of the first, and one for the group
  WriteAsGroup({{"a", false}, {"b", false}});
  EXPECT_EQ(fs_->syncs, 1);
}

TEST_F(WriteGroupConcurrencyTest, EachGetsItsOwnSequenceNumber) {
  WriteAsGroup({{"a", false}, {"b", false}, {"c", false}});
  EXPECT_EQ(db_->GetLatestSequenceNumber(), 4U);
  std::string value;
  ASSERT_TRUE(db_->Get(ReadOptions(), "k", &value).ok());
  EXPECT_EQ(value, "c");
  const Status flushed = db_->Flush(FlushOptions());
  ASSERT_TRUE(flushed.ok()) << flushed;
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].largest_seqno, 4U);
}

}  // namespace
}  // namespace tamis
