// SPDX-License-Identifier: Apache-2.0
#include "filter/filter_batch.h"

#include <memory>
#include <string>
#include <vector>

#include "filter/fast_local_bloom.h"
#include "filter/full_placement.h"
#include "filter/user_filter.h"
#include "tests/filter/exact_filter_policy.h"
#include "tests/filter/fake_filter_store.h"
#include "tests/filter/filter_test_util.h"

namespace tamis {

namespace {

FilterLocator Where(FilterPlacement placement) {
  return {placement, std::string(kBuiltinBloomFamily)};
}

// The partitions ..."c" and "c1"..."f", and what is past them.
FakeFilterStore TwoPartitions() {
  FakeFilterStore store;
  store.filters = {BuildFilter(*FastLocalBloomCodec(), 20, {"a", "b", "c"}),
                   BuildFilter(*FastLocalBloomCodec(), 20, {"d", "e", "f"})};
  store.separators = {"c", "f"};
  return store;
}

bool MayMatch(FilterBatch::Filter* filter, const std::string& key) {
  const FilterKey entry(key);
  filter->view().PrefetchFor(entry);
  return filter->view().MayMatch(entry);
}

}  // namespace

TEST(FilterBatchTest, KeysOfOnePartitionShareItInAnyOrder) {
  const FakeFilterStore store = TwoPartitions();
  const auto reader =
      NewFilterBlockReader(Where(FilterPlacement::kPartitioned), &store);
  FilterBatch batch;
  const std::vector<std::string> keys = {"f", "a", "e", "c", "b", "zz", "d"};
  std::vector<FilterBatch::Filter*> found;
  for (const std::string& key : keys) {
    found.push_back(batch.Find(*reader, key, {}));
  }
  EXPECT_EQ(store.loads, 2u);
  EXPECT_EQ(found[0], found[2]);
  EXPECT_EQ(found[1], found[3]);
  EXPECT_NE(found[0], found[1]);
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(MayMatch(found[i], keys[i]), keys[i] != "zz") << keys[i];
  }
  EXPECT_FALSE(MayMatch(found[0], "a")) << "in the other partition";
}

TEST(FilterBatchTest, FiltersOfTwoTablesAreTwo) {
  FakeFilterStore stores[2];
  std::unique_ptr<FilterBlockReader> readers[2];
  for (int i = 0; i < 2; ++i) {
    stores[i].filters = {
        BuildFilter(*FastLocalBloomCodec(), 20, {std::to_string(i)})};
    readers[i] =
        NewFilterBlockReader(Where(FilterPlacement::kFull), &stores[i]);
  }
  FilterBatch batch;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 2; ++i) {
      FilterBatch::Filter* const filter = batch.Find(*readers[i], "k", {});
      EXPECT_TRUE(MayMatch(filter, std::to_string(i)));
      EXPECT_FALSE(MayMatch(filter, std::to_string(1 - i)));
    }
  }
  EXPECT_EQ(stores[0].loads, 1u);
  EXPECT_EQ(stores[1].loads, 1u);
}

TEST(FilterBatchTest, WhatCannotBeLoadedMatches) {
  FakeFilterStore store = TwoPartitions();
  const auto reader =
      NewFilterBlockReader(Where(FilterPlacement::kPartitioned), &store);
  FilterBatch batch;
  store.load_status = Status::Corruption("checksum");
  EXPECT_TRUE(MayMatch(batch.Find(*reader, "a", {}), "absent"));
  store.load_status = Status::OK();
  store.find_status = Status::Corruption("index");
  EXPECT_TRUE(MayMatch(batch.Find(*reader, "a", {}), "absent"));
  store.find_status = Status::OK();
  ReadContext memory_only;
  memory_only.tier = kBlockCacheTier;
  EXPECT_TRUE(MayMatch(batch.Find(*reader, "a", memory_only), "absent"));
  // No failure is remembered for the partition.
  EXPECT_FALSE(MayMatch(batch.Find(*reader, "a", {}), "absent"));
}

TEST(FilterBatchTest, AUsersReaderIsCreatedOncePerPartition) {
  const auto policy = std::make_shared<ExactFilterPolicy>();
  FakeFilterStore store;
  FullFilterWriter writer([&policy] {
    FilterPlan plan;
    plan.new_builder = [policy] {
      return std::make_unique<UserFilterBuilder>("exact", [policy] {
        return std::unique_ptr<FilterBitsBuilder>(
            policy->GetFilterBitsBuilder());
      });
    };
    return plan;
  }());
  for (const char* key : {"a", "b"}) writer.Add(FilterKey(key));
  ASSERT_TRUE(writer.Finish(store).ok());
  store.filters.emplace_back("none", 4);
  store.separators = {"b", "d"};
  const auto reader = NewFilterBlockReader(
      {FilterPlacement::kPartitioned, policy->Name()}, &store, policy.get());
  FilterBatch batch;
  for (const char* key : {"b", "a", "ab", "b"}) {
    EXPECT_EQ(MayMatch(batch.Find(*reader, key, {}), key),
              std::string(key) != "ab");
  }
  EXPECT_EQ(policy->readers_made(), 1);
  EXPECT_FALSE(MayMatch(batch.Find(*reader, "c", {}), "c")) << "no keys";
  EXPECT_EQ(policy->readers_made(), 1);
}

}  // namespace tamis
