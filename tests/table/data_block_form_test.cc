// SPDX-License-Identifier: Apache-2.0
//
// The nodes of data blocks: where their bytes are.
#include "table/data_block_form.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "table/block_builder.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

class DataBlockFormTest : public testing::Test {
 protected:
  // A block of one entry.
  static ByteBuffer BlockOf(size_t value_bytes) {
    BlockBuilder builder(/*restart_interval=*/16);
    builder.Add(InternalKey("key", 1, kTypeValue),
                std::string(value_bytes, 'v'));
    return ByteBuffer(builder.Finish());
  }

  PinnedBytes NodeOf(const Slice& payload, ByteBuffer* memory) {
    Result<PinnedBytes> node = form_.Transform(payload, memory, {}, &pool_);
    EXPECT_TRUE(node.ok()) << node.status();
    EXPECT_EQ(node->bytes().ToString(), expected_);
    return *std::move(node);
  }

  const KeyOrder order_ = Bytewise();
  const DataBlockForm form_{&order_};
  BlockPool pool_;
  std::string expected_;
};

TEST_F(DataBlockFormTest, TakesOverTheMemoryOfABlockTooLargeForThePool) {
  ByteBuffer memory = BlockOf(BlockPool::kLargestBytes);
  expected_ = memory.bytes().ToString();
  const char* const place = memory.data();
  const PinnedBytes node = NodeOf(memory.bytes(), &memory);
  EXPECT_EQ(node.bytes().data(), place);
  EXPECT_EQ(memory.capacity(), 0u);
}

TEST_F(DataBlockFormTest, CopiesABlockThatThePoolServes) {
  ByteBuffer memory = BlockOf(4000);
  expected_ = memory.bytes().ToString();
  const PinnedBytes node = NodeOf(memory.bytes(), &memory);
  EXPECT_NE(node.bytes().data(), memory.data());
  EXPECT_EQ(memory.bytes().ToString(), expected_);
}

TEST_F(DataBlockFormTest, CopiesALargeBlockThatItMayNotTake) {
  const ByteBuffer block = BlockOf(BlockPool::kLargestBytes);
  expected_ = block.bytes().ToString();
  const PinnedBytes node = NodeOf(block.bytes(), /*memory=*/nullptr);
  EXPECT_NE(node.bytes().data(), block.data());
}

}  // namespace
}  // namespace tamis
