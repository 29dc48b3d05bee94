// SPDX-License-Identifier: Apache-2.0
//
// What is estimated of ranges and keys without reading them.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_families.h"

namespace tamis {
namespace {

using Flags = DB::SizeApproximationFlags;

class ApproximateSizesTest : public FamiliesTest {
 protected:
  // Of [Key(begin), Key(end)).
  uint64_t Size(int begin, int end,
                const SizeApproximationOptions& options = {}) {
    const std::string first = Key(begin);
    const std::string limit = Key(end);
    const Range range(first, limit);
    uint64_t size = 0;
    EXPECT_EQ(db_->GetApproximateSizes(options, db_->DefaultColumnFamily(),
                                       &range, 1, &size),
              Status::OK());
    return size;
  }
  uint64_t TableBytes() {
    uint64_t bytes = 0;
    EXPECT_TRUE(db_->GetIntProperty("rocksdb.live-sst-files-size", &bytes));
    return bytes;
  }
};

TEST_F(ApproximateSizesTest, ARangeHasItsShareOfATable) {
  Open();
  PutMany(1000, 1000);
  EXPECT_EQ(Size(0, 1000), 0u);
  Flush();
  const uint64_t all = TableBytes();
  EXPECT_EQ(Size(0, 1000), all);
  const uint64_t half = Size(250, 750);
  EXPECT_GT(half, all * 48 / 100);
  EXPECT_LT(half, all * 52 / 100);
  // The parts make up the whole.
  const uint64_t sum = Size(0, 250) + half + Size(750, 1000);
  EXPECT_GT(sum, all * 99 / 100);
  EXPECT_LT(sum, all * 101 / 100);
  EXPECT_EQ(Size(1000, 2000), 0u);
  EXPECT_EQ(Size(700, 300), 0u);
  EXPECT_EQ(Size(300, 300), 0u);
}

TEST_F(ApproximateSizesTest, MemTablesCountIfAsked) {
  Open();
  PutMany(100, 1000);
  SizeApproximationOptions options;
  options.include_memtables = true;
  const uint64_t in_memory = Size(0, 50, options);
  EXPECT_GT(in_memory, 50u * 1000);
  EXPECT_LT(in_memory, 50u * 1100);
  uint64_t count = 0;
  uint64_t bytes = 0;
  const std::string first = Key(10);
  const std::string limit = Key(30);
  db_->GetApproximateMemTableStats({first, limit}, &count, &bytes);
  EXPECT_EQ(count, 20u);
  EXPECT_EQ(bytes, 20u * (1000 + first.size() + 8));
  Flush();
  EXPECT_GT(Size(0, 50, options), 48u * 1000);
  options.include_files = false;
  EXPECT_EQ(Size(0, 50, options), 0u);
  db_->GetApproximateMemTableStats({first, limit}, &count, &bytes);
  EXPECT_EQ(count + bytes, 0u);

  options.include_memtables = false;
  const Range range(first, limit);
  uint64_t size = 0;
  EXPECT_TRUE(db_->GetApproximateSizes(options, db_->DefaultColumnFamily(),
                                       &range, 1, &size)
                  .IsInvalidArgument());
}

TEST_F(ApproximateSizesTest, FlagsAreTheOptions) {
  MakeFamilies({"f"});
  Put("f", Key(1), Noise(1000, 1));
  const std::string first = Key(0);
  const std::string limit = Key(9);
  const Range ranges[] = {{first, limit}, {limit, first}};
  uint64_t sizes[2] = {7, 7};
  EXPECT_EQ(
      db_->GetApproximateSizes(Family("f"), ranges, 2, sizes,
                               Flags::INCLUDE_FILES | Flags::INCLUDE_MEMTABLES),
      Status::OK());
  EXPECT_GT(sizes[0], 1000u);
  EXPECT_EQ(sizes[1], 0u);
  EXPECT_EQ(db_->GetApproximateSizes(Family("f"), ranges, 1, sizes),
            Status::OK());
  EXPECT_EQ(sizes[0], 0u);
  EXPECT_EQ(db_->GetApproximateSizes(ranges, 1, sizes), Status::OK());
  EXPECT_TRUE(db_->GetApproximateSizes(ranges, 1, sizes, Flags::NONE)
                  .IsInvalidArgument());
}

// One table of twenty is half in the range: with a margin it is not opened.
TEST_F(ApproximateSizesTest, AMarginSparesTheOpeningOfTables) {
  options_.disable_auto_compactions = true;
  Open();
  for (int table = 0; table < 20; ++table) {
    for (int i = 0; i < 10; ++i) {
      Put(Key(10 * table + i), Noise(1000, static_cast<uint64_t>(i)));
    }
    Flush();
  }
  const uint64_t all = TableBytes();
  Reopen();
  fs_->SetReadHook([](const SimulatedFileSystem::Call& call) {
    return Status::IOError(call.path, "read");
  });
  SizeApproximationOptions options;
  options.files_size_error_margin = 0.1;
  const uint64_t size = Size(0, 195, options);
  EXPECT_GT(size, all * 96 / 100);
  EXPECT_LT(size, all * 99 / 100);
  fs_->SetReadHook(nullptr);
  EXPECT_EQ(Size(0, 195) / (all / 100), size / (all / 100));
}

TEST_F(ApproximateSizesTest, KeyMayExistReadsNoFile) {
  BlockBasedTableOptions table;
  table.no_block_cache = true;
  SetTable(table);
  Open();
  PutMany(100);
  std::string value;
  bool found = false;
  EXPECT_TRUE(db_->KeyMayExist(ReadOptions(), Key(1), &value, &found));
  EXPECT_TRUE(found);
  EXPECT_EQ(value, Noise(100, 1));
  EXPECT_FALSE(db_->KeyMayExist(ReadOptions(), "absent", &value, &found));
  EXPECT_FALSE(found);
  Flush();
  ASSERT_EQ(Get(Key(1)), Noise(100, 1));  // opens the table
  value = "as it was";
  int reads = 0;
  fs_->SetReadHook([&](const SimulatedFileSystem::Call&) {
    ++reads;
    return Status::OK();
  });
  EXPECT_TRUE(db_->KeyMayExist(ReadOptions(), Key(1), &value, &found));
  EXPECT_FALSE(found);
  EXPECT_EQ(value, "as it was");
  int passed = 0;
  for (int i = 1000; i < 2000; ++i) {
    passed += db_->KeyMayExist(ReadOptions(), Key(i), nullptr) ? 1 : 0;
  }
  EXPECT_LT(passed, 50);  // those that the filter lets pass
  EXPECT_EQ(reads, 0);
  EXPECT_EQ(Get(Key(1)), Noise(100, 1));
  EXPECT_GT(reads, 0);
  fs_->SetReadHook(nullptr);
  Delete(Key(1));
  EXPECT_FALSE(db_->KeyMayExist(ReadOptions(), Key(1), nullptr));
}

}  // namespace
}  // namespace tamis
