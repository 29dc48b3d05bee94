// SPDX-License-Identifier: Apache-2.0
//
// Point reads through a hash index give the results of binary search.
#include "table/data_block_hash_index.h"

#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "table/block.h"
#include "table/block_builder.h"
#include "tests/support/tables.h"
#include "util/coding/hash.h"

namespace tamis {
namespace {

const std::string kFile = "test.sst";

BlockFormat Internal() {
  return {BlockFormat::Keys::kInternal, BlockFormat::Values::kLengthPrefixed,
          &Bytewise()};
}

std::string Build(const Entries& entries, int interval, double ratio) {
  BlockBuilder builder(
      {.restart_interval = interval, .hash_util_ratio = ratio});
  for (const auto& [key, value] : entries) builder.Add(key, value);
  const size_t planned = builder.CurrentSize();
  const std::string block = builder.Finish().ToString();
  if (planned <= kHashIndexBlockBytesMax) {
    EXPECT_EQ(block.size(), planned);
  }
  return block;
}

bool HasHashIndex(const std::string& block) {
  return (static_cast<uint8_t>(block.back()) & 0x80) != 0;
}

std::string Key(int i) {
  char text[16];
  std::snprintf(text, sizeof(text), "k%05d", i);
  return text;
}

// Odd keys, some with versions over more than a restart interval.
Entries SomeEntries(int n) {
  Entries entries;
  for (int i = 0; i < n; ++i) {
    const int versions = i % 17 == 5 ? 20 : i % 3 == 1 ? 2 : 1;
    for (int v = versions; v > 0; --v) {
      entries.emplace_back(
          InternalKey(Key(2 * i + 1), static_cast<uint64_t>(v) * 10),
          std::to_string(v));
    }
  }
  return entries;
}

class HashIndexTest : public testing::TestWithParam<std::pair<int, double>> {};

TEST_P(HashIndexTest, AgreesWithBinarySearch) {
  const auto [interval, ratio] = GetParam();
  const Entries entries = SomeEntries(60);
  const std::string block = Build(entries, interval, ratio);
  ASSERT_TRUE(HasHashIndex(block));
  BlockIterator by_hash;
  BlockIterator by_order;
  by_hash.Open(PinnedBytes::Borrow(block), Internal(), {&kFile, 0});
  by_order.Open(PinnedBytes::Borrow(block), Internal(), {&kFile, 0});
  for (int i = 0; i < 125; ++i) {
    for (const SequenceNumber sequence :
         {0u, 5u, 10u, 15u, 20u, 105u, 200u, 1000u}) {
      const std::string target =
          InternalKey(Key(i), sequence, kValueTypeForSeek);
      by_hash.SeekForGet(target);
      by_order.Seek(target);
      const auto is_there = [&](const BlockIterator& it) {
        return it.Valid() && ExtractUserKey(it.key()) == Slice(Key(i));
      };
      ASSERT_EQ(is_there(by_hash), is_there(by_order)) << i << " " << sequence;
      if (is_there(by_order)) {
        ASSERT_EQ(by_hash.key(), by_order.key());
        ASSERT_EQ(by_hash.value(), by_order.value());
      }
      // Valid at another key would end the search of the table.
      if (!by_order.Valid()) {
        ASSERT_FALSE(by_hash.Valid()) << i << " " << sequence;
      }
    }
  }
  EXPECT_TRUE(by_hash.status().ok()) << by_hash.status();
}

INSTANTIATE_TEST_SUITE_P(Shapes, HashIndexTest,
                         testing::Values(std::pair{1, 0.75}, std::pair{4, 0.75},
                                         std::pair{16, 0.1},
                                         std::pair{16, 0.75},
                                         std::pair{16, 5.0},
                                         std::pair{1000, 0.75}));

TEST(HashIndexTest, AnEmptyBucketLeadsToTheNextBlock) {
  const std::string block =
      Build({{InternalKey("a", 1), "1"}, {InternalKey("b", 1), "2"}}, 1, 0.1);
  BlockIterator it;
  it.Open(PinnedBytes::Borrow(block), Internal(), {&kFile, 0});
  EXPECT_FALSE(it.SeekForGet(InternalKey("c", 1)));
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().ok());
}

TEST(HashIndexTest, BucketsHoldRestartsOfTheirKeys) {
  DataBlockHashIndexBuilder builder(0.75);
  builder.Add("a", 0);
  builder.Add("b", 1);
  builder.Add("b", 1);
  ASSERT_TRUE(builder.fits());
  std::string bytes;
  builder.Finish(&bytes);
  // Three entries need 4 buckets; odd: 5.
  ASSERT_EQ(bytes.size(), 7u);
  ASSERT_EQ(bytes.size(), builder.CurrentSize());
  EXPECT_EQ(DecodeFixed16(bytes.data() + 5), 5);
  const auto bucket = [](const char* key) {
    return Hash32(key, 1, kDataBlockHash32Seed, Hash32Flavor::kSignedTail) % 5;
  };
  std::string expected(5, '\xff');
  expected[bucket("a")] = 0;
  expected[bucket("b")] = bucket("a") == bucket("b") ? '\xfe' : '\1';
  EXPECT_EQ(bytes.substr(0, 5), expected);
}

TEST(HashIndexTest, LargeBlocksHaveNoHashIndex) {
  EXPECT_TRUE(HasHashIndex(Build(SomeEntries(80), 1, 0.75)));
  EXPECT_FALSE(HasHashIndex(Build(SomeEntries(160), 1, 0.75)));
  Entries large;
  for (int i = 0; i < 9; ++i) {
    large.emplace_back(InternalKey(Key(i), 1), std::string(8'000, 'v'));
  }
  EXPECT_FALSE(HasHashIndex(Build(large, 16, 0.75)));
  large.pop_back();
  EXPECT_TRUE(HasHashIndex(Build(large, 16, 0.75)));
  // Up to the last byte.
  const size_t spare = kHashIndexBlockBytesMax - Build(large, 16, 0.75).size();
  large.back().second.append(spare, 'v');
  EXPECT_EQ(Build(large, 16, 0.75).size(), kHashIndexBlockBytesMax);
  EXPECT_TRUE(HasHashIndex(Build(large, 16, 0.75)));
  large.back().second += 'v';
  EXPECT_FALSE(HasHashIndex(Build(large, 16, 0.75)));
}

TEST(HashIndexTest, ABucketThatNamesNoRestartIsCorruption) {
  std::string block = Build({{InternalKey("a", 1), "1"}}, 1, 0.75);
  block[block.size() - 4 - 2 - 1] = 7;  // its one bucket
  BlockIterator it;
  it.Open(PinnedBytes::Borrow(block), Internal(), {&kFile, 0});
  it.SeekForGet(InternalKey("a", 1));
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().IsCorruption()) << it.status();
}

}  // namespace
}  // namespace tamis
