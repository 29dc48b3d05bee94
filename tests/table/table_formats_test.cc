// SPDX-License-Identifier: Apache-2.0
//
// A reader shows the entries that a builder wrote, for every format_version,
// codec and checksum.
#include <cstdio>
#include <memory>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "table/block_fetcher.h"
#include "table/block_writer.h"
#include "table/format.h"
#include "tests/support/tables.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

Entries SomeEntries() {
  Entries entries;
  for (int i = 0; i < 600; ++i) {
    char key[32];
    std::snprintf(key, sizeof(key), "key%06d", i);
    entries.emplace_back(InternalKey(key, static_cast<uint64_t>(i + 1)),
                         "value of " + std::string(key) + " and so on");
  }
  return entries;
}

TableBuildOptions OptionsFor(uint32_t version, ChecksumType checksum,
                             CompressionType codec = kNoCompression) {
  TableBuildOptions options(Bytewise());
  options.file_name = "test.sst";
  options.compression = codec;
  options.table.format_version = version;
  options.table.checksum = checksum;
  options.table.block_size = 512;
  options.db_session_id = "S91YUSA0UY9GFF4I4CGN";
  options.file_number = 9;
  return options;
}

Footer FooterOf(const std::string& table) {
  const Slice tail(table.data() + table.size() - kFooterBytes, kFooterBytes);
  const Result<Footer> footer = Footer::Decode(tail, table.size(), "test.sst");
  EXPECT_TRUE(footer.ok()) << footer.status();
  return footer.ok() ? *footer : Footer();
}

TEST(TableFormatsTest, EveryCombinationRoundTrips) {
  const Entries entries = SomeEntries();
  for (uint32_t version = 0; version <= kFormatVersionMax; ++version) {
    for (uint8_t type = 0; type <= kXXH3; ++type) {
      const auto checksum = static_cast<ChecksumType>(type);
      if (version == 0 && checksum != kCRC32c) continue;
      for (const CompressionType codec : SupportedCompressions()) {
        SCOPED_TRACE(testing::Message() << "version " << version << " "
                                        << ChecksumTypeName(checksum) << " "
                                        << CompressionTypeName(codec));
        TableProperties properties;
        const std::string table = BuildTable(
            OptionsFor(version, checksum, codec), entries, &properties);
        EXPECT_EQ(FooterOf(table).format_version, version);
        EXPECT_EQ(properties.compression_name,
                  CompressionProperty(version, codec, true));
        const auto opened = OpenTable(table);
        ASSERT_TRUE(opened.ok()) << opened.status();
        EXPECT_EQ((*opened)->VerifyChecksums(), Status::OK());
        Status status;
        auto it = (*opened)->NewIterator(ReadContext());
        EXPECT_EQ(ScanForward(it.get(), &status), entries);
        EXPECT_TRUE(status.ok()) << status;
        for (size_t i = 0; i < entries.size(); i += 7) {
          EXPECT_EQ(GetFrom(**opened, ExtractUserKey(entries[i].first)).value,
                    entries[i].second);
        }
      }
    }
  }
}

TEST(TableFormatsTest, OptionsBeyondAFormatVersionAreRefused) {
  std::string contents;
  StringWritableFile file(&contents);
  for (const auto& [version, checksum] :
       {std::pair<uint32_t, ChecksumType>{8, kXXH3}, {0, kXXH3}}) {
    TableBuilder builder(OptionsFor(version, checksum), &file);
    EXPECT_TRUE(builder.status().IsInvalidArgument()) << builder.status();
    EXPECT_NE(builder.status().message().find("format_version"),
              std::string::npos);
    builder.Abandon();
  }
  EXPECT_EQ(contents, "");
}

// From version 6 on a block that was copied from elsewhere is not taken.
TEST(TableFormatsTest, AMisplacedBlockIsDetectedFromVersion6On) {
  for (const uint32_t version : {5u, 6u, 7u}) {
    std::string contents;
    StringWritableFile file(&contents);
    Footer footer;
    footer.SetVersion(version, "seed");
    BlockWriter writer(&file, kNoCompression, footer, nullptr);
    const auto first = writer.Write("the first block");
    const auto second = writer.Write("another block..");
    ASSERT_TRUE(first.ok() && second.ok());
    ASSERT_EQ(first->size, second->size);
    contents.replace(0, first->end(), contents.substr(first->end()));
    const StringRandomAccessFile swapped(contents);
    const std::string name = "test.sst";
    const BlockFetcher fetcher(&swapped, &name, contents.size(), footer);
    const Status status =
        fetcher.Read(*first, BlockKind::kData, ReadContext()).status();
    EXPECT_EQ(status.IsCorruption(), version >= 6) << status;
    EXPECT_TRUE(fetcher.Read(*second, BlockKind::kData, ReadContext()).ok());
  }
}

TEST(TableFormatsTest, TheSameInputMakesTheSameFileAndAnotherFileAnotherBase) {
  TableBuildOptions options = OptionsFor(7, kXXH3);
  const std::string table = BuildTable(options, SomeEntries());
  EXPECT_EQ(BuildTable(options, SomeEntries()), table);
  const uint32_t base = FooterOf(table).base_context_checksum;
  options.file_number = 10;
  EXPECT_NE(FooterOf(BuildTable(options, SomeEntries())).base_context_checksum,
            base);
}

// LevelDB compresses every block, the metaindex too, and means zstd by 2.
TEST(TableFormatsTest, LevelDBsZstdIsReadFromTheMetaindexOn) {
  if (!CompressionSupported(kZSTD)) GTEST_SKIP() << "no zstd";
  const auto bare = [](const std::string& raw) {
    std::string packed;
    EXPECT_TRUE(Compress(kZSTD, raw, &packed));
    // Without the length, of one byte.
    EXPECT_LT(raw.size(), 128u);
    return packed.substr(1);
  };
  Footer footer;
  footer.checksum = kCRC32c;
  footer.SetVersion(0, "");
  std::string table;
  const auto add = [&](const std::string& raw) {
    const std::string payload = bare(raw);
    const BlockHandle handle{table.size(), payload.size()};
    table += payload;
    table.push_back('\2');
    PutFixed32(&table, footer.ChecksumOf(handle.offset, payload, 2));
    return handle;
  };
  const auto entry = [](const std::string& key, const std::string& value) {
    std::string block(1, '\0');
    PutVarint32(&block, static_cast<uint32_t>(key.size()));
    PutVarint32(&block, static_cast<uint32_t>(value.size()));
    block += key + value;
    PutFixed32(&block, 0);
    PutFixed32(&block, 1);
    return block;
  };
  const std::string key = InternalKey("apple", 7);
  std::string data_handle;
  add(entry(key, "green")).EncodeTo(&data_handle);
  footer.index = add(entry(key, data_handle));
  std::string empty;
  PutFixed32(&empty, 0);
  PutFixed32(&empty, 1);
  footer.metaindex = add(empty);
  table += footer.Encode();

  const auto opened = OpenTable(table);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(GetFrom(**opened, "apple").value, "green");
  EXPECT_EQ((*opened)->VerifyChecksums(), Status::OK());
}

// The type byte of the index block, and whether blocks of data are compressed.
TEST(TableFormatsTest, IndexBlocksAreCompressedUnlessTheyAreNotToBe) {
  using Table = BlockBasedTableOptions;
  for (const Table::IndexType type :
       {Table::kBinarySearch, Table::kTwoLevelIndexSearch}) {
    for (const bool compresses : {true, false}) {
      TableBuildOptions options = OptionsFor(5, kCRC32c, kSnappyCompression);
      options.table.index_type = type;
      options.table.metadata_block_size = 1000;
      options.table.enable_index_compression = compresses;
      options.table.index_shortening =
          Table::IndexShorteningMode::kNoShortening;
      options.table.block_size = 64;
      const Entries entries = SomeEntries();
      const std::string table = BuildTable(options, entries);
      const BlockHandle index = FooterOf(table).index;
      EXPECT_EQ(table[index.offset + index.size] != kNoCompression, compresses);
      const auto reader = OpenTable(table);
      ASSERT_TRUE(reader.ok()) << reader.status();
      const auto layout = (*reader)->ReadLayout();
      ASSERT_TRUE(layout.ok());
      const auto is_compressed = [&table](const BlockHandle& handle) {
        return table[handle.offset + handle.size] != kNoCompression;
      };
      for (const auto& [separator, handle] : layout->index_partitions) {
        EXPECT_EQ(is_compressed(handle), compresses) << separator;
      }
      Status status;
      const auto it = (*reader)->NewIterator(ReadContext());
      EXPECT_EQ(ScanForward(it.get(), &status), entries);
    }
  }
}

}  // namespace
}  // namespace tamis
