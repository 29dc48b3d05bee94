// SPDX-License-Identifier: Apache-2.0
//
// The guarantees of Close for the next open.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/db/test_db.h"
#include "tests/support/simulated_file_system.h"
#include "util/cache/block_cache.h"

namespace tamis {
namespace {

class CloseTest : public DBTest {};

TEST_F(CloseTest, WaitsForFileDeletions) {
  std::atomic<bool> removing{false};
  std::atomic<bool> closed{false};
  std::atomic<bool> removed_late{false};
  UseThreads();
  Open();
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    if (call.operation == "remove") {
      removing = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (closed) removed_late = true;
    }
    return Status::OK();
  });
  // The flush ends with the removal of the log that it made superfluous.
  Put("key", "value");
  FlushOptions no_wait;
  no_wait.wait = false;
  ASSERT_TRUE(db_->Flush(no_wait).ok());
  while (!removing) std::this_thread::yield();
  ASSERT_TRUE(db_->Close().ok());
  closed = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  db_.reset();
  fs_->SetFaultHook(nullptr);
  EXPECT_FALSE(removed_late);
}

// A reader of another database may be inside the epochs of a shared cache.
TEST_F(CloseTest, WaitsForNoReaderOfAnotherDatabase) {
  const auto cache = std::make_shared<BlockCache>(1 << 20);
  BlockBasedTableOptions table;
  table.block_cache = cache;
  SetTable(table);
  UseThreads();
  Open();
  const EpochDomain::Guard other(cache->epochs());
  for (int i = 0; i < 3; ++i) {
    Put("key", "value");
    Flush();
  }
  ASSERT_TRUE(db_->Close().ok());
  db_.reset();
}

TEST_F(CloseTest, FlushesUnloggedWritesUnlessToldNotTo) {
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  for (const bool avoid : {false, true}) {
    options_.avoid_flush_during_shutdown = avoid;
    for (const bool set_later : {false, true}) {
      Open();
      Put("logged", "1");
      ASSERT_TRUE(db_->Put(unlogged, "unlogged", "2").ok());
      const bool lost = avoid != set_later;
      if (set_later) {
        ASSERT_EQ(db_->SetDBOptions({{"avoid_flush_during_shutdown",
                                      lost ? "true" : "false"}}),
                  Status::OK());
      }
      ASSERT_EQ(db_->Close(), Status::OK());
      Reopen();
      EXPECT_EQ(Get("logged"), "1");
      EXPECT_EQ(Get("unlogged"), lost ? "NOT_FOUND" : "2");
      db_.reset();
      Destroy();
    }
  }
}

// The write waits for a flush, and Close for the write. Unlogged writes make
// Close flush first, while jobs still run.
TEST_F(CloseTest, EndsAWriteThatIsStopped) {
  std::atomic<bool> may_flush{false};
  UseThreads();
  options_.write_buffer_size = 64 << 10;
  options_.max_write_buffer_number = 2;
  Open();
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    while (call.path.ends_with(".sst") && !may_flush) std::this_thread::yield();
    return Status::OK();
  });
  std::atomic<bool> write_ended{false};
  Status written;
  std::thread writer([&] {
    WriteOptions unlogged;
    unlogged.disableWAL = true;
    for (int i = 0; written.ok(); ++i) {
      written = db_->Put(unlogged, Key(i), std::string(1000, 'v'));
    }
    write_ended = true;
  });
  const auto wait_until = [](const auto& done) {
    for (int i = 0; i < 30'000 && !done(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return done();
  };
  EXPECT_TRUE(
      wait_until([&] { return !LogLines("event=write_stop_start").empty(); }));
  Status closed;
  std::thread closer([&] { closed = db_->Close(); });
  EXPECT_TRUE(wait_until([&] { return write_ended.load(); }))
      << "the write waits for the flush";
  may_flush = true;
  writer.join();
  closer.join();
  fs_->SetFaultHook(nullptr);
  EXPECT_TRUE(written.IsShutdownInProgress()) << written;
  EXPECT_TRUE(closed.ok()) << closed;
}

// Keeps jobs, as if those of other databases were running.
class BusyJobRunner final : public JobRunner {
 public:
  ~BusyJobRunner() override { RunAll(); }
  void Schedule(JobPriority, std::function<void()> job) override {
    jobs_.push_back(std::move(job));
  }
  void Wait(std::unique_lock<std::mutex>&, std::condition_variable&,
            const std::function<bool()>& predicate) override {
    EXPECT_TRUE(predicate()) << "it would wait forever";
  }
  void RunAll() {
    for (const auto& job : std::exchange(jobs_, {})) job();
  }
  size_t waiting() const { return jobs_.size(); }

 private:
  std::vector<std::function<void()>> jobs_;
};

TEST_F(CloseTest, WaitsForNoJobOfAnotherDatabase) {
  const auto runner = std::make_shared<BusyJobRunner>();
  options_.job_runner = runner;
  Open();
  Put("key", "value");
  FlushOptions no_wait;
  no_wait.wait = false;
  ASSERT_TRUE(db_->Flush(no_wait).ok());
  EXPECT_EQ(runner->waiting(), 1u);
  ASSERT_TRUE(db_->Close().ok());
  db_.reset();
  runner->RunAll();  // finds nothing to do
  options_.job_runner = runner_;
  Open();
  EXPECT_EQ(Get("key"), "value");
}

class CloseAfterErrorTest : public DBTest {};

TEST_F(CloseAfterErrorTest, ReportsThatTheLogWasNotSynced) {
  Open();
  Put("a", "1");
  fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
    return call.operation == "append" && call.path.ends_with(".log")
               ? Status::IOError(call.path, "injected")
               : Status::OK();
  });
  EXPECT_TRUE(db_->Put(WriteOptions(), "b", "2").IsIOError());
  fs_->SetFaultHook(nullptr);
  EXPECT_TRUE(db_->Close().IsIOError());
  EXPECT_TRUE(db_->Close().ok());  // it is closed all the same
}

}  // namespace
}  // namespace tamis
