// SPDX-License-Identifier: Apache-2.0
//
// Databases whose tables are in several directories (db_paths): RocksDB and
// Tamis open them in turn, spread as they are or moved into one directory.
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "tamis/db.h"

#include "tests/interop/peers.h"
#include "tests/support/databases.h"
#include "tests/support/directories.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

// In the MANIFEST, the only table has path id 1, or two have the ids 0 and 1.
class DbPathsInteropTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    rocksdb::Options options = SpreadOptions();
    const auto peer = OpenPeer(options, db_);
    ASSERT_NE(peer, nullptr);
    for (int i = 0; i < 1000; ++i) {
      const std::string key = "key" + std::to_string(i);
      expected_[key] = std::string(100, static_cast<char>('a' + i % 26));
      ASSERT_TRUE(peer->Put(rocksdb::WriteOptions(), key, expected_[key]).ok());
    }
    rocksdb::CompactRangeOptions to_slow;
    to_slow.target_path_id = 1;
    to_slow.bottommost_level_compaction =
        rocksdb::BottommostLevelCompaction::kForce;
    ASSERT_TRUE(peer->CompactRange(to_slow, nullptr, nullptr).ok());
    if (GetParam()) {
      expected_["key0"] = "new";
      ASSERT_TRUE(peer->Put(rocksdb::WriteOptions(), "key0", "new").ok());
      ASSERT_TRUE(peer->Flush(rocksdb::FlushOptions()).ok());
    }
  }

  rocksdb::Options SpreadOptions() const {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.db_paths = {{db_, 1 << 20}, {slow_, 1 << 30}};
    return options;
  }
  KeyValues Expected() const { return {expected_.begin(), expected_.end()}; }
  static size_t Tables(const std::string& directory) {
    size_t tables = 0;
    for (const auto& entry : fs::directory_iterator(directory)) {
      if (entry.path().extension() == ".sst") ++tables;
    }
    return tables;
  }
  Options TamisSpreadOptions() const {
    Options options;
    options.db_paths = {{db_, 1 << 20}, {slow_, 1 << 30}};
    return options;
  }
  // Opens the directory with either engine, in turn, and writes to it.
  void ExpectUsable(const std::string& name) {
    for (int round = 0; round < 2; ++round) {
      {
        const auto tamis = OpenTamis(Options(), name);
        ASSERT_NE(tamis, nullptr);
        Status status;
        EXPECT_EQ(DifferenceFrom(Expected(), tamis.get(), &status), "")
            << status.ToString();
        expected_["tamis"] += "x";
        ASSERT_EQ(tamis->Put(WriteOptions(), "tamis", expected_["tamis"]),
                  Status::OK());
        ASSERT_EQ(tamis->Flush(FlushOptions()), Status::OK());
      }
      const auto peer = OpenPeer(rocksdb::Options(), name);
      ASSERT_NE(peer, nullptr);
      EXPECT_EQ(PeerDifferenceFrom(Expected(), peer.get()), "");
    }
    ExpectConsistentToLdb(name);
  }

  // Empty if the tables are where the metadata says.
  static std::string DifferenceInDirectories(DB* db) {
    std::vector<LiveFileMetaData> live;
    db->GetLiveFilesMetaData(&live);
    std::string missing;
    for (const LiveFileMetaData& file : live) {
      if (!fs::exists(file.db_path + file.name)) missing += file.name;
    }
    return missing;
  }

  const TemporaryDirectory directory_;
  const std::string db_ = directory_.Path("db");
  const std::string slow_ = directory_.Path("slow");
  std::map<std::string, std::string> expected_;
};

TEST_P(DbPathsInteropTest, ACopyIntoOneDirectoryOpens) {
  for (const auto& entry : fs::directory_iterator(slow_)) {
    if (entry.path().extension() != ".sst") continue;
    fs::rename(entry.path(), fs::path(db_) / entry.path().filename());
  }
  ExpectUsable(db_);
}

// Each engine reads what both wrote, and moves all of it to the second path.
TEST_P(DbPathsInteropTest, EnginesTakeTurns) {
  for (int round = 0; round < 3; ++round) {
    const std::string mark = std::to_string(round);
    {
      const auto tamis = OpenTamis(TamisSpreadOptions(), db_);
      ASSERT_NE(tamis, nullptr);
      Status status;
      EXPECT_EQ(DifferenceFrom(Expected(), tamis.get(), &status), "")
          << status.ToString();
      EXPECT_EQ(DifferenceInDirectories(tamis.get()), "");
      expected_["tamis"] = expected_["key1"] = mark;
      ASSERT_EQ(tamis->Put(WriteOptions(), "tamis", mark), Status::OK());
      ASSERT_EQ(tamis->Put(WriteOptions(), "key1", mark), Status::OK());
      ASSERT_EQ(tamis->Flush(FlushOptions()), Status::OK());
      CompactRangeOptions to_slow;
      to_slow.target_path_id = 1;
      ASSERT_EQ(tamis->CompactRange(to_slow, nullptr, nullptr), Status::OK());
      std::vector<LiveFileMetaData> live;
      tamis->GetLiveFilesMetaData(&live);
      for (const LiveFileMetaData& file : live) EXPECT_EQ(file.db_path, slow_);
    }
    const auto peer = OpenPeer(SpreadOptions(), db_);
    ASSERT_NE(peer, nullptr);
    EXPECT_EQ(PeerDifferenceFrom(Expected(), peer.get()), "");
    expected_["peer"] = mark;
    ASSERT_TRUE(peer->Put(rocksdb::WriteOptions(), "peer", mark).ok());
    ASSERT_TRUE(peer->Flush(rocksdb::FlushOptions()).ok());
    EXPECT_EQ(Tables(db_), 1U);
  }
}

TEST_P(DbPathsInteropTest, WithoutThePathsTheTableIsNamed) {
  ASSERT_EQ(Tables(slow_), 1U);
  ASSERT_EQ(Tables(db_), GetParam() ? 1U : 0U);
  for (const bool read_only : {false, true}) {
    std::unique_ptr<DB> db;
    const Status status = read_only ? DB::OpenForReadOnly(Options(), db_, &db)
                                    : DB::Open(Options(), db_, &db);
    EXPECT_TRUE(status.IsCorruption()) << status.ToString();
    EXPECT_NE(status.ToString().find("db_paths[1]"), std::string::npos)
        << status.ToString();
  }
  const Status repaired = RepairDB(db_, Options());
  EXPECT_TRUE(repaired.IsInvalidArgument()) << repaired.ToString();
  const auto peer = OpenPeer(SpreadOptions(), db_);
  ASSERT_NE(peer, nullptr);
  EXPECT_EQ(PeerDifferenceFrom(Expected(), peer.get()), "");
}

INSTANTIATE_TEST_SUITE_P(Spread, DbPathsInteropTest, testing::Bool());

}  // namespace
}  // namespace tamis
