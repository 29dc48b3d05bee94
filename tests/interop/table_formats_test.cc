// SPDX-License-Identifier: Apache-2.0
//
// Tables of every format_version, codec and checksum. RocksDB's sst_dump reads
// those of Tamis, LevelDB reads those of version 0, and Tamis reads those of
// RocksDB's SstFileWriter.
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include "table/format.h"
#include "tests/support/directories.h"
#include "tests/support/tables.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

// What Debian's RocksDB 7.8.3 knows.
constexpr uint32_t kPeerVersionMax = 5;

Entries SomeEntries(SequenceNumber sequence) {
  Entries entries;
  for (int i = 0; i < 400; ++i) {
    char key[32];
    std::snprintf(key, sizeof(key), "key%06d", i);
    entries.emplace_back(InternalKey(key, sequence),
                         "the value of " + std::string(key) + " and so on");
  }
  return entries;
}

TEST(TableFormatsInteropTest, SstDumpReadsEveryTableThatWeWrite) {
  const Entries entries = SomeEntries(7);
  const TemporaryDirectory directory;
  std::string lines;
  for (const auto& [key, value] : entries) {
    lines +=
        InternalKeyToString(key) + " => " + Slice(value).ToString(true) + "\n";
  }
  for (uint32_t version = 0; version <= kPeerVersionMax; ++version) {
    for (uint8_t type = 0; type <= kXXH3; ++type) {
      const auto checksum = static_cast<ChecksumType>(type);
      if (version == 0 && checksum != kCRC32c) continue;
      for (const CompressionType codec : SupportedCompressions()) {
        SCOPED_TRACE(testing::Message() << "version " << version << " "
                                        << ChecksumTypeName(checksum) << " "
                                        << CompressionTypeName(codec));
        TableBuildOptions options(Bytewise());
        options.table.format_version = version;
        options.table.checksum = checksum;
        options.table.block_size = 1024;
        options.compression = codec;
        const std::string path = directory.Path("table.sst");
        std::ofstream(path, std::ios::binary) << BuildTable(options, entries);
        const std::string command = std::string(TAMIS_PEER_SST_DUMP) +
                                    " --file=" + path + " --command=";
        const CommandResult verified = RunCommand(command + "verify");
        EXPECT_EQ(verified.exit_code, 0) << verified.output;
        EXPECT_EQ(Count(verified.output, "The file is ok"), 1u)
            << verified.output;
        EXPECT_EQ(Count(verified.output, "orruption"), 0u) << verified.output;
        const CommandResult scanned = RunCommand(command + "scan --output_hex");
        EXPECT_EQ(scanned.exit_code, 0) << scanned.output;
        EXPECT_NE(scanned.output.find(lines), std::string::npos)
            << scanned.output;
        EXPECT_EQ(Count(scanned.output, " => "), entries.size());
      }
    }
  }
}

TEST(TableFormatsInteropTest, LevelDBReadsOurVersion0) {
  const Entries entries = SomeEntries(7);
  const TemporaryDirectory directory;
  for (const CompressionType codec : {kNoCompression, kSnappyCompression}) {
    SCOPED_TRACE(CompressionTypeName(codec));
    TableBuildOptions options(Bytewise());
    options.table.format_version = 0;
    options.table.checksum = kCRC32c;
    options.table.block_size = 1024;
    options.compression = codec;
    const std::string path = directory.Path("table.ldb");
    const std::string contents = BuildTable(options, entries);
    std::ofstream(path, std::ios::binary) << contents;

    leveldb::RandomAccessFile* file = nullptr;
    ASSERT_TRUE(leveldb::Env::Default()->NewRandomAccessFile(path, &file).ok());
    const std::unique_ptr<leveldb::RandomAccessFile> owned_file(file);
    leveldb::Options peer_options;
    peer_options.paranoid_checks = true;
    leveldb::Table* table = nullptr;
    const leveldb::Status opened =
        leveldb::Table::Open(peer_options, file, contents.size(), &table);
    ASSERT_TRUE(opened.ok()) << opened.ToString();
    const std::unique_ptr<leveldb::Table> owned_table(table);
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    const std::unique_ptr<leveldb::Iterator> it(table->NewIterator(read));
    Entries got;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      got.emplace_back(it->key().ToString(), it->value().ToString());
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    EXPECT_EQ(got, entries);
  }
}

// The peer's table with `entries`, which are puts of sequence number 0.
std::string WriteWithPeer(const rocksdb::Options& options,
                          const std::string& path, const Entries& entries) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  EXPECT_TRUE(writer.Open(path).ok());
  for (const auto& [key, value] : entries) {
    EXPECT_TRUE(writer.Put(ExtractUserKey(key).ToString(), value).ok());
  }
  const rocksdb::Status status = writer.Finish();
  EXPECT_TRUE(status.ok()) << status.ToString();
  return ReadWholeFile(path);
}

TEST(TableFormatsInteropTest, WeReadEveryTableThatRocksDBWrites) {
  const std::pair<rocksdb::CompressionType, CompressionType> codecs[] = {
      {rocksdb::kNoCompression, kNoCompression},
      {rocksdb::kSnappyCompression, kSnappyCompression},
      {rocksdb::kZlibCompression, kZlibCompression},
      {rocksdb::kBZip2Compression, kBZip2Compression},
      {rocksdb::kLZ4Compression, kLZ4Compression},
      {rocksdb::kLZ4HCCompression, kLZ4HCCompression},
      {rocksdb::kZSTD, kZSTD}};
  const Entries entries = SomeEntries(0);
  const TemporaryDirectory directory;
  int dictionaries = 0;
  for (uint32_t version = 1; version <= kPeerVersionMax; ++version) {
    for (const auto& [theirs, ours] : codecs) {
      for (const uint32_t dictionary_bytes : {0u, 4096u}) {
        if (!UncompressionSupported(ours)) continue;
        SCOPED_TRACE(testing::Message()
                     << "version " << version << " "
                     << CompressionTypeName(ours) << ", dictionary of "
                     << dictionary_bytes);
        rocksdb::BlockBasedTableOptions table_options;
        table_options.format_version = version;
        table_options.block_size = 512;
        rocksdb::Options options;
        options.compression = theirs;
        options.compression_opts.max_dict_bytes = dictionary_bytes;
        options.table_factory.reset(
            rocksdb::NewBlockBasedTableFactory(table_options));
        const std::string table =
            WriteWithPeer(options, directory.Path("table.sst"), entries);
        dictionaries +=
            table.find(kCompressionDictionaryBlockName) != std::string::npos;

        const auto opened = OpenTable(table);
        ASSERT_TRUE(opened.ok()) << opened.status();
        Status status;
        auto it = (*opened)->NewIterator(ReadContext());
        EXPECT_EQ(ScanForward(it.get(), &status), entries);
        EXPECT_TRUE(status.ok()) << status;
        EXPECT_EQ((*opened)->VerifyChecksums(), Status::OK());
        for (const auto& [key, value] : entries) {
          ASSERT_EQ(GetFrom(**opened, ExtractUserKey(key)).value, value);
        }
      }
    }
  }
  EXPECT_GT(dictionaries, 0);
}

}  // namespace
}  // namespace tamis
