// SPDX-License-Identifier: Apache-2.0
//
// ReadOptions::readahead_size and DBOptions::compaction_readahead_size: the
// reads of tables by iterators and compactions.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "tests/support/wrapped_file_system.h"

namespace tamis {
namespace {

// Counts the reads of tables, and their bytes.
class CountingFileSystem final : public WrappedFileSystem {
 public:
  using WrappedFileSystem::WrappedFileSystem;

  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    const Status status = WrappedFileSystem::NewRandomAccessFile(path, file);
    if (status.ok()) *file = std::make_unique<File>(std::move(*file), this);
    return status;
  }
  void Reset() { reads = bytes = largest = 0; }

  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t largest = 0;

 private:
  class File final : public RandomAccessFile {
   public:
    File(std::unique_ptr<RandomAccessFile> file, CountingFileSystem* counts)
        : file_(std::move(file)), counts_(*counts) {}
    Status Read(uint64_t offset, size_t n, Slice* result,
                char* scratch) const override {
      const Status status = file_->Read(offset, n, result, scratch);
      ++counts_.reads;
      counts_.bytes += result->size();
      counts_.largest = std::max<uint64_t>(counts_.largest, result->size());
      return status;
    }

   private:
    const std::unique_ptr<RandomAccessFile> file_;
    CountingFileSystem& counts_;
  };
};

class ReadaheadTest : public DBTest {
 protected:
  static constexpr int kKeys = 10'000;

  ReadaheadTest() : counts_(std::make_shared<CountingFileSystem>(fs_)) {
    options_.file_system = counts_;
    options_.compression = kNoCompression;
    options_.write_buffer_size = 256 << 10;
    options_.target_file_size_base = 256 << 10;
    BlockBasedTableOptions table;
    table.no_block_cache = true;
    SetTable(table);
  }
  // A megabyte in several tables of one level, some 35 entries to a block.
  void Fill() {
    Open();
    PutMany(kKeys);
    Flush();
    Compact();
    ASSERT_GE(TablesOnDisk(), 3u);
    ScanFrom(ReadOptions(), 0, kKeys);  // opens the tables
  }
  // Scans this number of entries from the key, which must exist.
  void ScanFrom(const ReadOptions& options, int from, int entries) {
    counts_->Reset();
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    int i = from;
    for (it->Seek(Key(from)); it->Valid() && i < from + entries; it->Next()) {
      ASSERT_EQ(it->key(), Slice(Key(i)));
      ASSERT_EQ(it->value(), Slice(Noise(100, static_cast<uint64_t>(i))));
      ++i;
    }
    ASSERT_TRUE(it->status().ok()) << it->status();
    ASSERT_EQ(i, from + entries);
  }

  const std::shared_ptr<CountingFileSystem> counts_;
};

TEST_F(ReadaheadTest, AColdScanTakesFewReads) {
  Fill();
  uint64_t blocks = 0;
  for (const auto& [name, properties] : Tables()) {
    blocks += properties.num_data_blocks;
  }
  ASSERT_GT(blocks, 250u);
  ReadOptions options;
  ScanFrom(options, 0, kKeys);
  EXPECT_LT(counts_->reads, blocks / 4);
  options.readahead_size = 64 << 10;
  ScanFrom(options, 0, kKeys);
  EXPECT_LT(counts_->reads, blocks / 10);
  EXPECT_LE(counts_->largest, (64u << 10) + 5000);
}

TEST_F(ReadaheadTest, AShortScanReadsNoMoreThanItsBlocks) {
  Fill();
  ScanFrom(ReadOptions(), 1234, 10);
  EXPECT_LE(counts_->reads, 2u);
  EXPECT_LE(counts_->largest, 5000u);
}

TEST_F(ReadaheadTest, AScanUpToABoundReadsNoFurtherThanItsWindow) {
  Fill();
  const std::string end = Key(1500);
  const Slice bound(end);
  for (const size_t size : {size_t{0}, size_t{20'000}}) {
    ReadOptions options;
    options.iterate_upper_bound = &bound;
    options.readahead_size = size;
    ScanFrom(options, 1000, 500);
    // Some 60 KB of entries; the automatic window is at 64 KiB by then.
    const uint64_t wanted = 500 * 125 + 2 * 5000;
    EXPECT_LE(counts_->bytes, wanted + (size == 0 ? 64 << 10 : size));
    EXPECT_LE(counts_->reads, 8u);
    EXPECT_GT(counts_->largest, 5000u);
  }
}

TEST_F(ReadaheadTest, CompactionsReadAheadByTheirOption) {
  options_.compaction_readahead_size = 20'000;
  Fill();
  counts_->Reset();
  Compact(/*force=*/true);
  const uint64_t reads = counts_->reads;
  EXPECT_GE(counts_->largest, 20'000u);
  EXPECT_LE(counts_->largest, 20'000u + 5000);
  // While the database is open.
  ASSERT_EQ(db_->SetDBOptions({{"compaction_readahead_size", "100000"}}),
            Status::OK());
  EXPECT_EQ(db_->GetDBOptions().compaction_readahead_size, 100'000u);
  counts_->Reset();
  Compact(/*force=*/true);
  EXPECT_GE(counts_->largest, 100'000u);
  EXPECT_LE(counts_->largest, 100'000u + 5000);
  EXPECT_LT(counts_->reads, reads);
}

TEST_F(ReadaheadTest, ResidentBlocksAreNotRead) {
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(8 << 20);
  SetTable(table);
  Fill();
  table.block_cache->EraseUnRefEntries();
  ReadOptions options;
  ScanFrom(options, 0, kKeys);
  EXPECT_GT(counts_->reads, 0u);
  for (const size_t size : {size_t{0}, size_t{100'000}}) {
    options.readahead_size = size;
    ScanFrom(options, 0, kKeys);
    EXPECT_EQ(counts_->reads, 0u);
  }
  options.read_tier = kBlockCacheTier;
  table.block_cache->EraseUnRefEntries();
  counts_->Reset();
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  it->SeekToFirst();
  EXPECT_TRUE(it->status().IsIncomplete()) << it->status();
  EXPECT_EQ(counts_->reads, 0u);
}

}  // namespace
}  // namespace tamis
