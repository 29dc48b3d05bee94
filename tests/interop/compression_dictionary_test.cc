// SPDX-License-Identifier: Apache-2.0
//
// Compression dictionaries beside RocksDB: it reads those of Tamis, tables of
// the same jobs have one, and their properties have the same text.
#include <fstream>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>

#include "tamis/db.h"

#include "table/format.h"
#include "tests/support/directories.h"
#include "tests/support/tables.h"
#include "util/compression/compression.h"
#include "util/compression/dictionary.h"

namespace tamis {
namespace {

std::string KeyOf(int i) { return "key" + std::to_string(1'000'000 + i); }
std::string ValueOf(int i) {
  return "the value of " + KeyOf(i * 7919 % 100'000) +
         ", delivered as a standard parcel " + std::to_string(i * 31 % 977);
}
constexpr int kEntries = 3000;

template <typename Options>
void Dictionary(Options* options, uint32_t train) {
  options->max_dict_bytes = 8192;
  options->zstd_max_train_bytes = train;
  options->max_dict_buffer_bytes = 1 << 20;
}

TEST(CompressionDictionaryInteropTest, RocksDBReadsOurs) {
  const TemporaryDirectory directory;
  for (uint32_t version = 1; version <= 5; ++version) {
    for (const CompressionType codec : SupportedCompressions()) {
      for (const uint32_t train : {0u, 100'000u}) {
        for (const bool trainer : {false, true}) {
          SCOPED_TRACE(testing::Message() << "version " << version << " "
                                          << CompressionTypeName(codec) << " "
                                          << train << " " << trainer);
          TableBuildOptions options(Bytewise());
          options.table.format_version = version;
          options.table.block_size = 512;
          options.compression = codec;
          Dictionary(&options.compression_opts, train);
          options.compression_opts.use_zstd_dict_trainer = trainer;
          Entries entries;
          for (int i = 0; i < kEntries; ++i) {
            entries.emplace_back(InternalKey(KeyOf(i), 0), ValueOf(i));
          }
          const std::string path = directory.Path("table.sst");
          const std::string table = BuildTable(options, entries);
          std::ofstream(path, std::ios::binary) << table;
          EXPECT_EQ(
              table.find(kCompressionDictionaryBlockName) != std::string::npos,
              DictionaryBytesMax(codec) > 0);

          rocksdb::SstFileReader reader((rocksdb::Options()));
          ASSERT_TRUE(reader.Open(path).ok());
          EXPECT_TRUE(reader.VerifyChecksum().ok());
          const std::unique_ptr<rocksdb::Iterator> it(
              reader.NewIterator(rocksdb::ReadOptions()));
          int i = 0;
          for (it->SeekToFirst(); it->Valid(); it->Next(), ++i) {
            ASSERT_EQ(it->key().ToString(), KeyOf(i));
            ASSERT_EQ(it->value().ToString(), ValueOf(i));
          }
          EXPECT_TRUE(it->status().ok()) << it->status().ToString();
          EXPECT_EQ(i, kEntries);
        }
      }
    }
  }
}

// Whether each live table has a dictionary, and its property, by level.
struct Found {
  bool dictionary;
  std::string options;
  bool operator==(const Found&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Found& found) {
  return out << found.dictionary << " " << found.options;
}

template <typename Database, typename Collection, typename Files>
std::map<int, Found> Tables(Database* db, const std::string& directory) {
  Collection properties;
  EXPECT_TRUE(db->GetPropertiesOfAllTables(&properties).ok());
  Files files;
  db->GetLiveFilesMetaData(&files);
  std::map<int, Found> found;
  for (const auto& file : files) {
    const std::string contents = ReadWholeFile(directory + file.name);
    for (const auto& [name, table] : properties) {
      if (name.find(file.name) == std::string::npos) continue;
      found[file.level] = {
          contents.find(kCompressionDictionaryBlockName) != std::string::npos,
          table->compression_options};
    }
  }
  return found;
}

// What both set: a dictionary for all tables, or for the bottom.
struct Case {
  bool all;
  bool bottom;
  bool bottom_codec;
  uint32_t train;
};

// Calls check() after flushes and after a compaction.
template <typename Database, typename Write, typename FlushOptions,
          typename CompactOptions, typename Check>
void Drive(Database* db, Check check) {
  // Twice: a single table would be moved.
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kEntries; ++i) {
      ASSERT_TRUE(db->Put(Write(), KeyOf(i), ValueOf(i)).ok());
    }
    ASSERT_TRUE(db->Flush(FlushOptions()).ok());
  }
  check();
  ASSERT_TRUE(db->CompactRange(CompactOptions(), nullptr, nullptr).ok());
  check();
}

template <typename Options>
void Set(const Case& c, Options* options) {
  options->create_if_missing = true;
  options->level_compaction_dynamic_level_bytes = false;
  if (c.all) Dictionary(&options->compression_opts, c.train);
  options->bottommost_compression_opts.enabled = c.bottom;
  options->bottommost_compression_opts.level = 5;
  if (c.bottom) Dictionary(&options->bottommost_compression_opts, c.train);
}

TEST(CompressionDictionaryInteropTest, TheSameTablesHaveOne) {
  if (!CompressionSupported(kZSTD)) GTEST_SKIP() << "no zstd";
  for (const Case& c :
       {Case{true, false, false, 0}, Case{true, false, false, 100'000},
        Case{false, true, false, 0}, Case{false, true, true, 0},
        Case{false, false, true, 0}, Case{true, true, true, 100'000}}) {
    SCOPED_TRACE(testing::Message() << c.all << c.bottom << c.bottom_codec);
    const TemporaryDirectory directory;
    const std::string ours_in = directory.Path("ours");
    const std::string theirs_in = directory.Path("theirs");
    std::vector<std::map<int, Found>> ours;
    std::vector<std::map<int, Found>> theirs;

    Options options;
    Set(c, &options);
    options.compression = kZSTD;
    if (c.bottom_codec) options.bottommost_compression = kZSTD;
    std::unique_ptr<DB> db;
    ASSERT_TRUE(DB::Open(options, ours_in, &db).ok());
    Drive<DB, WriteOptions, FlushOptions, CompactRangeOptions>(db.get(), [&] {
      ours.push_back(
          Tables<DB, TablePropertiesCollection, std::vector<LiveFileMetaData>>(
              db.get(), ours_in));
    });
    db.reset();

    rocksdb::Options peer;
    Set(c, &peer);
    peer.compression = rocksdb::kZSTD;
    if (c.bottom_codec) peer.bottommost_compression = rocksdb::kZSTD;
    rocksdb::DB* raw = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(peer, theirs_in, &raw).ok());
    std::unique_ptr<rocksdb::DB> peer_db(raw);
    Drive<rocksdb::DB, rocksdb::WriteOptions, rocksdb::FlushOptions,
          rocksdb::CompactRangeOptions>(peer_db.get(), [&] {
      theirs.push_back(Tables<rocksdb::DB, rocksdb::TablePropertiesCollection,
                              std::vector<rocksdb::LiveFileMetaData>>(
          peer_db.get(), theirs_in));
    });
    peer_db.reset();
    EXPECT_EQ(ours, theirs);

    // Each goes on with the other's.
    ASSERT_TRUE(rocksdb::DB::Open(peer, ours_in, &raw).ok());
    peer_db.reset(raw);
    ASSERT_TRUE(DB::Open(options, theirs_in, &db).ok());
    for (int i = 0; i < kEntries; i += 7) {
      std::string value;
      ASSERT_TRUE(peer_db->Get(rocksdb::ReadOptions(), KeyOf(i), &value).ok());
      EXPECT_EQ(value, ValueOf(i));
      ASSERT_TRUE(db->Get(ReadOptions(), KeyOf(i), &value).ok());
      EXPECT_EQ(value, ValueOf(i));
    }
  }
}

}  // namespace
}  // namespace tamis
