// SPDX-License-Identifier: Apache-2.0
#include "filter/filter_placement.h"

#include "filter/fast_local_bloom.h"
#include "filter/leveldb_bloom.h"
#include "tests/filter/fake_filter_store.h"
#include "tests/filter/filter_test_util.h"

namespace tamis {

namespace {

FilterPlan PlanFor(FilterPlacement placement) {
  FilterPlan plan;
  plan.placement = placement;
  plan.bits_per_key = 10;
  plan.codec = placement == FilterPlacement::kBlockBased
                   ? LevelDBBloomSignedTailCodec()
                   : FastLocalBloomCodec();
  return plan;
}

FilterLocator Where(FilterPlacement placement) {
  return {placement, std::string(kBuiltinBloomFamily)};
}

constexpr FilterPlacement kPlacements[] = {FilterPlacement::kBlockBased,
                                           FilterPlacement::kFull,
                                           FilterPlacement::kPartitioned};

// What a table builder does with `keys`, so many to a data block of
// kBlockBytes: gives each block's offset, cuts where asked, and separates
// partitions by the last key before the cut.
constexpr uint64_t kBlockBytes = 4096;
void WriteTable(const std::vector<std::string>& keys, size_t keys_per_block,
                FilterBlockWriter* writer, FakeFilterStore* store) {
  for (size_t i = 0; i < keys.size(); i += keys_per_block) {
    writer->StartDataBlock(i / keys_per_block * kBlockBytes);
    const size_t end = std::min(i + keys_per_block, keys.size());
    for (size_t j = i; j < end; ++j) writer->Add(FilterKey(keys[j]));
    const bool cut = writer->WantsCut() && end < keys.size();
    const Slice next = end < keys.size() ? Slice(keys[end]) : Slice();
    ASSERT_TRUE(writer->EndDataBlock(next, cut, *store).ok());
    if (cut) store->separators.push_back(keys[end - 1]);
  }
  ASSERT_TRUE(writer->Finish(*store).ok());
  if (!keys.empty()) store->separators.push_back(keys.back());
}

bool MayMatch(const FilterBlockReader& reader, const std::string& key,
              uint64_t data_block_offset, const ReadContext& context = {}) {
  const FilterKey filter_key(key);
  return reader.KeyMayMatch(filter_key, key, context) &&
         reader.BlockMayMatch(filter_key, data_block_offset, context);
}

}  // namespace

TEST(FilterPlacementTest, KeysAreFoundAndAbsentOnesAreNot) {
  const std::vector<std::string> keys = KeysFromGenerator("key%06d:0..9999");
  constexpr size_t kKeysPerBlock = 40;
  for (FilterPlacement placement : kPlacements) {
    SCOPED_TRACE(FilterPlacementName(placement));
    FilterPlan plan = PlanFor(placement);
    plan.partition_bytes = 1000;
    const auto writer = NewFilterBlockWriter(plan);
    EXPECT_EQ(writer->placement(), placement);
    FakeFilterStore store;
    WriteTable(keys, kKeysPerBlock, writer.get(), &store);
    EXPECT_EQ(writer->num_keys(), keys.size());

    const auto reader = NewFilterBlockReader(Where(placement), &store);
    EXPECT_EQ(reader->placement(), placement);
    size_t false_positives = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      const uint64_t offset = i / kKeysPerBlock * kBlockBytes;
      ASSERT_TRUE(MayMatch(*reader, keys[i], offset)) << keys[i];
      if (MayMatch(*reader, keys[i] + "absent", offset)) ++false_positives;
    }
    EXPECT_LT(false_positives, keys.size() / 50);
    EXPECT_GT(store.loads, 0u);
  }
}

TEST(FilterPlacementTest, ATableWithoutKeysGetsNoFilter) {
  for (FilterPlacement placement : kPlacements) {
    SCOPED_TRACE(FilterPlacementName(placement));
    const auto writer = NewFilterBlockWriter(PlanFor(placement));
    FakeFilterStore store;
    WriteTable({}, 1, writer.get(), &store);
    // The block-based writer may have seen blocks without keys, too.
    writer->StartDataBlock(100000);
    ASSERT_TRUE(writer->Finish(store).ok());
    EXPECT_TRUE(store.filters.empty());
    EXPECT_EQ(writer->num_keys(), 0u);
  }
}

TEST(FilterPlacementTest, TheSinksErrorComesBack) {
  for (FilterPlacement placement : kPlacements) {
    SCOPED_TRACE(FilterPlacementName(placement));
    const auto writer = NewFilterBlockWriter(PlanFor(placement));
    FakeFilterStore store;
    store.write_status = Status::IOError("disk gone");
    writer->StartDataBlock(0);
    writer->Add(FilterKey("a"));
    EXPECT_TRUE(writer->Finish(store).IsIOError());
  }
}

TEST(FilterPlacementTest, WhatCannotBeLoadedMayMatch) {
  for (FilterPlacement placement : kPlacements) {
    SCOPED_TRACE(FilterPlacementName(placement));
    FakeFilterStore store;
    WriteTable({"a"}, 1, NewFilterBlockWriter(PlanFor(placement)).get(),
               &store);
    const auto reader = NewFilterBlockReader(Where(placement), &store);
    EXPECT_FALSE(MayMatch(*reader, "absent", 0));

    ReadContext memory_only;
    memory_only.tier = kBlockCacheTier;
    EXPECT_TRUE(MayMatch(*reader, "absent", 0, memory_only));
    store.load_status = Status::Corruption("checksum");
    EXPECT_TRUE(MayMatch(*reader, "absent", 0));
  }
}

TEST(FilterPlacementTest, AnUnknownFamilyIsNotEvenLoaded) {
  for (FilterPlacement placement : kPlacements) {
    FakeFilterStore store;
    store.filters = {"whatever"};
    const auto reader =
        NewFilterBlockReader({placement, "somebody.Else"}, &store);
    EXPECT_TRUE(MayMatch(*reader, "a", 0));
    EXPECT_EQ(store.loads, 0u);
  }
}

TEST(FullPlacementTest, VersionsOfAKeyCountOnce) {
  const auto writer = NewFilterBlockWriter(PlanFor(FilterPlacement::kFull));
  FakeFilterStore store;
  WriteTable({"a", "a", "a", "b", "b"}, 2, writer.get(), &store);
  ASSERT_EQ(store.filters.size(), 1u);
  EXPECT_EQ(store.filters[0],
            BuildFilter(*FastLocalBloomCodec(), 10, {"a", "b"}));
  EXPECT_EQ(writer->num_keys(), 2u);
}

TEST(PartitionedPlacementTest, APartitionWantsTheCutWhenItIsFull) {
  FilterPlan plan = PlanFor(FilterPlacement::kPartitioned);
  plan.partition_bytes = 3687;  // of 4096, ten percent off
  const size_t fit = plan.codec->KeysThatFit(10, plan.partition_bytes);
  EXPECT_EQ(fit, 2918u);
  const auto writer = NewFilterBlockWriter(plan);
  const std::vector<std::string> keys = KeysFromGenerator("key%06d:0..2917");
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_FALSE(writer->WantsCut()) << i;
    writer->Add(FilterKey(keys[i]));
  }
  EXPECT_TRUE(writer->WantsCut());

  FakeFilterStore store;
  ASSERT_TRUE(writer->EndDataBlock("next", true, store).ok());
  EXPECT_FALSE(writer->WantsCut());
  ASSERT_EQ(store.filters.size(), 1u);
  EXPECT_LE(store.filters[0].size(), plan.partition_bytes);
}

TEST(PartitionedPlacementTest, TheIndexMayCutEarlierOrLater) {
  FilterPlan plan = PlanFor(FilterPlacement::kPartitioned);
  plan.partition_bytes = 69;
  const auto writer = NewFilterBlockWriter(plan);
  FakeFilterStore store;
  writer->Add(FilterKey("a"));
  ASSERT_TRUE(writer->EndDataBlock("b", true, store).ok());
  ASSERT_EQ(store.filters.size(), 1u);
  // More keys than asked for, and no cut.
  const std::vector<std::string> keys = KeysFromGenerator("b%06d:0..199");
  for (const std::string& key : keys) writer->Add(FilterKey(key));
  ASSERT_TRUE(writer->EndDataBlock("c", false, store).ok());
  EXPECT_EQ(store.filters.size(), 1u);
  ASSERT_TRUE(writer->Finish(store).ok());
  ASSERT_EQ(store.filters.size(), 2u);
  EXPECT_EQ(store.filters[1], BuildFilter(*FastLocalBloomCodec(), 10, keys));
}

TEST(PartitionedPlacementTest, AKeyWithVersionsOnBothSidesStandsInBoth) {
  const auto writer =
      NewFilterBlockWriter(PlanFor(FilterPlacement::kPartitioned));
  FakeFilterStore store;
  writer->Add(FilterKey("a"));
  writer->Add(FilterKey("seam"));
  ASSERT_TRUE(writer->EndDataBlock("seam", true, store).ok());
  writer->Add(FilterKey("seam"));
  ASSERT_TRUE(writer->Finish(store).ok());
  EXPECT_EQ(store.filters,
            (std::vector<std::string>{
                BuildFilter(*FastLocalBloomCodec(), 10, {"a", "seam"}),
                BuildFilter(*FastLocalBloomCodec(), 10, {"seam"})}));
}

TEST(PartitionedPlacementTest, ACutAtTheEndLeavesNoEmptyPartition) {
  const auto writer =
      NewFilterBlockWriter(PlanFor(FilterPlacement::kPartitioned));
  FakeFilterStore store;
  writer->Add(FilterKey("a"));
  ASSERT_TRUE(writer->EndDataBlock(Slice(), true, store).ok());
  ASSERT_TRUE(writer->Finish(store).ok());
  EXPECT_EQ(store.filters.size(), 1u);
}

}  // namespace tamis
