// SPDX-License-Identifier: Apache-2.0
#include "filter/filter_placement.h"

#include "tamis/slice_transform.h"

#include "filter/fast_local_bloom.h"
#include "filter/leveldb_bloom.h"
#include "filter/user_filter.h"
#include "tests/filter/fake_filter_store.h"
#include "tests/filter/filter_test_util.h"

namespace tamis {

namespace {

FilterPlan PlanFor(FilterPlacement placement) {
  FilterPlan plan;
  plan.placement = placement;
  plan.new_builder = [placement] {
    return (placement == FilterPlacement::kBlockBased
                ? LevelDBBloomSignedTailCodec()
                : FastLocalBloomCodec())
        ->NewBuilder(10);
  };
  plan.keys_per_partition = 700;
  return plan;
}

FilterLocator Where(FilterPlacement placement) {
  return {placement, std::string(kBuiltinBloomFamily)};
}

constexpr FilterPlacement kPlacements[] = {FilterPlacement::kBlockBased,
                                           FilterPlacement::kFull,
                                           FilterPlacement::kPartitioned};

// Does what a table builder does with `keys`, a fixed number per data block of
// kBlockBytes: passes each block's offset, cuts where requested except after
// the first block, and separates partitions by the last key before the cut.
constexpr uint64_t kBlockBytes = 4096;
void WriteTable(const std::vector<std::string>& keys, size_t keys_per_block,
                FilterBlockWriter* writer, FakeFilterStore* store) {
  for (size_t i = 0; i < keys.size(); i += keys_per_block) {
    writer->StartDataBlock(i / keys_per_block * kBlockBytes);
    const size_t end = std::min(i + keys_per_block, keys.size());
    for (size_t j = i; j < end; ++j) writer->Add(FilterKey(keys[j]));
    const bool last = end == keys.size();
    const bool cut = writer->WantsCut() && !last && i != 0;
    const Slice next = last ? Slice() : Slice(keys[end]);
    ASSERT_TRUE(writer->EndDataBlock(last ? nullptr : &next, cut, *store).ok());
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
    const auto writer = NewFilterBlockWriter(PlanFor(placement));
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

TEST(FilterPlacementTest, ErrorsOfTheSinkArePropagated) {
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

TEST(FilterPlacementTest, UnloadableFiltersMatch) {
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

TEST(FilterPlacementTest, AnUnknownFamilyHasNoReader) {
  for (FilterPlacement placement : kPlacements) {
    FakeFilterStore store;
    store.filters = {"whatever"};
    EXPECT_EQ(NewFilterBlockReader({placement, "somebody.Else"}, &store),
              nullptr);
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

class PartitionedPlacementTest : public testing::Test {
 protected:
  void MakeWriter(size_t keys_per_partition) {
    FilterPlan plan = PlanFor(FilterPlacement::kPartitioned);
    plan.keys_per_partition = keys_per_partition;
    writer_ = NewFilterBlockWriter(plan);
  }
  void EndBlock(const Slice& next_key, bool cut) {
    ASSERT_TRUE(writer_->EndDataBlock(&next_key, cut, store_).ok());
  }

  std::unique_ptr<FilterBlockWriter> writer_;
  FakeFilterStore store_;
};

TEST_F(PartitionedPlacementTest, TheFirstKeyAfterAFullPartitionRequestsACut) {
  MakeWriter(100);
  writer_->Add(FilterKey("a"));
  EndBlock("k", false);
  const std::vector<std::string> keys = KeysFromGenerator("k%06d:0..98");
  for (const std::string& key : keys) {
    writer_->Add(FilterKey(key));
    EXPECT_FALSE(writer_->WantsCut());
  }
  writer_->Add(FilterKey("l"));
  EXPECT_TRUE(writer_->WantsCut());
  EndBlock("m", true);
  EXPECT_FALSE(writer_->WantsCut());
  EXPECT_EQ(store_.filters.size(), 1u);
}

TEST_F(PartitionedPlacementTest, ARefusedCutIsRequestedAgain) {
  MakeWriter(2);
  writer_->Add(FilterKey("a"));
  EndBlock("b", false);
  for (const char* key : {"b", "c", "d"}) writer_->Add(FilterKey(key));
  EXPECT_TRUE(writer_->WantsCut());
  EndBlock("e", false);
  EXPECT_TRUE(writer_->WantsCut());
}

TEST_F(PartitionedPlacementTest, TheFirstBlockCannotEndAPartition) {
  MakeWriter(2);
  for (const char* key : {"a", "b", "c"}) writer_->Add(FilterKey(key));
  EXPECT_TRUE(writer_->WantsCut());
  EndBlock("d", false);
  EXPECT_FALSE(writer_->WantsCut());
}

TEST_F(PartitionedPlacementTest, TheIndexMayCutEarlierOrLater) {
  MakeWriter(1000);
  writer_->Add(FilterKey("a"));
  EndBlock("b", true);
  ASSERT_EQ(store_.filters.size(), 1u);
  // More keys than the target, and no cut.
  const std::vector<std::string> keys = KeysFromGenerator("b%06d:0..1999");
  for (const std::string& key : keys) writer_->Add(FilterKey(key));
  EndBlock("c", false);
  EXPECT_EQ(store_.filters.size(), 1u);
  ASSERT_TRUE(writer_->Finish(store_).ok());
  ASSERT_EQ(store_.filters.size(), 2u);
  EXPECT_EQ(store_.filters[1], BuildFilter(*FastLocalBloomCodec(), 10, keys));
}

TEST_F(PartitionedPlacementTest, AKeyWithVersionsOnBothSidesIsInBoth) {
  MakeWriter(1000);
  writer_->Add(FilterKey("a"));
  writer_->Add(FilterKey("seam"));
  EndBlock("seam", true);
  writer_->Add(FilterKey("seam"));
  ASSERT_TRUE(writer_->Finish(store_).ok());
  EXPECT_EQ(store_.filters,
            (std::vector<std::string>{
                BuildFilter(*FastLocalBloomCodec(), 10, {"a", "seam"}),
                BuildFilter(*FastLocalBloomCodec(), 10, {"seam"})}));
}

TEST_F(PartitionedPlacementTest, ACutAtTheEndLeavesNoEmptyPartition) {
  MakeWriter(1000);
  writer_->Add(FilterKey("a"));
  EndBlock("b", true);
  ASSERT_TRUE(writer_->Finish(store_).ok());
  EXPECT_EQ(store_.filters.size(), 1u);
}

TEST_F(PartitionedPlacementTest, PrefixesAreOnBothSidesOfACut) {
  FilterPlan plan = PlanFor(FilterPlacement::kPartitioned);
  plan.prefix_extractor.reset(NewFixedPrefixTransform(1));
  writer_ = NewFilterBlockWriter(plan);
  writer_->Add(FilterKey("a1"));
  EndBlock("b1", true);
  writer_->Add(FilterKey("b1"));
  ASSERT_TRUE(writer_->Finish(store_).ok());
  EXPECT_EQ(store_.filters,
            (std::vector<std::string>{
                BuildFilter(*FastLocalBloomCodec(), 10, {"a1", "a", "b"}),
                BuildFilter(*FastLocalBloomCodec(), 10, {"a", "b1", "b"})}));
}

class DecoupledPlacementTest : public testing::Test {
 protected:
  DecoupledPlacementTest() {
    plan_ = PlanFor(FilterPlacement::kPartitioned);
    plan_.decoupled = true;
    plan_.prefix_first = true;
  }
  // Writes the keys in one data block each.
  void Write(const std::vector<std::string>& keys) {
    const auto writer = NewFilterBlockWriter(plan_);
    EXPECT_EQ(writer->placement(), FilterPlacement::kPartitioned);
    for (size_t i = 0; i < keys.size(); ++i) {
      writer->StartDataBlock(i * kBlockBytes);
      writer->Add(FilterKey(keys[i]));
      EXPECT_FALSE(writer->WantsCut());
      const bool last = i + 1 == keys.size();
      const Slice next = last ? Slice() : Slice(keys[i + 1]);
      // The index may cut where it likes.
      ASSERT_TRUE(
          writer->EndDataBlock(last ? nullptr : &next, i % 2 == 1, store_)
              .ok());
    }
    ASSERT_TRUE(writer->Finish(store_).ok());
    num_keys_ = writer->num_keys();
  }
  static std::string Filter(const std::vector<std::string>& entries) {
    return BuildFilter(*FastLocalBloomCodec(), 10, entries);
  }

  FilterPlan plan_;
  FakeFilterStore store_;
  uint64_t num_keys_ = 0;
};

TEST_F(DecoupledPlacementTest, EveryPartitionEndsWhenItIsFullAtItsLastKey) {
  plan_.keys_per_partition = 3;
  Write({"a", "b", "b", "c", "d", "e", "f", "g"});
  EXPECT_EQ(store_.filters,
            (std::vector<std::string>{Filter({"a", "b", "c"}),
                                      Filter({"d", "e", "f"}), Filter({"g"})}));
  EXPECT_EQ(store_.separators, (std::vector<std::string>{"c", "f", "g"}));
  EXPECT_EQ(num_keys_, 7u);
}

TEST_F(DecoupledPlacementTest, OneBlockMayHoldSeveralPartitions) {
  plan_.keys_per_partition = 1;
  const auto writer = NewFilterBlockWriter(plan_);
  writer->StartDataBlock(0);
  for (const char* key : {"a", "b", "c"}) writer->Add(FilterKey(key));
  ASSERT_TRUE(writer->EndDataBlock(nullptr, false, store_).ok());
  ASSERT_TRUE(writer->Finish(store_).ok());
  EXPECT_EQ(store_.separators, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(store_.filters.size(), 3u);
}

TEST_F(DecoupledPlacementTest,
       VersionsOfAKeyAreFoundInTheFirstOfItsPartitions) {
  plan_.keys_per_partition = 1;
  plan_.prefix_extractor.reset(NewFixedPrefixTransform(1));
  Write({"s1", "s1", "s1", "s2"});
  const auto reader =
      NewFilterBlockReader(Where(FilterPlacement::kPartitioned), &store_);
  ASSERT_GT(store_.filters.size(), 2u);
  for (const char* key : {"s1", "s2"}) {
    EXPECT_TRUE(reader->KeyMayMatch(FilterKey(key), key, {})) << key;
    EXPECT_TRUE(reader->KeyMayMatch(FilterKey("s"), key, {})) << key;
  }
}

TEST_F(DecoupledPlacementTest, PrefixesAreOnBothSidesOfACut) {
  plan_.keys_per_partition = 4;
  plan_.prefix_extractor.reset(NewFixedPrefixTransform(1));
  Write({"a1", "a2", "a3", "b1", "b2", "b3", "b4", "c1"});
  EXPECT_EQ(store_.filters,
            (std::vector<std::string>{Filter({"a", "a1", "a2", "a3", "b"}),
                                      Filter({"a", "b", "b1", "b2"}),
                                      Filter({"b", "b3", "b4", "c", "c1"})}));
  EXPECT_EQ(store_.separators, (std::vector<std::string>{"a3", "b2", "c1"}));
}

TEST_F(DecoupledPlacementTest, PrefixesAloneAreOnBothSidesToo) {
  plan_.keys_per_partition = 2;
  plan_.whole_keys = false;
  plan_.prefix_extractor.reset(NewFixedPrefixTransform(1));
  Write({"a1", "a2", "b1", "c1", "", "c2", "d1"});
  EXPECT_EQ(store_.filters,
            (std::vector<std::string>{Filter({"a", "b", "c"}),
                                      Filter({"b", "c"}), Filter({"c", "d"})}));
  EXPECT_EQ(store_.separators, (std::vector<std::string>{"b1", "c1", "d1"}));
}

TEST_F(DecoupledPlacementTest, ErrorsOfThePolicyAndOfTheSinkArePropagated) {
  plan_.keys_per_partition = 1;
  plan_.new_builder = [] {
    return std::make_unique<UserFilterBuilder>(
        "mine", [] { return std::unique_ptr<FilterBitsBuilder>(); });
  };
  const auto writer = NewFilterBlockWriter(plan_);
  for (const char* key : {"a", "b", "c"}) writer->Add(FilterKey(key));
  EXPECT_TRUE(writer->EndDataBlock(nullptr, false, store_).IsInvalidArgument());
  const auto at_the_end = NewFilterBlockWriter(plan_);
  at_the_end->Add(FilterKey("a"));
  EXPECT_TRUE(at_the_end->Finish(store_).IsInvalidArgument());

  const auto unwritten = NewFilterBlockWriter([] {
    FilterPlan plan = PlanFor(FilterPlacement::kPartitioned);
    plan.decoupled = true;
    return plan;
  }());
  store_.write_status = Status::IOError("disk gone");
  unwritten->Add(FilterKey("a"));
  EXPECT_TRUE(unwritten->Finish(store_).IsIOError());
}

}  // namespace tamis
