// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "table/plain_table_index.h"
#include "table/plain_table_records.h"
#include "table/table_format.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

TableBuildOptions PlainOptions(const PlainTableOptions& plain,
                               int prefix_bytes = 4) {
  TableBuildOptions options(Bytewise());
  options.plain = plain;
  if (prefix_bytes > 0) {
    options.prefix_extractor.reset(
        NewFixedPrefixTransform(static_cast<size_t>(prefix_bytes)));
  }
  return options;
}

// Keys of `groups` prefixes, some with several versions, deletions and
// operands, some with the sequence number 0; some values are long.
Entries MixedEntries(int groups, bool one_length) {
  Entries entries;
  for (int group = 0; group < groups; ++group) {
    for (int i = 0; i < 40; ++i) {
      char text[32];
      std::snprintf(text, sizeof(text), "%04d/%05d", group, i * 3);
      std::string key = text;
      if (!one_length && i % 4 == 1) key += std::string(80, 'k');
      const auto sequence = static_cast<SequenceNumber>(i % 3 * 100 + i % 5);
      if (i % 7 == 3) {
        entries.emplace_back(InternalKey(key, sequence + 900, kTypeDeletion),
                             "");
      }
      if (i % 7 == 5) {
        entries.emplace_back(InternalKey(key, sequence + 901, kTypeMerge), "+");
      }
      entries.emplace_back(
          InternalKey(key, sequence),
          std::string(static_cast<size_t>(i % 11 == 0 ? 5000 : i), 'v'));
    }
  }
  return entries;
}

std::vector<PlainTableOptions> AllForms() {
  std::vector<PlainTableOptions> forms;
  for (const EncodingType encoding : {kPlain, kPrefix}) {
    for (const bool stored : {false, true}) {
      for (const size_t sparseness :
           std::initializer_list<size_t>{0, 1, 3, 16, 1000}) {
        PlainTableOptions form;
        form.encoding_type = encoding;
        form.store_index_in_file = stored;
        form.index_sparseness = sparseness;
        forms.push_back(form);
      }
    }
  }
  return forms;
}

TEST(PlainTableTest, RecordsHaveTheBytesOfTheFormat) {
  std::string out;
  PlainRecordWriter plain({}, 16, nullptr);
  plain.Append(InternalKey("abc", 0), "v", &out);
  plain.Append(InternalKey("abd", 5, kTypeDeletion), "", &out);
  EXPECT_EQ(out, std::string("\x03"
                             "abc\xff\x01v\x03"
                             "abd\x00\x05\0\0\0\0\0\0\x00",
                             20));

  out.clear();
  const std::unique_ptr<const SliceTransform> two(NewFixedPrefixTransform(2));
  PlainRecordWriter prefix({kPrefix, kPlainTableVariableLength}, 3, two.get());
  for (const char* key : {"aa1", "aa2", "aa3", "aa4", "ab1"}) {
    prefix.Append(InternalKey(key, 0), "", &out);
  }
  // Whole, prefix of 2 and rest of 1, rest of 1, whole again, whole.
  EXPECT_EQ(out, std::string("\x03"
                             "aa1\xff\0\x42\x81"
                             "2\xff\0\x81"
                             "3\xff\0\x03"
                             "aa4\xff\0\x03"
                             "ab1\xff\0",
                             27));

  // Lengths of 63 and more have a varint behind the byte.
  out.clear();
  PlainRecordWriter again({kPrefix, kPlainTableVariableLength}, 16, two.get());
  again.Append(InternalKey(std::string(70, 'k'), 0), "", &out);
  EXPECT_EQ(out.substr(0, 3), "\x3f\x07k");
}

TEST(PlainTableTest, TheStoredIndexHasTheBytesOfTheFormat) {
  PlainTableOptions options;
  options.index_sparseness = 2;
  // Without an extractor there is one bucket, of the empty prefix.
  PlainIndexBuilder ordered(options, nullptr);
  for (uint32_t i = 0; i < 5; ++i) ordered.Add(std::to_string(i), 10 * i);
  EXPECT_EQ(ordered.Index(), std::string("\x01\x01\0\0\0\x80\x03"
                                         "\0\0\0\0\x14\0\0\0\x28\0\0\0",
                                         19));
  // 10 bits per key, rounded up to bytes.
  EXPECT_EQ(ordered.Bloom().size(), 7u);
  options.bloom_bits_per_key = 0;
  EXPECT_EQ(PlainIndexBuilder(options, nullptr).Bloom(), "");
}

TEST(PlainTableTest, ReadsBackEveryForm) {
  for (const PlainTableOptions& form : AllForms()) {
    for (const bool one_length : {false, true}) {
      SCOPED_TRACE(testing::Message()
                   << "encoding " << int{form.encoding_type} << " stored "
                   << form.store_index_in_file << " sparseness "
                   << form.index_sparseness << " one length " << one_length);
      PlainTableOptions plain = form;
      if (one_length) plain.user_key_len = 10;
      const Entries entries = MixedEntries(6, one_length);
      TableProperties written;
      const std::string bytes =
          BuildTable(PlainOptions(plain), entries, &written);
      EXPECT_EQ(TableFormatOf(bytes), TableFormat::kPlain);
      const auto table = OpenTable(bytes);
      ASSERT_TRUE(table.ok()) << table.status();
      EXPECT_EQ((*table)->format(), TableFormat::kPlain);
      Status status;
      EXPECT_TRUE(ScanForward((*table)->NewIterator(ReadContext()).get(),
                              &status) == entries);
      EXPECT_TRUE(status.ok()) << status;
      EXPECT_TRUE(ScanBackward((*table)->NewIterator(ReadContext()).get(),
                               &status) == entries);
      EXPECT_TRUE((*table)->VerifyChecksums().ok());
      const TableProperties& read = *(*table)->properties();
      EXPECT_EQ(read.num_entries, entries.size());
      EXPECT_EQ(read.raw_key_size, written.raw_key_size);
      EXPECT_EQ(read.num_deletions, written.num_deletions);
      EXPECT_EQ(read.user_collected_properties.count(kPlainEncodingProperty),
                1u);
    }
  }
}

TEST(PlainTableTest, FindsEveryVersionAndNoAbsentKey) {
  const Entries entries = MixedEntries(4, false);
  PlainTableOptions plain;
  plain.encoding_type = kPrefix;
  TableContext context = TestContext();
  context.filter_policy.reset(NewBloomFilterPolicy(10));
  const auto table =
      OpenTable(BuildTable(PlainOptions(plain), entries), context);
  ASSERT_TRUE(table.ok()) << table.status();
  for (const auto& [key, value] : entries) {
    ParsedInternalKey parsed;
    ASSERT_TRUE(ParseInternalKey(key, &parsed));
    if (parsed.type != kTypeValue) continue;
    const Answer answer = GetFrom(**table, parsed.user_key, parsed.sequence);
    EXPECT_TRUE(answer.status.ok()) << answer.status;
    EXPECT_EQ(answer.value, value);
    const std::string absent = parsed.user_key.ToString() + "x";
    EXPECT_TRUE(GetFrom(**table, absent).status.IsNotFound());
  }
  // The filter that was built when the table was opened.
  EXPECT_EQ((*table)->DescribePointFilter()->codec, "FastLocalBloom");
}

TEST(PlainTableTest, SeeksAreThoseOfABlockBasedTable) {
  const Entries entries = MixedEntries(5, false);
  PlainTableOptions plain;
  plain.encoding_type = kPrefix;
  const auto table = OpenTable(BuildTable(PlainOptions(plain), entries));
  const auto expected =
      OpenTable(BuildTable(TableBuildOptions(Bytewise()), entries));
  ASSERT_TRUE(table.ok() && expected.ok());
  const auto got_it = (*table)->NewIterator(ReadContext());
  const auto expected_it = (*expected)->NewIterator(ReadContext());
  const auto compare = [&] {
    ASSERT_EQ(got_it->Valid(), expected_it->Valid());
    if (!got_it->Valid()) return;
    EXPECT_EQ(got_it->key(), expected_it->key());
  };
  for (int group = -1; group < 6; ++group) {
    for (int i = 0; i < 125; ++i) {
      char text[32];
      std::snprintf(text, sizeof(text), "%04d/%05d", group, i);
      const LookupKey target(text, 150);
      got_it->Seek(target.internal_key());
      expected_it->Seek(target.internal_key());
      compare();
      got_it->SeekForPrev(target.internal_key());
      expected_it->SeekForPrev(target.internal_key());
      compare();
    }
  }
}

TEST(PlainTableTest, RefusesWhatTheFormatCannotHold) {
  const auto status_of = [](const PlainTableOptions& plain, const auto& add) {
    std::string contents;
    StringWritableFile file(&contents);
    TableBuilder builder(PlainOptions(plain), &file);
    add(&builder);
    return builder.Finish();
  };
  const Status tombstone = status_of({}, [](TableBuilder* builder) {
    builder->AddRangeDeletion("a", "b", 1);
  });
  EXPECT_TRUE(tombstone.IsNotSupported()) << tombstone;
  PlainTableOptions of_four;
  of_four.user_key_len = 4;
  const Status length = status_of(of_four, [](TableBuilder* builder) {
    builder->Add(InternalKey("abcd", 1), "");
    builder->Add(InternalKey("abcde", 1), "");
  });
  EXPECT_TRUE(length.IsInvalidArgument()) << length;
  EXPECT_NE(length.ToString().find("user_key_len is 4"), std::string::npos);
  const Status order = status_of({}, [](TableBuilder* builder) {
    builder->Add(InternalKey("b", 1), "");
    builder->Add(InternalKey("a", 1), "");
  });
  EXPECT_TRUE(order.IsCorruption()) << order;
}

TEST(PlainTableTest, RangeDeletionsMakeItBlockBased) {
  TableBuildOptions options = PlainOptions({});
  options.has_range_deletions = true;
  std::string contents;
  StringWritableFile file(&contents);
  TableBuilder builder(options, &file);
  builder.Add(InternalKey("key", 3), "value");
  builder.AddRangeDeletion("a", "z", 2);
  ASSERT_TRUE(builder.Finish().ok());
  EXPECT_EQ(builder.DescribeFormat(), "block-based");
  const auto table = OpenTable(contents);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)->ReadRangeTombstones()->size(), 1u);
}

// Nothing is protected by a checksum: an error, or other entries, but no crash,
// and no unsorted entries.
TEST(PlainTableTest, AnyDamagedByteIsAnErrorOrAnotherTable) {
  PlainTableOptions plain;
  plain.encoding_type = kPrefix;
  plain.store_index_in_file = true;
  const std::string bytes =
      BuildTable(PlainOptions(plain), MixedEntries(1, true));
  uint64_t errors = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    if (at > 200 && at + 1500 < bytes.size() && at % 37 != 0) continue;
    for (const int change : {1, 0x40, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      const auto table = OpenTable(damaged);
      if (!table.ok()) {
        ++errors;
        EXPECT_NE(table.status().ToString().find("test.sst"),
                  std::string::npos);
        continue;
      }
      Status status;
      const Entries read =
          ScanForward((*table)->NewIterator(ReadContext()).get(), &status);
      for (size_t i = 1; i < read.size(); ++i) {
        EXPECT_LT(Bytewise().Compare(read[i - 1].first, read[i].first), 0);
      }
    }
  }
  EXPECT_GT(errors, 100u);
}

TEST(PlainTableTest, ACutFileIsAnError) {
  const std::string bytes = BuildTable(PlainOptions({}), MixedEntries(1, true));
  for (size_t size = 0; size < bytes.size(); size += 13) {
    const auto table = OpenTable(bytes.substr(0, size));
    EXPECT_TRUE(table.status().IsCorruption()) << table.status();
  }
}

}  // namespace
}  // namespace tamis
