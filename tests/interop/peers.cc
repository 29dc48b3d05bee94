// SPDX-License-Identifier: Apache-2.0
#include "tests/interop/peers.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

namespace tamis {

namespace {

KeyValues ScanPeer(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                   bool forward) {
  KeyValues entries;
  const std::unique_ptr<rocksdb::Iterator> it(
      db->NewIterator(rocksdb::ReadOptions(), family));
  if (forward) {
    it->SeekToFirst();
  } else {
    it->SeekToLast();
  }
  while (it->Valid()) {
    entries.emplace_back(it->key().ToString(), it->value().ToString());
    if (forward) {
      it->Next();
    } else {
      it->Prev();
    }
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  if (!forward) std::reverse(entries.begin(), entries.end());
  return entries;
}

}  // namespace

rocksdb::Options PeerOptions(bool reverse) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.block_size = 1024;
  table.format_version = 5;
  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.comparator = reverse ? rocksdb::ReverseBytewiseComparator()
                               : rocksdb::BytewiseComparator();
  options.write_buffer_size = 64 * 1024;
  options.target_file_size_base = 32 * 1024;
  options.max_bytes_for_level_base = 32 * 1024;
  options.max_bytes_for_level_multiplier = 4;
  return options;
}

std::unique_ptr<rocksdb::DB> OpenPeer(const rocksdb::Options& options,
                                      const std::string& directory) {
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, directory, &db);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return std::unique_ptr<rocksdb::DB>(db);
}

std::unique_ptr<rocksdb::DB> OpenPeerReadOnly(const rocksdb::Options& options,
                                              const std::string& directory) {
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status =
      rocksdb::DB::OpenForReadOnly(options, directory, &db);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return std::unique_ptr<rocksdb::DB>(db);
}

std::unique_ptr<DB> OpenTamis(const Options& options,
                              const std::string& directory) {
  std::unique_ptr<DB> db;
  const Status status = DB::Open(options, directory, &db);
  EXPECT_TRUE(status.ok()) << status;
  return db;
}

std::string PeerDifferenceFrom(const KeyValues& expected, rocksdb::DB* db,
                               rocksdb::ColumnFamilyHandle* family) {
  if (family == nullptr) family = db->DefaultColumnFamily();
  std::string difference = Difference(expected, ScanPeer(db, family, true));
  if (!difference.empty()) return "RocksDB, forward scan: " + difference;
  difference = Difference(expected, ScanPeer(db, family, false));
  if (!difference.empty()) return "RocksDB, backward scan: " + difference;
  for (const auto& [key, value] : expected) {
    std::string read;
    rocksdb::Status status =
        db->Get(rocksdb::ReadOptions(), family, key, &read);
    if (!status.ok() || read != value) {
      return "RocksDB, point read of " + ToHex(key) + ": " + status.ToString();
    }
    const std::string absent = key + std::string("\0absent", 7);
    status = db->Get(rocksdb::ReadOptions(), family, absent, &read);
    if (!status.IsNotFound()) {
      return "RocksDB, read of absent " + ToHex(absent) + ": " +
             status.ToString();
    }
  }
  return "";
}

KeyValues ScanWithLdb(const std::string& directory) {
  const CommandResult result = RunCommand(std::string(TAMIS_PEER_LDB) +
                                          " --db=" + directory + " --hex scan");
  std::string rest;
  KeyValues entries = ParseHexScan(result.output, &rest);
  EXPECT_EQ(result.exit_code, 0) << rest;
  EXPECT_EQ(rest, "");
  return entries;
}

void ExpectConsistentToLdb(const std::string& directory) {
  const CommandResult result = RunCommand(
      std::string(TAMIS_PEER_LDB) + " --db=" + directory + " checkconsistency");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(result.output, "OK\n");
}

void ExpectRightToSstDump(const std::string& directory, uint64_t entries) {
  size_t tables = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".sst") ++tables;
  }
  const std::string command =
      std::string(TAMIS_PEER_SST_DUMP) + " --file=" + directory;
  const CommandResult verified = RunCommand(command + " --command=verify");
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
  EXPECT_EQ(Count(verified.output, "The file is ok"), tables)
      << verified.output;
  EXPECT_EQ(Count(verified.output, "orruption"), 0u) << verified.output;

  const CommandResult scanned =
      RunCommand(command + " --command=scan --output_hex");
  EXPECT_EQ(scanned.exit_code, 0);
  EXPECT_EQ(Count(scanned.output, "orruption"), 0u);
  EXPECT_EQ(Count(scanned.output, " => "), entries);
}

}  // namespace tamis
