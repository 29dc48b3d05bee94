// SPDX-License-Identifier: Apache-2.0
//
// A disk that fails and recovers repeatedly, while threads write to several
// families. Acknowledged writes are kept, and batches remain atomic.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_families.h"

namespace tamis {
namespace {

class ErrorThreadsTest : public FamiliesTest {
 protected:
  ErrorThreadsTest() {
    options_.job_runner = nullptr;  // threads
    options_.max_background_jobs = 3;
    options_.bgerror_resume_retry_interval = 50;
    options_.write_buffer_size = 64 << 10;
    options_.level0_file_num_compaction_trigger = 2;
  }
  void FailAt(const std::string& operation, const std::string& path) {
    fs_->SetFaultHook([=](const SimulatedFileSystem::Call& call) {
      return call.operation == operation &&
                     call.path.find(path) != std::string::npos
                 ? Status::NoSpace(call.path, "injected")
                 : Status::OK();
    });
  }
  // No log can be written, and none be begun.
  void FailLogs() {
    fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
      return call.path.ends_with(".log")
                 ? Status::NoSpace(call.path, "injected")
                 : Status::OK();
    });
  }
};

// All writers have ended.
TEST_F(ErrorThreadsTest, AnIdleDatabaseResumesByItself) {
  options_.bgerror_resume_retry_interval = 2000;
  options_.clock = NewSystemClock();
  MakeFamilies({"a"});
  ASSERT_TRUE(PutInAll({"default", "a"}, "kept", "v").ok());
  FailLogs();
  EXPECT_FALSE(PutInAll({"default", "a"}, "lost", "v").ok());
  uint64_t errors = 0;
  const auto has_error = [&] {
    EXPECT_TRUE(
        db_->GetIntProperty(DB::Properties::kBackgroundErrors, &errors));
    return errors != 0;
  };
  // It tries, and fails, and tries again.
  for (int i = 0; i < 30'000 && LogLines("event=resume_end").size() < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GE(LogLines("event=resume_end").size(), 3U);
  EXPECT_TRUE(LogLines("event=resume_end status=OK").empty());
  fs_->SetFaultHook(nullptr);
  for (int i = 0; i < 30'000 && has_error(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(has_error());
  EXPECT_EQ(GetIn("a", "kept"), "v");
  EXPECT_EQ(GetIn("a", "lost"), "NOT_FOUND");
  EXPECT_TRUE(PutInAll({"default", "a"}, "new", "v").ok());
}

// A database that is closed, or has no retries, does not resume.
TEST_F(ErrorThreadsTest, CloseEndsTheRetries) {
  options_.bgerror_resume_retry_interval = 1;
  options_.clock = NewSystemClock();
  for (int round = 0; round < 50; ++round) {
    MakeFamilies({"a"});
    FailLogs();
    EXPECT_FALSE(PutInAll({"default", "a"}, "lost", "v").ok());
    std::this_thread::sleep_for(std::chrono::microseconds(round * 20));
    CloseAll();
    fs_->SetFaultHook(nullptr);
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
  }
}

TEST_F(ErrorThreadsTest, ManyErrorsLoseNoAcknowledgedWrite) {
  constexpr int kWriters = 3;
  MakeFamilies({"a"});
  std::atomic<bool> stop{false};
  std::vector<std::vector<std::string>> acknowledged(kWriters);
  std::vector<std::thread> threads;
  for (size_t w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      for (int i = 0; !stop; ++i) {
        const std::string key = std::to_string(w) + Key(i);
        const Status status =
            PutInAll({"default", "a"}, key, key + Noise(800, 1));
        EXPECT_TRUE(status.ok() || status.IsIOError()) << status;
        if (status.ok()) acknowledged[w].push_back(key);
      }
    });
  }
  // Creates and drops families, or fails to.
  threads.emplace_back([&] {
    while (!stop) {
      ColumnFamilyHandle* handle = nullptr;
      if (!db_->CreateColumnFamily(options_, "short", &handle).ok()) continue;
      db_->Put(WriteOptions(), handle, "k", "v").PermitUncheckedError();
      while (!stop && !db_->DropColumnFamily(handle).ok()) {
      }
      EXPECT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
    }
  });
  const std::vector<std::pair<const char*, const char*>> faults = {
      {"flush", ".log"},      {"append", ".sst"}, {"sync", "MANIFEST"},
      {"create", "MANIFEST"}, {"create", ".log"}, {"sync", ".sst"},
      {"append", "MANIFEST"}, {"sync_dir", "db"}};
  const auto resumes = [&] {
    return LogLines("event=resume_end status=OK").size();
  };
  for (int round = 0; round < 40 || (resumes() <= 5 && round < 1000); ++round) {
    const auto& [operation, path] =
        faults[static_cast<size_t>(round) % faults.size()];
    FailAt(operation, path);
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    fs_->SetFaultHook(nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();

  const auto check = [&] {
    EXPECT_EQ(ContentsOf("default"), ContentsOf("a"));
    for (const auto& keys : acknowledged) {
      EXPECT_FALSE(keys.empty());
      for (const std::string& key : keys) {
        EXPECT_EQ(GetIn("a", key), key + Noise(800, 1));
      }
    }
  };
  // It resumes automatically.
  Status status = Status::Aborted("not tried");
  for (int i = 0; i < 100 && !status.ok(); ++i) {
    status = PutInAll({"default", "a"}, "last", "v");
  }
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_GT(resumes(), 5u);
  check();
  ASSERT_TRUE(db_->SyncWAL().ok());
  PowerCut();
  const std::vector<std::string> listed = Listed();
  OpenFamilies(Names(listed.begin(), listed.end()));
  check();
}

}  // namespace
}  // namespace tamis
