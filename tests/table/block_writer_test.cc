// SPDX-License-Identifier: Apache-2.0
#include "table/block_writer.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/tables.h"
#include "util/base/random.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

// The codec of a stored block of which `percent` of the bytes do not compress,
// and the others compress to almost nothing.
CompressionType CodecOf(CompressionType wanted, size_t percent) {
  constexpr size_t kBytes = 4000;
  std::string raw(kBytes, '\0');
  Random random(301);
  for (size_t i = 0; i < kBytes * percent / 100; ++i) {
    raw[i] = static_cast<char>(random.Uniform(256));
  }
  std::string contents;
  StringWritableFile file(&contents);
  BlockWriter writer(&file, wanted, Footer(), nullptr);
  const Result<BlockHandle> handle = writer.WriteCompressed(raw);
  EXPECT_TRUE(handle.ok());
  return static_cast<CompressionType>(contents[handle->size]);
}

TEST(BlockWriterTest, ABlockIsCompressedWhereThatSavesAnEighth) {
  for (const CompressionType type : SupportedCompressions()) {
    EXPECT_EQ(CodecOf(type, 70), type) << CompressionTypeName(type);
    EXPECT_EQ(CodecOf(type, 92), kNoCompression) << CompressionTypeName(type);
  }
}

}  // namespace
}  // namespace tamis
