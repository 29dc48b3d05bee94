// SPDX-License-Identifier: Apache-2.0
//
// After a change of any byte of a table, or a cut at any length, the salvaged
// entries are the table's, and all of them if no data block was hit.
#include "table/table_salvage.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/tables.h"

namespace tamis {
namespace {

struct SalvageCase {
  const char* name;
  ChecksumType checksum = kXXH3;
  uint32_t format_version = 5;
  CompressionType compression = kSnappyCompression;
  BlockBasedTableOptions::IndexType index =
      BlockBasedTableOptions::kBinarySearch;
};

void PrintTo(const SalvageCase& c, std::ostream* out) { *out << c.name; }

constexpr SalvageCase kCases[] = {
    {"XXH3"},
    {"CRC32c", kCRC32c},
    {"XxHash64", kxxHash64},
    {"Version2", kCRC32c, 2},
    {"Version4", kXXH3, 4},
    {"Version6", kXXH3, 6},
    {"Uncompressed", kXXH3, 5, kNoCompression},
    {"TwoLevels", kXXH3, 5, kNoCompression,
     BlockBasedTableOptions::kTwoLevelIndexSearch},
};

// The entries that are saved of a table.
Entries Salvage(const std::string& contents, SalvagedTable* facts) {
  Entries saved;
  auto result = TableSalvage::Run(
      std::make_unique<StringRandomAccessFile>(contents), contents.size(),
      TestContext(), [&saved](const Slice& key, const Slice& value) {
        saved.emplace_back(key.ToString(), value.ToString());
        return Status::OK();
      });
  EXPECT_TRUE(result.ok()) << result.status();
  if (result.ok()) *facts = std::move(result).value();
  return saved;
}

class TableSalvageTest : public testing::TestWithParam<SalvageCase> {
 protected:
  TableSalvageTest() {
    TableBuildOptions options(Bytewise());
    options.table.checksum = GetParam().checksum;
    options.table.format_version = GetParam().format_version;
    options.table.index_type = GetParam().index;
    options.table.block_size = 128;
    options.table.metadata_block_size = 64;
    options.compression = GetParam().compression;
    options.file_name = "test.sst";
    StringWritableFile file(&contents_);
    TableBuilder builder(options, &file);
    for (uint64_t i = 0; i < 40; ++i) {
      entries_.emplace_back(
          InternalKey("key" + std::to_string(100 + i), 50 + i % 7),
          "value " + std::to_string(i * 7919));
      builder.Add(entries_.back().first, entries_.back().second);
    }
    builder.AddRangeDeletion("key110", "key112", 60);
    EXPECT_TRUE(builder.Finish().ok());
    const auto reader = OpenTable(contents_);
    EXPECT_TRUE(reader.ok()) << reader.status();
    const auto layout = (*reader)->ReadLayout();
    EXPECT_TRUE(layout.ok());
    for (const auto& [separator, handle] : layout->data_blocks) {
      blocks_.push_back(handle);
    }
    EXPECT_GT(blocks_.size(), 5u);
  }

  uint64_t data_end() const { return blocks_.back().end(); }

  std::string contents_;
  Entries entries_;
  std::vector<BlockHandle> blocks_;
};

TEST_P(TableSalvageTest, AnIntactTableIsSalvagedWhole) {
  SalvagedTable facts;
  EXPECT_EQ(Salvage(contents_, &facts), entries_);
  EXPECT_EQ(facts.entries, entries_.size());
  EXPECT_EQ(facts.blocks, blocks_.size());
  EXPECT_EQ(facts.bytes_lost, 0u);
  EXPECT_FALSE(facts.index_lost);
  EXPECT_FALSE(facts.tombstones_lost);
  EXPECT_EQ(facts.tombstones,
            (std::vector<RangeTombstone>{{"key110", "key112", 60}}));
}

TEST_P(TableSalvageTest, AChangedByteLosesAtMostOneBlock) {
  for (size_t at = 0; at < contents_.size(); ++at) {
    SCOPED_TRACE("byte " + std::to_string(at));
    std::string damaged = contents_;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    SalvagedTable facts;
    const Entries saved = Salvage(damaged, &facts);
    if (at < data_end()) {
      EXPECT_EQ(facts.blocks, blocks_.size() - 1);
      EXPECT_EQ(facts.blocks_lost, 1u);
      EXPECT_LT(saved.size(), entries_.size());
      size_t next = 0;
      for (const auto& entry : entries_) {
        if (next < saved.size() && saved[next] == entry) ++next;
      }
      EXPECT_EQ(next, saved.size()) << "something that was not there";
    } else if (GetParam().format_version < 6 ||
               at < contents_.size() - kFooterBytes) {
      EXPECT_EQ(saved, entries_);
    }
  }
}

// Without footer and index, by checksums alone. From version 6 on these depend
// on a number in the footer.
TEST_P(TableSalvageTest, ATruncatedTableIsSalvagedUpToItsEnd) {
  for (size_t size = 0; size < contents_.size(); ++size) {
    SCOPED_TRACE("cut to " + std::to_string(size));
    SalvagedTable facts;
    const Entries saved = Salvage(contents_.substr(0, size), &facts);
    uint64_t whole = 0;
    while (whole < blocks_.size() && blocks_[whole].end() <= size) ++whole;
    if (GetParam().format_version >= 6) whole = 0;
    EXPECT_EQ(facts.blocks, whole);
    EXPECT_EQ(saved,
              Entries(entries_.begin(),
                      entries_.begin() + static_cast<ptrdiff_t>(saved.size())));
    if (whole == blocks_.size()) {
      EXPECT_EQ(saved, entries_);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, TableSalvageTest, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<SalvageCase>& i) {
                           return std::string(i.param.name);
                         });

// The value of a lone block's index entry reads like an entry itself.
TEST(SalvageTest, AnIndexIsNotMistakenForData) {
  for (const uint32_t version : {2u, 3u, 4u, 5u}) {
    TableBuildOptions options(Bytewise());
    options.table.format_version = version;
    options.table.filter_policy = nullptr;
    options.file_name = "test.sst";
    const Entries entries = {{InternalKey("a", 3), "1"},
                             {InternalKey("b", 2), "2"}};
    const std::string contents = BuildTable(options, entries);
    SalvagedTable facts;
    const Entries saved =
        Salvage(contents.substr(0, contents.size() - 1), &facts);
    EXPECT_TRUE(facts.index_lost);
    EXPECT_EQ(saved, entries) << "version " << version;
  }
}

// As it is when it has been ingested at this sequence.
std::string WithGlobalSequence(std::string table, uint64_t sequence) {
  const std::string name = "global_seqno";
  const size_t at = table.find(name);
  EXPECT_NE(at, std::string::npos);
  EncodeFixed64(table.data() + at + name.size(), sequence);
  return table;
}

TEST(SalvageTest, IngestedEntriesHaveTheSequenceOfTheTable) {
  TableBuildOptions options(Bytewise());
  options.is_external_file = true;
  options.table.filter_policy = nullptr;
  options.table.block_size = 1;  // a block for each entry
  options.file_name = "test.sst";
  // Two versions of a key, which one sequence cannot tell apart.
  const Entries entries = {{InternalKey("a", 0), "1"},
                           {InternalKey("b", 2), "2"},
                           {InternalKey("b", 0), "3"},
                           {InternalKey("c", 0), "4"}};
  const std::string contents =
      WithGlobalSequence(BuildTable(options, entries), 77);
  SalvagedTable facts;
  const Entries saved = Salvage(contents, &facts);
  const Entries expected = {{InternalKey("a", 77), "1"},
                            {InternalKey("b", 77), "2"},
                            {InternalKey("c", 77), "4"}};
  EXPECT_EQ(saved, expected);
  EXPECT_EQ(facts.blocks_lost, 1u);
}

// What a power cut leaves of a file: at every length the search meets a codec
// that it knows.
TEST(SalvageTest, ZerosHoldNoEntries) {
  const std::string zeros(512 << 10, '\0');
  const auto facts = TableSalvage::Run(
      std::make_unique<StringRandomAccessFile>(zeros), zeros.size(),
      TestContext(),
      [](const Slice&, const Slice&) { return Status::Corruption("entry"); });
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_TRUE(facts->index_lost);
  EXPECT_EQ(facts->entries, 0u);
  EXPECT_EQ(facts->bytes_lost, zeros.size());
}

TEST(SalvageTest, ABlockOverAMebibyteIsFoundUnderEveryChecksum) {
  for (const ChecksumType type : {kCRC32c, kxxHash, kxxHash64, kXXH3}) {
    TableBuildOptions options(Bytewise());
    options.table.checksum = type;
    options.compression = kNoCompression;
    options.file_name = "test.sst";
    const Entries entries = {{InternalKey("a", 3), std::string(5 << 19, 'v')}};
    const std::string contents = BuildTable(options, entries);
    SalvagedTable facts;
    const Entries saved =
        Salvage(contents.substr(0, contents.size() - 1), &facts);
    EXPECT_TRUE(saved == entries) << ChecksumTypeName(type);
  }
}

}  // namespace
}  // namespace tamis
