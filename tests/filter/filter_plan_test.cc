// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tamis/table.h"

#include "filter/bloom_filter_policy.h"
#include "filter/fast_local_bloom.h"
#include "filter/filter_placement.h"
#include "filter/leveldb_bloom.h"

namespace tamis {

namespace {

BlockBasedTableOptions WithPolicy(const FilterPolicy* policy) {
  BlockBasedTableOptions options;
  options.filter_policy.reset(policy);
  return options;
}

class ForeignPolicy final : public FilterPolicy {
 public:
  const char* Name() const override { return "somebody.Else"; }
  const char* CompatibilityName() const override { return "somebody.Else"; }
};

}  // namespace

TEST(FilterPolicyTest, NamesAreThoseThatRocksDBWrites) {
  const BloomFilterPolicy full(10, false);
  EXPECT_STREQ(full.Name(), "bloomfilter");
  EXPECT_STREQ(full.CompatibilityName(), "rocksdb.BuiltinBloomFilter");
  const BloomFilterPolicy block_based(10, true);
  EXPECT_STREQ(block_based.Name(), "rocksdb.BuiltinBloomFilter");
  EXPECT_STREQ(block_based.CompatibilityName(), "rocksdb.BuiltinBloomFilter");
}

TEST(FilterPlanTest, TheDefaultIsOneFastLocalBloomOfTenBits) {
  const Result<FilterPlan> plan = PlanFilter(BlockBasedTableOptions());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->codec, FastLocalBloomCodec());
  EXPECT_EQ(plan->bits_per_key, 10);
  EXPECT_EQ(plan->placement, FilterPlacement::kFull);
}

TEST(FilterPlanTest, NoPolicyMeansNoFilter) {
  const Result<FilterPlan> plan = PlanFilter(WithPolicy(nullptr));
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->codec, nullptr);
}

TEST(FilterPlanTest, BelowHalfABitThereIsNoFilter) {
  for (double bits : {-1.0, 0.0, 0.499}) {
    for (bool block_based : {false, true}) {
      const auto plan =
          PlanFilter(WithPolicy(NewBloomFilterPolicy(bits, block_based)));
      ASSERT_TRUE(plan.ok());
      EXPECT_EQ(plan->codec, nullptr) << bits;
    }
  }
  EXPECT_NE(PlanFilter(WithPolicy(NewBloomFilterPolicy(0.5)))->codec, nullptr);
}

TEST(FilterPlanTest, BlockBasedTakesTheHashOfRocksDB) {
  const auto plan = PlanFilter(WithPolicy(NewBloomFilterPolicy(12, true)));
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->codec, LevelDBBloomSignedTailCodec());
  EXPECT_EQ(plan->placement, FilterPlacement::kBlockBased);
  EXPECT_EQ(plan->bits_per_key, 12);
}

TEST(FilterPlanTest, PartitionsAreSmallerThanTheirTargetByTheDeviation) {
  const struct {
    uint64_t metadata_block_size;
    int deviation;
    size_t partition_bytes;
  } cases[] = {{4096, 10, 3687}, {4096, 0, 4096}, {4096, 100, 0},
               {4096, -5, 4096}, {4096, 250, 0},  {1, 10, 1},
               {0, 10, 0},       {1000, 33, 670}, {1001, 33, 671},
               {99, 1, 99},      {101, 1, 100}};
  for (const auto& c : cases) {
    BlockBasedTableOptions options;
    options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    options.partition_filters = true;
    options.metadata_block_size = c.metadata_block_size;
    options.block_size_deviation = c.deviation;
    const Result<FilterPlan> plan = PlanFilter(options);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->placement, FilterPlacement::kPartitioned);
    EXPECT_EQ(plan->codec, FastLocalBloomCodec());
    EXPECT_EQ(plan->partition_bytes, c.partition_bytes)
        << c.metadata_block_size << " less " << c.deviation << "%";
  }
}

TEST(FilterPlanTest, PartitionsNeedAPartitionedIndex) {
  BlockBasedTableOptions options;
  options.partition_filters = true;
  const Status status = PlanFilter(options).status();
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_NE(status.ToString().find("kTwoLevelIndexSearch"), std::string::npos);
}

TEST(FilterPlanTest, ABlockBasedFilterCannotBePartitioned) {
  BlockBasedTableOptions options = WithPolicy(NewBloomFilterPolicy(10, true));
  options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  options.partition_filters = true;
  const Status status = PlanFilter(options).status();
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_NE(status.ToString().find("use_block_based_builder"),
            std::string::npos);
}

TEST(FilterPlanTest, AForeignPolicyIsRefusedByName) {
  const Status status = PlanFilter(WithPolicy(new ForeignPolicy)).status();
  EXPECT_TRUE(status.IsNotSupported());
  EXPECT_NE(status.ToString().find("somebody.Else"), std::string::npos);
}

}  // namespace tamis
