// SPDX-License-Identifier: Apache-2.0
//
// min_write_buffer_number_to_merge: several memtables become one table.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tamis/utilities/checkpoint.h"
#include "tamis/write_buffer_manager.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class MergeMemtablesTest : public DBTest {
 protected:
  int Tables0() { return static_cast<int>(LiveFiles().size()); }
};

TEST_F(MergeMemtablesTest, SeveralMemtablesBecomeOneTable) {
  for (const int merge : {1, 3}) {
    options_.write_buffer_size = 64 << 10;
    options_.max_write_buffer_number = 5;
    options_.min_write_buffer_number_to_merge = merge;
    options_.disable_auto_compactions = true;
    Open();
    for (int i = 0; i < 300; ++i) {
      Put(Key(i % 10), Noise(1000, static_cast<uint64_t>(i)));
      RunJobs();
    }
    const uint64_t pending = Property(DB::Properties::kNumImmutableMemTable);
    EXPECT_LT(pending, static_cast<uint64_t>(merge));
    EXPECT_EQ(Tables0(), merge == 1 ? 4 : 1) << pending;
    EXPECT_EQ(Property(DB::Properties::kMemTableFlushPending), 0u);
    // A request does not wait for the number.
    Flush();
    EXPECT_EQ(Property(DB::Properties::kNumImmutableMemTable), 0u);
    EXPECT_EQ(Tables0(), merge == 1 ? 5 : 2);
    for (int i = 290; i < 300; ++i) {
      EXPECT_EQ(Get(Key(i % 10)), Noise(1000, static_cast<uint64_t>(i)));
    }
    Destroy();
  }
}

// One memtable is immutable then, which alone would wait for a second.
TEST_F(MergeMemtablesTest, ACheckpointFlushesASingleMemtable) {
  options_.min_write_buffer_number_to_merge = 2;
  Open();
  Put("a", "1");
  Checkpoint* made = nullptr;
  ASSERT_TRUE(Checkpoint::Create(db_.get(), &made).ok());
  const std::unique_ptr<Checkpoint> checkpoint(made);
  const Status status = checkpoint->CreateCheckpoint("/parent/copy");
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(Tables0(), 1);
}

// A stall waits for flushes that are due, however few memtables there are.
TEST_F(MergeMemtablesTest, AStallByTheWriteBufferManagerFlushes) {
  options_.min_write_buffer_number_to_merge = 3;
  options_.max_write_buffer_number = 8;
  options_.write_buffer_size = 600 << 10;
  options_.write_buffer_manager =
      std::make_shared<WriteBufferManager>(1 << 20, nullptr, true);
  Open();
  for (int i = 0; i < 3000; ++i) {
    Put(Key(i), Noise(1000, static_cast<uint64_t>(i)));
  }
  EXPECT_GT(Tables0(), 1);
}

TEST_F(MergeMemtablesTest, TheLimitOfTheLogsDoesNotWaitForMoreMemtables) {
  options_.write_buffer_size = 64 << 10;
  options_.max_write_buffer_number = 10;
  options_.min_write_buffer_number_to_merge = 9;
  options_.max_total_wal_size = 200 << 10;
  options_.disable_auto_compactions = true;
  Open();
  for (int i = 0; i < 400; ++i) {
    Put(Key(i), Noise(1000, static_cast<uint64_t>(i)));
    RunJobs();
  }
  EXPECT_GE(Tables0(), 1);
  EXPECT_LE(Property(DB::Properties::kNumImmutableMemTable), 4u);
}

TEST_F(MergeMemtablesTest, FamiliesFlushTogetherOnceOneIsDue) {
  options_.write_buffer_size = 64 << 10;
  options_.max_write_buffer_number = 5;
  options_.min_write_buffer_number_to_merge = 2;
  options_.atomic_flush = true;
  options_.disable_auto_compactions = true;
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options_, "other", &other).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), other, "k", "v").ok());
  for (int i = 0; i < 70; ++i) {
    Put(Key(i), Noise(1000, static_cast<uint64_t>(i)));
    RunJobs();
  }
  EXPECT_EQ(LiveFiles().size(), 0u);  // one memtable of each
  for (int i = 0; i < 80; ++i) {
    Put(Key(i), Noise(1000, static_cast<uint64_t>(i)));
    RunJobs();
  }
  EXPECT_EQ(LiveFiles().size(), 2u);
  delete other;
}

TEST_F(MergeMemtablesTest, MemtablesToMergeAreClamped) {
  options_.min_write_buffer_number_to_merge = 7;
  Open();
  EXPECT_EQ(db_->GetOptions().min_write_buffer_number_to_merge, 1);
}

}  // namespace
}  // namespace tamis
