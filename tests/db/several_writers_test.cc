// SPDX-License-Identifier: Apache-2.0
//
// Several writers at once, of every kind: synced, logged, not logged, in one
// family and in two, beside all calls that exclude writers, and with a log that
// fails.
#include <atomic>
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

class SeveralWritersTest : public DBTest {
 protected:
  static constexpr int kWriters = 5;

  SeveralWritersTest() {
    UseThreads();
    options_.write_buffer_size = 64 << 10;
    options_.statistics = CreateDBStatistics();
  }

  // A writer has a key of its own, and counts its rounds. A write sets the key
  // in both families to the round. It is visible if it returned OK, and not if
  // it did not.
  struct Writer {
    uint64_t acknowledged = 0;
    int failed = 0;
  };
  void WriteRound(int key, Random* random, Writer* writer) {
    WriteOptions options;
    options.sync = random->Uniform(8) == 0;
    options.disableWAL = !options.sync && random->Uniform(4) == 0;
    const uint64_t round = writer->acknowledged + 1;
    WriteBatch batch;
    const std::string value =
        std::to_string(round) +
        std::string(random->Uniform(50) == 0 ? 3000 : 30, ' ');
    ASSERT_TRUE(batch.Put(Key(key), value).ok());
    ASSERT_TRUE(batch.Put(other_.get(), Key(key), value).ok());
    const Status status = db_->Write(options, &batch);
    if (status.ok()) {
      writer->acknowledged = round;
    } else {
      ++writer->failed;
      EXPECT_TRUE(status.IsNoSpace()) << status;
      std::this_thread::yield();
    }
    CheckReads(key, *writer);
  }
  void CheckReads(int key, const Writer& writer) {
    for (ColumnFamilyHandle* family :
         {db_->DefaultColumnFamily(), other_.get()}) {
      std::string value;
      const Status read = db_->Get(ReadOptions(), family, Key(key), &value);
      if (writer.acknowledged == 0) {
        EXPECT_TRUE(read.IsNotFound()) << read;
      } else {
        ASSERT_TRUE(read.ok()) << read;
        EXPECT_EQ(std::stoull(value), writer.acknowledged);
      }
    }
  }

  // Starts a thread that works until `stop_`.
  std::thread Loop(uint64_t seed, std::function<void(Random*)> work) {
    return std::thread([this, seed, work = std::move(work)] {
      Random random(seed);
      while (!stop_) work(&random);
    });
  }

  std::unique_ptr<ColumnFamilyHandle> other_;
  std::atomic<bool> stop_{false};
};

TEST_F(SeveralWritersTest, EachSeesItsOwnWritesAndNoFailedOne) {
  Open();
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options_, "other", &handle).ok());
  other_.reset(handle);
  std::vector<Writer> writers(kWriters);
  std::atomic<int> rounds{0};
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.push_back(
        Loop(static_cast<uint64_t>(w) + 1, [&, w](Random* random) {
          WriteRound(w, random, &writers[static_cast<size_t>(w)]);
          ++rounds;
        }));
  }
  // Excludes writers in each of the ways that there are. These calls fail while
  // there is a background error.
  threads.push_back(Loop(100, [&](Random* random) {
    switch (random->Uniform(4)) {
      case 0:
        db_->FlushWAL(/*sync=*/true).PermitUncheckedError();
        break;
      case 1:
        db_->Flush(FlushOptions()).PermitUncheckedError();
        break;
      default: {
        ColumnFamilyHandle* created = nullptr;
        const Status status =
            db_->CreateColumnFamily(options_, "brief", &created);
        if (status.ok()) {
          WriteBatch batch;
          EXPECT_TRUE(batch.Put(created, "k", "v").ok());
          db_->Write(WriteOptions(), &batch).PermitUncheckedError();
        }
        const std::unique_ptr<ColumnFamilyHandle> brief(created);
        // A family that a failed drop left would be there for good.
        for (Status dropped = status;
             status.ok() && !(dropped = db_->DropColumnFamily(created)).ok() &&
             !stop_;) {
          std::this_thread::yield();
        }
      }
    }
    std::this_thread::yield();
  }));
  std::atomic<int> hits{0};
  const int each = Rounds(6);
  for (int fault = 0; fault < each; ++fault) {
    for (const int before = rounds; rounds < before + 300;) {
      std::this_thread::yield();
    }
    hits = 0;
    fs_->SetFaultHook([&hits](const SimulatedFileSystem::Call& call) {
      if (!call.path.ends_with(".log") || call.operation == "remove") {
        return Status::OK();
      }
      ++hits;
      return Status::NoSpace(call.path, "full");
    });
    while (hits == 0) std::this_thread::yield();
    fs_->SetFaultHook(nullptr);
    const Status resumed = db_->Resume();
    EXPECT_TRUE(resumed.ok()) << resumed;
  }
  // Writers do meet, but on a busy machine not within the first rounds.
  for (const int before = rounds;
       rounds < before + 300 || Tick(WRITE_DONE_BY_OTHER) == 0;) {
    std::this_thread::yield();
  }
  stop_ = true;
  for (std::thread& thread : threads) thread.join();
  const Status resumed = db_->Resume();
  EXPECT_TRUE(resumed.ok()) << resumed;
  int failed = 0;
  uint64_t acknowledged = 0;
  Random random(7);
  for (int w = 0; w < kWriters; ++w) {
    Writer& writer = writers[static_cast<size_t>(w)];
    failed += writer.failed;
    WriteRound(w, &random, &writer);  // a failed write may show up later
    acknowledged += writer.acknowledged;
  }
  EXPECT_GT(acknowledged, uint64_t{kWriters});
  EXPECT_GT(failed, 0);
  other_.reset();
  const Status closed = db_->Close();
  EXPECT_TRUE(closed.ok()) << closed;
}

// A writer that another one holds up prefetches for the first changes of its
// batch, in memtables that others change and replace meanwhile. This changes
// nothing of what is written.
TEST_F(SeveralWritersTest, BatchesOfMoreThanIsPrefetchedAreWrittenWhole) {
  constexpr int kChanges = 80;
  constexpr int kKeys = 300;  // of each writer
  options_.write_buffer_size = 16 << 10;
  Open();
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options_, "other", &handle).ok());
  other_.reset(handle);
  // Some keys are longer than those that are prefetched for.
  const auto key_of = [](int writer, int i) {
    return "writer" + std::to_string(writer) + Key(i) +
           std::string(i % 10 == 0 ? 1100 : 0, 'k');
  };
  // By writer and key; empty if deleted.
  std::vector<std::vector<std::string>> model(kWriters,
                                              std::vector<std::string>(kKeys));
  const auto matches = [&](int w, int i) {
    const std::string& expected =
        model[static_cast<size_t>(w)][static_cast<size_t>(i)];
    ColumnFamilyHandle* const family =
        i % 7 == 0 ? other_.get() : db_->DefaultColumnFamily();
    std::string value;
    const Status status = db_->Get(ReadOptions(), family, key_of(w, i), &value);
    return expected.empty() ? status.IsNotFound()
                            : status.ok() && value == expected;
  };
  const int rounds = Rounds(60);
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      Random random(static_cast<uint64_t>(w) + 1);
      auto& own = model[static_cast<size_t>(w)];
      for (int round = 0; round < rounds; ++round) {
        WriteBatch batch;
        for (int change = 0; change < kChanges; ++change) {
          const int i = static_cast<int>(random.Uniform(kKeys));
          ColumnFamilyHandle* const family =
              i % 7 == 0 ? other_.get() : db_->DefaultColumnFamily();
          std::string& value = own[static_cast<size_t>(i)];
          if (random.Uniform(5) == 0) {
            value.clear();
            EXPECT_TRUE(batch.Delete(family, key_of(w, i)).ok());
          } else {
            value = std::to_string(round) + ":" + std::to_string(change);
            EXPECT_TRUE(batch.Put(family, key_of(w, i), value).ok());
          }
        }
        const Status status = db_->Write(WriteOptions(), &batch);
        EXPECT_TRUE(status.ok()) << status;
        for (int i = 0; i < 10; ++i) {
          EXPECT_TRUE(matches(w, static_cast<int>(random.Uniform(kKeys))));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int w = 0; w < kWriters; ++w) {
    for (int i = 0; i < kKeys; ++i) EXPECT_TRUE(matches(w, i)) << w << " " << i;
  }
  other_.reset();
  const Status closed = db_->Close();
  EXPECT_TRUE(closed.ok()) << closed;
}

}  // namespace
}  // namespace tamis
