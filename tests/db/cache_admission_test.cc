// SPDX-License-Identifier: Apache-2.0
//
// Which data blocks become resident in the block cache: all while there is
// room, then those that are read twice, and none of a long scan.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

constexpr int kKeys = 20000;
constexpr size_t kCacheBytes = 256 * 1024;

// The table has about 2.5 MB of data blocks.
class CacheAdmissionTest : public DBTest {
 protected:
  void SetUp() override {
    cache_ = NewLRUCache(kCacheBytes);
    BlockBasedTableOptions table;
    table.block_cache = cache_;
    SetTable(table);
    Open();
    PutMany(kKeys);
    Flush();
    ASSERT_TRUE(
        db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
    Reopen();
  }
  uint64_t Added() { return Tick(BLOCK_CACHE_ADD); }
  // Reads keys of different blocks until the cache is full.
  void FillCache() {
    for (int i = 0; i < kKeys / 2; i += 100) EXPECT_NE(Get(Key(i)), "");
  }
  // Returns how many data blocks the Get made resident.
  uint64_t AddedByGet(int i) {
    const uint64_t before = Added();
    EXPECT_EQ(Get(Key(i)), Noise(100, static_cast<uint64_t>(i)));
    return Added() - before;
  }
  // Returns how many blocks an iterator made resident that moved n times.
  uint64_t AddedByScan(int from, int n) {
    const uint64_t before = Added();
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    for (it->Seek(Key(from)); it->Valid() && n > 0; --n) it->Next();
    EXPECT_TRUE(it->status().ok()) << it->status();
    return Added() - before;
  }

  std::shared_ptr<Cache> cache_;
};

TEST_F(CacheAdmissionTest, WhileThereIsRoomTheFirstReadIsEnough) {
  EXPECT_EQ(AddedByGet(0), 1u);
  EXPECT_EQ(AddedByGet(0), 0u);  // a hit
  EXPECT_EQ(AddedByGet(1000), 1u);
  EXPECT_GT(AddedByScan(3000, 200), 4u);
}

// A block may have to be read again, if another one took its mark meanwhile.
TEST_F(CacheAdmissionTest, AFullCacheAdmitsABlockAtItsSecondRead) {
  FillCache();
  EXPECT_GT(cache_->GetUsage(), kCacheBytes / 2);
  uint64_t first = 0;
  uint64_t second = 0;
  uint64_t blocks = 0;
  for (int i = kKeys / 2; i < kKeys; i += 500) {
    ++blocks;
    first += AddedByGet(i);
    second += AddedByGet(i);
  }
  EXPECT_LE(first, 1u);
  EXPECT_GE(second, blocks - 5);
}

// The cache knows a file by its name, not by the reader that opened it.
TEST_F(CacheAdmissionTest, AReadIsRememberedByTheNameOfTheFile) {
  FillCache();
  for (int i = kKeys / 2; i < kKeys; i += 500) EXPECT_LE(AddedByGet(i), 1u);
  std::unique_ptr<DB> reader;
  ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &reader).ok());
  const uint64_t before = Added();
  uint64_t blocks = 0;
  for (int i = kKeys / 2; i < kKeys; i += 500, ++blocks) {
    std::string value;
    EXPECT_TRUE(reader->Get(ReadOptions(), Key(i), &value).ok());
  }
  EXPECT_GE(Added() - before, blocks - 5);
}

TEST_F(CacheAdmissionTest, ABatchAdmitsAsSingleReadsDo) {
  FillCache();
  std::vector<std::string> names;
  for (int i = kKeys / 2; i < kKeys; i += 1000) names.push_back(Key(i));
  const std::vector<Slice> keys(names.begin(), names.end());
  std::vector<uint64_t> added;
  for (int round = 0; round < 20; ++round) {
    const uint64_t before = Added();
    std::vector<std::string> values;
    for (const Status& status : db_->MultiGet(ReadOptions(), keys, &values)) {
      EXPECT_TRUE(status.ok()) << status;
    }
    added.push_back(Added() - before);
  }
  EXPECT_LE(added[0], 1u);
  EXPECT_GE(added[1], keys.size() - 4);
  EXPECT_EQ(added.back(), 0u);  // hits
}

// The cache holds all blocks, and they are read in the same order each time.
TEST_F(CacheAdmissionTest, ANewWorkingSetDisplacesTheOldOneEntirely) {
  FillCache();
  uint64_t reads = 0;
  for (int round = 0; round < 30; ++round) {
    get_perf_context()->Reset();
    for (int i = kKeys / 2; i < kKeys; i += 250) EXPECT_NE(Get(Key(i)), "");
    reads = get_perf_context()->block_read_count;
  }
  EXPECT_EQ(reads, 0u);
}

// Each block would evict the one before.
TEST_F(CacheAdmissionTest, BlocksLargerThanTheRoomAreNotKeptAtOnce) {
  cache_->SetCapacity(16 * 1024);
  cache_->EraseUnRefEntries();
  uint64_t added = 0;
  for (int i = 0; i < kKeys; i += 1000) added += AddedByGet(i);
  EXPECT_LE(added, 4u);
}

TEST_F(CacheAdmissionTest, ABlockThatCannotBeKeptIsReadOnceForABatch) {
  cache_->SetCapacity(0);
  std::vector<std::string> names;
  for (int i = 100; i < 110; ++i) names.push_back(Key(i));
  const std::vector<Slice> keys(names.begin(), names.end());
  for (int round = 0; round < 3; ++round) {
    get_perf_context()->Reset();
    std::vector<std::string> values;
    for (const Status& status : db_->MultiGet(ReadOptions(), keys, &values)) {
      EXPECT_TRUE(status.ok()) << status;
    }
    EXPECT_LE(get_perf_context()->block_read_count, 2u) << round;
  }
}

TEST_F(CacheAdmissionTest, AShortScanAdmitsAtItsSecondTime) {
  FillCache();
  EXPECT_LE(AddedByScan(kKeys - 1000, 10), 1u);
  uint64_t added = 0;
  for (int i = 0; i < 20; ++i) added += AddedByScan(kKeys - 1000, 10);
  EXPECT_GE(added, 1u);
}

TEST_F(CacheAdmissionTest, ALongScanDisplacesNothingHoweverOftenItIsRepeated) {
  FillCache();
  for (int i = 0; i < 3; ++i) {
    EXPECT_LE(AddedByScan(kKeys / 2, kKeys), 5u) << i;
  }
}

TEST_F(CacheAdmissionTest, ACacheThatGrowsHasRoomAgain) {
  FillCache();
  EXPECT_EQ(AddedByGet(kKeys - 1000), 0u);
  cache_->SetCapacity(16 * kCacheBytes);
  EXPECT_EQ(AddedByGet(kKeys - 500), 1u);
}

}  // namespace
}  // namespace tamis
