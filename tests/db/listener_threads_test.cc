// SPDX-License-Identifier: Apache-2.0
//
// Listeners that use the database, beside writes of other threads.
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/listener.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

// Without synchronization of its own, because calls come one at a time.
class Busy : public EventListener {
 public:
  void OnFlushBegin(DB* db, const FlushJobInfo& info) override {
    EXPECT_EQ(std::exchange(flushing_, info.job_id), 0);
    Use(db);
  }
  void OnFlushCompleted(DB* db, const FlushJobInfo& info) override {
    EXPECT_EQ(std::exchange(flushing_, 0), info.job_id);
    EXPECT_GE(sealed_, 1);
    ++flushes;
    Use(db);
  }
  void OnCompactionBegin(DB* db, const CompactionJobInfo&) override {
    ++compacting_;
    Use(db);
  }
  void OnCompactionCompleted(DB* db, const CompactionJobInfo&) override {
    --compacting_;
    EXPECT_GE(compacting_, 0);
    Use(db);
  }
  void OnTableFileCreationStarted(const TableFileCreationBriefInfo&) override {
    ++tables_;
  }
  void OnTableFileCreated(const TableFileCreationInfo& info) override {
    // Aborted: a compaction that Close has cancelled.
    EXPECT_TRUE(info.status.ok() || info.status.IsAborted()) << info.status;
    EXPECT_GE(--tables_, 0);
  }
  void OnMemTableSealed(const MemTableInfo&) override { ++sealed_; }

  bool IsComplete() const {
    return flushing_ == 0 && compacting_ == 0 && tables_ == 0;
  }
  int flushes = 0;

 private:
  void Use(DB* db) {
    std::string value;
    const Status read = db->Get({}, "listener", &value);
    EXPECT_TRUE(read.ok() || read.IsNotFound() || read.IsShutdownInProgress())
        << read;
    const Status written = db->Put({}, "listener", std::string(200, 'x'));
    EXPECT_TRUE(written.ok() || written.IsShutdownInProgress()) << written;
    if (++uses_ % 8 == 0) {
      const Status flushed = db->Flush({.wait = false});
      EXPECT_TRUE(flushed.ok() || flushed.IsShutdownInProgress()) << flushed;
    }
    db->GetProperty(DB::Properties::kStats, &value);
  }

  int flushing_ = 0;  // the job
  int compacting_ = 0;
  int tables_ = 0;
  int sealed_ = 0;
  int uses_ = 0;
};

class ListenerThreadsTest : public DBTest {};

TEST_F(ListenerThreadsTest, UsesTheDatabaseBesideWriters) {
  for (int round = 0; round < 3; ++round) {
    const auto listener = std::make_shared<Busy>();
    UseThreads();
    options_.listeners = {listener};
    options_.write_buffer_size = 64 << 10;
    options_.target_file_size_base = 16 << 10;
    options_.max_bytes_for_level_base = 64 << 10;
    options_.max_background_jobs = 4;
    Open();
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([this, t] {
        for (int i = 0; i < 2000; ++i) {
          Put(Key(i * 3 + t), Noise(100, static_cast<uint64_t>(i)));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    Flush();
    // After Close, it is not called, and knows all that had begun.
    ASSERT_TRUE(db_->Close().ok());
    EXPECT_TRUE(listener->IsComplete());
    EXPECT_GE(listener->flushes, 3);
    Destroy();
  }
}

// Without synchronization of its own: those that read a count waited for it.
class Counter : public EventListener {
 public:
  void OnFlushCompleted(DB*, const FlushJobInfo& info) override {
    ++flushes.at(info.cf_name);
  }
  void OnCompactionCompleted(DB*, const CompactionJobInfo& info) override {
    ++compactions.at(info.cf_name);
  }

  std::map<std::string, int> flushes{{"0", 0}, {"1", 0}, {"2", 0}};
  std::map<std::string, int> compactions = flushes;
};

TEST_F(ListenerThreadsTest, CallsThatWaitReturnWhenListenersKnow) {
  const auto counter = std::make_shared<Counter>();
  UseThreads();
  options_.listeners = {counter};
  options_.disable_auto_compactions = true;
  Open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([this, t, &counter] {
      const std::string name = std::to_string(t);
      ColumnFamilyHandle* family = nullptr;
      ASSERT_EQ(db_->CreateColumnFamily(options_, name, &family), Status::OK());
      for (int i = 1; i <= 50; ++i) {
        ASSERT_EQ(db_->Put({}, family, "key", "value"), Status::OK());
        ASSERT_EQ(db_->Flush({}, family), Status::OK());
        EXPECT_EQ(counter->flushes.at(name), i);
        if (i % 10 != 0) continue;
        ASSERT_EQ(db_->CompactRange({}, family, nullptr, nullptr),
                  Status::OK());
        EXPECT_GE(counter->compactions.at(name), i / 10);
      }
      ASSERT_EQ(db_->DestroyColumnFamilyHandle(family), Status::OK());
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tamis
