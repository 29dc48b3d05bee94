// SPDX-License-Identifier: Apache-2.0
//
// Many threads on one database. Every value names its key and a round, so that
// a reader can tell a right answer from a torn or misplaced one.
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "tests/support/effort.h"
#include "util/base/random.h"

namespace tamis {
namespace {

class DBConcurrencyTest : public DBTest {
 protected:
  DBConcurrencyTest() {
    UseThreads();
    options_.write_buffer_size = 64 << 10;
    options_.target_file_size_base = 16 << 10;
    options_.max_bytes_for_level_base = 64 << 10;
    options_.level0_file_num_compaction_trigger = 2;
    options_.max_background_jobs = 4;
  }
  ~DBConcurrencyTest() override { Join(); }
  // Runs the function again and again until Join.
  void Start(std::function<void(Random*)> work) {
    const uint64_t seed = threads_.size() + 1;
    std::atomic<int>& rounds = rounds_.emplace_back(0);
    threads_.emplace_back([this, seed, &rounds, work = std::move(work)] {
      Random random(seed);
      for (; !stop_.load(std::memory_order_relaxed); ++rounds) work(&random);
    });
  }
  // Runs until each thread has repeated its work this often, on fast and slow
  // machines. Threads that are done continue until the last one is.
  void RunRounds(int each) {
    for (const std::atomic<int>& rounds : rounds_) {
      while (rounds < each) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    Join();
  }
  void Join() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    rounds_.clear();
    stop_ = false;
  }

  static std::string Value(int key, uint64_t round) {
    return std::to_string(key) + ":" + std::to_string(round) + ":" +
           std::string(static_cast<size_t>(round % 400), 'v');
  }
  // The round, after everything else about the value was checked.
  static uint64_t RoundOf(int key, const Slice& value) {
    const std::string text = value.ToString();
    const size_t colon = text.find(':');
    EXPECT_EQ(text.substr(0, colon), std::to_string(key));
    const uint64_t round = std::strtoull(text.c_str() + colon + 1, nullptr, 10);
    EXPECT_EQ(text, Value(key, round));
    return round;
  }

  std::vector<std::thread> threads_;
  std::deque<std::atomic<int>> rounds_;  // of each thread
  std::atomic<bool> stop_{false};
};

TEST_F(DBConcurrencyTest, ConcurrentOperationsKeepEveryPromise) {
  Open();
  constexpr int kWriters = 3;
  constexpr int kKeysEach = 60;
  constexpr int kKeys = kWriters * kKeysEach;
  // The last acknowledged round of each key.
  std::vector<std::atomic<uint64_t>> written(kKeys);
  for (int key = 0; key < kKeys; ++key) {
    ASSERT_TRUE(db_->Put(WriteOptions(), Key(key), Value(key, 1)).ok());
    written[static_cast<size_t>(key)] = 1;
  }
  for (int w = 0; w < kWriters; ++w) {
    Start([this, w, &written](Random* random) {
      const int key =
          w * kKeysEach + static_cast<int>(random->Uniform(kKeysEach));
      std::atomic<uint64_t>& round = written[static_cast<size_t>(key)];
      const uint64_t next = round + 1;
      WriteOptions options;
      options.sync = random->Uniform(20) == 0;
      WriteBatch batch;
      if (random->Uniform(4) == 0) {
        ASSERT_TRUE(batch.Delete(Key(key)).ok());
      }
      ASSERT_TRUE(batch.Put(Key(key), Value(key, next)).ok());
      const Status status = db_->Write(options, &batch);
      ASSERT_TRUE(status.ok()) << status;
      round.store(next, std::memory_order_release);
      if (random->Uniform(50) == 0) {
        // A writer reads its own writes.
        std::string value;
        ASSERT_TRUE(db_->Get(ReadOptions(), Key(key), &value).ok());
        EXPECT_EQ(RoundOf(key, value), next);
      }
    });
  }
  for (int r = 0; r < 2; ++r) {
    Start([this, &written](Random* random) {
      const int key = static_cast<int>(random->Uniform(kKeys));
      const uint64_t at_least =
          written[static_cast<size_t>(key)].load(std::memory_order_acquire);
      PinnableSlice value;
      const Status status =
          db_->Get(ReadOptions(), db_->DefaultColumnFamily(), Key(key), &value);
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_GE(RoundOf(key, value), at_least);
    });
  }
  Start([this, &written](Random* random) {  // iterates
    std::vector<uint64_t> at_least;
    for (const auto& round : written) {
      at_least.push_back(round.load(std::memory_order_acquire));
    }
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    std::vector<uint64_t> forward;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      const int key = static_cast<int>(forward.size());
      ASSERT_EQ(it->key(), Slice(Key(key)));
      forward.push_back(RoundOf(key, it->value()));
      EXPECT_GE(forward.back(), at_least[static_cast<size_t>(key)]);
    }
    ASSERT_TRUE(it->status().ok()) << it->status();
    ASSERT_EQ(forward.size(), static_cast<size_t>(kKeys));
    if (random->Uniform(2) == 0) std::this_thread::yield();
    int key = kKeys;
    for (it->SeekToLast(); it->Valid(); it->Prev()) {
      --key;
      EXPECT_EQ(RoundOf(key, it->value()), forward[static_cast<size_t>(key)]);
    }
    EXPECT_EQ(key, 0);
  });
  Start([this](Random* random) {  // snapshots
    const Snapshot* snapshot = db_->GetSnapshot();
    ReadOptions options;
    options.snapshot = snapshot;
    const int key = static_cast<int>(random->Uniform(kKeys));
    uint64_t first = 0;
    for (int i = 0; i < 20; ++i) {
      std::string value;
      const Status status = db_->Get(options, Key(key), &value);
      ASSERT_TRUE(status.ok()) << status;
      const uint64_t round = RoundOf(key, value);
      if (i == 0) first = round;
      EXPECT_EQ(round, first);
      std::this_thread::yield();
    }
    db_->ReleaseSnapshot(snapshot);
  });
  Start([this](Random* random) {  // maintenance
    FlushOptions flush;
    flush.wait = random->Uniform(2) == 0;
    const Slice begin("key000050");
    CompactRangeOptions compact;
    Status status;
    switch (random->Uniform(6)) {
      case 0:
        status = db_->Flush(flush);
        break;
      case 1:
        status = db_->CompactRange(compact, nullptr, nullptr);
        break;
      case 2:
        compact.bottommost_level_compaction = BottommostLevelCompaction::kForce;
        status = db_->CompactRange(compact, &begin, nullptr);
        break;
      case 3:
        status = db_->FlushWAL(true);
        break;
      case 4:
        status = db_->Resume();
        break;
      default:
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    EXPECT_TRUE(status.ok()) << status;
  });
  Start([this](Random*) {  // questions
    std::string text;
    EXPECT_TRUE(db_->GetProperty(DB::Properties::kStats, &text));
    EXPECT_TRUE(db_->GetProperty(DB::Properties::kEstimateNumKeys, &text));
    EXPECT_TRUE(db_->GetProperty(DB::Properties::kTotalSstFilesSize, &text));
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    TablePropertiesCollection tables;
    EXPECT_TRUE(db_->GetPropertiesOfAllTables(&tables).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  RunRounds(Rounds(1500));

  const auto check = [this, &written] {
    for (int key = 0; key < kKeys; ++key) {
      std::string value;
      ASSERT_TRUE(db_->Get(ReadOptions(), Key(key), &value).ok()) << key;
      EXPECT_EQ(RoundOf(key, value), written[static_cast<size_t>(key)]);
    }
  };
  check();
  db_.reset();
  Open();
  check();
}

TEST_F(DBConcurrencyTest, ReadersSeeBatchesAtomically) {
  Open();
  // The same number under ten keys, always.
  const auto write = [this](uint64_t n) {
    WriteBatch batch;
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(batch.Put(Key(i), Value(i, n)).ok());
    }
    ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  };
  write(1);
  std::atomic<uint64_t> number{1};
  for (int w = 0; w < 3; ++w) {
    Start([&](Random*) { write(number.fetch_add(1) + 1); });
  }
  for (int r = 0; r < 2; ++r) {
    Start([this](Random*) {
      const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
      it->SeekToFirst();
      ASSERT_TRUE(it->Valid());
      const uint64_t first = RoundOf(0, it->value());
      for (int i = 1; i < 10; ++i) {
        it->Next();
        ASSERT_TRUE(it->Valid());
        EXPECT_EQ(RoundOf(i, it->value()), first);
      }
    });
  }
  RunRounds(Rounds(10000));
  EXPECT_GT(number, 10u);
  // Groups were formed at times, or at least every write was counted once.
  EXPECT_EQ(Tick(WRITE_DONE_BY_SELF) + Tick(WRITE_DONE_BY_OTHER), number);
}

TEST_F(DBConcurrencyTest, CloseDuringWritesLosesNoAcknowledgedWrite) {
  std::vector<uint64_t> acknowledged(4, 0);
  for (int round = 0; round < 8; ++round) {
    Open();
    for (size_t w = 0; w < acknowledged.size(); ++w) {
      std::string value;
      const int key = static_cast<int>(w);
      if (acknowledged[w] != 0) {
        ASSERT_TRUE(db_->Get(ReadOptions(), Key(key), &value).ok());
        EXPECT_EQ(RoundOf(key, value), acknowledged[w]);
      }
      Start([this, w, key, &acknowledged](Random* random) {
        const uint64_t next = acknowledged[w] + 1;
        const Status status =
            db_->Put(WriteOptions(), Key(key), Value(key, next));
        if (status.ok()) {
          acknowledged[w] = next;
        } else {
          EXPECT_TRUE(status.IsShutdownInProgress()) << status;
          std::this_thread::yield();
        }
        if (random->Uniform(100) == 0) {
          FlushOptions options;
          const Status flushed = db_->Flush(options);
          EXPECT_TRUE(flushed.ok() || flushed.IsShutdownInProgress())
              << flushed;
        }
      });
    }
    Start([this](Random*) {
      const Status status =
          db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
      EXPECT_TRUE(status.ok() || status.IsShutdownInProgress()) << status;
      std::this_thread::yield();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    const Status closed = db_->Close();
    EXPECT_TRUE(closed.ok()) << closed;
    EXPECT_TRUE(db_->Put(WriteOptions(), "late", "x").IsShutdownInProgress());
    Join();
    db_.reset();
  }
}

TEST_F(DBConcurrencyTest, WritesResumeAfterADiskFailure) {
  Open();
  constexpr int kWriters = 3;
  std::vector<uint64_t> acknowledged(kWriters, 0);
  std::atomic<int> refused{0};
  for (int w = 0; w < kWriters; ++w) {
    Start([this, w, &acknowledged, &refused](Random*) {
      const uint64_t next = acknowledged[static_cast<size_t>(w)] + 1;
      const Status status = db_->Put(WriteOptions(), Key(w), Value(w, next));
      if (status.ok()) {
        acknowledged[static_cast<size_t>(w)] = next;
      } else {
        ++refused;
        EXPECT_TRUE(status.IsNoSpace()) << status;
        std::this_thread::yield();
      }
      std::string value;
      const Status read = db_->Get(ReadOptions(), Key(w), &value);
      const uint64_t at_least = acknowledged[static_cast<size_t>(w)];
      if (at_least != 0) {
        ASSERT_TRUE(read.ok()) << read;
        EXPECT_EQ(RoundOf(w, value), at_least);
      }
    });
  }
  for (int round = 0; round < 15; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
    const char* where = round % 3 == 0   ? ".log"
                        : round % 3 == 1 ? ".sst"
                                         : "MANIFEST";
    fs_->SetFaultHook([where](const SimulatedFileSystem::Call& call) {
      return call.path.find(where) == std::string::npos ||
                     call.operation == "remove"
                 ? Status::OK()
                 : Status::NoSpace(call.path, "full");
    });
    // A writer meets a log that is full at once, the others in the background.
    for (const int before = refused; round % 3 == 0 && refused == before;) {
      std::this_thread::yield();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
    fs_->SetFaultHook(nullptr);
    const Status status = db_->Resume();
    EXPECT_TRUE(status.ok()) << status;
  }
  Join();
  EXPECT_GT(refused, 0);
  fs_->CutPower();
  db_.reset();
  fs_->Restart(3);
  Open();
  for (int w = 0; w < kWriters; ++w) {
    std::string value;
    const Status status = db_->Get(ReadOptions(), Key(w), &value);
    ASSERT_TRUE(status.ok() || status.IsNotFound()) << status;
    if (status.ok()) {
      EXPECT_LE(RoundOf(w, value), acknowledged[static_cast<size_t>(w)] + 1);
    }
  }
}

TEST_F(DBConcurrencyTest, ManyManualCompactionsTakeTurns) {
  options_.disable_auto_compactions = true;
  Open();
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), Value(i, 300)).ok());
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 10; ++i) {
        const std::string low = Key(t * 80);
        const std::string high = Key(t * 80 + 100);
        const Slice begin(low);
        const Slice end(high);
        CompactRangeOptions options;
        if (i % 2 == 0) {
          options.bottommost_level_compaction =
              BottommostLevelCompaction::kForce;
        }
        const Status status = db_->CompactRange(options, &begin, &end);
        EXPECT_TRUE(status.ok()) << status;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 500; ++i) {
    std::string value;
    ASSERT_TRUE(db_->Get(ReadOptions(), Key(i), &value).ok()) << i;
    EXPECT_EQ(RoundOf(i, value), 300u);
  }
}

}  // namespace
}  // namespace tamis
