// SPDX-License-Identifier: Apache-2.0
#include "filter/user_filter.h"

#include <algorithm>
#include <set>

#include "tests/filter/exact_filter_policy.h"
#include "tests/filter/fake_filter_store.h"
#include "tests/filter/filter_test_util.h"

namespace tamis {

namespace {

FilterPlan PlanFor(std::shared_ptr<const FilterPolicy> policy,
                   BlockBasedTableOptions* options) {
  options->filter_policy = std::move(policy);
  Result<FilterPlan> plan =
      PlanFilter(FilterBuildingContext(*options), nullptr);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

FilterLocator Own(FilterPlacement placement) {
  return {placement, ExactFilterPolicy::kName};
}

// Returns a filter of a fixed size, whatever was added.
class SizedPolicy final : public FilterPolicy {
 public:
  explicit SizedPolicy(size_t bytes) : bytes_(bytes) {}
  const char* Name() const override { return "my.Sized"; }
  FilterBitsBuilder* GetFilterBitsBuilder() const override {
    return new Builder(bytes_);
  }
  void CreateFilter(const Slice* /*keys*/, int /*n*/,
                    std::string* filter) const override {
    filter->append(bytes_, 'x');
  }

 private:
  class Builder final : public FilterBitsBuilder {
   public:
    explicit Builder(size_t bytes) : filter_(bytes, 'x') {}
    void AddKey(const Slice&) override {}
    size_t EstimateEntriesAdded() override { return 0; }
    Slice Finish(std::unique_ptr<const char[]>*) override { return filter_; }
    size_t ApproximateNumEntries(size_t) override { return 1; }

   private:
    const std::string filter_;
  };
  const size_t bytes_;
};

}  // namespace

TEST(UserFilterTest, AFullFilterAnswersThroughOneReader) {
  const auto policy = std::make_shared<ExactFilterPolicy>();
  BlockBasedTableOptions options;
  const auto writer = NewFilterBlockWriter(PlanFor(policy, &options));
  FakeFilterStore store;
  for (const char* key : {"a", "b", "b", "c"}) writer->Add(FilterKey(key));
  EXPECT_EQ(writer->num_keys(), 3u);
  ASSERT_TRUE(writer->Finish(store).ok());

  const auto reader =
      NewFilterBlockReader(Own(FilterPlacement::kFull), &store, policy.get());
  ASSERT_NE(reader, nullptr);
  for (const char* key : {"a", "b", "c", "d", ""}) {
    EXPECT_EQ(reader->KeyMayMatch(FilterKey(key), key, {}),
              *key != '\0' && *key != 'd')
        << key;
  }
  EXPECT_EQ(policy->readers_made(), 1);
  EXPECT_EQ(store.loads, 1u);
}

TEST(UserFilterTest, PartitionsAreBuiltAndReadOneByOne) {
  const auto policy = std::make_shared<ExactFilterPolicy>();
  BlockBasedTableOptions options;
  options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  options.partition_filters = true;
  const auto writer = NewFilterBlockWriter(PlanFor(policy, &options));
  FakeFilterStore store;
  writer->Add(FilterKey("a"));
  const Slice next = "m";
  ASSERT_TRUE(writer->EndDataBlock(&next, true, store).ok());
  writer->Add(FilterKey("m"));
  ASSERT_TRUE(writer->Finish(store).ok());
  store.separators = {"b", "n"};
  ASSERT_EQ(store.filters.size(), 2u);

  const auto reader = NewFilterBlockReader(Own(FilterPlacement::kPartitioned),
                                           &store, policy.get());
  EXPECT_TRUE(reader->KeyMayMatch(FilterKey("a"), "a", {}));
  EXPECT_TRUE(reader->KeyMayMatch(FilterKey("m"), "m", {}));
  EXPECT_FALSE(reader->KeyMayMatch(FilterKey("m"), "a", {}));
  EXPECT_EQ(policy->readers_made(), 3);
}

TEST(UserFilterTest, CreateFilterMakesTheChunksOfABlockBasedFilter) {
  const auto policy = std::make_shared<ExactChunkPolicy>();
  BlockBasedTableOptions options;
  const FilterPlan plan = PlanFor(policy, &options);
  EXPECT_EQ(plan.placement, FilterPlacement::kBlockBased);
  const auto writer = NewFilterBlockWriter(plan);
  FakeFilterStore store;
  writer->StartDataBlock(0);
  for (const char* key : {"a", "b"}) writer->Add(FilterKey(key));
  writer->StartDataBlock(5000);
  writer->Add(FilterKey("m"));
  writer->StartDataBlock(9000);
  ASSERT_TRUE(writer->Finish(store).ok());

  const auto reader = NewFilterBlockReader(
      {FilterPlacement::kBlockBased, policy->Name()}, &store, policy.get());
  const auto asks = [&](const char* key, uint64_t offset) {
    return reader->BlockMayMatch(FilterKey(key), offset, {});
  };
  EXPECT_TRUE(asks("a", 0));
  EXPECT_TRUE(asks("b", 2047));
  EXPECT_TRUE(asks("m", 5000));
  EXPECT_FALSE(asks("m", 0));
  EXPECT_FALSE(asks("a", 5000));
  EXPECT_FALSE(asks("a", 2048)) << "an empty chunk is not even shown";
  EXPECT_TRUE(asks("a", 1 << 20)) << "past the last chunk";
}

TEST(UserFilterTest, WithoutThePolicyThereIsNoReader) {
  FakeFilterStore store;
  store.filters = {"something long enough"};
  const ExactFilterPolicy policy;
  const ExactChunkPolicy other;
  for (FilterPlacement placement :
       {FilterPlacement::kBlockBased, FilterPlacement::kFull,
        FilterPlacement::kPartitioned}) {
    EXPECT_EQ(NewFilterBlockReader(Own(placement), &store), nullptr);
    EXPECT_EQ(NewFilterBlockReader(Own(placement), &store, &other), nullptr);
    EXPECT_NE(NewFilterBlockReader(Own(placement), &store, &policy), nullptr);
  }
}

TEST(UserFilterTest, FiveBytesOrFewerMeanNoKey) {
  const ExactFilterPolicy policy;
  for (FilterPlacement placement :
       {FilterPlacement::kFull, FilterPlacement::kPartitioned}) {
    for (size_t bytes = 0; bytes <= 6; ++bytes) {
      FakeFilterStore store;
      store.filters = {std::string(bytes, '\0')};
      const int made = policy.readers_made();
      const auto reader = NewFilterBlockReader(Own(placement), &store, &policy);
      EXPECT_FALSE(reader->KeyMayMatch(FilterKey("a"), "a", {}));
      EXPECT_EQ(policy.readers_made() - made, bytes > 5 ? 1 : 0);
    }
  }
}

TEST(UserFilterTest, UnreadableFiltersMatch) {
  const ExactFilterPolicy policy;
  const SizedPolicy without_reader(10);
  for (FilterPlacement placement :
       {FilterPlacement::kFull, FilterPlacement::kPartitioned}) {
    FakeFilterStore store;
    store.filters = {"ten bytes."};
    const auto unread =
        NewFilterBlockReader({placement, "my.Sized"}, &store, &without_reader);
    EXPECT_TRUE(unread->KeyMayMatch(FilterKey("a"), "a", {}));
    store.load_status = Status::Corruption("checksum");
    const auto reader = NewFilterBlockReader(Own(placement), &store, &policy);
    EXPECT_TRUE(reader->KeyMayMatch(FilterKey("a"), "a", {}));
  }
}

TEST(UserFilterTest, AFilterThatDeniesItsKeysIsRefusedByName) {
  for (size_t bytes = 0; bytes <= 6; ++bytes) {
    BlockBasedTableOptions options;
    const auto writer = NewFilterBlockWriter(
        PlanFor(std::make_shared<SizedPolicy>(bytes), &options));
    FakeFilterStore store;
    writer->Add(FilterKey("a"));
    const Status status = writer->Finish(store);
    EXPECT_EQ(status.ok(), bytes > 5) << bytes;
    if (bytes <= 5) {
      EXPECT_TRUE(status.IsInvalidArgument());
      EXPECT_NE(status.ToString().find("my.Sized"), std::string::npos);
    }
  }
}

TEST(UserFilterTest, AnEmptyChunkForKeysIsRefusedByName) {
  for (size_t bytes : {0u, 1u}) {
    FilterPlan plan;
    plan.placement = FilterPlacement::kBlockBased;
    plan.new_builder = [bytes] {
      return std::make_unique<UserChunkBuilder>(
          std::make_shared<SizedPolicy>(bytes));
    };
    const auto writer = NewFilterBlockWriter(plan);
    FakeFilterStore store;
    writer->StartDataBlock(0);
    writer->Add(FilterKey("a"));
    const Status status = writer->Finish(store);
    EXPECT_EQ(status.ok(), bytes != 0);
    if (bytes == 0) {
      EXPECT_TRUE(status.IsInvalidArgument());
      EXPECT_NE(status.ToString().find("my.Sized"), std::string::npos);
    }
  }
}

TEST(UserFilterTest, ATableWithoutKeysRequestsNoBuilder) {
  const auto policy = std::make_shared<ExactFilterPolicy>();
  BlockBasedTableOptions options;
  const FilterPlan plan = PlanFor(policy, &options);
  const int made = policy->builders_made();
  const auto writer = NewFilterBlockWriter(plan);
  FakeFilterStore store;
  ASSERT_TRUE(writer->Finish(store).ok());
  EXPECT_TRUE(store.filters.empty());
  EXPECT_EQ(policy->builders_made(), made);
}

}  // namespace tamis
