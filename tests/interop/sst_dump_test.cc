// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's sst_dump reads the tables that Tamis writes.
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "tests/support/tables.h"

#ifndef TAMIS_PEER_SST_DUMP
#define TAMIS_PEER_SST_DUMP "/usr/bin/sst_dump"
#endif

namespace tamis {
namespace {

namespace fs = std::filesystem;

struct Case {
  const char* name;
  bool filter;
  bool block_based;
  bool partitioned;
  CompressionType codec;
  ChecksumType checksum;
  bool versions;  // of one key, over many blocks
};

constexpr Case kCases[] = {
    {"none", false, false, false, kNoCompression, kXXH3, false},
    {"full", true, false, false, kSnappyCompression, kXXH3, false},
    {"full_raw_crc", true, false, false, kNoCompression, kCRC32c, false},
    {"full_xxhash", true, false, false, kSnappyCompression, kxxHash, false},
    {"full_xxhash64", true, false, false, kSnappyCompression, kxxHash64, false},
    {"full_nochecksum", true, false, false, kSnappyCompression, kNoChecksum,
     false},
    {"full_versions", true, false, false, kSnappyCompression, kXXH3, true},
    {"block_based", true, true, false, kSnappyCompression, kXXH3, false},
    {"partitioned", true, false, true, kSnappyCompression, kXXH3, false},
    {"partitioned_raw_versions", true, false, true, kNoCompression, kXXH3,
     true},
};

Entries EntriesFor(const Case& c) {
  Entries entries;
  for (int i = 0; i < 3000; ++i) {
    char key[32];
    std::snprintf(key, sizeof(key), "key%07d", i);
    const int versions = c.versions && i == 1500 ? 400 : 1;
    for (int v = versions; v > 0; --v) {
      entries.emplace_back(
          InternalKey(key, static_cast<uint64_t>(i * 1000 + v),
                      i % 11 == 3 ? kTypeDeletion : kTypeValue),
          i % 11 == 3 ? "" : "value " + std::to_string(i * v));
    }
  }
  return entries;
}

TableBuildOptions OptionsFor(const Case& c) {
  TableBuildOptions options(Bytewise());
  options.table.block_size = 1024;
  options.table.metadata_block_size = 512;
  options.table.checksum = c.checksum;
  options.compression = c.codec;
  options.table.filter_policy.reset(
      c.filter ? NewBloomFilterPolicy(10, c.block_based) : nullptr);
  options.table.partition_filters = c.partitioned;
  if (c.partitioned) {
    options.table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  }
  options.db_id = "a648c468-aa8f-40fa-9f4a-d60d64ee0069";
  options.db_session_id = "S91YUSA0UY9GFF4I4CGN";
  options.file_number = 9;
  options.column_family_id = 0;
  options.column_family_name = "default";
  return options;
}

TEST(SstDumpTest, ReadsWhatWeWrite) {
  const std::string sst_dump = TAMIS_PEER_SST_DUMP;
  if (!fs::exists(sst_dump)) GTEST_SKIP() << sst_dump << " is not there";
  const TemporaryDirectory directory;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Entries entries = EntriesFor(c);
    const std::string path = directory.Path(c.name) + ".sst";
    std::ofstream(path, std::ios::binary) << BuildTable(OptionsFor(c), entries);

    const std::string command = sst_dump + " --file=" + path + " --command=";
    const CommandResult verified = RunCommand(command + "verify");
    EXPECT_EQ(verified.exit_code, 0) << verified.output;
    EXPECT_EQ(Count(verified.output, "orruption"), 0u) << verified.output;
    EXPECT_NE(verified.output.find("The file is ok"), std::string::npos)
        << verified.output;

    const CommandResult scanned = RunCommand(command + "scan --output_hex");
    EXPECT_EQ(scanned.exit_code, 0) << scanned.output;
    EXPECT_EQ(Count(scanned.output, " seq:"), entries.size());
    for (const auto& [key, value] : entries) {
      const std::string line = InternalKeyToString(key) + " => " +
                               Slice(value).ToString(true) + "\n";
      ASSERT_NE(scanned.output.find(line), std::string::npos) << line;
    }

    const std::string properties =
        RunCommand(command + "none --show_properties").output;
    EXPECT_NE(properties.find("# entries: " + std::to_string(entries.size())),
              std::string::npos)
        << properties;
    EXPECT_NE(properties.find("leveldb.BytewiseComparator"), std::string::npos);
  }
}

}  // namespace
}  // namespace tamis
