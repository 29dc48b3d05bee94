// SPDX-License-Identifier: Apache-2.0
//
// BlockBasedTableOptions::prepopulate_block_cache.
#include <string>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class PrepopulateTest : public DBTest {
 protected:
  using Prepopulate = BlockBasedTableOptions::PrepopulateBlockCache;

  PrepopulateTest() { options_.disable_auto_compactions = true; }
  void Open(Prepopulate prepopulate, size_t cache_bytes) {
    BlockBasedTableOptions table;
    table.block_size = 1000;
    table.block_cache = NewLRUCache(cache_bytes);
    table.prepopulate_block_cache = prepopulate;
    SetTable(table);
    DBTest::Open();
  }
  // How many blocks 1000 gets of Key(first) and the next ones read.
  uint64_t ReadsOfGets(int first) {
    get_perf_context()->Reset();
    for (int i = first; i < first + 1000; ++i) {
      EXPECT_EQ(Get(Key(i)), Noise(100, static_cast<uint64_t>(i)));
    }
    return get_perf_context()->block_read_count;
  }
  void PutFrom(int first) {
    for (int i = first; i < first + 1000; ++i) {
      Put(Key(i), Noise(100, static_cast<uint64_t>(i)));
    }
  }
};

TEST_F(PrepopulateTest, AFlushedTableIsInTheCache) {
  Open(Prepopulate::kDisable, 8 << 20);
  PutFrom(0);
  Flush();
  EXPECT_GT(ReadsOfGets(0), 50u);
  Destroy();
  Open(Prepopulate::kFlushOnly, 8 << 20);
  PutFrom(0);
  Flush();
  RunJobs();
  EXPECT_EQ(ReadsOfGets(0), 0u);
}

// The cache has room for one of the two tables.
TEST_F(PrepopulateTest, NewBlocksDisplaceOldOnes) {
  Open(Prepopulate::kFlushOnly, 200 << 10);
  PutFrom(0);
  Flush();
  RunJobs();
  PutFrom(5000);
  Flush();
  RunJobs();
  EXPECT_LT(ReadsOfGets(5000), 20u);
  EXPECT_GT(ReadsOfGets(0), 20u);
}

TEST_F(PrepopulateTest, CompactionsFillNothing) {
  Open(Prepopulate::kFlushOnly, 8 << 20);
  PutFrom(0);
  Flush();
  Compact(/*force=*/true);
  RunJobs();
  EXPECT_GT(ReadsOfGets(0), 50u);
}

TEST_F(PrepopulateTest, SetOptionsChangesIt) {
  Open(Prepopulate::kDisable, 8 << 20);
  ASSERT_EQ(db_->SetOptions({{"block_based_table_factory",
                              "{prepopulate_block_cache=kFlushOnly;}"}}),
            Status::OK());
  PutFrom(0);
  Flush();
  RunJobs();
  EXPECT_EQ(ReadsOfGets(0), 0u);
}

}  // namespace
}  // namespace tamis
