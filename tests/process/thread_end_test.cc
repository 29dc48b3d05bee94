// SPDX-License-Identifier: Apache-2.0
//
// A database belongs to no thread. The thread that opened it may end, by return
// or pthread_exit, while others use it; another may close it; and destructors
// of thread_locals may use it. A process that starts and ends threads does not
// grow.
#include <atomic>
#include <functional>
#include <memory>
#include <pthread.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/process/child.h"
#include "tests/process/footprint.h"
#include "tests/support/directories.h"
#include "tests/support/effort.h"
#include "tests/support/locked.h"

namespace tamis::process {
namespace {

Options SmallBuffers() {
  Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  options.level0_file_num_compaction_trigger = 2;
  return options;
}

std::string Key(int i) { return "key" + std::to_string(1000 + i); }

// Threads call these, where a failure ends the program.
std::unique_ptr<DB> Open(const std::string& directory) {
  std::unique_ptr<DB> db;
  const Status status = DB::Open(SmallBuffers(), directory, &db);
  Require(status.ok(), "open: " + status.ToString());
  return db;
}

void PutSome(DB* db, int from, int to) {
  for (int i = from; i < to; ++i) {
    const Status status = db->Put({}, Key(i), std::string(200, 'v'));
    Require(status.ok(), "put: " + status.ToString());
  }
}

void CheckSome(DB* db, int to) {
  std::string value;
  for (int i = 0; i < to; ++i) {
    const Status status = db->Get({}, Key(i), &value);
    Require(status.ok(), Key(i) + ": " + status.ToString());
  }
  const std::unique_ptr<Iterator> it(db->NewIterator({}));
  int n = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++n;
  Require(it->status().ok() && n >= to, "iterator: " + std::to_string(n));
}

void Close(std::unique_ptr<DB> db) {
  const Status status = db->Close();
  Require(status.ok(), "close: " + status.ToString());
}

enum class End { kReturn, kPthreadExit };

struct Body {
  std::function<void()> run;
  End end;
};

void* RunBody(void* argument) {
  const auto* const body = static_cast<Body*>(argument);
  body->run();
  if (body->end == End::kPthreadExit) ::pthread_exit(nullptr);
  return nullptr;
}

// In a thread of its own, which has ended afterwards.
void InThread(std::function<void()> run, End end = End::kReturn) {
  Body body = {std::move(run), end};
  pthread_t thread;
  ASSERT_EQ(::pthread_create(&thread, nullptr, RunBody, &body), 0);
  ASSERT_EQ(::pthread_join(thread, nullptr), 0);
}

class ThreadEndTest : public ::testing::TestWithParam<End> {
 protected:
  const TemporaryDirectory temporary_{MemoryParent()};
  const std::string directory_ = temporary_.Path("db");
};

TEST_P(ThreadEndTest, OpenedInOneUsedInOthersClosedInAnother) {
  std::unique_ptr<DB> db;
  InThread(
      [&] {
        db = Open(directory_);
        PutSome(db.get(), 0, 100);
      },
      GetParam());
  ASSERT_NE(db, nullptr);
  std::vector<std::thread> users;
  for (int t = 1; t <= 4; ++t) {
    users.emplace_back([&, t] {
      PutSome(db.get(), 100 * t, 100 * (t + 1));
      CheckSome(db.get(), 100);
    });
  }
  for (std::thread& user : users) user.join();
  InThread([&] { CheckSome(db.get(), 500); }, GetParam());
  InThread([&] { Close(std::move(db)); }, GetParam());
  CheckSome(Open(directory_).get(), 500);
}

// What a thread made lives on without it.
TEST_P(ThreadEndTest, IteratorsAndSnapshotsOutliveTheirThread) {
  const std::unique_ptr<DB> db = Open(directory_);
  std::unique_ptr<Iterator> iterator;
  const Snapshot* snapshot = nullptr;
  PinnableSlice pinned;
  InThread(
      [&] {
        PutSome(db.get(), 0, 100);
        Require(db->Flush({}).ok(), "flush");
        snapshot = db->GetSnapshot();
        iterator.reset(db->NewIterator({}));
        iterator->Seek(Key(50));
        Require(db->Get({}, db->DefaultColumnFamily(), Key(7), &pinned).ok(),
                "get");
      },
      GetParam());
  InThread(
      [&] {
        PutSome(db.get(), 100, 300);
        Require(db->CompactRange({}, nullptr, nullptr).ok(), "compact");
      },
      GetParam());
  int n = 0;
  for (; iterator->Valid(); iterator->Next()) ++n;
  EXPECT_EQ(n, 50);
  EXPECT_EQ(pinned, Slice(std::string(200, 'v')));
  ReadOptions at_snapshot;
  at_snapshot.snapshot = snapshot;
  std::string value;
  EXPECT_TRUE(db->Get(at_snapshot, Key(200), &value).IsNotFound());
  InThread(
      [&] {
        iterator.reset();
        db->ReleaseSnapshot(snapshot);
        pinned.Reset();
      },
      GetParam());
}

INSTANTIATE_TEST_SUITE_P(Ends, ThreadEndTest,
                         ::testing::Values(End::kReturn, End::kPthreadExit),
                         [](const auto& end) {
                           return end.param == End::kReturn ? "Return"
                                                            : "PthreadExit";
                         });

// A thread_local of the program, which may be destroyed after those of the
// engine, or before.
struct UsesAtEnd {
  ~UsesAtEnd() {
    if (run) run();
  }
  std::function<void()> run;
};
thread_local UsesAtEnd made_first;
thread_local UsesAtEnd made_last;

class ThreadLocalTest : public ::testing::Test {
 protected:
  const TemporaryDirectory temporary_{MemoryParent()};
  const std::string directory_ = temporary_.Path("db");
};

TEST_F(ThreadLocalTest, DestructorsUseTheDatabase) {
  const std::unique_ptr<DB> db = Open(directory_);
  std::atomic<int> used{0};
  const auto use = [&] {
    PutSome(db.get(), 0, 50);
    CheckSome(db.get(), 50);
    Require(db->Flush({}).ok(), "flush");
    ++used;
  };
  for (const End end : {End::kReturn, End::kPthreadExit}) {
    InThread(
        [&] {
          // Its destructor runs after those of what the engine makes below.
          made_first.run = use;
          CheckSome(db.get(), 0);
          PutSome(db.get(), 0, 10);
          made_last.run = use;
        },
        end);
  }
  EXPECT_EQ(used, 4);
}

TEST_F(ThreadLocalTest, DestructorsOpenAndCloseDatabases) {
  for (const End end : {End::kReturn, End::kPthreadExit}) {
    InThread(
        [&] {
          made_first.run = [&] {
            const std::unique_ptr<DB> again = Open(directory_);
            CheckSome(again.get(), 200);
            PutSome(again.get(), 200, 400);
          };
          thread_local std::unique_ptr<DB> closed_at_end;
          closed_at_end = Open(directory_);
          PutSome(closed_at_end.get(), 0, 200);
        },
        end);
    CheckSome(Open(directory_).get(), 400);
  }
}

class ManyThreadsTest : public ::testing::Test {
 protected:
  // Each opens its own, hands it to the next round's threads, and closes one
  // that another opened.
  void Round(int round) {
    std::vector<std::unique_ptr<DB>> opened(kThreads);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        opened[t] = Open(temporary_.Path(std::to_string(t)));
        PutSome(opened[t].get(), 0, kKeys);
      });
    }
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        // All threads are in all databases.
        for (const auto& db : opened) CheckSome(db.get(), kKeys);
        ++arrived_;
        while (arrived_ < kThreads * static_cast<size_t>(round + 1)) {
          std::this_thread::yield();
        }
        Close(std::move(opened[(t + 1) % kThreads]));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  static constexpr size_t kThreads = 8;
  static constexpr int kKeys = 150;
  const TemporaryDirectory temporary_{MemoryParent()};
  std::atomic<size_t> arrived_{0};
};

TEST_F(ManyThreadsTest, OpenAndCloseDifferentDatabasesAtOnce) {
  constexpr int kWarmUp = 3;
  const int rounds = kWarmUp + Rounds(10);
  Footprint before;
  for (int i = 0; i < rounds; ++i) {
    Round(i);
    if (i == kWarmUp - 1) before = MeasureFootprint();
  }
  const Footprint after = MeasureFootprint();
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.threads, before.threads);
}

// One opens a directory while others do: each time exactly one has it.
TEST_F(ManyThreadsTest, OnlyOneOfManyOpensADirectory) {
  const int rounds = Rounds(20);
  const std::string directory = temporary_.Path("db");
  std::atomic<int> holders{0};
  std::atomic<int> opens{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int done = 0; done < rounds;) {
        std::unique_ptr<DB> db;
        const Status status = DB::Open(SmallBuffers(), directory, &db);
        if (SaysLocked(status)) {
          std::this_thread::yield();
          continue;
        }
        Require(status.ok(), status.ToString());
        Require(++holders == 1, "two have the directory");
        PutSome(db.get(), done, done + 1);
        --holders;
        db.reset();
        ++opens;
        ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(opens, rounds * static_cast<int>(kThreads));
}

}  // namespace
}  // namespace tamis::process
