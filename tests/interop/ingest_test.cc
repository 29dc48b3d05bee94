// SPDX-License-Identifier: Apache-2.0
//
// Tamis ingests tables of RocksDB's SstFileWriter, and RocksDB reads, changes
// and compacts the database.
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_writer.h>

#include "tests/interop/peers.h"
#include "tests/support/directories.h"

namespace tamis {
namespace {

class IngestInteropTest : public testing::Test {
 protected:
  // A table of RocksDB's: "k<i>" for i in [first, last), with this value, and
  // perhaps a deletion of [begin, end).
  std::string Write(const std::string& value, int first, int last,
                    const std::string& begin = "",
                    const std::string& end = "") {
    const std::string path = directory_.Path(value + ".sst");
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions{}, rocksdb::Options{});
    EXPECT_TRUE(writer.Open(path).ok());
    for (int i = first; i < last; ++i) {
      EXPECT_TRUE(writer.Put("k" + std::to_string(i), value).ok());
    }
    if (!begin.empty()) {
      EXPECT_TRUE(writer.DeleteRange(begin, end).ok());
    }
    EXPECT_TRUE(writer.Finish().ok());
    return path;
  }

  const TemporaryDirectory directory_;
};

TEST_F(IngestInteropTest, RocksDBReadsWhatTamisIngested) {
  const std::string where = directory_.Path("db");
  Options options;
  options.create_if_missing = true;
  KeyValues expected;
  {
    const std::unique_ptr<DB> db = OpenTamis(options, where);
    ASSERT_NE(db, nullptr);
    IngestExternalFileOptions ingest;
    ingest.verify_checksums_before_ingest = true;
    const Snapshot* const snapshot = db->GetSnapshot();
    ASSERT_EQ(db->IngestExternalFile({Write("one", 1, 8)}, ingest),
              Status::OK());
    db->ReleaseSnapshot(snapshot);
    ASSERT_EQ(db->Put(WriteOptions(), "k3", "put"), Status::OK());
    ingest.move_files = true;
    ASSERT_EQ(
        db->IngestExternalFile(
            {Write("two", 2, 4), Write("three", 6, 7, "k7", "k9")}, ingest),
        Status::OK());
    ASSERT_EQ(db->Put(WriteOptions(), "k4", "put"), Status::OK());
  }
  expected = {{"k1", "one"}, {"k2", "two"}, {"k3", "two"},
              {"k4", "put"}, {"k5", "one"}, {"k6", "three"}};
  for (const bool compact : {false, true}) {
    {
      const std::unique_ptr<rocksdb::DB> peer = OpenPeer({}, where);
      ASSERT_NE(peer, nullptr);
      EXPECT_EQ(PeerDifferenceFrom(expected, peer.get()), "");
      EXPECT_TRUE(peer->VerifyChecksum().ok());
      if (compact) {
        rocksdb::CompactRangeOptions force;
        force.bottommost_level_compaction =
            rocksdb::BottommostLevelCompaction::kForce;
        EXPECT_TRUE(peer->CompactRange(force, nullptr, nullptr).ok());
        EXPECT_EQ(PeerDifferenceFrom(expected, peer.get()), "");
      } else {
        // RocksDB ingests over what Tamis ingested.
        EXPECT_TRUE(peer->IngestExternalFile({Write("peer", 5, 7)}, {}).ok());
        expected[4].second = expected[5].second = "peer";
      }
    }
    ExpectConsistentToLdb(where);
    const std::unique_ptr<DB> db = OpenTamis(options, where);
    ASSERT_NE(db, nullptr);
    for (const auto& [key, value] : expected) {
      std::string got;
      EXPECT_EQ(db->Get(ReadOptions(), key, &got), Status::OK()) << key;
      EXPECT_EQ(got, value) << key;
    }
    std::string got;
    EXPECT_TRUE(db->Get(ReadOptions(), "k7", &got).IsNotFound());
  }
}

// A number that RocksDB wrote into the file makes it useless for another
// database.
TEST_F(IngestInteropTest, AFileWithANumberOfItsOwnIsRefused) {
  const std::string where = directory_.Path("theirs");
  const std::string path = Write("one", 1, 3);
  rocksdb::Options theirs;
  theirs.create_if_missing = true;
  {
    const std::unique_ptr<rocksdb::DB> peer = OpenPeer(theirs, where);
    ASSERT_NE(peer, nullptr);
    ASSERT_TRUE(peer->Put({}, "k1", "old").ok());
    rocksdb::IngestExternalFileOptions ingest;
    ingest.write_global_seqno = true;
    ingest.move_files = true;
    const std::string link = directory_.Path("link.sst");
    ASSERT_EQ(::link(path.c_str(), link.c_str()), 0);
    ASSERT_TRUE(peer->IngestExternalFile({path}, ingest).ok());
    ASSERT_EQ(::link(link.c_str(), path.c_str()), 0);
  }
  Options options;
  options.create_if_missing = true;
  const std::unique_ptr<DB> db = OpenTamis(options, directory_.Path("ours"));
  ASSERT_NE(db, nullptr);
  const Status status = db->IngestExternalFile({path}, {});
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find(path), std::string::npos) << status;
}

}  // namespace
}  // namespace tamis
