// SPDX-License-Identifier: Apache-2.0
//
// Blocks that are not in memory are read at the same time: by MultiGet those of
// its keys, by iterators with async_io the next ones.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_db.h"
#include "tests/support/directories.h"
#include "tests/support/effort.h"
#include "tests/support/wrapped_file_system.h"
#include "util/base/random.h"
#include "util/io/async_reads.h"

namespace tamis {
namespace {

// Files of which nothing is in memory: no read that is begun is done at once.
// Counts reads, and may fail or cut some.
class ColdFileSystem final : public WrappedFileSystem {
 public:
  using WrappedFileSystem::WrappedFileSystem;

  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    const Status status = WrappedFileSystem::NewRandomAccessFile(path, file);
    if (status.ok()) {
      *file = std::make_unique<File>(path, std::move(*file), this);
    }
    return status;
  }
  void Reset() { reads = begun = in_a_row = at_once_max = 0; }

  uint64_t reads = 0;  // in all
  uint64_t begun = 0;  // of them, by ReadAsync
  uint64_t in_a_row = 0;
  uint64_t at_once_max = 0;  // begun before one of them was finished
  uint64_t fails_each = 0;   // every n-th read fails; 0: none does
  bool cuts = false;         // they return half of their bytes instead

 private:
  class File final : public RandomAccessFile {
   public:
    File(std::string path, std::unique_ptr<RandomAccessFile> file,
         ColdFileSystem* fs)
        : path_(std::move(path)), file_(std::move(file)), fs_(*fs) {}
    Status Read(uint64_t offset, size_t n, Slice* result,
                char* scratch) const override {
      ++fs_.reads;
      fs_.in_a_row = 0;
      const bool fails = fs_.fails_each != 0 && fs_.reads % fs_.fails_each == 0;
      if (fails && !fs_.cuts) return Status::IOError(path_, "injected");
      return file_->Read(offset, fails ? n / 2 : n, result, scratch);
    }
    bool ReadAsync(FSReadRequest* request, AsyncReads* async) const override {
      if (!async->Defer(this, request)) {
        return RandomAccessFile::ReadAsync(request, async);
      }
      ++fs_.begun;
      fs_.at_once_max = std::max(fs_.at_once_max, ++fs_.in_a_row);
      return false;
    }

   private:
    const std::string path_;
    const std::unique_ptr<RandomAccessFile> file_;
    ColdFileSystem& fs_;
  };
};

class AsyncReadsDBTest : public DBTest {
 protected:
  static constexpr int kKeys = 10'000;

  AsyncReadsDBTest() : cold_(std::make_shared<ColdFileSystem>(fs_)) {
    options_.file_system = cold_;
    options_.compression = kNoCompression;
    options_.write_buffer_size = 256 << 10;
    options_.target_file_size_base = 256 << 10;
    SetCache(/*bytes=*/0);
  }
  void SetCache(size_t bytes) {
    BlockBasedTableOptions table;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    table.no_block_cache = bytes == 0;
    if (bytes > 0) table.block_cache = NewLRUCache(bytes);
    SetTable(table);
  }
  // A megabyte in several tables of one level.
  void Fill() {
    Open();
    PutMany(kKeys);
    Flush();
    Compact();
    ASSERT_GE(TablesOnDisk(), 3u);
    for (int i = 0; i < kKeys; i += 100) Get(Key(i));  // opens the tables
    Reset();
  }
  void Reset() {
    cold_->Reset();
    get_perf_context()->Reset();
  }
  // Each as Get would have it, or the error.
  std::vector<std::string> MultiGet(const std::vector<std::string>& names,
                                    const ReadOptions& options = {}) {
    const std::vector<Slice> keys(names.begin(), names.end());
    std::vector<std::string> values;
    const std::vector<Status> statuses = db_->MultiGet(options, keys, &values);
    for (size_t i = 0; i < keys.size(); ++i) {
      if (statuses[i].ok()) continue;
      values[i] =
          statuses[i].IsNotFound() ? "NOT_FOUND" : statuses[i].ToString();
    }
    return values;
  }

  const std::shared_ptr<ColdFileSystem> cold_;
};

TEST_F(AsyncReadsDBTest, BlocksOfABatchAreReadAtTheSameTime) {
  Fill();
  std::vector<std::string> names;
  for (int i = 0; i < 64; ++i) names.push_back(Key(i * 61 % 3999));
  const std::vector<std::string> values = MultiGet(names);
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(values[i], Noise(100, static_cast<uint64_t>(i * 61 % 3999)));
  }
  const PerfContext& perf = *get_perf_context();
  EXPECT_EQ(perf.block_async_read_count, perf.block_read_count);
  EXPECT_EQ(cold_->begun, perf.block_async_read_count);
  EXPECT_EQ(cold_->reads, cold_->begun);
  EXPECT_GT(cold_->begun, 40u);
  EXPECT_GT(cold_->at_once_max, 20u);
  EXPECT_LE(cold_->at_once_max, AsyncReads::kReadsMax);
}

// Nothing could overlap.
TEST_F(AsyncReadsDBTest, OneBlockIsReadAtOnce) {
  Fill();
  EXPECT_EQ(MultiGet({Key(500)}), std::vector{Noise(100, 500)});
  EXPECT_EQ(MultiGet({Key(900), Key(900)}),
            (std::vector{Noise(100, 900), Noise(100, 900)}));
  EXPECT_EQ(Get(Key(7)), Noise(100, 7));
  EXPECT_EQ(cold_->begun, 0u);
  EXPECT_EQ(cold_->reads, 3u);
}

TEST_F(AsyncReadsDBTest, ResidentBlocksAreNotRead) {
  SetCache(8 << 20);
  Fill();
  const std::vector<std::string> names = {Key(0), Key(1000), Key(2000),
                                          Key(3000)};
  MultiGet(names);
  Reset();
  EXPECT_EQ(MultiGet(names)[3], Noise(100, 3000));
  EXPECT_EQ(cold_->reads, 0u);
  ReadOptions options;
  options.read_tier = kBlockCacheTier;
  EXPECT_EQ(MultiGet({Key(2000), Key(2050), Key(3050)}, options)[0],
            Noise(100, 2000));
  EXPECT_EQ(cold_->reads, 0u);
}

TEST_F(AsyncReadsDBTest, AReadThatFailsFailsTheKeysOfItsBlockOnly) {
  Fill();
  for (const bool cuts : {false, true}) {
    for (const uint64_t each : {1u, 3u, 7u}) {
      cold_->fails_each = each;
      cold_->cuts = cuts;
      Reset();
      std::vector<std::string> names;
      for (int i = 0; i < 60; ++i) names.push_back(Key(i * 61));
      const std::vector<std::string> values = MultiGet(names);
      uint64_t failed = 0;
      for (size_t i = 0; i < names.size(); ++i) {
        if (values[i] == Noise(100, i * 61)) continue;
        ++failed;
        EXPECT_NE(values[i].find(cuts ? "short read" : "injected"),
                  std::string::npos)
            << values[i];
        EXPECT_NE(values[i].find(".sst"), std::string::npos) << values[i];
      }
      // Each key has a block of its own.
      EXPECT_EQ(failed, 60 / each);
      cold_->fails_each = 0;
      EXPECT_EQ(MultiGet(names)[59], Noise(100, 59 * 61));
    }
  }
}

// Versions and operands of a key run on into further blocks, several levels
// have some, keys share blocks, and nothing, a little or all becomes resident.
TEST_F(AsyncReadsDBTest, AgreesWithGetWhateverTheBlocksHold) {
  options_.merge_operator = MergeOperators::CreateStringAppendOperator();
  for (int round = 0; round < Rounds(12); ++round) {
    options_.compression = round % 2 == 0 ? kNoCompression : kSnappyCompression;
    SetCache(round % 3 == 0 ? 0 : round % 3 == 1 ? 64 << 10 : 8 << 20);
    Open();
    Random random(500 + static_cast<uint32_t>(round));
    std::vector<const Snapshot*> snapshots;
    for (int i = 0; i < 3000; ++i) {
      const std::string key = Key(static_cast<int>(random.Uniform(200)));
      const std::string value = Noise(random.Uniform(300), random.Uniform(99));
      const uint64_t what = random.Uniform(10);
      if (what == 0) {
        Delete(key);
      } else if (what < 3) {
        Merge(key, value);
      } else {
        Put(key, value);
      }
      if (i % 300 == 0) snapshots.push_back(db_->GetSnapshot());
      if (i % 700 == 699) Flush();
      if (i == 2200) Compact();
    }
    for (int i = 0; i < 40; ++i) {
      ReadOptions read;
      read.snapshot =
          snapshots[random.Uniform(static_cast<uint32_t>(snapshots.size()))];
      read.fill_cache = random.Uniform(2) == 0;
      std::vector<std::string> names;
      const uint64_t n = 1 + random.Uniform(80);
      for (uint64_t k = 0; k < n; ++k) {
        names.push_back(Key(static_cast<int>(random.Uniform(210))));
      }
      const std::vector<std::string> values = MultiGet(names, read);
      for (size_t k = 0; k < names.size(); ++k) {
        ASSERT_EQ(values[k], Get(names[k], read.snapshot)) << names[k];
      }
    }
    EXPECT_GT(cold_->begun, 0u);
    for (const Snapshot* snapshot : snapshots) db_->ReleaseSnapshot(snapshot);
    Destroy();
  }
}

TEST_F(AsyncReadsDBTest, AsyncScanReadsAheadAndShowsTheSame) {
  Fill();
  const std::string plain = Contents();
  EXPECT_EQ(cold_->begun, 0u);
  ReadOptions options;
  options.async_io = true;
  for (const size_t size : {size_t{0}, size_t{20'000}}) {
    options.readahead_size = size;
    Reset();
    EXPECT_TRUE(Contents(options) == plain);
    EXPECT_GT(cold_->begun, 5u);
  }
}

// An error ends a scan where it ends one that does not read ahead, at the
// latest; nothing before it is lost, and another scan succeeds.
TEST_F(AsyncReadsDBTest, AsyncScanReportsAReadThatFails) {
  Fill();
  ReadOptions options;
  options.async_io = true;
  for (const uint64_t each : {1u, 2u, 5u}) {
    cold_->fails_each = each;
    Reset();
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    uint64_t i = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++i) {
      ASSERT_EQ(it->key(), Slice(Key(static_cast<int>(i))));
      ASSERT_EQ(it->value(), Slice(Noise(100, i)));
    }
    if (it->status().ok()) {
      EXPECT_EQ(i, static_cast<uint64_t>(kKeys));
    } else {
      EXPECT_NE(it->status().message().find("injected"), std::string::npos);
    }
    EXPECT_TRUE(each > 1 || !it->status().ok());
    cold_->fails_each = 0;
    it->SeekToFirst();
    EXPECT_TRUE(it->Valid()) << it->status();
  }
}

// On the system's own files, past the page cache, through it, and mapped.
TEST(AsyncReadsFilesTest, MultiGetAndScansReadTheSystemsFiles) {
  for (const int mode : {0, 1, 2}) {
    const TemporaryDirectory temporary;
    Options options;
    options.create_if_missing = true;
    options.use_direct_reads = mode == 1;
    options.allow_mmap_reads = mode == 2;
    options.job_runner = NewDeterministicJobRunner(301);
    BlockBasedTableOptions table;
    table.no_block_cache = true;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    std::unique_ptr<DB> db;
    const Status status = DB::Open(options, temporary.Path("db"), &db);
    if (status.IsInvalidArgument() && mode == 1) continue;  // no direct reads
    ASSERT_TRUE(status.ok()) << status;
    for (int i = 0; i < 5000; ++i) {
      ASSERT_TRUE(
          db->Put({}, Key(i), Noise(100, static_cast<uint64_t>(i))).ok());
    }
    ASSERT_TRUE(db->Flush({}).ok());
    std::vector<std::string> names;
    for (int i = 0; i < 100; ++i) names.push_back(Key(i * 49));
    const std::vector<Slice> keys(names.begin(), names.end());
    std::vector<std::string> values;
    get_perf_context()->Reset();
    const std::vector<Status> statuses = db->MultiGet({}, keys, &values);
    for (size_t i = 0; i < keys.size(); ++i) {
      ASSERT_TRUE(statuses[i].ok()) << statuses[i];
      EXPECT_EQ(values[i], Noise(100, i * 49));
    }
    if (mode == 1) {
      EXPECT_GT(get_perf_context()->block_async_read_count, 90u);
    }
    ReadOptions read;
    read.async_io = true;
    const std::unique_ptr<Iterator> it(db->NewIterator(read));
    int n = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++n) {
      ASSERT_EQ(it->value(), Slice(Noise(100, static_cast<uint64_t>(n))));
    }
    EXPECT_TRUE(it->status().ok()) << it->status();
    EXPECT_EQ(n, 5000);
  }
}

}  // namespace
}  // namespace tamis
