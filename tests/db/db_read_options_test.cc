// SPDX-License-Identifier: Apache-2.0
//
// ReadOptions that limit, filter or pin: deadlines, sizes, skipped keys,
// tables, range deletions, keys that stay, iterators that follow the database.
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/sst_file_reader.h"

#include "tests/db/test_db.h"
#include "tests/support/wrapped_file_system.h"

namespace tamis {
namespace {

using std::chrono::microseconds;

class DBReadOptionsTest : public DBTest {
 protected:
  Status GetWith(const ReadOptions& options, const Slice& key) {
    std::string value;
    return db_->Get(options, key, &value);
  }
  std::unique_ptr<Iterator> NewIterator(const ReadOptions& options) {
    return std::unique_ptr<Iterator>(db_->NewIterator(options));
  }
  // A table in which no block is resident.
  void ColdTable(int keys = 200) {
    BlockBasedTableOptions table;
    table.no_block_cache = true;
    SetTable(table);
    Open();
    PutMany(keys);
    Flush();
    Get(Key(0));  // opens the table
  }
};

// --- deadline, io_timeout

TEST_F(DBReadOptionsTest, AfterTheDeadlineNoFileIsRead) {
  ColdTable();
  Put("in memory", "1");
  ReadOptions options;
  options.deadline = microseconds(clock_->NowMicros() + 10);
  EXPECT_TRUE(GetWith(options, Key(1)).ok());
  clock_->SleepForMicroseconds(10);
  const Status late = GetWith(options, Key(1));
  EXPECT_TRUE(late.IsTimedOut()) << late;
  EXPECT_NE(late.ToString().find(".sst"), std::string::npos) << late;
  EXPECT_TRUE(GetWith(options, "in memory").ok());
  const auto it = NewIterator(options);
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsTimedOut()) << it->status();

  std::vector<std::string> values;
  const std::vector<Status> statuses =
      db_->MultiGet(options, {Key(1), "in memory", Key(150)}, &values);
  EXPECT_TRUE(statuses[0].IsTimedOut()) << statuses[0];
  EXPECT_TRUE(statuses[1].ok()) << statuses[1];
  EXPECT_TRUE(statuses[2].IsTimedOut()) << statuses[2];
}

TEST_F(DBReadOptionsTest, AnIteratorMeetsItsDeadlineOnTheWay) {
  ColdTable(2000);
  ReadOptions options;
  options.deadline = microseconds(clock_->NowMicros() + 10);
  options.readahead_size = 1;
  const auto it = NewIterator(options);
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  clock_->SleepForMicroseconds(10);
  while (it->Valid()) it->Next();
  EXPECT_TRUE(it->status().IsTimedOut()) << it->status();
}

TEST_F(DBReadOptionsTest, CachedBlocksAreReadAfterTheDeadline) {
  Open();
  PutMany(20);
  Flush();
  EXPECT_EQ(Get(Key(1)), Noise(100, 1));
  ReadOptions options;
  options.deadline = microseconds(1);
  EXPECT_TRUE(GetWith(options, Key(1)).ok());
}

// Reads of tables take time.
class SlowFile final : public RandomAccessFile {
 public:
  SlowFile(std::unique_ptr<RandomAccessFile> base, Clock* clock,
           const uint64_t* micros)
      : base_(std::move(base)), clock_(clock), micros_(micros) {}
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    clock_->SleepForMicroseconds(*micros_);
    return base_->Read(offset, n, result, scratch);
  }

 private:
  const std::unique_ptr<RandomAccessFile> base_;
  Clock* const clock_;
  const uint64_t* const micros_;
};

class SlowFileSystem final : public WrappedFileSystem {
 public:
  SlowFileSystem(std::shared_ptr<FileSystem> base, Clock* clock)
      : WrappedFileSystem(std::move(base)), clock_(clock) {}
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    std::unique_ptr<RandomAccessFile> fast;
    const Status status = WrappedFileSystem::NewRandomAccessFile(path, &fast);
    if (status.ok()) {
      *file = std::make_unique<SlowFile>(std::move(fast), clock_, &micros);
    }
    return status;
  }
  uint64_t micros = 0;  // of each read

 private:
  Clock* const clock_;
};

TEST_F(DBReadOptionsTest, AReadSlowerThanIoTimeoutEndsTheCall) {
  const auto slow = std::make_shared<SlowFileSystem>(fs_, clock_.get());
  options_.file_system = slow;
  ColdTable();
  ReadOptions options;
  options.io_timeout = microseconds(500);
  EXPECT_TRUE(GetWith(options, Key(1)).ok());
  slow->micros = 400;
  EXPECT_TRUE(GetWith(options, Key(1)).ok());
  slow->micros = 600;
  const Status late = GetWith(options, Key(1));
  EXPECT_TRUE(late.IsTimedOut()) << late;
  EXPECT_NE(late.ToString().find("io_timeout is 500"), std::string::npos)
      << late;
  EXPECT_TRUE(GetWith(ReadOptions(), Key(1)).ok());
  const auto it = NewIterator(options);
  it->SeekToFirst();
  EXPECT_TRUE(it->status().IsTimedOut()) << it->status();

  SstFileReader reader(options_);
  slow->micros = 0;
  ASSERT_TRUE(
      reader.Open(std::string(kTestDirectory) + "/" + FilesEndingIn(".sst")[0])
          .ok());
  slow->micros = 600;
  std::string value;
  EXPECT_TRUE(reader.Get(options, Key(1), &value).IsTimedOut());
  EXPECT_TRUE(reader.Get(ReadOptions(), Key(1), &value).ok());
  const std::unique_ptr<Iterator> of_file(reader.NewIterator(options));
  of_file->SeekToFirst();
  EXPECT_TRUE(of_file->status().IsTimedOut()) << of_file->status();
}

// --- value_size_soft_limit

TEST_F(DBReadOptionsTest, MultiGetAbortsTheKeysAfterTheLimit) {
  Open();
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back(Key(i));
  const std::vector<Slice> keys(names.begin(), names.end());
  PutMany(100, 100);
  // 0: in the memtable; 1: in a table.
  for (int round = 0; round < 2; ++round) {
    for (const size_t expected : {1u, 2u, 32u, 33u, 64u, 99u, 100u}) {
      SCOPED_TRACE(expected);
      ReadOptions options;
      // Exceeded by the value of the last key that is returned.
      options.value_size_soft_limit = expected * 100 - 1;
      std::vector<std::string> values;
      for (const bool by_family : {false, true}) {
        const std::vector<Status> statuses =
            by_family
                ? db_->MultiGet(options, {100, db_->DefaultColumnFamily()},
                                keys, &values)
                : db_->MultiGet(options, keys, &values);
        for (size_t i = 0; i < 100; ++i) {
          EXPECT_EQ(statuses[i].ok(), i < expected) << i;
          EXPECT_EQ(statuses[i].IsAborted(), i >= expected) << i;
          EXPECT_EQ(values[i].size(), i < expected ? 100u : 0u) << i;
        }
      }
    }
    Flush();
  }
}

TEST_F(DBReadOptionsTest, MultiGetTakesArraysOfFamilies) {
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_TRUE(
      db_->CreateColumnFamily(ColumnFamilyOptions(), "other", &other).ok());
  Put("a", "1");
  ASSERT_TRUE(db_->Put(WriteOptions(), other, "a", "2").ok());
  ColumnFamilyHandle* families[] = {other, db_->DefaultColumnFamily(), other};
  const Slice keys[] = {"a", "a", "b"};
  for (const bool sorted : {false, true}) {
    PinnableSlice values[3];
    Status statuses[3];
    db_->MultiGet(ReadOptions(), 3, families, keys, values, statuses, sorted);
    EXPECT_EQ(values[0], "2");
    EXPECT_EQ(values[1], "1");
    EXPECT_TRUE(statuses[2].IsNotFound()) << statuses[2];
  }
  PinnableSlice value;
  Status status;
  db_->MultiGet(ReadOptions(), other, 1, keys, &value, &status,
                /*sorted_input=*/true);
  EXPECT_EQ(value, "2");
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(other).ok());
}

// --- max_skippable_internal_keys

TEST_F(DBReadOptionsTest, SkippingTooManyKeysIsIncomplete) {
  Open();
  for (int i = 0; i < 10; ++i) Put(Key(i), "v");
  for (int i = 1; i < 9; ++i) Delete(Key(i));  // 8 tombstones, 8 hidden
  // Backward, the older version of a key comes first, and is not skipped.
  const struct {
    uint64_t limit;
    bool forward, backward;
  } kCases[] = {{0, true, true},  {1, false, false}, {7, false, false},
                {8, false, true}, {15, false, true}, {16, true, true},
                {100, true, true}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.limit);
    ReadOptions options;
    options.max_skippable_internal_keys = c.limit;
    const auto it = NewIterator(options);
    it->Seek(Key(1));
    EXPECT_EQ(it->Valid(), c.forward);
    EXPECT_EQ(it->status().IsIncomplete(), !c.forward) << it->status();
    it->SeekForPrev(Key(8));
    EXPECT_EQ(it->Valid(), c.backward);
    EXPECT_EQ(it->status().IsIncomplete(), !c.backward) << it->status();
    // Each call counts anew.
    it->SeekToFirst();
    EXPECT_TRUE(it->Valid());
    EXPECT_TRUE(it->status().ok()) << it->status();
  }
}

// --- tables and tombstones

TEST_F(DBReadOptionsTest, TableFilterSkipsTables) {
  options_.disable_auto_compactions = true;
  Open();
  Put("a", "1");
  Flush();
  Put("b", "1");
  Put("c", "1");
  Flush();
  Put("d", "1");
  ReadOptions options;
  int asked = 0;
  options.table_filter = [&asked](const TableProperties& properties) {
    ++asked;
    return properties.num_entries != 1;
  };
  EXPECT_EQ(Contents(options), "b=1 c=1 d=1");
  EXPECT_GT(asked, 0);
  EXPECT_TRUE(GetWith(options, "a").ok());
  Compact();  // level 1
  EXPECT_EQ(Contents(options), "a=1 b=1 c=1 d=1");
  options.table_filter = [](const TableProperties&) -> bool {
    throw std::runtime_error("no properties today");
  };
  const auto it = NewIterator(options);
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_NE(it->status().ToString().find("no properties today"),
            std::string::npos)
      << it->status();
}

TEST_F(DBReadOptionsTest, RangeDeletionsMayBeIgnored) {
  Open();
  Put("a", "1");
  Put("b", "1");
  const Snapshot* const before = db_->GetSnapshot();  // keeps a=1
  DeleteRange("a", "b");
  ReadOptions options;
  options.ignore_range_deletions = true;
  const auto check = [&] {
    EXPECT_EQ(Contents(), "b=1");
    EXPECT_EQ(Contents(options), "a=1 b=1");
    EXPECT_EQ(Get("a"), "NOT_FOUND");
    EXPECT_TRUE(GetWith(options, "a").ok());
    std::vector<std::string> values;
    EXPECT_TRUE(db_->MultiGet(options, {"a"}, &values)[0].ok());
  };
  check();  // in the memtable
  Flush();
  check();  // in one table
  db_->ReleaseSnapshot(before);
  Destroy();
  Open();
  Put("a", "1");
  Put("b", "1");
  Flush();
  DeleteRange("a", "b");
  check();  // in the memtable, over a table
  Flush();
  check();  // in two tables
}

// --- pin_data

TEST_F(DBReadOptionsTest, PinnedKeysOutliveTheirEntries) {
  Open();
  PutMany(1000);
  Flush();
  for (int i = 500; i < 1500; ++i) Put(Key(i), "new");
  for (const bool pin : {false, true}) {
    ReadOptions options;
    options.pin_data = pin;
    const auto it = NewIterator(options);
    std::string value;
    ASSERT_TRUE(it->GetProperty("rocksdb.iterator.is-key-pinned", &value).ok());
    EXPECT_EQ(value, "Iterator is not valid.");
    std::vector<Slice> keys;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      keys.push_back(it->key());
      ASSERT_TRUE(
          it->GetProperty("rocksdb.iterator.is-key-pinned", &value).ok());
      ASSERT_EQ(value, pin ? "1" : "0");
    }
    if (pin) {
      ASSERT_EQ(keys.size(), 1500u);
      for (int i = 0; i < 1500; ++i) {
        ASSERT_EQ(keys[static_cast<size_t>(i)], Key(i));
      }
    }
    keys.clear();
    for (it->SeekToLast(); it->Valid(); it->Prev()) keys.push_back(it->key());
    if (pin) {
      EXPECT_EQ(keys.back(), Key(0));
    }
    EXPECT_TRUE(it->GetProperty("no such", &value).IsInvalidArgument());
  }
}

// --- tailing

TEST_F(DBReadOptionsTest, ATailingIteratorFollowsWrites) {
  options_.disable_auto_compactions = true;
  Open();
  ReadOptions options;
  options.tailing = true;
  const auto it = NewIterator(options);
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  Put("a", "1");
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "a");
  Put("b", "1");
  it->Next();
  ASSERT_TRUE(it->Valid()) << "Next shows writes after the seek";
  EXPECT_EQ(it->key(), "b");
  // Across a flush, and with a newer version of the key shown.
  Put("b", "2");
  Flush();
  Put("c", "1");
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "c");
  it->Seek("b");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), "2");
  // The key shown is deleted, together with those after it.
  DeleteRange("b", "d");
  Put("e", "1");
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "e");
  it->Seek("b");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "e");
  // The target is the iterator's own key.
  Compact();
  Put("e", "2");
  it->Seek(it->key());
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), "2");
  it->SeekToLast();
  EXPECT_EQ(it->key(), "e");
  it->Prev();
  EXPECT_EQ(it->key(), "a");
  ASSERT_TRUE(it->status().ok()) << it->status();
}

TEST_F(DBReadOptionsTest, ATailingIteratorReleasesWhatItPinned) {
  options_.disable_auto_compactions = true;
  Open();
  MakeLevel0Files(3);
  ReadOptions options;
  options.tailing = true;
  const auto it = NewIterator(options);
  it->SeekToFirst();
  Compact();
  EXPECT_EQ(TablesOnDisk(), 4u);
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(TablesOnDisk(), 1u);
}

TEST_F(DBReadOptionsTest, TailingAndASnapshotExcludeEachOther) {
  Open();
  ReadOptions options;
  options.tailing = true;
  options.snapshot = db_->GetSnapshot();
  const auto it = NewIterator(options);
  EXPECT_TRUE(it->status().IsInvalidArgument()) << it->status();
  std::vector<Iterator*> iterators;
  EXPECT_TRUE(
      db_->NewIterators(options, {db_->DefaultColumnFamily()}, &iterators)
          .IsInvalidArgument());
  db_->ReleaseSnapshot(options.snapshot);
}

// --- background_purge_on_iterator_cleanup, auto_prefix_mode

TEST_F(DBReadOptionsTest, AJobDeletesTheFilesOfAnIterator) {
  options_.disable_auto_compactions = true;
  for (const bool by_job : {false, true}) {
    SCOPED_TRACE(by_job);
    Open();
    MakeLevel0Files(3);
    ReadOptions options;
    options.background_purge_on_iterator_cleanup = by_job;
    auto it = NewIterator(options);
    it->SeekToFirst();
    Compact();
    EXPECT_EQ(TablesOnDisk(), 4u);
    it.reset();
    EXPECT_EQ(TablesOnDisk(), by_job ? 4u : 1u);
    RunJobs();
    EXPECT_EQ(TablesOnDisk(), 1u);
    Destroy();
  }
}

TEST_F(DBReadOptionsTest, AutoPrefixModeProbesFiltersInSpiteOfTotalOrder) {
  options_.prefix_extractor.reset(NewFixedPrefixTransform(3));
  Open();
  Put("abc1", "1");
  Put("xyz1", "1");
  Flush();
  EXPECT_EQ(Get("abc1"), "1");
  const Slice upper("mno9");
  for (const bool automatic : {false, true}) {
    ReadOptions options;
    options.total_order_seek = true;
    options.auto_prefix_mode = automatic;
    options.iterate_upper_bound = &upper;
    ASSERT_TRUE(options_.statistics->Reset().ok());
    const auto it = NewIterator(options);
    it->Seek("mno1");
    EXPECT_FALSE(it->Valid());
    EXPECT_EQ(Tick(BLOOM_FILTER_PREFIX_CHECKED), automatic ? 1u : 0u);
  }
}

}  // namespace
}  // namespace tamis
