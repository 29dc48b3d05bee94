// SPDX-License-Identifier: Apache-2.0
//
// Partitions of an index, whose slots hold blocks: parents and children.
#include <string>

#include <gtest/gtest.h>

#include "tests/util/cache/cached_blocks.h"

namespace tamis {
namespace {

using Guard = EpochDomain::Guard;

class PartitionTest : public testing::Test {
 protected:
  static constexpr size_t kSlots = 10;

  // The partition is resident, and has no other holder.
  const BlockBuffer* Resident() {
    const Guard guard(cache_.epochs());
    return BlockCache::Lookup(top_);
  }
  const BlockBuffer* InsertPartition() {
    return cache_.Insert(&top_, nullptr, PartitionOf(77, kSlots)).buffer();
  }
  void FillOthers() {
    for (size_t i = 0; i < 1000; ++i) others_.Insert(i);
    others_.Drop();
  }

  BlockCache cache_{256 << 10};
  BlockSlot top_;
  Blocks others_{&cache_, 1000};
};

TEST_F(PartitionTest, StaysWhileAChildIsResident) {
  const BlockBuffer* const partition = InsertPartition();
  // The child is held, so that it is resident for sure.
  PinnedBytes child =
      cache_.Insert(SlotOf(partition, 3), partition, BlockOf(3));
  FillOthers();
  ASSERT_FALSE(top_.empty());
  cache_.EraseUnRefEntries();
  ASSERT_FALSE(top_.empty());
  cache_.SetCapacity(0);
  ASSERT_FALSE(top_.empty());
  EXPECT_TRUE(IsBlockOf(cache_.Pin(*SlotOf(partition, 3)).bytes(), 3));

  child.Reset();
  cache_.SetCapacity(0);
  EXPECT_TRUE(top_.empty());
  EXPECT_EQ(cache_.GetUsage(), 0u);
}

TEST_F(PartitionTest, IsEvictedAfterItsChildren) {
  const BlockBuffer* const partition = InsertPartition();
  for (size_t i = 0; i < kSlots; ++i) {
    cache_.Insert(SlotOf(partition, i), partition, BlockOf(i));
  }
  cache_.Drop(SlotOf(partition, 0));
  cache_.EraseUnRefEntries();
  EXPECT_TRUE(top_.empty());
  EXPECT_EQ(cache_.GetUsage(), 0u);
}

TEST_F(PartitionTest, AcceptsNoChildOnceEvicted) {
  InsertPartition();
  const PinnedBytes held = cache_.Pin(top_);
  cache_.Drop(&top_);
  EXPECT_EQ(Resident(), nullptr);
  const PinnedBytes child =
      cache_.Insert(SlotOf(held.buffer(), 0), held.buffer(), BlockOf(0));
  EXPECT_TRUE(IsBlockOf(child.bytes(), 0));
  EXPECT_TRUE(SlotOf(held.buffer(), 0)->empty());
  EXPECT_EQ(cache_.GetUsage(), 0u);
}

TEST_F(PartitionTest, AcceptsNoChildIfItWasNeverResident) {
  cache_.SetCapacity(0);
  const PinnedBytes partition =
      cache_.Insert(&top_, nullptr, PartitionOf(77, kSlots));
  ASSERT_TRUE(top_.empty());
  cache_.SetCapacity(256 << 10);
  const BlockBuffer* const node = partition.buffer();
  const PinnedBytes child = cache_.Insert(SlotOf(node, 0), node, BlockOf(0));
  EXPECT_TRUE(SlotOf(node, 0)->empty());
}

TEST(BlockCacheTest, DestructionFreesParentsAndChildrenInAnyOrder) {
  constexpr size_t kPartitions = 100;
  BlockSlot tops[kPartitions];
  PinnedBytes held;
  {
    BlockCache cache(64 << 20);
    for (size_t i = 0; i < kPartitions; ++i) {
      const PinnedBytes partition =
          cache.Insert(&tops[i], nullptr, PartitionOf(i, 10));
      for (size_t k = 0; k < 10; ++k) {
        held = cache.Insert(SlotOf(partition.buffer(), k), partition.buffer(),
                            BlockOf(k));
      }
    }
    EXPECT_GT(cache.GetUsage(), 10 * kPartitions * kBlockBytes);
  }
  EXPECT_TRUE(IsBlockOf(held.bytes(), 9));
}

}  // namespace
}  // namespace tamis
