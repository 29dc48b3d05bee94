// SPDX-License-Identifier: Apache-2.0
//
// Checksums of whole files are RocksDB's: the same bytes in the MANIFEST, which
// either engine verifies.
#include "tamis/file_checksum.h"

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/file_checksum.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/options_util.h>

#include "tamis/sst_file_writer.h"
#include "tamis/utilities/options_util.h"

#include "tests/interop/peers.h"
#include "tests/support/directories.h"

namespace tamis {
namespace {

// By file: checksum and function.
using Checksums = std::map<std::string, std::pair<std::string, std::string>>;

template <typename File, typename Database>
Checksums ChecksumsOf(Database* db) {
  std::vector<File> files;
  db->GetLiveFilesMetaData(&files);
  Checksums all;
  for (const File& file : files) {
    all[file.name] = {file.file_checksum, file.file_checksum_func_name};
  }
  return all;
}
Checksums Ours(DB* db) { return ChecksumsOf<LiveFileMetaData>(db); }
Checksums Theirs(rocksdb::DB* db) {
  return ChecksumsOf<rocksdb::LiveFileMetaData>(db);
}

class FileChecksumInteropTest : public testing::Test {
 protected:
  FileChecksumInteropTest() {
    ours_.create_if_missing = true;
    ours_.disable_auto_compactions = true;
    ours_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
    theirs_.create_if_missing = true;
    theirs_.disable_auto_compactions = true;
    theirs_.file_checksum_gen_factory =
        rocksdb::GetFileChecksumGenCrc32cFactory();
  }
  template <typename Database, typename Write, typename Flush>
  static void Fill(Database* db, const std::string& value) {
    for (int table = 0; table < 3; ++table) {
      for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE(
            db->Put(Write(), "k" + std::to_string(i * (table + 1)), value)
                .ok());
      }
      ASSERT_TRUE(db->Flush(Flush()).ok());
    }
  }
  void Flip(const std::string& name) {
    std::fstream file(where_ + name,
                      std::ios::in | std::ios::out | std::ios::binary);
    const int byte = file.get();
    file.seekp(0);
    file.put(static_cast<char>(byte ^ 1));
    ASSERT_TRUE(file.good());
  }

  const TemporaryDirectory directory_;
  const std::string where_ = directory_.Path("db");
  Options ours_;
  rocksdb::Options theirs_;
};

TEST_F(FileChecksumInteropTest, RocksDBVerifiesOurs) {
  Checksums written;
  {
    const auto db = OpenTamis(ours_, where_);
    ASSERT_NE(db, nullptr);
    Fill<DB, WriteOptions, FlushOptions>(db.get(), "ours");
    written = Ours(db.get());
    ASSERT_EQ(written.size(), 3u);
  }
  for (const auto& [name, checksum] : written) {
    EXPECT_EQ(checksum.first.size(), 4u);
    EXPECT_EQ(checksum.second, "FileChecksumCrc32c");
  }
  {
    const auto peer = OpenPeer(theirs_, where_);
    ASSERT_NE(peer, nullptr);
    EXPECT_EQ(Theirs(peer.get()), written);
    const auto status = peer->VerifyFileChecksums({});
    EXPECT_TRUE(status.ok()) << status.ToString();
    Flip(written.begin()->first);
    EXPECT_TRUE(peer->VerifyFileChecksums({}).IsCorruption());
    Flip(written.begin()->first);
  }
  // RocksDB's MANIFEST, carried on, and the reverse.
  const auto db = OpenTamis(ours_, where_);
  ASSERT_NE(db, nullptr);
  EXPECT_EQ(Ours(db.get()), written);
  EXPECT_EQ(db->VerifyFileChecksums({}), Status::OK());
}

TEST_F(FileChecksumInteropTest, WeVerifyRocksDBs) {
  Checksums written;
  {
    const auto peer = OpenPeer(theirs_, where_);
    ASSERT_NE(peer, nullptr);
    Fill<rocksdb::DB, rocksdb::WriteOptions, rocksdb::FlushOptions>(peer.get(),
                                                                    "theirs");
    written = Theirs(peer.get());
    ASSERT_EQ(written.size(), 3u);
  }
  {
    const auto db = OpenTamis(ours_, where_);
    ASSERT_NE(db, nullptr);
    EXPECT_EQ(Ours(db.get()), written);
    EXPECT_EQ(db->VerifyFileChecksums({}), Status::OK());
    Flip(written.rbegin()->first);
    EXPECT_TRUE(db->VerifyFileChecksums({}).IsCorruption());
    Flip(written.rbegin()->first);
    CompactRangeOptions force;
    force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    EXPECT_EQ(db->CompactRange(force, nullptr, nullptr), Status::OK());
    written = Ours(db.get());
  }
  const auto peer = OpenPeer(theirs_, where_);
  ASSERT_NE(peer, nullptr);
  EXPECT_EQ(Theirs(peer.get()), written);
  EXPECT_TRUE(peer->VerifyFileChecksums({}).ok());
}

TEST_F(FileChecksumInteropTest, TablesWithoutChecksumsHaveNoneForEither) {
  ours_.file_checksum_gen_factory = nullptr;
  {
    const auto db = OpenTamis(ours_, where_);
    ASSERT_NE(db, nullptr);
    Fill<DB, WriteOptions, FlushOptions>(db.get(), "ours");
  }
  Checksums written;
  {
    const auto peer = OpenPeer(theirs_, where_);
    ASSERT_NE(peer, nullptr);
    written = Theirs(peer.get());
    for (const auto& [name, checksum] : written) {
      EXPECT_EQ(checksum.first, rocksdb::kUnknownFileChecksum);
      EXPECT_EQ(checksum.second, rocksdb::kUnknownFileChecksumFuncName);
    }
    EXPECT_TRUE(peer->VerifyFileChecksums({}).ok());
  }
  const auto db = OpenTamis(ours_, where_);
  ASSERT_NE(db, nullptr);
  EXPECT_EQ(Ours(db.get()), written);
}

TEST_F(FileChecksumInteropTest, WritersOfTablesGiveTheSameChecksumFunction) {
  const std::string path = directory_.Path("peer.sst");
  rocksdb::ExternalSstFileInfo info;
  {
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), theirs_);
    ASSERT_TRUE(writer.Open(path).ok());
    ASSERT_TRUE(writer.Put("a", "1").ok());
    ASSERT_TRUE(writer.Finish(&info).ok());
  }
  const auto db = OpenTamis(ours_, where_);
  ASSERT_NE(db, nullptr);
  IngestExternalFileArg arg;
  arg.column_family = db->DefaultColumnFamily();
  arg.external_files = {path};
  arg.files_checksums = {info.file_checksum};
  arg.files_checksum_func_names = {info.file_checksum_func_name};
  EXPECT_EQ(db->IngestExternalFiles({arg}), Status::OK());
  EXPECT_EQ(Ours(db.get()).begin()->second,
            std::make_pair(info.file_checksum, info.file_checksum_func_name));

  // The other way.
  const std::string other = directory_.Path("ours.sst");
  ExternalSstFileInfo of_ours;
  SstFileWriter writer(ours_);
  ASSERT_EQ(writer.Open(other), Status::OK());
  ASSERT_EQ(writer.Put("b", "1"), Status::OK());
  ASSERT_EQ(writer.Finish(&of_ours), Status::OK());
  const auto peer = OpenPeer(theirs_, directory_.Path("peer"));
  ASSERT_NE(peer, nullptr);
  rocksdb::IngestExternalFileArg their_arg;
  their_arg.column_family = peer->DefaultColumnFamily();
  their_arg.external_files = {other};
  their_arg.files_checksums = {of_ours.file_checksum};
  their_arg.files_checksum_func_names = {of_ours.file_checksum_func_name};
  their_arg.options.write_global_seqno = false;
  const auto status = peer->IngestExternalFiles({their_arg});
  EXPECT_TRUE(status.ok()) << status.ToString();
}

TEST_F(FileChecksumInteropTest, OptionsFilesNameTheFactoryForBoth) {
  { ASSERT_NE(OpenTamis(ours_, where_), nullptr); }
  rocksdb::DBOptions theirs;
  std::vector<rocksdb::ColumnFamilyDescriptor> their_families;
  const auto status = rocksdb::LoadLatestOptions(
      rocksdb::ConfigOptions(), where_, &theirs, &their_families);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_NE(theirs.file_checksum_gen_factory, nullptr);
  EXPECT_STREQ(theirs.file_checksum_gen_factory->Name(),
               ours_.file_checksum_gen_factory->Name());
  { ASSERT_NE(OpenPeer(theirs_, where_), nullptr); }
  DBOptions ours;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_EQ(LoadLatestOptions(ConfigOptions(), where_, &ours, &families),
            Status::OK());
  EXPECT_EQ(ours.file_checksum_gen_factory, ours_.file_checksum_gen_factory);
}

}  // namespace
}  // namespace tamis
