// SPDX-License-Identifier: Apache-2.0
//
// A family that one engine exports is imported by the other;
// GetLiveFilesStorage Info lists what RocksDB's does.
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/utilities/checkpoint.h>

#include "tamis/utilities/checkpoint.h"

#include "tests/interop/peers.h"
#include "tests/support/directories.h"

namespace tamis {
namespace {

// Copies the members that both have.
template <typename To, typename From>
To Convert(const From& from) {
  To to;
  to.db_comparator_name = from.db_comparator_name;
  for (const auto& file : from.files) {
    auto& copy = to.files.emplace_back();
    copy.relative_filename = file.relative_filename;
    copy.directory = file.directory;
    copy.name = file.name;
    copy.db_path = file.db_path;
    copy.file_number = file.file_number;
    copy.size = file.size;
    copy.level = file.level;
    copy.column_family_name = file.column_family_name;
    copy.smallestkey = file.smallestkey;
    copy.largestkey = file.largestkey;
    copy.smallest_seqno = file.smallest_seqno;
    copy.largest_seqno = file.largest_seqno;
    copy.file_checksum = file.file_checksum;
    copy.file_checksum_func_name = file.file_checksum_func_name;
  }
  return to;
}

class ImportInteropTest : public testing::Test {
 protected:
  // Levels 0 to 2 or so, the newest value in a memtable.
  template <typename Database, typename Range>
  static void Fill(Database* db, const Range& delete_range) {
    for (int round = 0; round < 4; ++round) {
      for (int i = round; i < 300; i += round + 1) {
        ASSERT_TRUE(db->Put({}, "k" + std::to_string(i),
                            "round " + std::to_string(round))
                        .ok());
      }
      ASSERT_TRUE(db->Delete({}, "k" + std::to_string(round)).ok());
      if (round == 2) delete_range();
      ASSERT_TRUE(db->Flush({}).ok());
      if (round == 1) {
        ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
      }
    }
    ASSERT_TRUE(db->Put({}, "k7", "in memory").ok());
  }
  static KeyValues AllOf(DB* db, ColumnFamilyHandle* family) {
    KeyValues all;
    const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions(), family));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      all.emplace_back(it->key().ToString(), it->value().ToString());
    }
    EXPECT_EQ(it->status(), Status::OK());
    return all;
  }
  static KeyValues AllOf(rocksdb::DB* db) {
    KeyValues all;
    const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator({}));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      all.emplace_back(it->key().ToString(), it->value().ToString());
    }
    return all;
  }

  const TemporaryDirectory directory_;
};

// A table of RocksDB may store a range deletion beyond its bounds, which the
// list alone has.
TEST_F(ImportInteropTest, RangeDeletionsOfSeveralTablesAreCut) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.target_file_size_base = 8 << 10;
  options.compression = rocksdb::kNoCompression;
  const auto peer = OpenPeer(options, directory_.Path("peer"));
  ASSERT_NE(peer, nullptr);
  const auto key = [](int i) { return "k" + std::to_string(1000 + i); };
  for (int i = 0; i < 900; ++i) {
    ASSERT_TRUE(peer->Put({}, key(i), std::string(100, 'a')).ok());
  }
  ASSERT_TRUE(peer->Flush({}).ok());
  rocksdb::CompactRangeOptions to_2;
  to_2.change_level = true;
  to_2.target_level = 2;
  ASSERT_TRUE(peer->CompactRange(to_2, nullptr, nullptr).ok());
  const rocksdb::Snapshot* const snapshot = peer->GetSnapshot();
  ASSERT_TRUE(
      peer->DeleteRange({}, peer->DefaultColumnFamily(), key(100), key(800))
          .ok());
  for (int i = 0; i < 900; i += 2) {
    ASSERT_TRUE(peer->Put({}, key(i), std::string(100, 'b')).ok());
  }
  ASSERT_TRUE(peer->Flush({}).ok());
  ASSERT_TRUE(peer->CompactRange({}, nullptr, nullptr).ok());
  for (int i = 300; i < 330; ++i) {
    ASSERT_TRUE(peer->Put({}, key(i), "newest").ok());
  }
  const KeyValues expected = AllOf(peer.get());
  rocksdb::Checkpoint* made = nullptr;
  ASSERT_TRUE(rocksdb::Checkpoint::Create(peer.get(), &made).ok());
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  rocksdb::ExportImportFilesMetaData* exported = nullptr;
  const auto status = checkpoint->ExportColumnFamily(
      peer->DefaultColumnFamily(), directory_.Path("export"), &exported);
  peer->ReleaseSnapshot(snapshot);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const std::unique_ptr<rocksdb::ExportImportFilesMetaData> owned(exported);
  ASSERT_GE(exported->files.size(), 5u);

  Options ours;
  ours.create_if_missing = true;
  const auto db = OpenTamis(ours, directory_.Path("ours"));
  ASSERT_NE(db, nullptr);
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_EQ(db->CreateColumnFamilyWithImport(
                ours, "imported", {},
                Convert<ExportImportFilesMetaData>(*exported), &handle),
            Status::OK());
  const std::unique_ptr<ColumnFamilyHandle> family(handle);
  EXPECT_EQ(Difference(expected, AllOf(db.get(), handle)), "");
  CompactRangeOptions force;
  force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_EQ(db->CompactRange(force, handle, nullptr, nullptr), Status::OK());
  EXPECT_EQ(Difference(expected, AllOf(db.get(), handle)), "");
}

TEST_F(ImportInteropTest, TamisImportsWhatRocksDBExported) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  const auto peer = OpenPeer(options, directory_.Path("peer"));
  ASSERT_NE(peer, nullptr);
  Fill(peer.get(), [&] {
    ASSERT_TRUE(
        peer->DeleteRange({}, peer->DefaultColumnFamily(), "k20", "k25").ok());
  });
  const KeyValues expected = AllOf(peer.get());
  ASSERT_GT(expected.size(), 200u);
  rocksdb::Checkpoint* made = nullptr;
  ASSERT_TRUE(rocksdb::Checkpoint::Create(peer.get(), &made).ok());
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  rocksdb::ExportImportFilesMetaData* exported = nullptr;
  const auto status = checkpoint->ExportColumnFamily(
      peer->DefaultColumnFamily(), directory_.Path("export"), &exported);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const std::unique_ptr<rocksdb::ExportImportFilesMetaData> owned(exported);
  ASSERT_GE(exported->files.size(), 3u);

  Options ours;
  ours.create_if_missing = true;
  const std::string where = directory_.Path("ours");
  {
    const auto db = OpenTamis(ours, where);
    ASSERT_NE(db, nullptr);
    ASSERT_EQ(db->Put(WriteOptions(), "a", "of ours"), Status::OK());
    ColumnFamilyHandle* handle = nullptr;
    ASSERT_EQ(db->CreateColumnFamilyWithImport(
                  ours, "imported", {},
                  Convert<ExportImportFilesMetaData>(*exported), &handle),
              Status::OK());
    const std::unique_ptr<ColumnFamilyHandle> family(handle);
    EXPECT_EQ(Difference(expected, AllOf(db.get(), handle)), "");
    EXPECT_GE(db->GetLatestSequenceNumber(), exported->files[0].largest_seqno);
  }
  // RocksDB reads the directory, whose MANIFEST adds family and tables as one.
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  const auto reopened =
      rocksdb::DB::Open(rocksdb::DBOptions(), where,
                        {{"default", rocksdb::ColumnFamilyOptions()},
                         {"imported", rocksdb::ColumnFamilyOptions()}},
                        &handles, &opened);
  ASSERT_TRUE(reopened.ok()) << reopened.ToString();
  EXPECT_EQ(PeerDifferenceFrom(expected, opened, handles[1]), "");
  for (auto* handle : handles) delete handle;
  delete opened;
  ExpectConsistentToLdb(where);
}

TEST_F(ImportInteropTest, RocksDBImportsWhatTamisExported) {
  Options ours;
  ours.create_if_missing = true;
  ours.disable_auto_compactions = true;
  const auto db = OpenTamis(ours, directory_.Path("ours"));
  ASSERT_NE(db, nullptr);
  Fill(db.get(), [&] {
    ASSERT_EQ(db->DeleteRange(WriteOptions(), "k20", "k25"), Status::OK());
  });
  const KeyValues expected = AllOf(db.get(), db->DefaultColumnFamily());
  std::unique_ptr<Checkpoint> checkpoint;
  ASSERT_EQ(Checkpoint::Create(db.get(), &checkpoint), Status::OK());
  ExportImportFilesMetaData* exported = nullptr;
  ASSERT_EQ(
      checkpoint->ExportColumnFamily(db->DefaultColumnFamily(),
                                     directory_.Path("export"), &exported),
      Status::OK());
  const std::unique_ptr<ExportImportFilesMetaData> owned(exported);

  rocksdb::Options options;
  options.create_if_missing = true;
  const auto peer = OpenPeer(options, directory_.Path("peer"));
  ASSERT_NE(peer, nullptr);
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  const auto status = peer->CreateColumnFamilyWithImport(
      options, "imported", {},
      Convert<rocksdb::ExportImportFilesMetaData>(*exported), &handle);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(PeerDifferenceFrom(expected, peer.get(), handle), "");
  delete handle;
}

// By type: how many, and whether there are contents and a trimmed size.
using Kinds = std::map<int, std::vector<std::pair<bool, bool>>>;

template <typename File>
Kinds KindsOf(const std::vector<File>& files) {
  Kinds kinds;
  for (const File& file : files) {
    if (static_cast<int>(file.file_type) == kOptionsFile)
      continue;  // ours has contents
    kinds[file.file_type].emplace_back(!file.replacement_contents.empty(),
                                       file.trim_to_size);
  }
  return kinds;
}

TEST_F(ImportInteropTest, LiveFilesAreThoseOfRocksDB) {
  Options ours;
  ours.create_if_missing = true;
  rocksdb::Options theirs;
  theirs.create_if_missing = true;
  const auto db = OpenTamis(ours, directory_.Path("ours"));
  const auto peer = OpenPeer(theirs, directory_.Path("theirs"));
  ASSERT_TRUE(db != nullptr && peer != nullptr);
  for (const uint64_t limit : {uint64_t{0}, uint64_t{1} << 30}) {
    ASSERT_EQ(db->Put(WriteOptions(), "a", "1"), Status::OK());
    ASSERT_TRUE(peer->Put({}, "a", "1").ok());
    std::vector<LiveFileStorageInfo> our_files;
    std::vector<rocksdb::LiveFileStorageInfo> their_files;
    LiveFilesStorageInfoOptions our_options;
    rocksdb::LiveFilesStorageInfoOptions their_options;
    our_options.wal_size_for_flush = limit;
    their_options.wal_size_for_flush = limit;
    ASSERT_EQ(db->GetLiveFilesStorageInfo(our_options, &our_files),
              Status::OK());
    ASSERT_TRUE(
        peer->GetLiveFilesStorageInfo(their_options, &their_files).ok());
    EXPECT_EQ(KindsOf(our_files), KindsOf(their_files)) << limit;

    // RocksDB opens a copy of ours.
    const std::string copy = directory_.Path("copy" + std::to_string(limit));
    std::filesystem::create_directory(copy);
    for (const LiveFileStorageInfo& file : our_files) {
      std::string contents = file.replacement_contents;
      if (contents.empty()) {
        contents = ReadWholeFile(file.directory + "/" + file.relative_filename);
        if (file.trim_to_size) contents.resize(file.size);
      }
      std::ofstream(copy + "/" + file.relative_filename, std::ios::binary)
          << contents;
    }
    const auto of_copy = OpenPeer(theirs, copy);
    ASSERT_NE(of_copy, nullptr);
    EXPECT_EQ(PeerDifferenceFrom({{"a", "1"}}, of_copy.get()), "");
  }
}

}  // namespace
}  // namespace tamis
