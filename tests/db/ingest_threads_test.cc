// SPDX-License-Identifier: Apache-2.0
//
// Ingestion beside writers, readers, snapshots, flushes and compactions.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/sst_file_writer.h"

#include "tests/db/test_families.h"

namespace tamis {
namespace {

// Ends and joins them.
struct Joiner {
  std::vector<std::thread>* threads;
  std::atomic<bool>* done;
  ~Joiner() {
    *done = true;
    for (std::thread& thread : *threads) thread.join();
  }
};

class IngestThreadsTest : public FamiliesTest {
 protected:
  IngestThreadsTest() {
    UseThreads();
    options_.write_buffer_size = 64 << 10;
    options_.target_file_size_base = 32 << 10;
    options_.max_bytes_for_level_base = 64 << 10;
    options_.level0_file_num_compaction_trigger = 2;
  }

  // Each key of [0, n) with this value.
  std::string Make(const std::string& name, int n, const std::string& value) {
    const std::string path = "/parent/" + name + ".sst";
    SstFileWriter writer(options_);
    EXPECT_EQ(writer.Open(path), Status::OK());
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(writer.Put(Key(i), value), Status::OK());
    }
    EXPECT_EQ(writer.Finish(), Status::OK());
    return path;
  }

  static constexpr int kRounds = 30;
  static constexpr int kKeys = 50;
};

// All keys of a file change together, in both families. A writer elsewhere
// keeps flushes and compactions going.
TEST_F(IngestThreadsTest, ReadersSeeAllOfAnIngestionOrNothing) {
  MakeFamilies({"f"});
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    for (int i = 0; !done; ++i) {
      EXPECT_EQ(db_->Put(WriteOptions(), Key(i % 3000) + "beside",
                         Noise(200, static_cast<uint64_t>(i))),
                Status::OK());
    }
  });
  threads.emplace_back([&] {
    while (!done) {
      const std::vector<ColumnFamilyHandle*> families = {
          db_->DefaultColumnFamily(), Family("f")};
      const std::string first = Key(0);
      const std::string last = Key(kKeys - 1);
      std::vector<std::string> values;
      const std::vector<Status> statuses =
          db_->MultiGet(ReadOptions(), families, {first, last}, &values);
      EXPECT_EQ(statuses[0].ok(), statuses[1].ok());
      EXPECT_EQ(values[0], values[1]);
    }
  });
  threads.emplace_back([&] {
    while (!done) {
      const Snapshot* snapshot = db_->GetSnapshot();
      const std::string before = Get(Key(1), snapshot);
      EXPECT_EQ(GetIn("f", Key(1), snapshot), before);
      EXPECT_EQ(Get(Key(kKeys - 1), snapshot), before);
      EXPECT_EQ(Get(Key(1), snapshot), before);
      db_->ReleaseSnapshot(snapshot);
    }
  });
  {
    const Joiner joiner{&threads, &done};
    for (int i = 0; i < kRounds; ++i) {
      const std::string value = std::to_string(i);
      const std::string one = Make("one", kKeys, value);
      const std::string two = Make("two", kKeys, value);
      ASSERT_EQ(
          db_->IngestExternalFiles({{db_->DefaultColumnFamily(), {one}, {}},
                                    {Family("f"), {two}, {}}}),
          Status::OK());
      ASSERT_EQ(Get(Key(0)), value);
    }
  }
  ReopenFamilies();
  EXPECT_EQ(Get(Key(0)), std::to_string(kRounds - 1));
  EXPECT_EQ(GetIn("f", Key(kKeys - 1)), std::to_string(kRounds - 1));
}

// Files without a sequence number are for no snapshot: it is taken before the
// choice, or after the files are there.
TEST_F(IngestThreadsTest, ASnapshotNeverChanges) {
  Open();
  std::atomic<bool> done{false};
  std::atomic<int> next{0};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    while (!done) {
      const std::string key = "new" + Key(next);
      const Snapshot* snapshot = db_->GetSnapshot();
      const std::string before = Get(key, snapshot);
      std::this_thread::yield();
      EXPECT_EQ(Get(key, snapshot), before);
      db_->ReleaseSnapshot(snapshot);
    }
  });
  const Joiner joiner{&threads, &done};
  for (int i = 0; i < kRounds; ++i) {
    const std::string path = "/parent/new.sst";
    SstFileWriter writer(options_);
    ASSERT_EQ(writer.Open(path), Status::OK());
    ASSERT_EQ(writer.Put("new" + Key(i), "1"), Status::OK());
    ASSERT_EQ(writer.Finish(), Status::OK());
    next = i;
    ASSERT_EQ(db_->IngestExternalFile({path}, {}), Status::OK());
  }
}

// Close waits for an ingestion that still has names in the directory.
TEST_F(IngestThreadsTest, CloseWhileFilesAreIngested) {
  for (int round = 0; round < 10; ++round) {
    Open();
    std::vector<std::thread> threads;
    std::atomic<bool> done{false};
    Status status;
    threads.emplace_back([&] {
      for (int i = 0; status.ok() && !done; ++i) {
        const std::string path = Make("f" + std::to_string(i % 2), 10, "v");
        status = db_->IngestExternalFile({path}, {});
      }
    });
    while (db_->GetLatestSequenceNumber() < 2) std::this_thread::yield();
    EXPECT_EQ(db_->Close(), Status::OK());
    threads[0].join();
    EXPECT_TRUE(status.IsShutdownInProgress()) << status;
    threads.clear();
    Reopen();
    EXPECT_EQ(Get(Key(9)), "v");
    Destroy();
  }
}

}  // namespace
}  // namespace tamis
