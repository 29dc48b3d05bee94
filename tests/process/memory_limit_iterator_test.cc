// SPDX-License-Identifier: Apache-2.0
//
// Without memory even for an error iterator, every NewIterator still returns an
// iterator. Each has status MemoryLimit until it is deleted, even if others are
// deleted before.
#include <memory>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/failures/failures.h"
#include "tests/support/simulated_file_system.h"

namespace tamis::process {
namespace {

class MemoryLimitIteratorTest : public testing::Test {
 protected:
  MemoryLimitIteratorTest() {
    Options options;
    options.create_if_missing = true;
    options.file_system = NewSimulatedFileSystem();
    const Status status = DB::Open(options, "/db", &db_);
    EXPECT_TRUE(status.ok()) << status;
  }

  std::unique_ptr<Iterator> NewIterator() {
    return std::unique_ptr<Iterator>(db_->NewIterator(ReadOptions()));
  }
  static bool SaysMemoryLimit(Iterator* iterator) {
    iterator->SeekToFirst();
    if (iterator->Valid()) return false;
    iterator->SeekForPrev("k");
    return !iterator->Valid() && iterator->status().IsMemoryLimit();
  }

  std::unique_ptr<DB> db_;
};

TEST_F(MemoryLimitIteratorTest, OutlivesADeletedIterator) {
  Failures::Arm(Failures::Kind::kAllocationsOn, 1);
  std::unique_ptr<Iterator> first = NewIterator();
  std::unique_ptr<Iterator> second = NewIterator();
  first.reset();
  const bool says_so = SaysMemoryLimit(second.get());
  std::unique_ptr<Iterator> third = NewIterator();
  second.reset();
  const bool third_says_so = SaysMemoryLimit(third.get());
  third.reset();
  EXPECT_TRUE(Failures::Disarm());
  EXPECT_TRUE(says_so);
  EXPECT_TRUE(third_says_so);
  EXPECT_TRUE(NewIterator()->status().ok());
}

}  // namespace
}  // namespace tamis::process
