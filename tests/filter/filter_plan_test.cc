// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tamis/slice_transform.h"
#include "tamis/table.h"

#include "filter/bloom_filter_policy.h"
#include "filter/filter_placement.h"
#include "filter/filter_registry.h"

namespace tamis {

namespace {

BlockBasedTableOptions WithPolicy(const FilterPolicy* policy) {
  BlockBasedTableOptions options;
  options.filter_policy.reset(policy);
  return options;
}

Result<FilterPlan> Plan(const BlockBasedTableOptions& options) {
  return PlanFilter(FilterBuildingContext(options), nullptr);
}

// The name of the codec that reads what the plan builds for some keys.
std::string_view CodecOf(const FilterPlan& plan, int num_keys = 3) {
  const auto builder = plan.new_builder();
  for (int i = 0; i < num_keys; ++i) {
    builder->Add(FilterKey("key" + std::to_string(i)));
  }
  const Result<std::string> filter = builder->Finish();
  return FindCodec({plan.placement, plan.family}, *filter)->name();
}

// Hands out the builders of another policy, under a name of its choice.
class Delegate final : public FilterPolicy {
 public:
  Delegate(const FilterPolicy* inner, std::string compatibility_name)
      : inner_(inner), compatibility_name_(std::move(compatibility_name)) {}
  const char* Name() const override { return "my.Delegate"; }
  const char* CompatibilityName() const override {
    return compatibility_name_.c_str();
  }
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override {
    return inner_->GetBuilderWithContext(context);
  }

 private:
  const std::unique_ptr<const FilterPolicy> inner_;
  const std::string compatibility_name_;
};

// Of one's own making, with a builder that says how much it holds.
class OwnBuilder final : public FilterBitsBuilder {
 public:
  explicit OwnBuilder(size_t bytes_per_key) : bytes_per_key_(bytes_per_key) {}
  void AddKey(const Slice&) override {}
  size_t EstimateEntriesAdded() override { return 0; }
  Slice Finish(std::unique_ptr<const char[]>*) override { return "own own"; }
  size_t ApproximateNumEntries(size_t bytes) override {
    return bytes / bytes_per_key_;
  }

 private:
  const size_t bytes_per_key_;
};

class OwnPolicy final : public FilterPolicy {
 public:
  explicit OwnPolicy(std::string name, bool has_builder = true,
                     size_t bytes_per_key = 10)
      : name_(std::move(name)),
        has_builder_(has_builder),
        bytes_per_key_(bytes_per_key) {}
  const char* Name() const override { return name_.c_str(); }
  FilterBitsBuilder* GetFilterBitsBuilder() const override {
    return has_builder_ ? new OwnBuilder(bytes_per_key_) : nullptr;
  }

 private:
  const std::string name_;
  const bool has_builder_;
  const size_t bytes_per_key_;
};

BlockBasedTableOptions Partitioned(const FilterPolicy* policy) {
  BlockBasedTableOptions options = WithPolicy(policy);
  options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  options.partition_filters = true;
  return options;
}

// The builder keeps the hashes of its keys until it has probed for them.
TEST(FilterPlanTest, DetectFilterConstructCorruptionChecksTheFilter) {
  size_t bytes[2] = {};
  for (const bool detect : {false, true}) {
    BlockBasedTableOptions options = WithPolicy(NewBloomFilterPolicy(10));
    options.detect_filter_construct_corruption = detect;
    const auto plan = Plan(options);
    ASSERT_TRUE(plan.ok());
    const auto builder = plan->new_builder();
    for (int i = 0; i < 1000; ++i) builder->Add(FilterKey(std::to_string(i)));
    bytes[detect ? 1 : 0] = builder->ApproximateMemoryUsage();
    EXPECT_TRUE(builder->Finish().ok());
  }
  EXPECT_GE(bytes[1], bytes[0] + 16'000);
}

}  // namespace

TEST(FilterPolicyTest, NamesAreThoseThatRocksDBWrites) {
  const BloomFilterPolicy full(10, false);
  EXPECT_STREQ(full.Name(), "bloomfilter");
  EXPECT_STREQ(full.CompatibilityName(), "rocksdb.BuiltinBloomFilter");
  const BloomFilterPolicy block_based(10, true);
  EXPECT_STREQ(block_based.Name(), "rocksdb.BuiltinBloomFilter");
  EXPECT_STREQ(block_based.CompatibilityName(), "rocksdb.BuiltinBloomFilter");
  const RibbonFilterPolicy ribbon(10, 0);
  EXPECT_STREQ(ribbon.Name(), "ribbonfilter");
  EXPECT_STREQ(ribbon.CompatibilityName(), "rocksdb.BuiltinBloomFilter");
}

TEST(FilterPolicyTest, BuiltinPoliciesBuildAndReadThroughThePublicInterface) {
  const BlockBasedTableOptions options;
  FilterBuildingContext context(options);
  context.level_at_creation = 3;
  for (const FilterPolicy* made :
       {NewBloomFilterPolicy(12), NewRibbonFilterPolicy(12)}) {
    const std::unique_ptr<const FilterPolicy> policy(made);
    const std::unique_ptr<FilterBitsBuilder> builder(
        policy->GetBuilderWithContext(context));
    ASSERT_NE(builder, nullptr);
    for (int i = 0; i < 5000; ++i) builder->AddKey("key" + std::to_string(i));
    EXPECT_EQ(builder->EstimateEntriesAdded(), 5000u);
    std::unique_ptr<const char[]> owner;
    const Slice filter = builder->Finish(&owner);
    EXPECT_GT(builder->ApproximateNumEntries(filter.size()), 4500u);
    const std::unique_ptr<FilterBitsReader> reader(
        policy->GetFilterBitsReader(filter));
    int matches = 0;
    for (int i = 0; i < 5000; ++i) {
      ASSERT_TRUE(reader->MayMatch("key" + std::to_string(i)));
      if (reader->MayMatch("absent" + std::to_string(i))) ++matches;
    }
    EXPECT_LT(matches, 50);
  }
}

TEST(FilterPolicyTest, TheBlockBasedPolicyAnswersThroughCreateFilter) {
  const std::unique_ptr<const FilterPolicy> policy(
      NewBloomFilterPolicy(10, true));
  EXPECT_EQ(policy->GetFilterBitsBuilder(), nullptr);
  const Slice keys[] = {"a", "b"};
  std::string filter = "in front";
  policy->CreateFilter(keys, 2, &filter);
  ASSERT_TRUE(Slice(filter).starts_with("in front"));
  const Slice chunk(filter.data() + 8, filter.size() - 8);
  EXPECT_TRUE(policy->KeyMayMatch("a", chunk));
  EXPECT_TRUE(policy->KeyMayMatch("b", chunk));
  EXPECT_FALSE(policy->KeyMayMatch("absent", chunk));
}

TEST(FilterPlanTest, TheDefaultIsOneFastLocalBloomOfTenBits) {
  const Result<FilterPlan> plan = Plan(BlockBasedTableOptions());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->placement, FilterPlacement::kFull);
  EXPECT_EQ(plan->family, "rocksdb.BuiltinBloomFilter");
  EXPECT_EQ(plan->policy_name, "bloomfilter");
  EXPECT_TRUE(plan->whole_keys);
  EXPECT_EQ(plan->prefix_extractor, nullptr);
  EXPECT_EQ(CodecOf(*plan), "FastLocalBloom");
  const auto builder = plan->new_builder();
  for (int i = 0; i < 512; ++i) builder->Add(FilterKey(std::to_string(i)));
  EXPECT_EQ(builder->EstimateSizeBytes(), 640u + 5);
}

TEST(FilterPlanTest, BelowFormatVersion5FullFiltersAreLegacyOnes) {
  for (uint32_t version : {0u, 2u, 4u, 5u, 7u}) {
    BlockBasedTableOptions options;
    options.format_version = version;
    const Result<FilterPlan> plan = Plan(options);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(CodecOf(*plan),
              version < 5 ? "CacheLocalBloom" : "FastLocalBloom");
  }
}

TEST(FilterPlanTest, RibbonIsUsedFromBloomBeforeLevelOn) {
  constexpr int kMax = std::numeric_limits<int>::max();
  const struct {
    int bloom_before_level;
    bool is_flush;
    int level;
    const char* codec;
  } cases[] = {{0, true, 0, "FastLocalBloom"},
               {0, false, 0, "Ribbon"},
               {0, false, 6, "Ribbon"},
               {0, false, -1, "Ribbon"},
               {-1, true, 0, "Ribbon"},
               {2, false, 1, "FastLocalBloom"},
               {2, false, 2, "Ribbon"},
               {2, false, -1, "Ribbon"},
               {2, true, 0, "FastLocalBloom"},
               {kMax, false, 6, "FastLocalBloom"},
               {kMax, false, -1, "FastLocalBloom"}};
  for (const auto& c : cases) {
    const BlockBasedTableOptions options =
        WithPolicy(NewRibbonFilterPolicy(10, c.bloom_before_level));
    FilterBuildingContext context(options);
    context.is_flush = c.is_flush;
    context.level_at_creation = c.level;
    const Result<FilterPlan> plan = PlanFilter(context, nullptr);
    ASSERT_TRUE(plan.ok());
    const std::string_view codec = CodecOf(*plan, 5000);
    EXPECT_NE(codec.find(c.codec), std::string_view::npos)
        << codec << " before " << c.bloom_before_level << " at " << c.level;
  }
}

TEST(FilterPlanTest, NoPolicyMeansNoFilter) {
  const Result<FilterPlan> plan = Plan(WithPolicy(nullptr));
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(plan->empty());
}

TEST(FilterPlanTest, BelowHalfABitThereIsNoFilter) {
  for (double bits : {-1.0, 0.0, 0.499}) {
    for (const FilterPolicy* policy :
         {NewBloomFilterPolicy(bits), NewBloomFilterPolicy(bits, true),
          NewRibbonFilterPolicy(bits)}) {
      const auto plan = Plan(WithPolicy(policy));
      ASSERT_TRUE(plan.ok());
      EXPECT_TRUE(plan->empty()) << bits;
    }
  }
  EXPECT_FALSE(Plan(WithPolicy(NewBloomFilterPolicy(0.5)))->empty());
}

TEST(FilterPlanTest, NeitherKeysNorPrefixesMeansNoFilter) {
  const std::shared_ptr<const SliceTransform> fixed(NewFixedPrefixTransform(3));
  for (const FilterPolicy* policy :
       {NewBloomFilterPolicy(10), NewBloomFilterPolicy(10, true)}) {
    BlockBasedTableOptions options = WithPolicy(policy);
    options.whole_key_filtering = false;
    EXPECT_TRUE(Plan(options)->empty());
    const auto plan = PlanFilter(FilterBuildingContext(options), fixed);
    ASSERT_TRUE(plan.ok());
    EXPECT_FALSE(plan->empty());
    EXPECT_FALSE(plan->whole_keys);
    EXPECT_EQ(plan->entries().prefixes, fixed.get());
  }
}

TEST(FilterPlanTest, BlockBasedTakesTheHashOfRocksDB) {
  const auto plan = Plan(WithPolicy(NewBloomFilterPolicy(12, true)));
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->placement, FilterPlacement::kBlockBased);
  EXPECT_EQ(CodecOf(*plan), "LevelDBBloomSignedTail");
}

TEST(FilterPlanTest, PartitionsHoldWhatFitsIntoTheTargetLessTheDeviation) {
  const struct {
    uint64_t metadata_block_size;
    int deviation;
    size_t keys;
  } cases[] = {
      {4096, 10, 2918},
      {512, 10, 358},
      {256, 10, 153},
      {4096, 0, 3225},
      {4096, -5, 3225},
      {69, 0, 51},
      // A target that holds no key gives what the smallest filter does.
      {4096, 100, 51},
      // Out of range counts as 0.
      {4096, 250, 3225},
      {0, 10, 51}};
  for (const auto& c : cases) {
    BlockBasedTableOptions options = Partitioned(NewBloomFilterPolicy(10));
    options.metadata_block_size = c.metadata_block_size;
    options.block_size_deviation = c.deviation;
    const Result<FilterPlan> plan = Plan(options);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->placement, FilterPlacement::kPartitioned);
    EXPECT_EQ(plan->keys_per_partition, c.keys)
        << c.metadata_block_size << " less " << c.deviation << "%";
  }
}

TEST(FilterPlanTest, DecoupledPartitionsLeaveRoomForThePrefixAfterThem) {
  BlockBasedTableOptions options = Partitioned(NewBloomFilterPolicy(10));
  options.decouple_partitioned_filters = true;
  const FilterBuildingContext context(options);
  const std::shared_ptr<const SliceTransform> prefixes(
      NewFixedPrefixTransform(3));
  const Result<FilterPlan> keys_alone = PlanFilter(context, nullptr);
  const Result<FilterPlan> both = PlanFilter(context, prefixes);
  EXPECT_TRUE(keys_alone->decoupled && both->decoupled);
  EXPECT_TRUE(both->prefix_first);
  EXPECT_EQ(both->keys_per_partition + 1, keys_alone->keys_per_partition);
  options.partition_filters = false;
  const Result<FilterPlan> full = PlanFilter(context, prefixes);
  EXPECT_FALSE(full->decoupled || full->prefix_first);
}

TEST(FilterPlanTest, AUsersBuilderLimitsTheKeysOfAPartition) {
  const auto keys = [](size_t bytes_per_key) {
    BlockBasedTableOptions options =
        Partitioned(new OwnPolicy("my.Own", true, bytes_per_key));
    options.metadata_block_size = 1000;
    options.block_size_deviation = 0;
    return Plan(options)->keys_per_partition;
  };
  EXPECT_EQ(keys(10), 100u);
  EXPECT_EQ(keys(2000), 1u) << "where none fits, room is made for one";
  EXPECT_EQ(keys(size_t{1} << 40), 1u);
}

TEST(FilterPlanTest, PartitionsNeedAPartitionedIndex) {
  BlockBasedTableOptions options;
  options.partition_filters = true;
  const Status status = Plan(options).status();
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_NE(status.ToString().find("kTwoLevelIndexSearch"), std::string::npos);
}

TEST(FilterPlanTest, ABlockBasedFilterCannotBePartitioned) {
  for (const FilterPolicy* policy :
       {NewBloomFilterPolicy(10, true),
        static_cast<const FilterPolicy*>(new OwnPolicy("my.Own", false))}) {
    const Status status = Plan(Partitioned(policy)).status();
    EXPECT_TRUE(status.IsInvalidArgument());
    EXPECT_NE(status.ToString().find("use_block_based_builder"),
              std::string::npos);
  }
}

TEST(FilterPlanTest, AUsersPolicyIsStoredUnderItsName) {
  for (bool has_builder : {true, false}) {
    const auto plan = Plan(WithPolicy(new OwnPolicy("my.Own", has_builder)));
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->family, "my.Own");
    EXPECT_EQ(plan->policy_name, "my.Own");
    EXPECT_EQ(plan->placement, has_builder ? FilterPlacement::kFull
                                           : FilterPlacement::kBlockBased);
  }
}

TEST(FilterPlanTest, ReservedNamesAreRefused) {
  for (const char* name :
       {"", "rocksdb.Mine", "leveldb.Mine", "tamis.Mine", "bloomfilter",
        "ribbonfilter", "rocksdb.BuiltinBloomFilter"}) {
    for (bool has_builder : {true, false}) {
      const Status status =
          Plan(WithPolicy(new OwnPolicy(name, has_builder))).status();
      EXPECT_TRUE(status.IsInvalidArgument()) << name;
      EXPECT_NE(status.ToString().find(name), std::string::npos);
    }
  }
}

TEST(FilterPlanTest, APolicyWithBuiltinBuildersMayUseABuiltinName) {
  const auto plan = Plan(WithPolicy(
      new Delegate(NewBloomFilterPolicy(10), "rocksdb.BuiltinBloomFilter")));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->family, "rocksdb.BuiltinBloomFilter");
  EXPECT_EQ(plan->policy_name, "my.Delegate");
  EXPECT_EQ(CodecOf(*plan), "FastLocalBloom");

  EXPECT_EQ(Plan(WithPolicy(new Delegate(NewBloomFilterPolicy(10), "my.Own")))
                ->family,
            "my.Own");
  EXPECT_TRUE(
      Plan(WithPolicy(new Delegate(NewBloomFilterPolicy(10), "rocksdb.Other")))
          .status()
          .IsInvalidArgument());
  EXPECT_TRUE(Plan(WithPolicy(new Delegate(NewBloomFilterPolicy(0.1),
                                           "rocksdb.BuiltinBloomFilter")))
                  ->empty());
}

}  // namespace tamis
