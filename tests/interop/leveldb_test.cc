// SPDX-License-Identifier: Apache-2.0
//
// LevelDB's directories are read without changing a byte. They are opened for
// writing only on request, and are RocksDB directories afterwards.
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include "tamis/db.h"

#include "tests/interop/peers.h"
#include "tests/interop/workload.h"
#include "tests/support/databases.h"
#include "tests/support/directories.h"

namespace tamis {
namespace {

// Its writes: tables in several levels and a log, or a log alone.
struct Case {
  const char* name;
  size_t changes;
  size_t opens;  // among which they are spread
  bool filter;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

constexpr Case kCases[] = {
    {"Empty", 0, 1, false},     {"LogAlone", 50, 1, false},
    {"Tables", 3000, 1, false}, {"TablesOfManyOpens", 4000, 8, false},
    {"Filters", 3000, 3, true},
};

class LevelDBTest : public ::testing::TestWithParam<Case> {
 protected:
  LevelDBTest() : workload_(303 + GetParam().changes + GetParam().opens) {}

  void SetUp() override {
    for (size_t i = 0; i < GetParam().opens; ++i) {
      ASSERT_NO_FATAL_FAILURE(Write(GetParam().changes / GetParam().opens));
    }
  }

  std::unique_ptr<leveldb::DB> OpenLevelDB(leveldb::Status* status) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = 64 * 1024;
    options.max_file_size = 1024 * 1024;
    options.filter_policy = GetParam().filter ? filter_.get() : nullptr;
    leveldb::DB* db = nullptr;
    *status = leveldb::DB::Open(options, directory_, &db);
    return std::unique_ptr<leveldb::DB>(db);
  }
  void Write(size_t n) {
    leveldb::Status status;
    const auto db = OpenLevelDB(&status);
    ASSERT_TRUE(status.ok()) << status.ToString();
    for (const Change& change : workload_.Next(n)) {
      status = change.put
                   ? db->Put(leveldb::WriteOptions(), change.key, change.value)
                   : db->Delete(leveldb::WriteOptions(), change.key);
      ASSERT_TRUE(status.ok()) << status.ToString();
    }
  }
  KeyValues ScanLevelDB() {
    KeyValues entries;
    leveldb::Status status;
    const auto db = OpenLevelDB(&status);
    EXPECT_TRUE(status.ok()) << status.ToString();
    if (!status.ok()) return entries;
    const std::unique_ptr<leveldb::Iterator> it(
        db->NewIterator(leveldb::ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      entries.emplace_back(it->key().ToString(), it->value().ToString());
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    return entries;
  }

  // Every file's name and bytes.
  std::map<std::string, std::string> Bytes() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      files[entry.path().filename()] = ReadWholeFile(entry.path());
    }
    return files;
  }
  void ExpectShown(DB* db) {
    Status status;
    EXPECT_EQ(DifferenceFrom(workload_.Shown(false), db, &status), "");
    EXPECT_TRUE(status.ok()) << status;
  }
  void WriteTamis(size_t n, DB* db) {
    for (const Change& change : workload_.Next(n)) {
      const Status status =
          change.put ? db->Put(WriteOptions(), change.key, change.value)
                     : db->Delete(WriteOptions(), change.key);
      ASSERT_TRUE(status.ok()) << status;
    }
  }

  const TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.Path("db");
  const std::unique_ptr<const leveldb::FilterPolicy> filter_{
      leveldb::NewBloomFilterPolicy(10)};
  Workload workload_;
};

TEST_P(LevelDBTest, IsReadWithoutChangingAByte) {
  const auto before = Bytes();
  {
    std::unique_ptr<DB> db;
    const Status status = DB::OpenForReadOnly(Options(), directory_, &db);
    ASSERT_TRUE(status.ok()) << status;
    ExpectShown(db.get());
    EXPECT_TRUE(db->Put(WriteOptions(), "key", "value").IsNotSupported());
    EXPECT_TRUE(db->Close().ok());
  }
  EXPECT_EQ(Bytes(), before);
  EXPECT_EQ(Difference(workload_.Shown(false), ScanLevelDB()), "");
}

TEST_P(LevelDBTest, IsNotOpenedForWritingWithoutUpgrade) {
  const auto before = Bytes();
  for (int i = 0; i < 2; ++i) {
    std::unique_ptr<DB> db;
    const Status status = DB::Open(Options(), directory_, &db);
    EXPECT_TRUE(status.IsNotSupported()) << status;
    EXPECT_NE(status.message().find("upgrade_leveldb"), std::string::npos)
        << status;
  }
  auto after = Bytes();
  // Its own account of the open is all that a refusal may leave.
  std::erase_if(after, [&](const auto& file) {
    return file.first.starts_with("LOG") && !before.contains(file.first);
  });
  after["LOG"] = before.at("LOG");
  EXPECT_EQ(after, before);
  EXPECT_EQ(Difference(workload_.Shown(false), ScanLevelDB()), "");
}

TEST_P(LevelDBTest, BecomesARocksDBDatabaseOnUpgrade) {
  Options options;
  options.upgrade_leveldb = true;
  options.write_buffer_size = 64 * 1024;
  for (int i = 0; i < 2; ++i) {
    std::unique_ptr<DB> db;
    const Status status = DB::Open(options, directory_, &db);
    ASSERT_TRUE(status.ok()) << status;
    ExpectShown(db.get());
    ASSERT_NO_FATAL_FAILURE(WriteTamis(300, db.get()));
    ExpectShown(db.get());
    EXPECT_TRUE(db->Close().ok());
  }
  leveldb::Status refused;
  OpenLevelDB(&refused);
  EXPECT_FALSE(refused.ok());
  ExpectConsistentToLdb(directory_);

  rocksdb::Options peer_options = PeerOptions(/*reverse=*/false);
  peer_options.paranoid_checks = true;
  {
    const auto peer = OpenPeer(peer_options, directory_);
    ASSERT_NE(peer, nullptr);
    EXPECT_EQ(PeerDifferenceFrom(workload_.Shown(false), peer.get()), "");
    for (const Change& change : workload_.Next(1000)) {
      const rocksdb::Status status =
          change.put
              ? peer->Put(rocksdb::WriteOptions(), change.key, change.value)
              : peer->Delete(rocksdb::WriteOptions(), change.key);
      ASSERT_TRUE(status.ok()) << status.ToString();
    }
    // VerifyChecksum knows no tables that are called .ldb.
    rocksdb::CompactRangeOptions all;
    all.bottommost_level_compaction =
        rocksdb::BottommostLevelCompaction::kForce;
    rocksdb::Status checked = peer->CompactRange(all, nullptr, nullptr);
    EXPECT_TRUE(checked.ok()) << checked.ToString();
    checked = peer->VerifyChecksum();
    EXPECT_TRUE(checked.ok()) << checked.ToString();
  }
  std::unique_ptr<DB> db;
  Status status = DB::Open(Options(), directory_, &db);
  ASSERT_TRUE(status.ok()) << status;
  ExpectShown(db.get());
  CompactRangeOptions all;
  all.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  status = db->CompactRange(all, nullptr, nullptr);
  ASSERT_TRUE(status.ok()) << status;
  ExpectShown(db.get());
}

INSTANTIATE_TEST_SUITE_P(Directories, LevelDBTest, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace tamis
