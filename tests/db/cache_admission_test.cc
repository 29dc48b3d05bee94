// SPDX-License-Identifier: Apache-2.0
//
// Which data blocks become resident in the block cache: all while there is
// room, then those that are read twice, and none of a long scan.
#include <memory>
#include <string>

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
    ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
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

TEST_F(CacheAdmissionTest, AFullCacheAdmitsABlockAtItsSecondRead) {
  FillCache();
  EXPECT_GT(cache_->GetUsage(), kCacheBytes / 2);
  int first = 0;
  for (int i = kKeys / 2; i < kKeys; i += 1000) {
    first += static_cast<int>(AddedByGet(i));
    EXPECT_EQ(AddedByGet(i), 1u) << i;
    EXPECT_EQ(AddedByGet(i), 0u) << i;
  }
  EXPECT_EQ(first, 0);
}

TEST_F(CacheAdmissionTest, ABatchAdmitsAsSingleReadsDo) {
  FillCache();
  const std::vector<Slice> none;
  std::vector<std::string> names;
  for (int i = kKeys / 2; i < kKeys; i += 1000) names.push_back(Key(i));
  const std::vector<Slice> keys(names.begin(), names.end());
  for (const uint64_t added : {uint64_t{0}, uint64_t{keys.size()}, uint64_t{0}}) {
    const uint64_t before = Added();
    std::vector<std::string> values;
    for (const Status& status : db_->MultiGet(ReadOptions(), keys, &values)) {
      EXPECT_TRUE(status.ok()) << status;
    }
    EXPECT_EQ(Added() - before, added);
  }
}

TEST_F(CacheAdmissionTest, AShortScanAdmitsAtItsSecondTime) {
  FillCache();
  EXPECT_EQ(AddedByScan(kKeys - 1000, 10), 0u);
  EXPECT_GE(AddedByScan(kKeys - 1000, 10), 1u);
}

TEST_F(CacheAdmissionTest, ALongScanDisplacesNothingHoweverOftenItIsRepeated) {
  FillCache();
  for (int i = 0; i < 3; ++i) {
    EXPECT_LE(AddedByScan(kKeys / 2, kKeys), 4u) << i;
  }
}

TEST_F(CacheAdmissionTest, ACacheThatGrowsHasRoomAgain) {
  FillCache();
  EXPECT_EQ(AddedByGet(kKeys - 1), 0u);
  cache_->SetCapacity(16 * kCacheBytes);
  EXPECT_EQ(AddedByGet(kKeys - 500), 1u);
}

}  // namespace
}  // namespace tamis
