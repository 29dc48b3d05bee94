// SPDX-License-Identifier: Apache-2.0
//
// A reader shows the entries that a builder wrote, for every filter, codec and
// checksum.
#include <cstdio>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tamis/perf_context.h"

#include "tests/support/tables.h"
#include "util/base/random.h"

namespace tamis {
namespace {

enum class FilterChoice : uint8_t { kNone, kBlockBased, kFull, kPartitioned };

constexpr const char* kFilterNames[] = {"None", "BlockBased", "Full",
                                        "Partitioned"};

using Shape = std::tuple<FilterChoice, CompressionType, ChecksumType>;

TableBuildOptions OptionsFor(const Shape& shape) {
  TableBuildOptions options(Bytewise());
  options.file_name = "test.sst";
  options.compression = std::get<1>(shape);
  options.table.checksum = std::get<2>(shape);
  options.table.block_size = 512;
  options.table.metadata_block_size = 256;
  switch (std::get<0>(shape)) {
    case FilterChoice::kNone:
      options.table.filter_policy = nullptr;
      break;
    case FilterChoice::kBlockBased:
      options.table.filter_policy.reset(NewBloomFilterPolicy(10, true));
      break;
    case FilterChoice::kPartitioned:
      options.table.partition_filters = true;
      options.table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      [[fallthrough]];
    case FilterChoice::kFull:
      options.table.filter_policy.reset(NewBloomFilterPolicy(10));
      break;
  }
  return options;
}

std::string Key(int i) {
  char text[32];
  std::snprintf(text, sizeof(text), "key%06d", i);
  return text;
}

// Every third key is in it.
Entries ManyKeys(int n) {
  Entries entries;
  Random random(301);
  for (int i = 0; i < n; ++i) {
    std::string value(static_cast<size_t>(random.Uniform(100)),
                      static_cast<char>('a' + i % 26));
    entries.emplace_back(InternalKey(Key(i * 3), static_cast<uint64_t>(i) + 1),
                         value);
  }
  return entries;
}

Entries OneKey() { return {{InternalKey("only", 7), "value"}}; }

Entries EmptyKeyAndValue() {
  return {{InternalKey("", 9), ""},
          {InternalKey("", 3), "older"},
          {InternalKey(std::string(1, '\0'), 4), ""}};
}

// Versions of one key over many blocks, between other keys.
Entries ManyVersions() {
  Entries entries = {{InternalKey("a", 1), "first"}};
  for (uint64_t sequence = 300; sequence > 100; --sequence) {
    entries.emplace_back(InternalKey("many", sequence),
                         std::to_string(sequence) + std::string(40, 'x'));
  }
  entries.emplace_back(InternalKey("z", 2), "last");
  return entries;
}

Entries LargeValues() {
  return {{InternalKey("a", 1), std::string(70'000, 'a')},
          {InternalKey("b", 2), "small"},
          {InternalKey("c", 3), std::string(300'000, 'c')}};
}

class RoundTrip : public testing::TestWithParam<Shape> {
 protected:
  // Everything a reader can do with the entries.
  void Check(const Entries& entries) {
    TableProperties properties;
    const std::string contents =
        BuildTable(OptionsFor(GetParam()), entries, &properties);
    EXPECT_EQ(properties.num_entries, entries.size());
    auto opened = OpenTable(contents);
    ASSERT_TRUE(opened.ok()) << opened.status();
    const TableReader& table = **opened;
    EXPECT_EQ(table.VerifyChecksums(), Status::OK());
    CheckScans(table, entries);
    CheckSeeks(table, entries);
    for (const auto& [key, value] : entries) {
      const Answer got =
          GetFrom(table, ExtractUserKey(key), ExtractSequence(key));
      ASSERT_TRUE(got.status.ok()) << InternalKeyToString(key) << got.status;
      ASSERT_EQ(got.value, value) << InternalKeyToString(key);
    }
  }

  static void CheckScans(const TableReader& table, const Entries& entries) {
    Status status;
    auto it = table.NewIterator(ReadContext());
    EXPECT_EQ(ScanForward(it.get(), &status), entries);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(ScanBackward(it.get(), &status), entries);
    EXPECT_TRUE(status.ok()) << status;
  }

  static void CheckSeeks(const TableReader& table, const Entries& entries) {
    auto it = table.NewIterator(ReadContext());
    for (size_t i = 0; i < entries.size(); ++i) {
      it->Seek(entries[i].first);
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(it->key(), Slice(entries[i].first));
      it->SeekForPrev(entries[i].first);
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(it->key(), Slice(entries[i].first));
      if (i > 0) {
        it->Prev();
        ASSERT_EQ(it->key(), Slice(entries[i - 1].first));
      }
      // Just behind this entry: at the next one, or at the end.
      const std::string behind = InternalKey(
          ExtractUserKey(entries[i].first).ToString() + std::string(1, '\0'),
          kMaxSequenceNumber, kValueTypeForSeek);
      it->Seek(behind);
      if (it->Valid()) {
        ASSERT_GT(Bytewise().Compare(it->key(), behind), 0);
      }
      it->SeekForPrev(behind);
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(ExtractUserKey(it->key()), ExtractUserKey(entries[i].first));
    }
  }
};

TEST_P(RoundTrip, OneKey) { Check(OneKey()); }
TEST_P(RoundTrip, ManyKeys) { Check(ManyKeys(2000)); }
TEST_P(RoundTrip, EmptyKeyAndValue) { Check(EmptyKeyAndValue()); }
TEST_P(RoundTrip, VersionsThatSpanBlocks) { Check(ManyVersions()); }
TEST_P(RoundTrip, ValuesAbove64KiB) { Check(LargeValues()); }

TEST_P(RoundTrip, AbsentKeysAreAbsent) {
  auto opened = OpenTable(BuildTable(OptionsFor(GetParam()), ManyKeys(500)));
  ASSERT_TRUE(opened.ok()) << opened.status();
  for (int i = 0; i < 1500; ++i) {
    if (i % 3 == 0) continue;
    const Answer got = GetFrom(**opened, Key(i));
    ASSERT_TRUE(got.status.IsNotFound()) << Key(i) << " " << got.status;
  }
  EXPECT_TRUE(GetFrom(**opened, "").status.IsNotFound());
  EXPECT_TRUE(GetFrom(**opened, "zzz").status.IsNotFound());
}

TEST_P(RoundTrip, OlderSnapshotsSeeOlderVersions) {
  auto opened = OpenTable(BuildTable(OptionsFor(GetParam()), ManyVersions()));
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(GetFrom(**opened, "many", 1000).value,
            "300" + std::string(40, 'x'));
  EXPECT_EQ(GetFrom(**opened, "many", 150).value, "150" + std::string(40, 'x'));
  EXPECT_TRUE(GetFrom(**opened, "many", 100).status.IsNotFound());
  EXPECT_TRUE(GetFrom(**opened, "manya", 1000).status.IsNotFound());
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RoundTrip,
    testing::Combine(
        testing::Values(FilterChoice::kNone, FilterChoice::kBlockBased,
                        FilterChoice::kFull, FilterChoice::kPartitioned),
        testing::Values(kNoCompression, kSnappyCompression),
        testing::Values(kNoChecksum, kCRC32c, kxxHash, kxxHash64, kXXH3)),
    [](const testing::TestParamInfo<Shape>& shape) {
      return std::string(
                 kFilterNames[static_cast<int>(std::get<0>(shape.param))]) +
             (std::get<1>(shape.param) == kNoCompression ? "Raw" : "Snappy") +
             std::to_string(static_cast<int>(std::get<2>(shape.param)));
    });

}  // namespace
}  // namespace tamis
