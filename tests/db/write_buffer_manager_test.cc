// SPDX-License-Identifier: Apache-2.0
//
// DBOptions::write_buffer_manager: what it counts and charges, and when it
// makes a database flush or wait.
#include "tamis/write_buffer_manager.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

constexpr size_t kMiB = 1 << 20;

class WriteBufferManagerTest : public DBTest {
 protected:
  void Use(size_t bytes, std::shared_ptr<Cache> cache = nullptr,
           bool allow_stall = false) {
    manager_ = std::make_shared<WriteBufferManager>(bytes, std::move(cache),
                                                    allow_stall);
    options_.write_buffer_manager = manager_;
  }
  // Puts n values of 10 KiB under keys that begin like this.
  Status Fill(DB* db, const std::string& prefix, int n,
              const WriteOptions& options = WriteOptions()) {
    Status status;
    for (int i = 0; i < n && status.ok(); ++i) {
      status = db->Put(options, prefix + Key(i), Noise(10 << 10, 1));
    }
    return status;
  }

  std::shared_ptr<WriteBufferManager> manager_;
};

TEST_F(WriteBufferManagerTest, IsMadeOfTheSizeInTheOptions) {
  options_.db_write_buffer_size = kMiB;
  Open();
  const auto made = db_->GetDBOptions().write_buffer_manager;
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->buffer_size(), kMiB);
  ASSERT_TRUE(Fill(db_.get(), "a", 200).ok());
  ASSERT_TRUE(db_->WaitForCompact(WaitForCompactOptions()).ok());
  EXPECT_GE(Property(DB::Properties::kTotalSstFilesSize), kMiB / 2);
  // A manager that is given counts instead.
  Use(8 * kMiB);
  Reopen();
  EXPECT_EQ(db_->GetDBOptions().write_buffer_manager, manager_);
}

TEST_F(WriteBufferManagerTest, CountsTheMemTablesOfAllFamilies) {
  Use(0);
  EXPECT_FALSE(manager_->enabled());
  Open();
  ASSERT_TRUE(Fill(db_.get(), "a", 100).ok());
  const size_t one = manager_->memory_usage();
  EXPECT_GT(one, kMiB * 9 / 10);
  EXPECT_LT(one, 2 * kMiB);
  EXPECT_EQ(manager_->mutable_memtable_memory_usage(), one);
  ColumnFamilyHandle* other = nullptr;
  ASSERT_TRUE(
      db_->CreateColumnFamily(ColumnFamilyOptions(), "other", &other).ok());
  ASSERT_TRUE(
      db_->Put(WriteOptions(), other, "k", std::string(kMiB, 'v')).ok());
  EXPECT_GT(manager_->memory_usage(), one + kMiB);
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(other).ok());
  EXPECT_FALSE(manager_->ShouldFlush());
  EXPECT_FALSE(manager_->ShouldStall());
  // An iterator keeps a flushed memtable.
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  Flush();
  EXPECT_GE(manager_->memory_usage(), one + kMiB);
  EXPECT_LT(manager_->mutable_memtable_memory_usage(), kMiB * 3 / 2);
  it.reset();
  db_.reset();
  EXPECT_EQ(manager_->memory_usage(), 0u);
  EXPECT_EQ(manager_->mutable_memtable_memory_usage(), 0u);
}

TEST_F(WriteBufferManagerTest, ChargesTheCacheInSteps) {
  const auto cache = NewLRUCache(16 * kMiB);
  Use(0, cache);
  EXPECT_TRUE(manager_->cost_to_cache());
  Open();
  const size_t before = cache->GetUsage();
  ASSERT_TRUE(Fill(db_.get(), "a", 100).ok());
  const size_t charged = manager_->dummy_entries_in_cache_usage();
  EXPECT_GE(charged, manager_->memory_usage());
  EXPECT_LT(charged, manager_->memory_usage() + (256 << 10));
  EXPECT_EQ(cache->GetUsage(), before + charged);
  db_.reset();
  EXPECT_EQ(manager_->dummy_entries_in_cache_usage(), 0u);
  EXPECT_EQ(cache->GetUsage(), before);
}

TEST_F(WriteBufferManagerTest, TheFamilyWithTheLargestMemTableIsFlushed) {
  Use(2 * kMiB);
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_TRUE(
      db_->CreateColumnFamily(ColumnFamilyOptions(), "other", &other).ok());
  ASSERT_TRUE(
      db_->Put(WriteOptions(), other, "k", std::string(kMiB, 'v')).ok());
  ASSERT_TRUE(Fill(db_.get(), "a", 300).ok());
  RunJobs();
  std::string tables;
  ASSERT_TRUE(db_->GetProperty(other, "rocksdb.num-files-at-level0", &tables));
  EXPECT_EQ(tables, "1");  // its memtable was the largest at first
  EXPECT_GT(TablesOnDisk(), 1u);
  // The limit, what waits for its flush, and the last memtable.
  EXPECT_LT(manager_->memory_usage(), 5 * kMiB);
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(other).ok());
}

TEST_F(WriteBufferManagerTest, AnotherDatabaseCausesNoTinyTables) {
  Use(2 * kMiB);
  Open();
  std::unique_ptr<DB> other;
  Options idle = options_;
  ASSERT_TRUE(DB::Open(idle, "/parent/other", &other).ok());
  ASSERT_TRUE(other->Put(WriteOptions(), "k", std::string(3 * kMiB, 'v')).ok());
  EXPECT_TRUE(manager_->ShouldFlush());
  for (int i = 0; i < 10; ++i) Put(Key(i), "small");
  RunJobs();
  EXPECT_EQ(TablesOnDisk(), 0u);
  ASSERT_TRUE(Fill(db_.get(), "a", 20).ok());
  RunJobs();
  EXPECT_GE(TablesOnDisk(), 1u);
  other.reset();
}

TEST_F(WriteBufferManagerTest, WritesWaitForFlushesIfStallsAreAllowed) {
  WriteOptions no_slowdown;
  no_slowdown.no_slowdown = true;
  for (const bool allow : {false, true}) {
    SCOPED_TRACE(allow);
    Use(kMiB, nullptr, allow);
    options_.max_write_buffer_number = 100;
    Open();
    // Jobs run only where a call waits.
    const Status status = Fill(db_.get(), "a", 300, no_slowdown);
    EXPECT_EQ(status.IsIncomplete(), allow) << status;
    if (allow) {
      EXPECT_LT(manager_->memory_usage(), 2 * kMiB);
      // Each stall ends when its flush has freed memory.
      ASSERT_TRUE(Fill(db_.get(), "b", 1000).ok());
      EXPECT_LT(manager_->memory_usage(), 2 * kMiB);
      EXPECT_FALSE(LogLines("cause=write_buffer_manager").empty());
      EXPECT_GT(Tick(STALL_MICROS), 0u);
    } else {
      EXPECT_GT(manager_->memory_usage(), 2 * kMiB);
      EXPECT_TRUE(LogLines("write_stop_start").empty());
    }
    std::map<std::string, std::string> stalls;
    ASSERT_TRUE(
        db_->GetMapProperty(DB::Properties::kDBWriteStallStats, &stalls));
    const std::string stops =
        std::to_string(LogLines("cause=write_buffer_manager").size());
    EXPECT_EQ(stalls["write-buffer-manager-limit-stops"], stops);
    std::string text;
    ASSERT_TRUE(db_->GetProperty(DB::Properties::kDBWriteStallStats, &text));
    EXPECT_EQ(text, "Write Stall (count): write-buffer-manager-limit-stops: " +
                        stops + "\n");
    // A larger limit ends it.
    manager_->SetBufferSize(100 * kMiB);
    EXPECT_TRUE(Fill(db_.get(), "c", 10, no_slowdown).ok());
    Destroy();
  }
}

// What nothing of the writer's database can release does not stop it.
TEST_F(WriteBufferManagerTest, MemoryOfAnIteratorDoesNotStopWritesForEver) {
  Use(kMiB, nullptr, /*allow_stall=*/true);
  Open();
  ASSERT_TRUE(Fill(db_.get(), "a", 50).ok());
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  ASSERT_TRUE(Fill(db_.get(), "b", 300).ok());
  EXPECT_EQ(Get("b" + Key(299)), Noise(10 << 10, 1));
}

class OtherCache final : public Cache {
 public:
  const char* Name() const override { return "OtherCache"; }
  void SetCapacity(size_t /*capacity_bytes*/) override {}
  size_t GetCapacity() const override { return 0; }
  size_t GetUsage() const override { return 0; }
  size_t GetPinnedUsage() const override { return 0; }
  void EraseUnRefEntries() override {}
};

TEST_F(WriteBufferManagerTest, ACacheThatCannotBeChargedIsRejected) {
  Use(kMiB, std::make_shared<OtherCache>());
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.ToString().find("write_buffer_manager"), std::string::npos)
      << status;
}

}  // namespace
}  // namespace tamis
