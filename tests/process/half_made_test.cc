// SPDX-License-Identifier: Apache-2.0
//
// If any allocation of a call fails, nothing that the call was creating
// remains: no snapshot, no iterator, no chunk of a pool.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/failures/failures.h"
#include "tests/failures/quiet_file_system.h"
#include "tests/support/simulated_file_system.h"
#include "util/cache/block_pool.h"

namespace tamis::process {
namespace {

class HalfMadeTest : public testing::Test {
 protected:
  HalfMadeTest() {
    Options options;
    options.create_if_missing = true;
    options.file_system =
        std::make_shared<QuietFileSystem>(NewSimulatedFileSystem());
    options.job_runner = NewDeterministicJobRunner(7);
    const Status status = DB::Open(options, "/db", &db_);
    EXPECT_TRUE(status.ok()) << status;
  }

  uint64_t Property(const std::string& name) {
    uint64_t value = 0;
    EXPECT_TRUE(db_->GetIntProperty(name, &value)) << name;
    return value;
  }

  std::unique_ptr<DB> db_;
};

TEST_F(HalfMadeTest, SnapshotIsNotHeld) {
  uint64_t n = 1;
  for (;; ++n) {
    SCOPED_TRACE(n);
    Failures::Arm(Failures::Kind::kAllocation, n);
    const Snapshot* const snapshot = db_->GetSnapshot();
    const bool failed = Failures::Disarm();
    db_->ReleaseSnapshot(snapshot);
    if (!failed) break;
    EXPECT_EQ(snapshot, nullptr);
    EXPECT_EQ(Property(DB::Properties::kNumSnapshots), 0U);
  }
  EXPECT_GT(n, 2U);
}

TEST_F(HalfMadeTest, IteratorKeepsNoVersion) {
  const std::vector<ColumnFamilyHandle*> families(3,
                                                  db_->DefaultColumnFamily());
  std::vector<Iterator*> iterators;
  uint64_t n = 1;
  for (;; ++n) {
    SCOPED_TRACE(n);
    iterators = {};
    Failures::Arm(Failures::Kind::kAllocation, n);
    const Status status = db_->NewIterators({}, families, &iterators);
    const bool failed = Failures::Disarm();
    EXPECT_EQ(status.ok(), iterators.size() == families.size()) << status;
    for (const Iterator* iterator : iterators) delete iterator;
    if (!failed) break;
    EXPECT_TRUE(status.IsMemoryLimit()) << status;
    ASSERT_TRUE(db_->Put({}, "key", std::to_string(n)).ok());
    // Into one table: the number of allocations stays the same.
    ASSERT_TRUE(db_->CompactRange({}, nullptr, nullptr).ok());
    ASSERT_EQ(Property(DB::Properties::kNumLiveVersions), 1U);
  }
  EXPECT_GT(n, families.size());
}

TEST(HalfMadePoolTest, ChunkIsNotLost) {
  constexpr size_t kBytes = 4096;
  BlockPool pool;
  void* memory = nullptr;
  Failures::Arm(Failures::Kind::kAllocation, 1);
  EXPECT_NO_THROW(memory = pool.Allocate(kBytes));
  EXPECT_TRUE(Failures::Disarm());
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(pool.reserved_bytes(), 0U);
  memory = pool.Allocate(kBytes);
  ASSERT_NE(memory, nullptr);
  BlockPool::Free(memory);
}

}  // namespace
}  // namespace tamis::process
