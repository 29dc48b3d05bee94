// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class MultiGetTest : public DBTest {};

TEST_F(MultiGetTest, AgreesWithGetWhereverAKeyIs) {
  Open();
  Put("table", std::string(1000, 't'));
  Put("gone", "x");
  Flush();
  Put("memtable", "m");
  Delete("gone");
  const Snapshot* before = db_->GetSnapshot();
  Put("memtable", "newer");

  std::vector<std::string> values;
  const std::vector<Slice> keys = {"memtable", "absent", "table", "gone",
                                   "table"};
  ReadOptions read;
  read.snapshot = before;
  const std::vector<Status> statuses = db_->MultiGet(read, keys, &values);
  ASSERT_EQ(statuses.size(), 5u);
  EXPECT_EQ(values[0], "m");
  EXPECT_TRUE(statuses[1].IsNotFound());
  EXPECT_EQ(values[2], std::string(1000, 't'));
  EXPECT_TRUE(statuses[3].IsNotFound());
  EXPECT_EQ(values[4], values[2]);
  db_->ReleaseSnapshot(before);

  EXPECT_TRUE(db_->MultiGet({}, {}, &values).empty());
  ASSERT_TRUE(db_->Close().ok());
  EXPECT_TRUE(db_->MultiGet({}, keys, &values)[0].IsShutdownInProgress());
}

// Calls of any length, during writes that fill memtables, flushes and
// compactions.
TEST_F(MultiGetTest, ReadsAllItsKeysAtOneSequenceNumber) {
  UseThreads();
  for (const bool with_operator : {false, true}) {
    options_.write_buffer_size = 64 << 10;
    if (with_operator) {
      options_.merge_operator = MergeOperators::CreateStringAppendOperator();
    }
    Open();
    std::vector<std::string> names;
    for (int i = 0; i < 200; ++i) names.push_back("key" + std::to_string(i));
    const auto write = [&](int round) {
      WriteBatch batch;
      for (const std::string& name : names) {
        ASSERT_TRUE(batch.Put(name, std::to_string(round)).ok());
      }
      ASSERT_TRUE(db_->Write({}, &batch).ok());
    };
    write(0);
    std::atomic<bool> stop{false};
    std::thread writer([&] {
      for (int round = 1; round <= 600; ++round) {
        write(round);
        if (round % 100 == 0) {
          EXPECT_TRUE(db_->CompactRange({}, nullptr, nullptr).ok());
        }
      }
      stop = true;
    });
    while (!stop) {
      for (const size_t n : {20U, 100U, 200U}) {
        std::vector<std::string> values;
        const std::vector<Slice> keys(names.begin(),
                                      names.begin() + static_cast<long>(n));
        for (const Status& status : db_->MultiGet({}, keys, &values)) {
          EXPECT_TRUE(status.ok()) << status;
        }
        EXPECT_EQ(values, std::vector<std::string>(n, values[0]));
      }
    }
    writer.join();
    Destroy();
  }
}

// Also in no order, and whatever keeps a block from staying.
TEST_F(MultiGetTest, AnUncachedBlockIsReadOnceForItsKeys) {
  constexpr int kKeys = 2000;
  for (const bool no_cache : {false, true}) {
    BlockBasedTableOptions table;
    table.no_block_cache = no_cache;
    SetTable(table);
    Open();
    const auto key = [](int i) { return "key" + std::to_string(10000 + i); };
    for (int i = 0; i < kKeys; ++i) {
      const std::string name = key(i);
      Put(name, name + std::string(100, 'v'));
    }
    Flush();
    // Some 35 keys a block: 30 of them are in two at the most.
    std::vector<std::string> names;
    for (int i = 0; i < 30; ++i) names.push_back(key(500 + i * 17 % 30));
    const std::vector<Slice> keys(names.begin(), names.end());
    std::vector<std::string> values;
    ReadOptions read;
    read.fill_cache = false;
    std::string value;
    ASSERT_TRUE(db_->Get(read, keys[0], &value).ok());  // the table is open now
    get_perf_context()->Reset();
    for (const Status& status : db_->MultiGet(read, keys, &values)) {
      ASSERT_TRUE(status.ok()) << status;
    }
    for (size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(values[i], names[i] + std::string(100, 'v'));
    }
    EXPECT_GE(get_perf_context()->block_read_count, 1u);
    EXPECT_LE(get_perf_context()->block_read_count, 2u);
    Destroy();
  }
}

// Each table of a level has one at offset 0.
TEST_F(MultiGetTest, ABlockOfAnotherTableIsNotUsedForAKey) {
  options_.target_file_size_base = 1000;
  Open();
  const std::vector<Slice> keys = {"a", "b", "c"};
  for (const Slice& key : keys) {
    Put(key, key.ToString() + std::string(2000, 'v'));
  }
  Compact();
  ASSERT_EQ(LiveFiles().size(), keys.size());
  ReadOptions read;
  read.fill_cache = false;
  std::vector<std::string> values;
  for (const Status& status : db_->MultiGet(read, keys, &values)) {
    EXPECT_TRUE(status.ok()) << status;
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(values[i], keys[i].ToString() + std::string(2000, 'v'));
  }
}

// Whatever layout the filter has, and wherever it is kept. The keys of a batch
// come in no order.
TEST_F(MultiGetTest, FiltersAnswerABatchAsTheyAnswerGets) {
  constexpr int kKeys = 4000;
  const auto key = [](int i) { return "key" + std::to_string(10000 + i); };
  for (const bool partitioned : {false, true}) {
    for (const bool in_cache : {false, true}) {
      for (const bool prefixes : {false, true}) {
        BlockBasedTableOptions table;
        table.cache_index_and_filter_blocks = in_cache;
        table.whole_key_filtering = !prefixes;
        if (partitioned) {
          table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
          table.partition_filters = true;
          table.metadata_block_size = 512;
        }
        SetTable(table);
        options_.prefix_extractor.reset(prefixes ? NewFixedPrefixTransform(8)
                                                 : nullptr);
        options_.statistics = CreateDBStatistics();
        Open();
        for (int i = 0; i < kKeys; ++i) {
          if (i % 3 == 0) Put(key(i), key(i));
          if (i == kKeys / 2) Flush();
        }
        Flush();
        const auto counted = [&] {
          return options_.statistics->getTickerCount(BLOOM_FILTER_USEFUL) +
                 options_.statistics->getTickerCount(
                     BLOOM_FILTER_PREFIX_USEFUL);
        };
        uint64_t useful = counted();
        for (int i = 0; i < kKeys; ++i) {
          EXPECT_EQ(Get(key(i)), i % 3 == 0 ? key(i) : "NOT_FOUND");
        }
        const uint64_t useful_of_gets = counted() - useful;
        EXPECT_GT(useful_of_gets, kKeys / 2);
        useful = counted();
        std::vector<std::string> names;
        for (int i = 0; i < kKeys; ++i) names.push_back(key(i * 37 % kKeys));
        const std::vector<Slice> keys(names.begin(), names.end());
        std::vector<std::string> values;
        const auto statuses = db_->MultiGet({}, keys, &values);
        for (int i = 0; i < kKeys; ++i) {
          const bool present = i * 37 % kKeys % 3 == 0;
          EXPECT_EQ(statuses[static_cast<size_t>(i)].ok(), present);
          EXPECT_EQ(values[static_cast<size_t>(i)],
                    present ? names[static_cast<size_t>(i)] : "");
        }
        EXPECT_EQ(counted() - useful, useful_of_gets);
        Destroy();
      }
    }
  }
}

// A filter that does not stay in memory is read once per batch, and so is the
// index of partitions.
TEST_F(MultiGetTest, AFilterThatDoesNotStayIsReadOnceForItsKeys) {
  for (const bool partitioned : {false, true}) {
    BlockBasedTableOptions table;
    table.block_cache = NewLRUCache(8 << 20);
    table.cache_index_and_filter_blocks = true;
    table.pin_top_level_index_and_filter = false;
    if (partitioned) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
    }
    SetTable(table);
    Open();
    const auto key = [](int i) { return "key" + std::to_string(100000 + i); };
    for (int i = 0; i < 20000; ++i) Put(key(2 * i), "v");
    Flush();
    EXPECT_EQ(Get(key(0)), "v");
    // Absent keys between 30 neighbours: in two partitions at the most.
    std::vector<std::string> names;
    for (int i = 0; i < 30; ++i) names.push_back(key(7001 + i * 17 % 30 * 2));
    const std::vector<Slice> keys(names.begin(), names.end());
    table.block_cache->EraseUnRefEntries();
    ReadOptions read;
    read.fill_cache = false;
    get_perf_context()->Reset();
    std::vector<std::string> values;
    for (const Status& status : db_->MultiGet(read, keys, &values)) {
      EXPECT_TRUE(status.IsNotFound()) << status;
    }
    EXPECT_GE(get_perf_context()->filter_block_read_count,
              partitioned ? 2u : 1u);
    EXPECT_LE(get_perf_context()->filter_block_read_count,
              partitioned ? 3u : 1u);
    Destroy();
  }
}

}  // namespace
}  // namespace tamis
