// SPDX-License-Identifier: Apache-2.0
//
// OpenForReadOnly and TryCatchUpWithPrimary while another thread writes, on the
// operating system's files. Every call succeeds, in every WALRecoveryMode, and
// shows a point of the writer's history that includes all writes acknowledged
// before the call.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/support/databases.h"
#include "tests/support/effort.h"

namespace tamis {
namespace {

constexpr uint64_t kSlots = 200;

std::string SlotKey(uint64_t i) {
  return "slot" + std::to_string(1000 + i % kSlots);
}

// Mostly short; now and then longer than a block of the log, or than what the
// log stores in place.
std::string SlotValue(uint64_t i) {
  const size_t bytes = i % 397 == 0   ? 100'000
                       : i % 101 == 0 ? 40'000
                                      : static_cast<size_t>(i * 37 % 900);
  return std::to_string(i) + ":" + std::string(bytes, 'v');
}

class ReadOnlyLiveTest : public testing::TestWithParam<int> {
 protected:
  ReadOnlyLiveTest() {
    options_.create_if_missing = true;
    options_.write_buffer_size = 1 << 20;
    options_.wal_recovery_mode = static_cast<WALRecoveryMode>(GetParam());
  }

  // Write i puts a slot and the number of writes, in one batch.
  void Write(DB* writer) {
    for (uint64_t i = 0; !stop_.load(std::memory_order_relaxed); ++i) {
      WriteBatch batch;
      ASSERT_TRUE(batch.Put(SlotKey(i), SlotValue(i)).ok());
      ASSERT_TRUE(batch.Put("writes", std::to_string(i + 1)).ok());
      // A log that was synced is appended to from then on.
      const Status status = writer->Write({.sync = i % 5000 == 4999}, &batch);
      ASSERT_TRUE(status.ok()) << status;
      acknowledged_.store(i + 1, std::memory_order_release);
    }
  }

  uint64_t acknowledged() const {
    return acknowledged_.load(std::memory_order_acquire);
  }

  // Checks that the database shows a number of writes, which is at least
  // `least`, and returns it.
  uint64_t CheckShown(DB* db, uint64_t least) {
    Status status;
    const KeyValues entries = ScanForward(db, &status);
    EXPECT_TRUE(status.ok()) << status;
    const uint64_t writes =
        entries.empty() ? 0 : std::stoull(entries.back().second);
    EXPECT_GE(writes, least);
    KeyValues expected;
    for (uint64_t slot = 0; slot < std::min(writes, kSlots); ++slot) {
      const uint64_t last = writes - 1 - (writes - 1 + kSlots - slot) % kSlots;
      expected.emplace_back(SlotKey(slot), SlotValue(last));
    }
    if (writes > 0) expected.emplace_back("writes", std::to_string(writes));
    EXPECT_EQ(Difference(expected, entries), "");
    return writes;
  }

  void Look() {
    const uint64_t before = acknowledged();
    std::unique_ptr<DB> db;
    const Status status = DB::OpenForReadOnly(options_, directory_.path(), &db);
    ASSERT_TRUE(status.ok()) << status;
    CheckShown(db.get(), before);
  }

  Options options_;
  const TemporaryDirectory directory_;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> acknowledged_{0};
};

TEST_P(ReadOnlyLiveTest, EveryOpenShowsAConsistentState) {
  std::unique_ptr<DB> writer;
  ASSERT_TRUE(DB::Open(options_, directory_.path(), &writer).ok());
  std::thread thread([&] { Write(writer.get()); });
  for (int n = Rounds(200); n > 0 && !HasFailure(); --n) Look();
  stop_ = true;
  thread.join();
  EXPECT_TRUE(writer->Close().ok());
}

// Beside readers of the secondary instance.
TEST_P(ReadOnlyLiveTest, EveryCatchUpShowsAConsistentState) {
  std::unique_ptr<DB> writer;
  ASSERT_TRUE(DB::Open(options_, directory_.path(), &writer).ok());
  std::unique_ptr<DB> secondary;
  ASSERT_TRUE(DB::OpenAsSecondary(options_, directory_.path(),
                                  directory_.Path("secondary"), &secondary)
                  .ok());
  std::thread thread([&] { Write(writer.get()); });
  std::thread reader([&] {
    uint64_t shown = 0;
    while (!stop_.load(std::memory_order_relaxed) && !HasFailure()) {
      shown = CheckShown(secondary.get(), shown);
    }
  });
  for (int n = Rounds(300); n > 0 && !HasFailure(); --n) {
    const uint64_t before = acknowledged();
    const Status status = secondary->TryCatchUpWithPrimary();
    EXPECT_TRUE(status.ok()) << status;
    CheckShown(secondary.get(), before);
  }
  stop_ = true;
  thread.join();
  reader.join();
  EXPECT_TRUE(writer->Close().ok());
}

// Nearly every record starts a new MANIFEST. Families are created and dropped,
// at most two at a time besides the default one.
TEST_P(ReadOnlyLiveTest, EveryListingIsConsistent) {
  options_.max_manifest_file_size = 1;
  std::unique_ptr<DB> writer;
  ASSERT_TRUE(DB::Open(options_, directory_.path(), &writer).ok());
  const auto name = [](uint64_t i) { return std::to_string(i); };
  std::thread thread([&] {
    std::unique_ptr<ColumnFamilyHandle> last;
    for (uint64_t i = 1; !stop_.load(std::memory_order_relaxed); ++i) {
      ColumnFamilyHandle* made = nullptr;
      ASSERT_TRUE(writer->CreateColumnFamily(options_, name(i), &made).ok());
      acknowledged_.store(i, std::memory_order_release);
      std::unique_ptr<ColumnFamilyHandle> family(made);
      ASSERT_TRUE(writer->Put(WriteOptions(), made, "key", name(i)).ok());
      ASSERT_TRUE(writer->Flush(FlushOptions(), made).ok());
      if (last != nullptr) {
        ASSERT_TRUE(writer->DropColumnFamily(last.get()).ok());
      }
      last = std::move(family);
    }
  });
  for (int n = Rounds(200); n > 0 && !HasFailure(); --n) {
    const uint64_t before = acknowledged_.load(std::memory_order_acquire);
    std::vector<std::string> names;
    Status status = DB::ListColumnFamilies(options_, directory_.path(), &names);
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_GE(names.size(), before > 0 ? 2u : 1u);
    ASSERT_LE(names.size(), 3u);
    const uint64_t newest = names.size() > 1 ? std::stoull(names.back()) : 0;
    ASSERT_GE(newest, before);
    if (names.size() == 3) {
      ASSERT_EQ(names[1], name(newest - 1));
    }
    std::unique_ptr<DB> db;
    status = DB::OpenForReadOnly(options_, directory_.path(), &db);
    ASSERT_TRUE(status.ok()) << status;
  }
  stop_ = true;
  thread.join();
}

INSTANTIATE_TEST_SUITE_P(Modes, ReadOnlyLiveTest, testing::Range(0, 4));

}  // namespace
}  // namespace tamis
