// SPDX-License-Identifier: Apache-2.0
//
// GetUpdatesSince beside writers, flushes, and an archive that deletes logs.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class UpdatesThreadsTest : public DBTest {
 protected:
  static constexpr int kWriters = 3;
  static constexpr int kWrites = 1500;  // of each

  UpdatesThreadsTest() {
    UseThreads();
    fs_->SetStoresInPlace(true);
    options_.write_buffer_size = 64 << 10;
    options_.level0_file_num_compaction_trigger = 2;
    options_.WAL_size_limit_MB = 1000;
  }

  // Starts writers, whose batches have 1 to 4 entries.
  void StartWriters() {
    for (int w = 0; w < kWriters; ++w) {
      threads_.emplace_back([this, w] {
        for (int i = 0; i < kWrites; ++i) {
          WriteBatch batch;
          for (int n = 0; n <= i % 4; ++n) {
            ASSERT_EQ(batch.Put(Key(i) + std::to_string(w),
                                Noise(static_cast<size_t>(i % 300), 301)),
                      Status::OK());
          }
          ASSERT_EQ(db_->Write(WriteOptions(), &batch), Status::OK());
        }
        ++ended_;
      });
    }
  }
  void Join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::vector<std::thread> threads_;
  std::atomic<int> ended_{0};
};

// Several readers follow the writers. Each sees every sequence number once, in
// order, and never one that a reader of the database does not see yet.
TEST_F(UpdatesThreadsTest, AFollowerSeesEveryWriteOnce) {
  Open();
  Put("first", "1");
  StartWriters();
  std::vector<std::thread> followers;
  for (int f = 0; f < 2; ++f) {
    followers.emplace_back([this] {
      std::unique_ptr<TransactionLogIterator> updates;
      ASSERT_EQ(db_->GetUpdatesSince(1, &updates), Status::OK());
      SequenceNumber next = 1;
      bool ended = false;
      for (;; updates->Next()) {
        ASSERT_EQ(updates->status(), Status::OK());
        if (!updates->Valid()) {
          if (ended) break;
          ended = ended_ == kWriters;
          std::this_thread::yield();
          continue;
        }
        const BatchResult result = updates->GetBatch();
        ASSERT_EQ(result.sequence, next);
        next += static_cast<SequenceNumber>(result.writeBatchPtr->Count());
        ASSERT_LE(next - 1, db_->GetLatestSequenceNumber());
      }
      EXPECT_EQ(next - 1, db_->GetLatestSequenceNumber());
    });
  }
  while (ended_ < kWriters) {
    EXPECT_EQ(db_->Flush(FlushOptions()), Status::OK());
    VectorLogPtr logs;
    EXPECT_EQ(db_->GetSortedWalFiles(logs), Status::OK());
    EXPECT_GE(logs.size(), 1u);
  }
  Join();
  for (std::thread& follower : followers) follower.join();
}

// A reader that is too slow is told so; it never skips anything silently.
TEST_F(UpdatesThreadsTest, LogsThatAreDeletedAreReported) {
  options_.WAL_size_limit_MB = 0;  // every obsolete log is deleted at once
  Open();
  Put("first", "1");
  StartWriters();
  bool ended = false;
  SequenceNumber next = 1;
  while (!ended) {
    ended = ended_ == kWriters;
    std::unique_ptr<TransactionLogIterator> updates;
    ASSERT_EQ(db_->GetUpdatesSince(next, &updates), Status::OK());
    if (updates->Valid()) {
      const BatchResult result = updates->GetBatch();
      ASSERT_GE(result.sequence +
                    static_cast<SequenceNumber>(result.writeBatchPtr->Count()),
                next);
      next = result.sequence +
             static_cast<SequenceNumber>(result.writeBatchPtr->Count());
      updates->Next();
    }
    for (; updates->Valid(); updates->Next()) {
      const BatchResult result = updates->GetBatch();
      ASSERT_EQ(result.sequence, next);
      next += static_cast<SequenceNumber>(result.writeBatchPtr->Count());
    }
    const Status status = updates->status();
    ASSERT_TRUE(status.ok() || status.IsNotFound() || status.IsTryAgain())
        << status;
    next = std::min(next, db_->GetLatestSequenceNumber());
    EXPECT_EQ(db_->Flush(FlushOptions()), Status::OK());
  }
  Join();
}

// File deletions are disabled while a program copies what is listed.
TEST_F(UpdatesThreadsTest, ListedLogsStayWhileDeletionsAreDisabled) {
  options_.WAL_size_limit_MB = 1;
  Open();
  StartWriters();
  for (bool ended = false; !ended;) {
    ended = ended_ == kWriters;
    EXPECT_EQ(db_->DisableFileDeletions(), Status::OK());
    VectorLogPtr logs;
    EXPECT_EQ(db_->GetSortedWalFiles(logs), Status::OK());
    for (const auto& log : logs) {
      EXPECT_EQ(fs_->FileExists(kTestDirectory + log->PathName()), Status::OK())
          << log->PathName();
    }
    EXPECT_EQ(db_->EnableFileDeletions(), Status::OK());
    EXPECT_EQ(db_->Flush(FlushOptions()), Status::OK());
  }
  Join();
}

}  // namespace
}  // namespace tamis
