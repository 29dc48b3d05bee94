// SPDX-License-Identifier: Apache-2.0
//
// Filters in a database whose cache is much smaller than what their builders
// hold, and whose compactions write the end of a table beside the next one.
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "tests/support/databases.h"

namespace tamis {
namespace {

class FilterMemoryDBTest : public DBTest {
 protected:
  static constexpr int kKeys = 40'000;

  BlockBasedTableOptions Table(size_t cache_bytes) {
    cache_ = NewLRUCache(cache_bytes);
    BlockBasedTableOptions table;
    table.block_cache = cache_;
    table.filter_policy.reset(
        NewFilterPolicy({.format = FilterFormat::kBumpedRibbon}));
    table.range_filter = BlockBasedTableOptions::kGrafite;
    return table;
  }
  void Partition(BlockBasedTableOptions* table) {
    table->index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table->partition_filters = true;
    table->metadata_block_size = 64 << 10;
  }
  // Three tables of level 0, which a compaction merges.
  void Fill() {
    expected_.clear();
    for (int round = 0; round < 3; ++round) {
      for (int i = round; i < kKeys; i += 3) {
        Put(Key(i), Noise(20, static_cast<uint64_t>(i)));
      }
      Flush();
    }
    for (int i = 0; i < kKeys; ++i) {
      expected_.emplace_back(Key(i), Noise(20, static_cast<uint64_t>(i)));
    }
  }
  void Check() {
    Status status;
    EXPECT_EQ(DifferenceFrom(expected_, db_.get(), &status), "");
    EXPECT_TRUE(status.ok()) << status;
  }
  uint64_t IndexPartitions() {
    uint64_t n = 0;
    for (const auto& [name, properties] : Tables()) {
      n += properties.index_partitions;
    }
    return n;
  }

  std::shared_ptr<Cache> cache_;
  KeyValues expected_;
};

TEST_F(FilterMemoryDBTest, ABigTableUnderASmallCacheIsRight) {
  options_.disable_auto_compactions = true;
  std::vector<uint64_t> partitions;
  for (const size_t cache_bytes : {size_t{32} << 20, size_t{64} << 10}) {
    for (const bool partitioned : {true, false}) {
      BlockBasedTableOptions table = Table(cache_bytes);
      if (partitioned) Partition(&table);
      SetTable(table);
      Open();
      Fill();
      Compact();
      Check();
      if (partitioned) partitions.push_back(IndexPartitions());
      Destroy();
      EXPECT_EQ(cache_->GetUsage(), 0u);
    }
  }
  EXPECT_LE(partitions[0], 4u);
  EXPECT_GE(partitions[1], 40u);
}

TEST_F(FilterMemoryDBTest, TheEndOfATableIsWrittenBesideTheNext) {
  UseThreads();
  options_.disable_auto_compactions = true;
  options_.target_file_size_base = 200'000;
  std::vector<std::vector<std::string>> tables;
  for (const uint32_t threads : {1u, 2u, 2u}) {
    options_.compression_opts.parallel_threads = threads;
    SetTable(Table(1 << 20));
    Open();
    Fill();
    Compact();
    Check();
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    std::vector<std::string>& names = tables.emplace_back();
    for (const LiveFileMetaData& file : files) {
      names.push_back(file.name + " " + std::to_string(file.size) + " " +
                      file.smallestkey + " " + file.largestkey);
    }
    EXPECT_GE(names.size(), 4u);
    EXPECT_EQ(names, tables[0]);
    Destroy();
    EXPECT_EQ(cache_->GetUsage(), 0u);
  }
}

// Of the first table, so that it shows while later ones are written.
TEST_F(FilterMemoryDBTest, AnErrorAtTheEndOfATableFailsTheCompaction) {
  UseThreads();
  options_.disable_auto_compactions = true;
  options_.max_bgerror_resume_count = 0;
  options_.target_file_size_base = 200'000;
  SetTable(Table(1 << 20));
  Open();
  Fill();
  for (const int fail_at : {1, 2, 3}) {
    std::atomic<int> syncs{0};
    fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) -> Status {
      if (call.operation == "flush" && call.path.ends_with(".sst") &&
          ++syncs == fail_at) {
        return Status::NoSpace(call.path, "flush");
      }
      return Status::OK();
    });
    const Status status =
        db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
    fs_->SetFaultHook(nullptr);
    EXPECT_TRUE(status.IsNoSpace()) << status;
    ASSERT_TRUE(db_->Resume().ok());
    EXPECT_EQ(DifferenceOnDisk(fs_.get(), {kTestDirectory}, db_.get()), "");
    Check();
  }
  Compact();
  Check();
}

}  // namespace
}  // namespace tamis
