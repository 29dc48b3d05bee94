// SPDX-License-Identifier: Apache-2.0
//
// A damaged table gives the right answer or a Status that names the file;
// never a wrong answer, never a missing key.
#include <string>

#include <gtest/gtest.h>

#include "tests/support/tables.h"

namespace tamis {
namespace {

Entries SmallEntries() {
  Entries entries;
  for (int i = 0; i < 12; ++i) {
    const auto sequence = static_cast<uint64_t>(100 - i);
    entries.emplace_back(
        InternalKey("key" + std::string(1, static_cast<char>('a' + i)),
                    sequence),
        "value" + std::to_string(i));
  }
  return entries;
}

struct Shape {
  const char* name;
  bool block_based;
  bool partitioned;
  ChecksumType checksum;
};

class CorruptionTest : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    TableBuildOptions options(Bytewise());
    options.table.block_size = 64;
    options.table.metadata_block_size = 64;
    options.table.checksum = GetParam().checksum;
    options.table.filter_policy.reset(
        NewBloomFilterPolicy(10, GetParam().block_based));
    if (GetParam().partitioned) {
      options.table.partition_filters = true;
      options.table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    }
    contents_ = BuildTable(options, entries_);
  }

  // Whether damage was noticed anywhere.
  bool CheckDamaged(const std::string& contents) {
    auto opened = OpenTable(contents);
    if (!opened.ok()) {
      ExpectNamed(opened.status());
      return true;
    }
    bool noticed = false;
    for (const auto& [key, value] : entries_) {
      const Answer got = GetFrom(**opened, ExtractUserKey(key));
      if (got.status.ok()) {
        EXPECT_EQ(got.value, value);
      } else {
        ExpectNamed(got.status);
        noticed = true;
      }
    }
    Status status;
    auto it = (*opened)->NewIterator(ReadContext());
    const Entries forward = ScanForward(it.get(), &status);
    if (status.ok()) {
      EXPECT_EQ(forward, entries_);
    } else {
      ExpectNamed(status);
      noticed = true;
    }
    const Entries backward = ScanBackward(it.get(), &status);
    if (status.ok()) {
      EXPECT_EQ(backward, entries_);
    } else {
      ExpectNamed(status);
    }
    if (noticed) {
      EXPECT_FALSE((*opened)->VerifyChecksums().ok());
    }
    return noticed || !(*opened)->VerifyChecksums().ok();
  }

  static void ExpectNamed(const Status& status) {
    EXPECT_FALSE(status.IsNotFound()) << status;
    EXPECT_NE(status.message().find("test.sst"), std::string::npos) << status;
  }

  const Entries entries_ = SmallEntries();
  std::string contents_;
};

TEST_P(CorruptionTest, AFlippedByteIsNoticedOrHarmless) {
  // Behind the blocks: the footer, whose padding means nothing.
  const size_t footer_at = contents_.size() - kFooterBytes;
  for (size_t i = 0; i < contents_.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      SCOPED_TRACE("byte " + std::to_string(i));
      std::string copy = contents_;
      copy[i] = static_cast<char>(copy[i] ^ flip);
      const bool noticed = CheckDamaged(copy);
      EXPECT_TRUE(noticed || i >= footer_at);
      if (HasFailure()) return;
    }
  }
}

TEST_P(CorruptionTest, ATruncatedTableDoesNotOpen) {
  for (size_t n = 0; n < contents_.size(); ++n) {
    const auto opened = OpenTable(contents_.substr(0, n));
    ASSERT_FALSE(opened.ok()) << n;
    ExpectNamed(opened.status());
  }
}

// The file is as long as it was, but shorter than what was promised.
TEST_P(CorruptionTest, AShortReadIsCorruption) {
  auto opened =
      TableReader::Open(std::make_unique<StringRandomAccessFile>(contents_),
                        contents_.size() + 10, TestContext());
  ASSERT_TRUE(opened.status().IsCorruption()) << opened.status();
  ExpectNamed(opened.status());
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, CorruptionTest,
    testing::Values(Shape{"Full", false, false, kXXH3},
                    Shape{"FullCrc", false, false, kCRC32c},
                    Shape{"BlockBased", true, false, kxxHash},
                    Shape{"Partitioned", false, true, kxxHash64}),
    [](const testing::TestParamInfo<Shape>& shape) {
      return std::string(shape.param.name);
    });

}  // namespace
}  // namespace tamis
