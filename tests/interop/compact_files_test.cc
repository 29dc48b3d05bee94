// SPDX-License-Identifier: Apache-2.0
//
// CompactFiles and PromoteL0 of both engines, on the same trees: the same
// tables go to the same levels, and RocksDB reads what Tamis made.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/experimental.h>

#include "tamis/db.h"

#include "tests/interop/peers.h"
#include "tests/support/directories.h"

namespace tamis {
namespace {

std::string KeyOf(int i) {
  std::string digits = std::to_string(i);
  return "k" + std::string(4 - digits.size(), '0') + digits;
}

// Tables of level 0: the ranges of keys, oldest first.
constexpr int kRanges[][2] = {{0, 9}, {20, 29}, {5, 24}, {40, 49}, {0, 3}};

template <typename Db, typename WriteOptionsOf, typename FlushOptionsOf>
void Fill(Db* db) {
  int value = 0;
  for (const auto& [first, last] : kRanges) {
    ++value;
    for (int i = first; i <= last; ++i) {
      ASSERT_TRUE(
          db->Put(WriteOptionsOf(), KeyOf(i), std::to_string(value)).ok());
    }
    ASSERT_TRUE(db->Flush(FlushOptionsOf()).ok());
  }
}

// "<smallest>-<largest>" of the tables of each level.
template <typename File, typename Db>
std::string TreeOf(Db* db, std::vector<std::string>* level0) {
  std::vector<File> files;
  db->GetLiveFilesMetaData(&files);
  std::string levels[7];
  if (level0 != nullptr) level0->clear();
  for (const File& file : files) {
    levels[file.level] += " " + file.smallestkey + "-" + file.largestkey;
    if (file.level == 0 && level0 != nullptr) level0->push_back(file.name);
  }
  std::string text;
  for (const std::string& level : levels) text += level + " |";
  return text;
}

TEST(CompactFilesInteropTest, BothCompactTheSameFiles) {
  // Of level 0, newest first, and the output level.
  const struct {
    std::vector<size_t> files;
    int level;
  } cases[] = {{{4}, 1}, {{2}, 2},    {{1}, 3},
               {{0}, 6}, {{1, 2}, 0}, {{0, 4}, 5}};
  for (const auto& c : cases) {
    SCOPED_TRACE(std::to_string(c.files[0]) + " to " + std::to_string(c.level));
    const TemporaryDirectory directory;
    Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.compression = kNoCompression;
    rocksdb::Options peer_options;
    peer_options.create_if_missing = true;
    peer_options.disable_auto_compactions = true;
    peer_options.compression = rocksdb::kNoCompression;
    const auto db = OpenTamis(options, directory.Path("tamis"));
    const auto peer = OpenPeer(peer_options, directory.Path("rocksdb"));
    ASSERT_NE(db, nullptr);
    ASSERT_NE(peer, nullptr);
    Fill<DB, WriteOptions, FlushOptions>(db.get());
    Fill<rocksdb::DB, rocksdb::WriteOptions, rocksdb::FlushOptions>(peer.get());
    // Twice: the second one meets the output of the first.
    for (int round = 0; round < 2; ++round) {
      std::vector<std::string> ours;
      std::vector<std::string> theirs;
      ASSERT_EQ(TreeOf<LiveFileMetaData>(db.get(), &ours),
                TreeOf<rocksdb::LiveFileMetaData>(peer.get(), &theirs));
      std::vector<std::string> named;
      std::vector<std::string> peer_named;
      for (const size_t i : c.files) {
        if (i >= ours.size()) continue;
        named.push_back(ours[i]);
        peer_named.push_back(theirs[i]);
      }
      if (named.empty()) break;
      rocksdb::CompactionOptions peer_compact;
      peer_compact.compression = rocksdb::kDisableCompressionOption;
      const rocksdb::Status expected =
          peer->CompactFiles(peer_compact, peer_named, c.level);
      ASSERT_TRUE(expected.ok()) << expected.ToString();
      EXPECT_EQ(db->CompactFiles(CompactionOptions(), named, c.level),
                Status::OK());
    }
    EXPECT_EQ(TreeOf<LiveFileMetaData>(db.get(), nullptr),
              TreeOf<rocksdb::LiveFileMetaData>(peer.get(), nullptr));
  }
}

TEST(CompactFilesInteropTest, RocksDBReadsTheTree) {
  const TemporaryDirectory directory;
  Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  KeyValues expected;
  {
    const auto db = OpenTamis(options, directory.Path("db"));
    ASSERT_NE(db, nullptr);
    Fill<DB, WriteOptions, FlushOptions>(db.get());
    std::vector<std::string> names;
    TreeOf<LiveFileMetaData>(db.get(), &names);
    EXPECT_EQ(db->CompactFiles(CompactionOptions(), {names[2]}, 4),
              Status::OK());
    EXPECT_EQ(db->CompactFiles(CompactionOptions(), {names[0], names[1]}, 0),
              Status::OK());
    const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      expected.emplace_back(it->key().ToString(), it->value().ToString());
    }
  }
  ASSERT_EQ(expected.size(), 40u);
  const auto peer = OpenPeer(PeerOptions(false), directory.Path("db"));
  ASSERT_NE(peer, nullptr);
  EXPECT_EQ(PeerDifferenceFrom(expected, peer.get()), "");
}

TEST(CompactFilesInteropTest, BothPromoteOrRefuse) {
  for (const bool overlap : {false, true}) {
    const TemporaryDirectory directory;
    Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    rocksdb::Options peer_options;
    peer_options.create_if_missing = true;
    peer_options.disable_auto_compactions = true;
    const auto db = OpenTamis(options, directory.Path("tamis"));
    const auto peer = OpenPeer(peer_options, directory.Path("rocksdb"));
    ASSERT_NE(db, nullptr);
    ASSERT_NE(peer, nullptr);
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 2; ++k) {
        const std::string key = KeyOf(overlap ? i + 2 * k : 10 * i + k);
        ASSERT_TRUE(db->Put(WriteOptions(), key, "v").ok());
        ASSERT_TRUE(peer->Put(rocksdb::WriteOptions(), key, "v").ok());
      }
      ASSERT_TRUE(db->Flush(FlushOptions()).ok());
      ASSERT_TRUE(peer->Flush(rocksdb::FlushOptions()).ok());
    }
    const Status status = db->PromoteL0(db->DefaultColumnFamily(), 3);
    const rocksdb::Status expected = rocksdb::experimental::PromoteL0(
        peer.get(), peer->DefaultColumnFamily(), 3);
    EXPECT_EQ(status.ok(), expected.ok());
    EXPECT_EQ(status.IsInvalidArgument(), expected.IsInvalidArgument());
    EXPECT_EQ(TreeOf<LiveFileMetaData>(db.get(), nullptr),
              TreeOf<rocksdb::LiveFileMetaData>(peer.get(), nullptr));
  }
}

}  // namespace
}  // namespace tamis
