// SPDX-License-Identifier: Apache-2.0
//
// Tables of every layout of data and index blocks. RocksDB's SstFileReader
// reads those of Tamis, Tamis reads those of RocksDB's SstFileWriter, and both
// engines write the same blocks and counts for the same entries.
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include "tests/support/directories.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

using Theirs = rocksdb::BlockBasedTableOptions;
using Ours = BlockBasedTableOptions;

// What both sides are told.
struct Layout {
  uint32_t version;
  Theirs::IndexType index;
  int data_interval;
  int index_interval;
  bool hashed;
  bool align;
  bool delta;
  int shortening;

  std::string Name() const {
    return "fv" + std::to_string(version) + " index " +
           std::to_string(static_cast<int>(index)) + " intervals " +
           std::to_string(data_interval) + "," +
           std::to_string(index_interval) + (hashed ? " hashed" : "") +
           (align ? " aligned" : "") + (delta ? "" : " whole keys") +
           " shortening " + std::to_string(shortening);
  }
};

std::vector<Layout> AllLayouts() {
  std::vector<Layout> layouts;
  int turn = 0;
  for (uint32_t version = 1; version <= 5; ++version) {
    for (const auto index :
         {Theirs::kBinarySearch, Theirs::kTwoLevelIndexSearch,
          Theirs::kBinarySearchWithFirstKey}) {
      for (const int index_interval : {1, 4, 16}) {
        for (const bool hashed : {false, true}) {
          for (const bool align : {false, true}) {
            ++turn;
            layouts.push_back({version, index, turn % 4 == 0 ? 1 : 16,
                               index_interval, hashed, align, turn % 3 != 0,
                               turn % 3});
          }
        }
      }
    }
  }
  return layouts;
}

TableBuildOptions OurOptions(const Layout& layout) {
  TableBuildOptions options(Bytewise());
  options.compression = kNoCompression;
  options.is_external_file = true;
  options.column_family_id = 0x7fffffff;
  Ours& table = options.table;
  table.format_version = layout.version;
  table.index_type = static_cast<Ours::IndexType>(layout.index);
  table.block_restart_interval = layout.data_interval;
  table.index_block_restart_interval = layout.index_interval;
  table.data_block_index_type = layout.hashed ? Ours::kDataBlockBinaryAndHash
                                              : Ours::kDataBlockBinarySearch;
  table.block_align = layout.align;
  table.use_delta_encoding = layout.delta;
  table.index_shortening =
      static_cast<Ours::IndexShorteningMode>(layout.shortening);
  table.block_size = 512;
  table.metadata_block_size = 256;
  table.filter_policy = nullptr;
  return options;
}

rocksdb::Options TheirOptions(const Layout& layout) {
  Theirs table;
  table.format_version = layout.version;
  table.index_type = layout.index;
  table.block_restart_interval = layout.data_interval;
  table.index_block_restart_interval = layout.index_interval;
  table.data_block_index_type = layout.hashed ? Theirs::kDataBlockBinaryAndHash
                                              : Theirs::kDataBlockBinarySearch;
  table.block_align = layout.align;
  table.use_delta_encoding = layout.delta;
  table.index_shortening =
      static_cast<Theirs::IndexShorteningMode>(layout.shortening);
  table.block_size = 512;
  table.metadata_block_size = 256;
  table.checksum = rocksdb::kXXH3;
  rocksdb::Options options;
  options.compression = rocksdb::kNoCompression;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

Entries SomeEntries() {
  Entries entries;
  for (int i = 0; i < 600; ++i) {
    char key[48];
    std::snprintf(key, sizeof(key), "key%05d%s", i * 7,
                  i % 10 == 0 ? " and much behind it" : "");
    const bool deleted = i % 9 == 4;
    entries.emplace_back(
        InternalKey(key, 0, deleted ? kTypeDeletion : kTypeValue),
        deleted ? "" : std::string(static_cast<size_t>(i * 31 % 90), 'v'));
  }
  return entries;
}

std::string WriteWithPeer(const rocksdb::Options& options,
                          const std::string& path, const Entries& entries) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  EXPECT_TRUE(writer.Open(path).ok());
  for (const auto& [key, value] : entries) {
    const std::string user_key = ExtractUserKey(key).ToString();
    const rocksdb::Status status = (ExtractTail(key) & 0xff) == kTypeDeletion
                                       ? writer.Delete(user_key)
                                       : writer.Put(user_key, value);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  const rocksdb::Status status = writer.Finish();
  EXPECT_TRUE(status.ok()) << status.ToString();
  return ReadWholeFile(path);
}

void ExpectPeerReads(const rocksdb::Options& options, const std::string& path,
                     const Entries& entries) {
  rocksdb::SstFileReader reader(options);
  rocksdb::Status status = reader.Open(path);
  ASSERT_TRUE(status.ok()) << status.ToString();
  status = reader.VerifyChecksum();
  EXPECT_TRUE(status.ok()) << status.ToString();
  const std::unique_ptr<rocksdb::Iterator> it(
      reader.NewIterator(rocksdb::ReadOptions()));
  Entries got;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    got.emplace_back(it->key().ToString(), it->value().ToString());
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  Entries expected;
  for (const auto& [key, value] : entries) {
    if ((ExtractTail(key) & 0xff) == kTypeDeletion) continue;
    expected.emplace_back(ExtractUserKey(key).ToString(), value);
  }
  EXPECT_EQ(got, expected);
  for (const auto& [key, value] : expected) {
    it->Seek(key);
    ASSERT_TRUE(it->Valid()) << key;
    ASSERT_EQ(it->key().ToString(), key);
  }
}

void ExpectWeRead(const TableReader& table, const Entries& entries) {
  Status status;
  auto it = table.NewIterator(ReadContext());
  EXPECT_EQ(ScanForward(it.get(), &status), entries);
  EXPECT_EQ(ScanBackward(it.get(), &status), entries);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(table.VerifyChecksums(), Status::OK());
  for (const auto& [key, value] : entries) {
    const Slice user_key = ExtractUserKey(key);
    if ((ExtractTail(key) & 0xff) == kTypeDeletion) {
      ASSERT_TRUE(GetFrom(table, user_key).status.IsNotFound());
    } else {
      ASSERT_EQ(GetFrom(table, user_key).value, value);
    }
    ASSERT_TRUE(GetFrom(table, user_key.ToString() + "x").status.IsNotFound());
  }
}

// Sizes and counts, and what says how to read the table.
void ExpectEqualFacts(const TableProperties& ours,
                      const TableProperties& theirs) {
  EXPECT_EQ(ours.data_size, theirs.data_size);
  EXPECT_EQ(ours.index_size, theirs.index_size);
  EXPECT_EQ(ours.index_partitions, theirs.index_partitions);
  EXPECT_EQ(ours.top_level_index_size, theirs.top_level_index_size);
  EXPECT_EQ(ours.index_key_is_user_key, theirs.index_key_is_user_key);
  EXPECT_EQ(ours.index_value_is_delta_encoded,
            theirs.index_value_is_delta_encoded);
  EXPECT_EQ(ours.index_type, theirs.index_type);
  EXPECT_EQ(ours.filter_size, theirs.filter_size);
  EXPECT_EQ(ours.raw_key_size, theirs.raw_key_size);
  EXPECT_EQ(ours.raw_value_size, theirs.raw_value_size);
  EXPECT_EQ(ours.num_data_blocks, theirs.num_data_blocks);
  EXPECT_EQ(ours.num_entries, theirs.num_entries);
  EXPECT_EQ(ours.num_deletions, theirs.num_deletions);
  EXPECT_EQ(ours.num_merge_operands, theirs.num_merge_operands);
  EXPECT_EQ(ours.num_range_deletions, theirs.num_range_deletions);
  EXPECT_EQ(ours.fixed_key_len, theirs.fixed_key_len);
  EXPECT_EQ(ours.column_family_id, theirs.column_family_id);
  EXPECT_EQ(ours.whole_key_filtering, theirs.whole_key_filtering);
  EXPECT_EQ(ours.prefix_filtering, theirs.prefix_filtering);
  EXPECT_EQ(ours.comparator_name, theirs.comparator_name);
  EXPECT_EQ(ours.merge_operator_name, theirs.merge_operator_name);
  EXPECT_EQ(ours.prefix_extractor_name, theirs.prefix_extractor_name);
  EXPECT_EQ(ours.property_collectors_names, theirs.property_collectors_names);
  EXPECT_EQ(ours.compression_name, theirs.compression_name);
  for (const auto& [name, value] : theirs.user_collected_properties) {
    const auto found = ours.user_collected_properties.find(name);
    ASSERT_NE(found, ours.user_collected_properties.end()) << name;
    EXPECT_EQ(found->second, value) << name;
  }
}

TEST(TableOptionsInteropTest, BothEnginesWriteTheSameAndReadEachOther) {
  const Entries entries = SomeEntries();
  const TemporaryDirectory directory;
  for (const Layout& layout : AllLayouts()) {
    SCOPED_TRACE(layout.Name());
    const rocksdb::Options options = TheirOptions(layout);
    TableProperties our_properties;
    const std::string ours =
        BuildTable(OurOptions(layout), entries, &our_properties);
    const std::string path = directory.Path("ours.sst");
    std::ofstream(path, std::ios::binary) << ours;
    ExpectPeerReads(options, path, entries);

    const std::string theirs =
        WriteWithPeer(options, directory.Path("theirs.sst"), entries);
    auto opened = OpenTable(theirs);
    ASSERT_TRUE(opened.ok()) << opened.status();
    ExpectWeRead(**opened, entries);

    // Without a filter the data is directly before the index.
    ExpectEqualFacts(our_properties, *(*opened)->properties());
    const size_t shared = static_cast<size_t>(our_properties.data_size +
                                              our_properties.index_size);
    EXPECT_TRUE(ours.substr(0, shared) == theirs.substr(0, shared))
        << "data or index blocks differ";
    if (HasFailure()) return;
  }
}

TEST(TableOptionsInteropTest, RangeDeletionsAreStoredIdentically) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("theirs.sst");
  const rocksdb::Options options =
      TheirOptions({5, Theirs::kBinarySearch, 16, 1, false, false, true, 1});
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  ASSERT_TRUE(writer.Open(path).ok());
  ASSERT_TRUE(writer.Put("a", "1").ok());
  ASSERT_TRUE(writer.DeleteRange("m", "p").ok());
  ASSERT_TRUE(writer.DeleteRange("b", "d").ok());
  ASSERT_TRUE(writer.Finish().ok());
  TableContext context = TestContext();
  auto opened = OpenTable(ReadWholeFile(path), context);
  ASSERT_TRUE(opened.ok()) << opened.status();
  const auto tombstones = (*opened)->ReadRangeTombstones();
  ASSERT_TRUE(tombstones.ok()) << tombstones.status();
  // In the order of the calls: the peer does not sort them.
  const std::vector<RangeTombstone> expected = {{"m", "p", 0}, {"b", "d", 0}};
  EXPECT_EQ(*tombstones, expected);

  std::string contents;
  StringWritableFile file(&contents);
  TableBuilder builder(
      OurOptions({5, Theirs::kBinarySearch, 16, 1, false, false, true, 1}),
      &file);
  builder.AddRangeDeletion("m", "p", 0);
  builder.AddRangeDeletion("b", "d", 0);
  builder.Add(InternalKey("a", 0), "1");
  ASSERT_EQ(builder.Finish(), Status::OK());
  ExpectEqualFacts(builder.properties(), *(*opened)->properties());
  const std::string ours = directory.Path("ours.sst");
  std::ofstream(ours, std::ios::binary) << contents;
  const CommandResult raw = RunCommand(std::string(TAMIS_PEER_SST_DUMP) +
                                       " --command=raw --file=" + ours);
  EXPECT_EQ(raw.exit_code, 0) << raw.output;
  const rocksdb::Status verified = [&] {
    rocksdb::SstFileReader reader(options);
    const rocksdb::Status open = reader.Open(ours);
    return open.ok() ? reader.VerifyChecksum() : open;
  }();
  EXPECT_TRUE(verified.ok()) << verified.ToString();
}

}  // namespace
}  // namespace tamis
