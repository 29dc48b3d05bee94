// SPDX-License-Identifier: Apache-2.0
//
// Which reads RecentReads remembers, and for how long.
#include "util/cache/recent_reads.h"

#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tamis {
namespace {

constexpr size_t kBlocks = 4096;
constexpr uint64_t kBlockBytes = 4000;

class RecentReadsTest : public testing::Test {
 protected:
  bool Record(uint64_t block) {
    return reads_.Record(/*file=*/1, block * kBlockBytes);
  }
  // Returns how many of the blocks [begin, end) were recent.
  size_t RecordAll(uint64_t begin, uint64_t end) {
    size_t recent = 0;
    for (uint64_t i = begin; i < end; ++i) recent += Record(i);
    return recent;
  }

  RecentReads reads_{kBlocks};
};

TEST_F(RecentReadsTest, ASecondReadIsRecent) {
  EXPECT_FALSE(Record(7));
  EXPECT_TRUE(Record(7));
  EXPECT_TRUE(Record(7));
  EXPECT_FALSE(Record(8));
}

TEST_F(RecentReadsTest, FilesAreToldApart) {
  EXPECT_FALSE(reads_.Record(1, 100));
  EXPECT_FALSE(reads_.Record(2, 100));
  EXPECT_TRUE(reads_.Record(1, 100));
}

TEST_F(RecentReadsTest, FirstReadsAreRarelyTakenForSecondOnes) {
  EXPECT_LT(RecordAll(0, 100 * kBlocks), 100 * kBlocks / 1000);
}

// A block shares its mark with others, so some of the first reads are
// overwritten before the second ones. In a fixed order, the same ones each
// time, if it were not for chance.
TEST_F(RecentReadsTest, AllOfAWorkingSetAsLargeAsTheCacheAreFoundSoon) {
  std::vector<uint64_t> missing;
  for (uint64_t i = 0; i < kBlocks; ++i) missing.push_back(i);
  RecordAll(0, kBlocks);
  int rounds = 0;
  for (; !missing.empty() && rounds < 100; ++rounds) {
    std::erase_if(missing, [this](uint64_t block) { return Record(block); });
    if (rounds == 0) {
      EXPECT_LT(missing.size(), kBlocks / 2);
    }
  }
  EXPECT_LT(rounds, 100);
}

TEST_F(RecentReadsTest, AReadIsForgottenAfterManyOthers) {
  RecordAll(0, 100);
  RecordAll(1000000, 1000000 + 4 * kBlocks);
  EXPECT_LT(RecordAll(0, 100), 20u);
}

// Not only overwritten, but out of date: the others are few, and repeated.
TEST_F(RecentReadsTest, AReadIsForgottenAfterManyRepeatedOthers) {
  RecordAll(0, 100);
  for (int i = 0; i < 200; ++i) RecordAll(1000000, 1000000 + 64);
  EXPECT_LT(RecordAll(0, 100), 20u);
}

TEST_F(RecentReadsTest, ItHasARecordForEachBlock) {
  EXPECT_EQ(reads_.blocks(), kBlocks);
  EXPECT_GE(RecentReads(kBlocks + 1).blocks(), kBlocks + 1);
  RecentReads least(0);
  EXPECT_GT(least.blocks(), 0u);
  EXPECT_FALSE(least.Record(1, 1));
  EXPECT_TRUE(least.Record(1, 1));
  EXPECT_LT(RecentReads(SIZE_MAX).blocks(), size_t{1} << 30);
}

TEST_F(RecentReadsTest, ThreadsShareIt) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int round = 0; round < 8; ++round) {
        RecordAll(t * 50, t * 50 + 100);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(RecordAll(0, 250), 200u);
}

}  // namespace
}  // namespace tamis
