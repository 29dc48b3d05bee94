// SPDX-License-Identifier: Apache-2.0
#include "table/properties.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "table/block_builder.h"

namespace tamis {
namespace {

const std::string kFile = "test.sst";

Result<TableProperties> Decode(const std::string& block) {
  return DecodeProperties(PinnedBytes::Own(block), {&kFile, 42});
}

std::string BlockOf(
    const std::vector<std::pair<std::string, std::string>>& pairs) {
  BlockBuilder block(std::numeric_limits<int>::max());
  for (const auto& [name, value] : pairs) block.Add(name, value);
  return block.Finish().ToString();
}

TableProperties Full() {
  TableProperties p;
  p.data_size = 1;
  p.index_size = 2;
  p.index_partitions = 3;
  p.top_level_index_size = 4;
  p.index_key_is_user_key = true;
  p.index_value_is_delta_encoded = true;
  p.filter_size = 5;
  p.raw_key_size = 6;
  p.raw_value_size = uint64_t{1} << 40;
  p.num_data_blocks = 8;
  p.num_entries = 9;
  p.num_filter_entries = 10;
  p.num_deletions = 11;
  p.num_merge_operands = 12;
  p.num_range_deletions = 13;
  p.fixed_key_len = 14;
  p.column_family_id = 15;
  p.creation_time = 16;
  p.oldest_key_time = 17;
  p.file_creation_time = 18;
  p.orig_file_number = 19;
  p.index_type = 2;
  p.whole_key_filtering = false;
  p.prefix_filtering = false;
  p.db_id = "id";
  p.db_session_id = "session";
  p.db_host_id = "host";
  p.column_family_name = "default";
  p.filter_policy_name = "bloomfilter";
  p.comparator_name = "leveldb.BytewiseComparator";
  p.merge_operator_name = "nullptr";
  p.prefix_extractor_name = "nullptr";
  p.property_collectors_names = "[]";
  p.compression_name = "Snappy";
  p.compression_options = "none";
  p.user_collected_properties = {{"a.user.property", std::string("\0x", 2)},
                                 {"zzz", ""}};
  return p;
}

TEST(PropertiesTest, RoundTrip) {
  const TableProperties before = Full();
  const Result<TableProperties> after = Decode(EncodeProperties(before));
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(after->ToString(), before.ToString());
  EXPECT_EQ(after->user_collected_properties, before.user_collected_properties);
  EXPECT_EQ(after->raw_value_size, uint64_t{1} << 40);
  EXPECT_EQ(after->index_type, 2u);
  EXPECT_FALSE(after->whole_key_filtering);
  EXPECT_TRUE(after->index_key_is_user_key);
}

TEST(PropertiesTest, AbsentPropertiesKeepTheirDefaults) {
  const Result<TableProperties> got = Decode(BlockOf({}));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->ToString(), TableProperties().ToString());
}

TEST(PropertiesTest, UnknownPropertiesAreKept) {
  const Result<TableProperties> got =
      Decode(BlockOf({{"rocksdb.from.the.future", "1"}}));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->user_collected_properties.at("rocksdb.from.the.future"), "1");
}

TEST(PropertiesTest, UnsortedNamesAreCorruption) {
  EXPECT_TRUE(
      Decode(BlockOf({{"b", "1"}, {"a", "1"}})).status().IsCorruption());
  EXPECT_TRUE(
      Decode(BlockOf({{"b", "1"}, {"b", "1"}})).status().IsCorruption());
}

TEST(PropertiesTest, MalformedValuesAreCorruptionThatNamesThem) {
  for (const auto& [name, value] : {
           std::pair("rocksdb.num.entries", "\xff"),
           std::pair("rocksdb.num.entries", "\x01\x01"),
           std::pair("rocksdb.num.entries", ""),
           std::pair("rocksdb.block.based.table.index.type", "\x01"),
           std::pair("rocksdb.block.based.table.whole.key.filtering", "2"),
       }) {
    const Status status = Decode(BlockOf({{name, value}})).status();
    ASSERT_TRUE(status.IsCorruption()) << name;
    EXPECT_NE(status.message().find(name), std::string::npos) << status;
  }
}

TEST(PropertiesTest, AnyBytesArePrintable) {
  const std::string hostile = "\n\x1b[2J" + std::string(10'000, '\x08');
  for (const std::string& block :
       {BlockOf({{hostile + "b", "1"}, {hostile + "a", "1"}}),
        BlockOf({{"rocksdb.num.entries", hostile}})}) {
    const Status status = Decode(block).status();
    ASSERT_TRUE(status.IsCorruption());
    const std::string text = status.ToString();
    EXPECT_LT(text.size(), 1000u);
    for (const char c : text) ASSERT_TRUE(c >= ' ' && c <= '~') << text;
  }
}

TEST(PropertiesTest, NoFlippedByteReadsOutside) {
  const std::string block = EncodeProperties(Full());
  for (size_t i = 0; i < block.size(); ++i) {
    std::string copy = block;
    copy[i] = static_cast<char>(copy[i] ^ 0xff);
    const Result<TableProperties> got = Decode(copy);
    if (got.ok()) continue;
    EXPECT_TRUE(got.status().IsCorruption() || got.status().IsNotSupported())
        << got.status();
  }
}

TEST(PropertiesTest, MemoryUsageHasWhatMembersAllocate) {
  TableProperties properties;
  const size_t empty = properties.ApproximateMemoryUsage();
  EXPECT_GE(empty, sizeof(TableProperties));
  properties.db_host_id = "short";  // within the object
  EXPECT_EQ(properties.ApproximateMemoryUsage(), empty);
  properties.db_host_id.assign(1000, 'h');
  const size_t named = properties.ApproximateMemoryUsage();
  EXPECT_GE(named, empty + 1000);
  EXPECT_LE(named, empty + 2000);
  properties.user_collected_properties["name"] = std::string(2000, 'v');
  const size_t collected = properties.ApproximateMemoryUsage();
  EXPECT_GE(collected, named + 2000);
  EXPECT_LE(collected, named + 3000);
  properties.readable_properties[std::string(3000, 'n')] = "";
  EXPECT_GE(properties.ApproximateMemoryUsage(), collected + 3000);
}

}  // namespace
}  // namespace tamis
