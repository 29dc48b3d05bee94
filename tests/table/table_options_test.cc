// SPDX-License-Identifier: Apache-2.0
//
// Every layout that the options of data and index blocks give shows the entries
// that were added: scans in both directions, seeks, and point reads of present
// and absent keys.
#include <cstdio>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "table/properties.h"
#include "tests/support/tables.h"
#include "util/base/random.h"

namespace tamis {
namespace {

using Options = BlockBasedTableOptions;
using Shortening = Options::IndexShorteningMode;

std::string Key(int i) {
  char text[32];
  std::snprintf(text, sizeof(text), "key%06d", i);
  return text;
}

// Every third key, of every kind that data blocks hold.
Entries SomeEntries(int n, bool many_versions) {
  constexpr uint8_t kTypes[] = {kTypeValue,
                                kTypeValue,
                                kTypeDeletion,
                                kTypeMerge,
                                kTypeSingleDeletion,
                                kTypeWideColumnEntity,
                                kTypeValuePreferredSeqno};
  Entries entries;
  Random random(static_cast<uint32_t>(n));
  for (int i = 0; i < n; ++i) {
    const int versions = many_versions && i == n / 2 ? 100 : i % 7 == 3 ? 2 : 1;
    for (int v = versions; v > 0; --v) {
      const uint8_t type = v > 1 ? uint8_t{kTypeValue} : kTypes[i % 7];
      const bool bare = type == kTypeDeletion || type == kTypeSingleDeletion;
      entries.emplace_back(
          InternalKey(Key(i * 3), static_cast<uint64_t>(i * 200 + v), type),
          bare ? ""
               : std::string(static_cast<size_t>(random.Uniform(60)),
                             static_cast<char>('a' + i % 26)));
    }
  }
  return entries;
}

struct Intervals {
  int data;
  int index;
};

using Shape = std::tuple<uint32_t, Options::IndexType, Intervals,
                         Options::DataBlockIndexType, bool, bool>;

TableBuildOptions OptionsFor(const Shape& shape) {
  TableBuildOptions options(Bytewise());
  options.compression = kNoCompression;
  Options& table = options.table;
  Intervals intervals{};
  std::tie(table.format_version, table.index_type, intervals,
           table.data_block_index_type, table.block_align,
           table.use_delta_encoding) = shape;
  if (table.format_version == 0) table.checksum = kCRC32c;
  table.block_restart_interval = intervals.data;
  table.index_block_restart_interval = intervals.index;
  table.block_size = 512;
  table.metadata_block_size = 256;
  return options;
}

void CheckGets(const TableReader& table, const Entries& entries) {
  for (const auto& [key, value] : entries) {
    ParsedInternalKey parsed;
    ASSERT_TRUE(ParseInternalKey(key, &parsed));
    const Answer got = GetFrom(table, parsed.user_key, parsed.sequence);
    switch (parsed.type) {
      case kTypeValue:
        ASSERT_TRUE(got.status.ok()) << InternalKeyToString(key) << got.status;
        ASSERT_EQ(got.value, value) << InternalKeyToString(key);
        break;
      case kTypeDeletion:
      case kTypeSingleDeletion:
        ASSERT_TRUE(got.status.IsNotFound()) << InternalKeyToString(key);
        break;
      case kTypeMerge:
        ASSERT_FALSE(got.status.IsNotFound()) << InternalKeyToString(key);
        break;
      default:
        ASSERT_TRUE(got.status.IsNotSupported()) << InternalKeyToString(key);
        ASSERT_NE(got.status.ToString().find(ValueTypeName(parsed.type)),
                  std::string::npos)
            << got.status;
    }
  }
  for (int i = 0; i < 3 * 200; ++i) {
    if (i % 3 == 0) continue;
    ASSERT_TRUE(GetFrom(table, Key(i)).status.IsNotFound()) << Key(i);
  }
  EXPECT_TRUE(GetFrom(table, "").status.IsNotFound());
  EXPECT_TRUE(GetFrom(table, "zzz").status.IsNotFound());
}

void CheckScans(const TableReader& table, const Entries& entries) {
  Status status;
  auto it = table.NewIterator(ReadContext());
  EXPECT_EQ(ScanForward(it.get(), &status), entries);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(ScanBackward(it.get(), &status), entries);
  EXPECT_TRUE(status.ok()) << status;
  for (size_t i = 0; i < entries.size(); i += 3) {
    it->Seek(entries[i].first);
    ASSERT_TRUE(it->Valid());
    ASSERT_EQ(it->key(), Slice(entries[i].first));
    it->SeekForPrev(entries[i].first);
    ASSERT_TRUE(it->Valid());
    ASSERT_EQ(it->value(), Slice(entries[i].second));
  }
}

class TableOptionsTest : public testing::TestWithParam<Shape> {
 protected:
  void Check(const Entries& entries) {
    const TableBuildOptions options = OptionsFor(GetParam());
    TableProperties properties;
    const std::string contents = BuildTable(options, entries, &properties);
    auto opened = OpenTable(contents);
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_EQ((*opened)->VerifyChecksums(), Status::OK());
    CheckScans(**opened, entries);
    CheckGets(**opened, entries);
    CheckLayout(**opened, options, properties);
  }

  static void CheckLayout(const TableReader& table,
                          const TableBuildOptions& options,
                          const TableProperties& properties) {
    EXPECT_EQ(table.properties()->ToString(), properties.ToString());
    const auto layout = table.ReadLayout();
    ASSERT_TRUE(layout.ok()) << layout.status();
    EXPECT_EQ(layout->data_blocks.size(), properties.num_data_blocks);
    EXPECT_EQ(layout->index_partitions.size(), properties.index_partitions);
    const BlockHandle& last = layout->data_blocks.back().second;
    if (!options.table.block_align) {
      EXPECT_EQ(last.end(), properties.data_size);
      return;
    }
    EXPECT_EQ(properties.data_size % 512, 0u);
    EXPECT_LE(last.end(), properties.data_size);
    for (const auto& [separator, handle] : layout->data_blocks) {
      EXPECT_EQ(handle.offset % 512, 0u);
      EXPECT_LE(handle.size + kBlockTrailerBytes, 512u);
    }
  }
};

TEST_P(TableOptionsTest, ShowsEveryEntry) { Check(SomeEntries(200, false)); }
TEST_P(TableOptionsTest, ShowsVersionsThatSpanBlocks) {
  Check(SomeEntries(200, true));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, TableOptionsTest,
    testing::Combine(
        testing::Values(0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u),
        testing::Values(Options::kBinarySearch, Options::kTwoLevelIndexSearch,
                        Options::kBinarySearchWithFirstKey),
        testing::Values(Intervals{16, 1}, Intervals{1, 4}, Intervals{3, 16}),
        testing::Values(Options::kDataBlockBinarySearch,
                        Options::kDataBlockBinaryAndHash),
        testing::Bool(), testing::Bool()));

TEST(TableOptionsIndexTest, EveryShorteningModeFindsEveryKey) {
  const Entries entries = SomeEntries(200, false);
  uint64_t index_size = UINT64_MAX;
  for (const Shortening mode :
       {Shortening::kNoShortening, Shortening::kShortenSeparators,
        Shortening::kShortenSeparatorsAndSuccessor}) {
    TableBuildOptions options(Bytewise());
    options.table.block_size = 256;
    options.table.index_shortening = mode;
    TableProperties properties;
    auto opened = OpenTable(BuildTable(options, entries, &properties));
    ASSERT_TRUE(opened.ok()) << opened.status();
    CheckScans(**opened, entries);
    CheckGets(**opened, entries);
    EXPECT_LT(properties.index_size, index_size);
    index_size = properties.index_size;
    const auto layout = (*opened)->ReadLayout();
    ASSERT_TRUE(layout.ok());
    Slice last = layout->data_blocks.back().first;
    if (!layout->index_key_is_user_key) last = ExtractUserKey(last);
    EXPECT_EQ(last.ToString(),
              mode == Shortening::kShortenSeparatorsAndSuccessor
                  ? "l"
                  : ExtractUserKey(entries.back().first).ToString());
  }
}

struct BadOption {
  const char* what;
  void (*spoil)(TableBuildOptions*);
};

TEST(TableOptionsRefusalTest, ContradictionsAreRefusedByName) {
  const BadOption cases[] = {
      {"block_align together with compression",
       [](TableBuildOptions* o) {
         o->table.block_align = true;
         o->compression = kSnappyCompression;
       }},
      {"no power of two",
       [](TableBuildOptions* o) {
         o->table.block_align = true;
         o->table.block_size = 1000;
       }},
      {"index_block_restart_interval",
       [](TableBuildOptions* o) { o->table.index_block_restart_interval = 0; }},
      {"data_block_hash_table_util_ratio",
       [](TableBuildOptions* o) {
         o->table.data_block_index_type = Options::kDataBlockBinaryAndHash;
         o->table.data_block_hash_table_util_ratio = 0;
       }},
      {"format_version", [](TableBuildOptions* o) {
         o->table.format_version = kFormatVersionMax + 1;
       }}};
  for (const BadOption& c : cases) {
    TableBuildOptions options(Bytewise());
    options.compression = kNoCompression;
    c.spoil(&options);
    std::string contents;
    StringWritableFile file(&contents);
    TableBuilder builder(options, &file);
    EXPECT_TRUE(builder.status().IsInvalidArgument()) << builder.status();
    EXPECT_NE(builder.status().ToString().find(c.what), std::string::npos)
        << builder.status();
  }
}

TEST(RangeDeletionTest, AreStoredSortedCountedAndRead) {
  std::string contents;
  StringWritableFile file(&contents);
  TableBuilder builder(TableBuildOptions(Bytewise()), &file);
  builder.AddRangeDeletion("m", "p", 7);
  builder.Add(InternalKey("a", 3), "value");
  builder.AddRangeDeletion("b", "d", 5);
  builder.Add(InternalKey("z", 2, kTypeDeletion), "");
  builder.AddRangeDeletion("b", "c", 9);
  EXPECT_EQ(builder.NumEntries(), 5u);
  ASSERT_EQ(builder.Finish(), Status::OK());

  auto opened = OpenTable(contents);
  ASSERT_TRUE(opened.ok()) << opened.status();
  const auto tombstones = (*opened)->ReadRangeTombstones();
  ASSERT_TRUE(tombstones.ok()) << tombstones.status();
  const std::vector<RangeTombstone> expected = {
      {"b", "c", 9}, {"b", "d", 5}, {"m", "p", 7}};
  EXPECT_EQ(*tombstones, expected);
  EXPECT_EQ((*opened)->VerifyChecksums(), Status::OK());
  const TableProperties& p = *(*opened)->properties();
  EXPECT_EQ(p.num_entries, 5u);
  EXPECT_EQ(p.num_deletions, 4u);
  EXPECT_EQ(p.num_range_deletions, 3u);
  EXPECT_EQ(p.raw_key_size, 5u * 9);
  EXPECT_EQ(p.raw_value_size, 5u + 3);
}

TEST(RangeDeletionTest, ATableMayHoldOnlyRangeTombstones) {
  std::string contents;
  StringWritableFile file(&contents);
  TableBuilder builder(TableBuildOptions(Bytewise()), &file);
  builder.AddRangeDeletion("a", "b", 1);
  ASSERT_EQ(builder.Finish(), Status::OK());
  auto opened = OpenTable(contents);
  ASSERT_TRUE(opened.ok()) << opened.status();
  Status status;
  auto it = (*opened)->NewIterator(ReadContext());
  EXPECT_TRUE(ScanForward(it.get(), &status).empty());
  EXPECT_TRUE(ScanBackward(it.get(), &status).empty());
  it->Seek(InternalKey("a", 5));
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok()) << it->status();
  EXPECT_EQ((*opened)->ReadRangeTombstones()->size(), 1u);
}

std::string ExternalTable(const Entries& entries) {
  TableBuildOptions options(Bytewise());
  options.is_external_file = true;
  options.table.block_size = 64;
  return BuildTable(options, entries);
}

// What an ingestion writes over: `sequence` where zero was.
std::string Stamp(std::string contents, SequenceNumber sequence) {
  const size_t name = contents.find("external_sst_file.global_seqno");
  EXPECT_NE(name, std::string::npos);
  EncodeFixed64(
      contents.data() + name + sizeof("external_sst_file.global_seqno") - 1,
      sequence);
  return contents;
}

class GlobalSequenceTest : public testing::TestWithParam<bool> {
 protected:
  // At 50, by the file itself or by the MANIFEST.
  void SetUp() override {
    for (int i = 0; i < 40; ++i) {
      entries_.emplace_back(
          InternalKey(Key(i), 0, i % 5 == 4 ? kTypeDeletion : kTypeValue),
          i % 5 == 4 ? "" : Key(i * i));
      shown_.emplace_back(
          InternalKey(Key(i), 50, i % 5 == 4 ? kTypeDeletion : kTypeValue),
          entries_.back().second);
    }
    TableContext context = TestContext();
    std::string contents = ExternalTable(entries_);
    if (GetParam()) {
      contents = Stamp(std::move(contents), 50);
    } else {
      context.largest_seqno = 50;
    }
    auto opened = OpenTable(contents, context);
    ASSERT_TRUE(opened.ok()) << opened.status();
    table_ = std::move(*opened);
  }
  Entries entries_;
  Entries shown_;
  std::unique_ptr<TableReader> table_;
};

TEST_P(GlobalSequenceTest, EveryEntryHasIt) {
  EXPECT_EQ(table_->VerifyChecksums(), Status::OK());
  CheckScans(*table_, shown_);
}

TEST_P(GlobalSequenceTest, SnapshotsBeforeItSeeNothing) {
  EXPECT_EQ(GetFrom(*table_, Key(1), 50).value, Key(1));
  EXPECT_EQ(GetFrom(*table_, Key(3), 1000).value, Key(9));
  EXPECT_TRUE(GetFrom(*table_, Key(4), 50).status.IsNotFound());
  EXPECT_TRUE(GetFrom(*table_, Key(1), 49).status.IsNotFound());
}

TEST_P(GlobalSequenceTest, SeeksUseIt) {
  auto it = table_->NewIterator(ReadContext());
  const auto target = [](int i, SequenceNumber sequence) {
    return InternalKey(Key(i), sequence, kValueTypeForSeek);
  };
  it->Seek(target(7, 60));
  EXPECT_EQ(it->key(), Slice(shown_[7].first));
  it->Seek(target(7, 49));
  EXPECT_EQ(it->key(), Slice(shown_[8].first));
  it->SeekForPrev(target(7, 49));
  EXPECT_EQ(it->key(), Slice(shown_[7].first));
  it->SeekForPrev(target(7, 60));
  EXPECT_EQ(it->key(), Slice(shown_[6].first));
  it->Seek(target(39, 49));
  EXPECT_FALSE(it->Valid());
  it->SeekForPrev(target(0, 60));
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
}

INSTANTIATE_TEST_SUITE_P(Origins, GlobalSequenceTest, testing::Bool());

TEST(GlobalSequenceRefusalTest, TwoDifferentOnesAreCorruption) {
  TableContext context = TestContext();
  context.largest_seqno = 51;
  const std::string contents =
      Stamp(ExternalTable({{InternalKey("a", 0), "1"}}), 50);
  const auto opened = OpenTable(contents, context);
  ASSERT_TRUE(opened.status().IsCorruption()) << opened.status();
  EXPECT_NE(opened.status().ToString().find("expected 51, got 50"),
            std::string::npos)
      << opened.status();
}

TEST(GlobalSequenceRefusalTest, NoOtherByteOfThePropertiesMayDiffer) {
  const std::string contents =
      Stamp(ExternalTable({{InternalKey("a", 0), "1"}}), 50);
  const size_t name = contents.find("external_sst_file.global_seqno");
  for (const size_t at : {name - 1, name + 5, name - 40}) {
    std::string copy = contents;
    copy[at] ^= 1;
    const auto opened = OpenTable(copy);
    EXPECT_TRUE(opened.status().IsCorruption()) << opened.status();
  }
}

TEST(TablePropertiesTest, TamisPropertiesAreWritten) {
  TableBuildOptions options(Bytewise());
  options.is_external_file = true;
  options.merge_operator_name = "StringAppendOperator";
  TableProperties p;
  auto opened =
      OpenTable(BuildTable(options, {{InternalKey("a", 0), "1"}}, &p));
  ASSERT_TRUE(opened.ok()) << opened.status();
  const TableProperties& read = *(*opened)->properties();
  EXPECT_EQ(read.merge_operator_name, "StringAppendOperator");
  EXPECT_EQ(read.tail_start_offset, read.data_size);
  EXPECT_EQ(read.format_version, 5u);
  EXPECT_EQ(read.user_collected_properties.count(kCreatorProperty), 1u);
  EXPECT_EQ(read.user_collected_properties.at(kExternalVersionProperty),
            std::string("\2\0\0\0", 4));
  EXPECT_EQ(read.user_collected_properties.at(kGlobalSequenceProperty),
            std::string(8, '\0'));
}

}  // namespace
}  // namespace tamis
