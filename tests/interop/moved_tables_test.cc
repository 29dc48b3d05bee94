// SPDX-License-Identifier: Apache-2.0
//
// RocksDB opens a directory after trivial moves (of several tables at once, and
// out of level 0) and after compactions that skipped empty levels. It reads the
// same contents, and can write and compact.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/interop/peers.h"
#include "tests/support/databases.h"

namespace tamis {
namespace {

std::string KeyAt(int i) {
  char text[16];
  std::snprintf(text, sizeof(text), "key%06d", i);
  return text;
}

std::string ValueAt(int i, int age) {
  return std::string(100, static_cast<char>('a' + (i + age) % 26)) +
         std::to_string(i * 10 + age);
}

KeyValues InOrder(KeyValues entries, bool reverse) {
  std::sort(entries.begin(), entries.end());
  if (reverse) std::reverse(entries.begin(), entries.end());
  return entries;
}

Options SmallTree(bool reverse) {
  Options options;
  options.create_if_missing = true;
  options.comparator =
      reverse ? ReverseBytewiseComparator() : BytewiseComparator();
  options.statistics = CreateDBStatistics();
  options.target_file_size_base = 32 * 1024;
  options.max_bytes_for_level_base = 16 * 1024;
  options.max_bytes_for_level_multiplier = 4;
  return options;
}

// With the keys of `expected` alone.
void ExpectShows(const KeyValues& expected, DB* db) {
  Status status;
  EXPECT_EQ(DifferenceFrom(expected, db, &status), "");
  EXPECT_TRUE(status.ok()) << status;
}

void ExpectPeerGoesOn(const KeyValues& expected, bool reverse,
                      const std::string& directory) {
  const auto peer = OpenPeer(PeerOptions(reverse), directory);
  ASSERT_NE(peer, nullptr);
  EXPECT_EQ(PeerDifferenceFrom(expected, peer.get()), "");
  EXPECT_TRUE(
      peer->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr)
          .ok());
  EXPECT_EQ(PeerDifferenceFrom(expected, peer.get()), "");
}

std::set<int> LevelsOf(DB* db) {
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::set<int> levels;
  for (const LiveFileMetaData& file : files) levels.insert(file.level);
  return levels;
}

class MovedTablesTest : public ::testing::TestWithParam<bool> {};

// Each piece of keys is replaced as a whole: a range tombstone up to where the
// next piece begins, and some keys.
TEST_P(MovedTablesTest, RocksDBContinuesWithThem) {
  constexpr int kPieces = 24;
  constexpr int kPieceKeys = 100;
  const bool reverse = GetParam();
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  Options options = SmallTree(reverse);
  // Writes wait until tables have left level 0.
  options.level0_slowdown_writes_trigger = 8;
  options.level0_stop_writes_trigger = 8;
  auto db = OpenTamis(options, directory);
  ASSERT_NE(db, nullptr);
  KeyValues expected;
  for (int piece = 0; piece < kPieces; ++piece) {
    std::string begin = KeyAt(piece * kPieceKeys);
    std::string end = KeyAt((piece + 1) * kPieceKeys);
    if (reverse) std::swap(begin, end);
    ASSERT_TRUE(db->DeleteRange(WriteOptions(), begin, end).ok());
    for (int i = 1; i < kPieceKeys; i += 2) {
      const int key = piece * kPieceKeys + i;
      expected.emplace_back(KeyAt(key), ValueAt(key, 0));
      ASSERT_TRUE(
          db->Put(WriteOptions(), KeyAt(key), expected.back().second).ok());
    }
    ASSERT_TRUE(db->Flush(FlushOptions()).ok());
  }
  expected = InOrder(expected, reverse);
  ASSERT_TRUE(db->Close().ok());
  db = OpenTamis(options, directory);
  ASSERT_NE(db, nullptr);
  ExpectShows(expected, db.get());
  EXPECT_EQ(options.statistics->getTickerCount(COMPACT_WRITE_BYTES), 0u);
  EXPECT_GE(*LevelsOf(db.get()).rbegin(), 1);
  ASSERT_TRUE(db->Close().ok());
  db.reset();

  if (!reverse) {
    const std::string copy = temporary.Path("copy");
    CopyDirectory(directory, copy);
    EXPECT_EQ(Difference(expected, ScanWithLdb(copy)), "");
    ExpectConsistentToLdb(copy);
  }
  ASSERT_NO_FATAL_FAILURE(ExpectPeerGoesOn(expected, reverse, directory));
  db = OpenTamis(options, directory);
  ASSERT_NE(db, nullptr);
  ExpectShows(expected, db.get());
}

// The peer's data is in the deepest level and in level 0.
TEST_P(MovedTablesTest, ADynamicTreeIsCompactedInOneStep) {
  constexpr int kKeys = 3000;
  const bool reverse = GetParam();
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  rocksdb::Options peer_options = PeerOptions(reverse);
  peer_options.create_if_missing = true;
  peer_options.level_compaction_dynamic_level_bytes = true;
  peer_options.max_bytes_for_level_base = 64 << 20;
  peer_options.disable_auto_compactions = true;
  KeyValues expected;
  {
    const auto peer = OpenPeer(peer_options, directory);
    ASSERT_NE(peer, nullptr);
    for (int age = 0; age < 2; ++age) {
      for (int i = 0; i < kKeys; i += 1 + age) {
        ASSERT_TRUE(
            peer->Put(rocksdb::WriteOptions(), KeyAt(i), ValueAt(i, age)).ok());
      }
      ASSERT_TRUE(peer->Flush(rocksdb::FlushOptions()).ok());
      if (age == 1) break;
      ASSERT_TRUE(
          peer->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr)
              .ok());
    }
  }
  for (int i = 0; i < kKeys; ++i) {
    expected.emplace_back(KeyAt(i), ValueAt(i, i % 2 == 0 ? 1 : 0));
  }
  expected = InOrder(expected, reverse);

  Options options = SmallTree(reverse);
  options.disable_auto_compactions = true;
  auto db = OpenTamis(options, directory);
  ASSERT_NE(db, nullptr);
  ASSERT_EQ(LevelsOf(db.get()), (std::set<int>{0, 6}));
  const Status status =
      db->CompactRange(CompactRangeOptions(), nullptr, nullptr);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(LevelsOf(db.get()), std::set<int>{6});
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  uint64_t live_bytes = 0;
  for (const LiveFileMetaData& file : files) live_bytes += file.size;
  EXPECT_EQ(options.statistics->getTickerCount(COMPACT_WRITE_BYTES),
            live_bytes);
  ExpectShows(expected, db.get());
  ASSERT_TRUE(db->Close().ok());
  db.reset();
  ASSERT_NO_FATAL_FAILURE(ExpectPeerGoesOn(expected, reverse, directory));
}

INSTANTIATE_TEST_SUITE_P(Orders, MovedTablesTest, ::testing::Bool(),
                         [](const ::testing::TestParamInfo<bool>& i) {
                           return i.param ? "Reverse" : "Bytewise";
                         });

}  // namespace
}  // namespace tamis
