// SPDX-License-Identifier: Apache-2.0
//
// Tamis and RocksDB open each other's databases whose logs have a directory of
// their own (wal_dir), after a close and as a kill before any flush leaves
// them.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/checkpoint.h>

#include "tamis/db.h"
#include "tamis/utilities/options_util.h"

#include "tests/interop/peers.h"
#include "tests/support/databases.h"
#include "tests/support/directories.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

// A database directory and that of its logs.
struct Pair {
  std::string db;
  std::string logs;
};

class WalDirInteropTest : public testing::Test {
 protected:
  Pair Named(const std::string& name) const {
    return {directory_.Path(name), directory_.Path(name + "-logs")};
  }
  // What a kill leaves of an open database: what it passed to the system.
  Pair Killed(const Pair& open, const std::string& name) const {
    Pair copy = Named(name);
    CopyDirectory(open.db, copy.db);
    CopyDirectory(open.logs, copy.logs);
    return copy;
  }
  static std::unique_ptr<DB> Tamis(const Pair& at) {
    Options options;
    options.create_if_missing = true;
    options.wal_dir = at.logs;
    return OpenTamis(options, at.db);
  }
  static std::unique_ptr<rocksdb::DB> RocksDB(const Pair& at) {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.wal_dir = at.logs;
    return OpenPeer(options, at.db);
  }
  static std::string Get(DB* db, const std::string& key) {
    std::string value;
    const Status status = db->Get(ReadOptions(), key, &value);
    return status.ok() ? value : status.ToString();
  }
  static std::string Get(rocksdb::DB* db, const std::string& key) {
    std::string value;
    const rocksdb::Status status = db->Get(rocksdb::ReadOptions(), key, &value);
    return status.ok() ? value : status.ToString();
  }
  static bool HasLog(const std::string& directory) {
    for (const auto& entry : fs::directory_iterator(directory)) {
      if (entry.path().extension() == ".log") return true;
    }
    return false;
  }

  const TemporaryDirectory directory_;
};

TEST_F(WalDirInteropTest, RocksDBRecoversWhatTamisLogged) {
  const Pair first = Named("first");
  const auto tamis = Tamis(first);
  ASSERT_NE(tamis, nullptr);
  ASSERT_EQ(tamis->Put(WriteOptions(), "a", "1"), Status::OK());
  ASSERT_EQ(tamis->Flush(FlushOptions()), Status::OK());
  ASSERT_EQ(tamis->Put(WriteOptions(), "b", "2"), Status::OK());
  const Pair killed = Killed(first, "killed");
  EXPECT_TRUE(HasLog(killed.logs));
  EXPECT_FALSE(HasLog(killed.db));
  {
    const auto peer = RocksDB(killed);
    ASSERT_NE(peer, nullptr);
    EXPECT_EQ(Get(peer.get(), "a"), "1");
    EXPECT_EQ(Get(peer.get(), "b"), "2");
    ASSERT_TRUE(peer->Put(rocksdb::WriteOptions(), "c", "3").ok());
  }
  // And back, where Tamis made the directory its own before.
  const auto again = Tamis(killed);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(Get(again.get(), "b"), "2");
  EXPECT_EQ(Get(again.get(), "c"), "3");
}

TEST_F(WalDirInteropTest, TamisRecoversWhatRocksDBLogged) {
  const Pair first = Named("first");
  const auto peer = RocksDB(first);
  ASSERT_NE(peer, nullptr);
  ASSERT_TRUE(peer->Put(rocksdb::WriteOptions(), "a", "1").ok());
  ASSERT_TRUE(peer->Flush(rocksdb::FlushOptions()).ok());
  ASSERT_TRUE(peer->Put(rocksdb::WriteOptions(), "b", "2").ok());
  const Pair killed = Killed(first, "killed");
  {
    const auto tamis = Tamis(killed);
    ASSERT_NE(tamis, nullptr);
    EXPECT_EQ(Get(tamis.get(), "a"), "1");
    EXPECT_EQ(Get(tamis.get(), "b"), "2");
    ASSERT_EQ(tamis->Put(WriteOptions(), "c", "3"), Status::OK());
  }
  EXPECT_FALSE(HasLog(killed.db));
  const auto again = RocksDB(killed);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(Get(again.get(), "c"), "3");
}

// RocksDB would show NotFound here.
TEST_F(WalDirInteropTest, TamisMissesNoLogThatRocksDBRecorded) {
  const Pair first = Named("first");
  {
    const auto peer = RocksDB(first);
    ASSERT_NE(peer, nullptr);
    ASSERT_TRUE(peer->Put(rocksdb::WriteOptions(), "a", "1").ok());
  }
  std::unique_ptr<DB> db;
  const Status status = DB::Open(Options(), first.db, &db);
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find(first.logs), std::string::npos) << status;
  DBOptions loaded;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_EQ(LoadLatestOptions(ConfigOptions(), first.db, &loaded, &families),
            Status::OK());
  EXPECT_EQ(loaded.wal_dir, first.logs);
  ASSERT_EQ(DB::Open({loaded, families[0].options}, first.db, &db),
            Status::OK());
  EXPECT_EQ(Get(db.get(), "a"), "1");
}

// Its OPTIONS file is a copy of the original's, whose logs are not its own.
TEST_F(WalDirInteropTest, ACheckpointOfRocksDBOpensBesideItsOriginal) {
  const Pair first = Named("first");
  const auto peer = RocksDB(first);
  ASSERT_NE(peer, nullptr);
  ASSERT_TRUE(peer->Put(rocksdb::WriteOptions(), "a", "1").ok());
  rocksdb::Checkpoint* made = nullptr;
  ASSERT_TRUE(rocksdb::Checkpoint::Create(peer.get(), &made).ok());
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  const std::string copy = directory_.Path("copy");
  ASSERT_TRUE(checkpoint->CreateCheckpoint(copy).ok());
  ASSERT_TRUE(peer->Put(rocksdb::WriteOptions(), "b", "2").ok());
  const auto tamis = OpenTamis(Options(), copy);
  ASSERT_NE(tamis, nullptr);
  EXPECT_EQ(Get(tamis.get(), "a"), "1");
}

TEST_F(WalDirInteropTest, RocksDBDestroysWhatTamisMade) {
  const Pair first = Named("first");
  {
    const auto tamis = Tamis(first);
    ASSERT_NE(tamis, nullptr);
    ASSERT_EQ(tamis->Put(WriteOptions(), "a", "1"), Status::OK());
  }
  rocksdb::Options options;
  options.wal_dir = first.logs;
  EXPECT_TRUE(rocksdb::DestroyDB(first.db, options).ok());
  EXPECT_FALSE(HasLog(first.logs));
  // What is left there does not stop a new database.
  EXPECT_NE(Tamis(first), nullptr);
}

}  // namespace
}  // namespace tamis
