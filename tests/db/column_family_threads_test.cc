// SPDX-License-Identifier: Apache-2.0
//
// Threads create and drop families while others write and read. Batches across
// families must be atomic, and no write to a family that was not dropped may
// fail or be lost.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class ColumnFamilyThreadsTest : public DBTest {
 protected:
  using Handle = std::unique_ptr<ColumnFamilyHandle>;

  ColumnFamilyThreadsTest() {
    UseThreads();
    options_.write_buffer_size = 64 << 10;
    options_.level0_file_num_compaction_trigger = 2;
    options_.max_background_jobs = 3;
    options_.max_total_wal_size = 64 << 10;
    Open();
    stays_ = Create("stays");
  }
  Handle Create(const std::string& name) {
    ColumnFamilyHandle* handle = nullptr;
    const Status status = db_->CreateColumnFamily(options_, name, &handle);
    EXPECT_TRUE(status.ok()) << status;
    return Handle(handle);
  }

  Handle stays_;
};

TEST_F(ColumnFamilyThreadsTest,
       BatchesStayAtomicWhileFamiliesAreCreatedAndDropped) {
  constexpr int kRounds = 800;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  // The same value in two families, by one batch.
  threads.emplace_back([&] {
    for (int i = 1; i <= kRounds; ++i) {
      const std::string value = std::to_string(i) + Noise(200, 1);
      WriteBatch batch;
      EXPECT_TRUE(batch.Put(db_->DefaultColumnFamily(), "k", value).ok());
      EXPECT_TRUE(batch.Put(stays_.get(), "k", value).ok());
      EXPECT_TRUE(batch.Put(stays_.get(), Key(i), value).ok());
      const Status status = db_->Write(WriteOptions(), &batch);
      EXPECT_TRUE(status.ok()) << status;
    }
    stop = true;
  });
  // A family that lives for a few writes.
  threads.emplace_back([&] {
    for (int round = 0; !stop; ++round) {
      const Handle handle = Create("short");
      for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(
            db_->Put(WriteOptions(), handle.get(), Key(i), Noise(1000, 2))
                .ok());
      }
      if (round % 2 == 0) {
        EXPECT_TRUE(db_->Flush(FlushOptions(), handle.get()).ok());
      }
      EXPECT_TRUE(db_->DropColumnFamily(handle.get()).ok());
      std::string value;
      EXPECT_TRUE(db_->Get(ReadOptions(), handle.get(), Key(7), &value).ok());
    }
  });
  threads.emplace_back([&] {
    while (!stop) {
      std::vector<std::string> values;
      const auto statuses = db_->MultiGet(
          ReadOptions(), {db_->DefaultColumnFamily(), stays_.get()}, {"k", "k"},
          &values);
      EXPECT_EQ(statuses[0], statuses[1]);
      EXPECT_EQ(values[0], values[1]);
      std::vector<Iterator*> iterators;
      EXPECT_TRUE(db_->NewIterators(ReadOptions(),
                                    {stays_.get(), db_->DefaultColumnFamily()},
                                    &iterators)
                      .ok());
      for (Iterator* it : iterators) it->Seek("k");
      EXPECT_EQ(iterators[0]->Valid(), iterators[1]->Valid());
      if (iterators[0]->Valid() && iterators[1]->Valid()) {
        EXPECT_EQ(iterators[0]->value().ToString(),
                  iterators[1]->value().ToString());
      }
      for (Iterator* it : iterators) delete it;
    }
  });
  for (std::thread& thread : threads) thread.join();
  for (int i = 1; i <= kRounds; ++i) {
    std::string value;
    EXPECT_TRUE(db_->Get(ReadOptions(), stays_.get(), Key(i), &value).ok());
  }
  stays_.reset();
  ASSERT_TRUE(db_->Close().ok());
  std::vector<std::string> names;
  ASSERT_TRUE(DB::ListColumnFamilies(options_, kTestDirectory, &names).ok());
  EXPECT_EQ(names, (std::vector<std::string>{"default", "stays"}));
}

// Writers lead and follow in groups, and switch memtables. Each batch sets the
// writer's key to one value in both families.
TEST_F(ColumnFamilyThreadsTest, AReaderSeesAllOfABatchBesideSeveralWriters) {
  constexpr int kWriters = 4;
  constexpr int kRounds = 300;
  constexpr int kWritesPerWriter = 100;
  std::atomic<bool> stop{false};
  std::atomic<int> busy_writers{kWriters};
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      for (int i = 1; !stop; ++i) {
        const std::string value = std::to_string(i) + Noise(200, 1);
        WriteBatch batch;
        EXPECT_TRUE(batch.Put(db_->DefaultColumnFamily(), Key(w), value).ok());
        EXPECT_TRUE(batch.Put(stays_.get(), Key(w), value).ok());
        const Status status = db_->Write(WriteOptions(), &batch);
        EXPECT_TRUE(status.ok()) << status;
        if (i == kWritesPerWriter) --busy_writers;
      }
    });
  }
  const auto scan_both = [this] {
    std::vector<Iterator*> iterators;
    EXPECT_TRUE(db_->NewIterators(ReadOptions(),
                                  {db_->DefaultColumnFamily(), stays_.get()},
                                  &iterators)
                    .ok());
    std::vector<std::string> contents;
    for (Iterator* it : iterators) {
      std::string& text = contents.emplace_back();
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        text += it->key().ToString() + it->value().ToString();
      }
      EXPECT_TRUE(it->status().ok());
      delete it;
    }
    return contents;
  };
  for (int round = 0; (round < kRounds || busy_writers > 0) && !HasFailure();
       ++round) {
    const auto scanned = scan_both();
    EXPECT_EQ(scanned[0], scanned[1]);
    ReadOptions at;
    at.snapshot = db_->GetSnapshot();
    for (int w = 0; w < kWriters; ++w) {
      std::vector<std::string> values;
      auto statuses = db_->MultiGet(ReadOptions(),
                                    {db_->DefaultColumnFamily(), stays_.get()},
                                    {Key(w), Key(w)}, &values);
      EXPECT_EQ(statuses[0], statuses[1]);
      EXPECT_EQ(values[0], values[1]);
      std::string first;
      std::string second;
      EXPECT_EQ(db_->Get(at, db_->DefaultColumnFamily(), Key(w), &first),
                db_->Get(at, stays_.get(), Key(w), &second));
      EXPECT_EQ(first, second);
    }
    db_->ReleaseSnapshot(at.snapshot);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  std::string last;
  EXPECT_TRUE(db_->Get(ReadOptions(), Key(0), &last).ok());
}

// A writer that was checked before the drop is checked again, or is before it.
TEST_F(ColumnFamilyThreadsTest, AWriteDuringADropSucceedsOrIsRefused) {
  for (int round = 0; round < 30; ++round) {
    const Handle handle = Create("target");
    std::vector<std::thread> writers;
    std::atomic<int> done{0};
    for (int w = 0; w < 2; ++w) {
      writers.emplace_back([&, w] {
        for (int i = 0;; ++i) {
          WriteBatch batch;
          const std::string key = std::to_string(w) + Key(i);
          EXPECT_TRUE(batch.Put(handle.get(), key, "v").ok());
          EXPECT_TRUE(batch.Put(stays_.get(), key, "v").ok());
          const Status status = db_->Write(WriteOptions(), &batch);
          if (status.ok()) {
            ++done;
            continue;
          }
          EXPECT_TRUE(status.IsInvalidArgument()) << status;
          return;
        }
      });
    }
    while (done < 5) std::this_thread::yield();
    EXPECT_TRUE(db_->DropColumnFamily(handle.get()).ok());
    for (std::thread& writer : writers) writer.join();
    EXPECT_TRUE(db_->Put(WriteOptions(), "k", "v").ok());
  }
}

}  // namespace
}  // namespace tamis
