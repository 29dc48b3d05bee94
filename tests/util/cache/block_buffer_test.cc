// SPDX-License-Identifier: Apache-2.0
#include "util/cache/block_buffer.h"

#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace tamis {
namespace {

bool IsAligned(const void* address) {
  return reinterpret_cast<uintptr_t>(address) % 64 == 0;
}

TEST(BlockBufferTest, AnAlignedOneHoldsACopy) {
  for (const size_t size : {0u, 1u, 63u, 64u, 100'000u}) {
    const std::string bytes(size, 'x');
    BlockBuffer* const buffer = BlockBuffer::NewAligned(bytes);
    EXPECT_EQ(buffer->bytes(), Slice(bytes));
    EXPECT_TRUE(IsAligned(buffer->bytes().data())) << size;
    EXPECT_NE(buffer->bytes().data(), bytes.data());
    EXPECT_EQ(buffer->side_bytes(), 0u);
    EXPECT_EQ(buffer->charge(), sizeof(BlockBuffer) + size);
    EXPECT_FALSE(buffer->in_pool());
    buffer->Unref();
  }
}

TEST(BlockBufferTest, AHeapOneTakesOverItsBytes) {
  ByteBuffer bytes(Slice("payload"));
  const char* const data = bytes.data();
  const size_t capacity = bytes.capacity();
  BlockBuffer* const buffer = BlockBuffer::New(std::move(bytes), 70);
  EXPECT_EQ(buffer->bytes(), Slice("payload"));
  EXPECT_EQ(buffer->bytes().data(), data);
  EXPECT_TRUE(IsAligned(buffer->side()));
  EXPECT_EQ(std::string(buffer->side(), 70), std::string(70, '\0'));
  EXPECT_GE(buffer->charge(), sizeof(BlockBuffer) + 70 + capacity);
  buffer->Ref();
  EXPECT_FALSE(buffer->HasOneRef());
  buffer->Unref();
  EXPECT_TRUE(buffer->HasOneRef());
  buffer->Unref();
}

}  // namespace
}  // namespace tamis
