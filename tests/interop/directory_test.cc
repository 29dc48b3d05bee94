// SPDX-License-Identifier: Apache-2.0
//
// Whole directories go back and forth: RocksDB and its tools read and continue
// what Tamis wrote, and vice versa, under every filter placement, codec and key
// order.
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/interop/peers.h"
#include "tests/interop/workload.h"
#include "tests/support/databases.h"

namespace tamis {
namespace {

enum class Placement { kNone, kBlockBased, kFull, kPartitioned };

struct Case {
  const char* name;
  Placement placement;
  CompressionType codec;
  bool reverse;
  // Other than kBloom: with a range filter beside it.
  FilterFormat format = FilterFormat::kBloom;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

constexpr Case kCases[] = {
    {"NoFilterSnappy", Placement::kNone, kSnappyCompression, false},
    {"NoFilterRaw", Placement::kNone, kNoCompression, false},
    {"BlockBasedSnappy", Placement::kBlockBased, kSnappyCompression, false},
    {"BlockBasedRaw", Placement::kBlockBased, kNoCompression, false},
    {"FullSnappy", Placement::kFull, kSnappyCompression, false},
    {"FullRaw", Placement::kFull, kNoCompression, false},
    {"PartitionedSnappy", Placement::kPartitioned, kSnappyCompression, false},
    {"PartitionedRaw", Placement::kPartitioned, kNoCompression, false},
    {"NoFilterSnappyReverse", Placement::kNone, kSnappyCompression, true},
    {"NoFilterRawReverse", Placement::kNone, kNoCompression, true},
    {"BlockBasedSnappyReverse", Placement::kBlockBased, kSnappyCompression,
     true},
    {"BlockBasedRawReverse", Placement::kBlockBased, kNoCompression, true},
    {"FullSnappyReverse", Placement::kFull, kSnappyCompression, true},
    {"FullRawReverse", Placement::kFull, kNoCompression, true},
    {"PartitionedSnappyReverse", Placement::kPartitioned, kSnappyCompression,
     true},
    {"PartitionedRawReverse", Placement::kPartitioned, kNoCompression, true},
    {"ByLevelFull", Placement::kFull, kSnappyCompression, false,
     FilterFormat::kByLevel},
    {"BumpedRibbonPartitioned", Placement::kPartitioned, kSnappyCompression,
     false, FilterFormat::kBumpedRibbon},
    {"HomogeneousRibbonFull", Placement::kFull, kNoCompression, true,
     FilterFormat::kHomogeneousRibbon},
    {"BinaryFusePartitioned", Placement::kPartitioned, kNoCompression, false,
     FilterFormat::kBinaryFuse},
    {"XorFull", Placement::kFull, kSnappyCompression, false,
     FilterFormat::kXor},
};

const FilterPolicy* NewPolicyFor(const Case& c) {
  if (c.placement == Placement::kNone) return nullptr;
  return c.format == FilterFormat::kBloom
             ? NewBloomFilterPolicy(10, c.placement == Placement::kBlockBased)
             : NewFilterPolicy({.format = c.format});
}

Options OptionsFor(const Case& c) {
  BlockBasedTableOptions table;
  table.block_size = 1024;
  table.metadata_block_size = 512;
  table.filter_policy.reset(NewPolicyFor(c));
  if (c.format != FilterFormat::kBloom) {
    table.range_filter = BlockBasedTableOptions::kGrafite;
  }
  if (c.placement == Placement::kPartitioned) {
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
  }
  Options options;
  options.create_if_missing = true;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  options.comparator =
      c.reverse ? ReverseBytewiseComparator() : BytewiseComparator();
  options.compression = c.codec;
  options.write_buffer_size = 64 * 1024;
  options.target_file_size_base = 32 * 1024;
  options.max_bytes_for_level_base = 32 * 1024;
  options.max_bytes_for_level_multiplier = 4;
  return options;
}

void ExpectShows(const KeyValues& expected, DB* db,
                 const ReadOptions& options = ReadOptions()) {
  Status status;
  EXPECT_EQ(DifferenceFrom(expected, db, &status, options), "");
  EXPECT_TRUE(status.ok()) << status;
}

// Single changes and batches, flushes and compactions of a part, with
// snapshots held over them.
void WriteTamis(Workload* workload, size_t n, bool reverse, DB* db) {
  const Snapshot* snapshot = nullptr;
  KeyValues at_snapshot;
  const auto release = [&] {
    ReadOptions then;
    then.snapshot = snapshot;
    if (snapshot != nullptr) ExpectShows(at_snapshot, db, then);
    if (snapshot != nullptr) db->ReleaseSnapshot(snapshot);
    snapshot = nullptr;
  };
  for (size_t i = 0; i < n; ++i) {
    WriteBatch batch;
    const auto size = workload->random().OneIn(5) ? size_t{20} : size_t{1};
    for (const Change& change : workload->Next(size)) {
      const Status added = change.put ? batch.Put(change.key, change.value)
                                      : batch.Delete(change.key);
      ASSERT_TRUE(added.ok()) << added;
    }
    Status status = db->Write(WriteOptions(), &batch);
    ASSERT_TRUE(status.ok()) << status;
    if (workload->random().OneIn(400)) {
      release();
      snapshot = db->GetSnapshot();
      at_snapshot = workload->Shown(reverse);
    }
    if (workload->random().OneIn(300)) {
      status = db->Flush(FlushOptions());
      ASSERT_TRUE(status.ok()) << status;
    }
    if (workload->random().OneIn(600)) {
      const std::string low(1, static_cast<char>(reverse ? 0x90 : 0x30));
      const std::string high(1, static_cast<char>(reverse ? 0x30 : 0x90));
      const Slice begin(low);
      const Slice end(high);
      status = db->CompactRange(CompactRangeOptions(), &begin, &end);
      ASSERT_TRUE(status.ok()) << status;
    }
  }
  release();
}

void WritePeer(Workload* workload, size_t n, rocksdb::DB* db) {
  for (const Change& change : workload->Next(n)) {
    const rocksdb::Status status =
        change.put ? db->Put(rocksdb::WriteOptions(), change.key, change.value)
                   : db->Delete(rocksdb::WriteOptions(), change.key);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
}

void ExpectClosed(DB* db) {
  const Status status = db->Close();
  EXPECT_TRUE(status.ok()) << status;
}

uint64_t EntriesInTables(DB* db) {
  TablePropertiesCollection all;
  const Status status = db->GetPropertiesOfAllTables(&all);
  EXPECT_TRUE(status.ok()) << status;
  uint64_t entries = 0;
  for (const auto& [name, properties] : all) entries += properties->num_entries;
  return entries;
}

int DeepestLevel(DB* db) {
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  int deepest = -1;
  for (const LiveFileMetaData& file : files) {
    deepest = std::max(deepest, file.level);
  }
  return deepest;
}

class DirectoryTest : public ::testing::TestWithParam<Case> {};

TEST_P(DirectoryTest, RocksDBReadsWhatTamisWrote) {
  const Case& c = GetParam();
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  const std::string copy = temporary.Path("copy");
  const Options options = OptionsFor(c);
  const rocksdb::Options peer_options = PeerOptions(c.reverse);
  Workload workload(301);
  auto db = OpenTamis(options, directory);
  ASSERT_NE(db, nullptr);
  ASSERT_NO_FATAL_FAILURE(WriteTamis(&workload, 2000, c.reverse, db.get()));
  KeyValues shown = workload.Shown(c.reverse);
  ExpectShows(shown, db.get());
  ExpectClosed(db.get());
  db.reset();

  {
    const auto peer = OpenPeerReadOnly(peer_options, directory);
    ASSERT_NE(peer, nullptr);
    EXPECT_EQ(PeerDifferenceFrom(shown, peer.get()), "");
  }
  if (!c.reverse) {
    CopyDirectory(directory, copy);
    EXPECT_EQ(Difference(shown, ScanWithLdb(copy)), "");
    ExpectConsistentToLdb(copy);
  }
  db = OpenTamis(options, directory);
  ASSERT_NE(db, nullptr);
  ExpectShows(shown, db.get());
  EXPECT_GE(DeepestLevel(db.get()), 2);
  const Status status =
      db->CompactRange(CompactRangeOptions(), nullptr, nullptr);
  ASSERT_TRUE(status.ok()) << status;
  const uint64_t entries = EntriesInTables(db.get());
  EXPECT_GE(entries, shown.size());
  ExpectClosed(db.get());
  db.reset();
  ExpectRightToSstDump(directory, entries);

  CopyDirectory(directory, copy);
  {
    const auto peer = OpenPeer(peer_options, copy);
    ASSERT_NE(peer, nullptr);
    EXPECT_EQ(PeerDifferenceFrom(shown, peer.get()), "");
    ASSERT_NO_FATAL_FAILURE(WritePeer(&workload, 1000, peer.get()));
  }
  db = OpenTamis(options, copy);
  ASSERT_NE(db, nullptr);
  ExpectShows(workload.Shown(c.reverse), db.get());
}

// Each engine leaves its last writes in the log, and the other one replays
// them.
TEST_P(DirectoryTest, GoesBackAndForth) {
  const Case& c = GetParam();
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  const Options options = OptionsFor(c);
  const rocksdb::Options peer_options = PeerOptions(c.reverse);
  Workload workload(302);
  for (const size_t n : {3000u, 40u, 700u}) {
    {
      const auto db = OpenTamis(options, directory);
      ASSERT_NE(db, nullptr);
      ExpectShows(workload.Shown(c.reverse), db.get());
      ASSERT_NO_FATAL_FAILURE(
          WriteTamis(&workload, n / 2, c.reverse, db.get()));
      ExpectShows(workload.Shown(c.reverse), db.get());
      ExpectClosed(db.get());
    }
    {
      const auto peer = OpenPeer(peer_options, directory);
      ASSERT_NE(peer, nullptr);
      EXPECT_EQ(PeerDifferenceFrom(workload.Shown(c.reverse), peer.get()), "");
      ASSERT_NO_FATAL_FAILURE(WritePeer(&workload, n, peer.get()));
      if (n == 700) {
        EXPECT_TRUE(
            peer->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr)
                .ok());
        ASSERT_NO_FATAL_FAILURE(WritePeer(&workload, 30, peer.get()));
      }
      EXPECT_EQ(PeerDifferenceFrom(workload.Shown(c.reverse), peer.get()), "");
    }
  }
  const auto db = OpenTamis(options, directory);
  ASSERT_NE(db, nullptr);
  ExpectShows(workload.Shown(c.reverse), db.get());
}

INSTANTIATE_TEST_SUITE_P(Layouts, DirectoryTest, ::testing::ValuesIn(kCases),
                         [](const ::testing::TestParamInfo<Case>& i) {
                           return i.param.name;
                         });

}  // namespace
}  // namespace tamis
