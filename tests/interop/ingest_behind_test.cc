// SPDX-License-Identifier: Apache-2.0
//
// The same calls around ingest_behind have the same outcome in Tamis and in
// RocksDB, and each continues in the other's directory.
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_writer.h>

#include "tests/interop/peers.h"
#include "tests/support/databases.h"

namespace tamis {
namespace {

Options OurOptions() {
  Options options;
  options.create_if_missing = true;
  options.allow_ingest_behind = true;
  return options;
}

rocksdb::Options TheirOptions() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.allow_ingest_behind = true;
  return options;
}

// The calls of either engine that the tests make.
class OurDb {
 public:
  // RocksDB 7.8.3 drops tombstones in a compaction of all levels, although keys
  // may come behind them. Tamis keeps them.
  static constexpr bool kKeepsTombstones = true;

  explicit OurDb(const std::string& directory)
      : db_(OpenTamis(OurOptions(), directory)) {}
  DB* get() { return db_.get(); }
  void Write() {
    EXPECT_EQ(db_->Put({}, "a", "new"), Status::OK());
    EXPECT_EQ(db_->Put({}, "b", "1"), Status::OK());
    EXPECT_EQ(db_->Delete({}, "b"), Status::OK());
    EXPECT_EQ(db_->DeleteRange({}, db_->DefaultColumnFamily(), "d", "e"),
              Status::OK());
    EXPECT_EQ(db_->Flush({}), Status::OK());
  }
  void Compact() {
    CompactRangeOptions force;
    force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    EXPECT_EQ(db_->CompactRange(force, nullptr, nullptr), Status::OK());
  }
  // "ok", or the kind of the refusal.
  std::string Ingest(const std::vector<std::string>& paths) {
    IngestExternalFileOptions behind;
    behind.ingest_behind = true;
    return Outcome(db_->IngestExternalFile(paths, behind));
  }
  int LastLevelFiles() {
    std::string count;
    EXPECT_TRUE(db_->GetProperty("rocksdb.num-files-at-level6", &count));
    return std::stoi(count);
  }
  template <typename AnyStatus>
  static std::string Outcome(const AnyStatus& status) {
    if (status.ok()) return "ok";
    if (status.IsInvalidArgument()) return "invalid argument";
    return status.IsNotSupported() ? "not supported" : status.ToString();
  }

 private:
  std::unique_ptr<DB> db_;
};

class TheirDb {
 public:
  static constexpr bool kKeepsTombstones = false;

  explicit TheirDb(const std::string& directory)
      : db_(OpenPeer(TheirOptions(), directory)) {}
  rocksdb::DB* get() { return db_.get(); }
  void Write() {
    EXPECT_TRUE(db_->Put({}, "a", "new").ok());
    EXPECT_TRUE(db_->Put({}, "b", "1").ok());
    EXPECT_TRUE(db_->Delete({}, "b").ok());
    EXPECT_TRUE(
        db_->DeleteRange({}, db_->DefaultColumnFamily(), "d", "e").ok());
    EXPECT_TRUE(db_->Flush({}).ok());
  }
  void Compact() {
    rocksdb::CompactRangeOptions force;
    force.bottommost_level_compaction =
        rocksdb::BottommostLevelCompaction::kForce;
    EXPECT_TRUE(db_->CompactRange(force, nullptr, nullptr).ok());
  }
  std::string Ingest(const std::vector<std::string>& paths) {
    rocksdb::IngestExternalFileOptions behind;
    behind.ingest_behind = true;
    return OurDb::Outcome(db_->IngestExternalFile(paths, behind));
  }
  int LastLevelFiles() {
    std::string count;
    EXPECT_TRUE(db_->GetProperty("rocksdb.num-files-at-level6", &count));
    return std::stoi(count);
  }

 private:
  std::unique_ptr<rocksdb::DB> db_;
};

std::string DifferenceIn(OurDb* db, const KeyValues& expected) {
  Status status;
  const std::string difference = DifferenceFrom(expected, db->get(), &status);
  return difference.empty() && !status.ok() ? status.ToString() : difference;
}
std::string DifferenceIn(TheirDb* db, const KeyValues& expected) {
  return PeerDifferenceFrom(expected, db->get());
}

class IngestBehindInteropTest : public testing::Test {
 protected:
  // A table of these keys, whose value is the name.
  std::string Table(const std::string& name,
                    const std::vector<std::string>& keys) const {
    const std::string path = directory_.Path(name + ".sst");
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions{}, rocksdb::Options{});
    EXPECT_TRUE(writer.Open(path).ok());
    for (const std::string& key : keys) {
      EXPECT_TRUE(writer.Put(key, name).ok());
    }
    EXPECT_TRUE(writer.Finish().ok());
    return path;
  }

  template <typename First, typename Second>
  void Exchange() {
    const std::string where = directory_.Path("db");
    const std::string one = Table("one", {"a", "b", "c", "d"});
    {
      First db(where);
      ASSERT_NE(db.get(), nullptr);
      db.Write();
      if (First::kKeepsTombstones) db.Compact();
      EXPECT_EQ(db.LastLevelFiles(), 0);
    }
    {
      Second db(where);
      ASSERT_NE(db.get(), nullptr);
      if (Second::kKeepsTombstones) db.Compact();
      EXPECT_EQ(db.LastLevelFiles(), 0);
      EXPECT_EQ(db.Ingest({one}), "ok");
      EXPECT_EQ(db.LastLevelFiles(), 1);
      EXPECT_EQ(DifferenceIn(&db, {{"a", "new"}, {"c", "one"}}), "");
    }
    First db(where);
    ASSERT_NE(db.get(), nullptr);
    db.Compact();
    EXPECT_EQ(db.LastLevelFiles(), 1);
    EXPECT_EQ(db.Ingest({Table("two", {"b", "bb"})}), "invalid argument");
    EXPECT_EQ(db.Ingest({Table("three", {"x", "z"}), Table("four", {"y"})}),
              "not supported");
    EXPECT_EQ(db.Ingest({Table("five", {"x"})}), "ok");
    EXPECT_EQ(DifferenceIn(&db, {{"a", "new"}, {"c", "one"}, {"x", "five"}}),
              "");
  }

  const TemporaryDirectory directory_;
};

TEST_F(IngestBehindInteropTest, TamisThenRocksDB) {
  Exchange<OurDb, TheirDb>();
  ExpectConsistentToLdb(directory_.Path("db"));
}

TEST_F(IngestBehindInteropTest, RocksDBThenTamis) {
  Exchange<TheirDb, OurDb>();
  ExpectConsistentToLdb(directory_.Path("db"));
}

TEST_F(IngestBehindInteropTest, WithoutTheOptionBothRefuse) {
  const std::string path = Table("one", {"a"});
  Options ours;
  ours.create_if_missing = true;
  IngestExternalFileOptions behind;
  behind.ingest_behind = true;
  EXPECT_TRUE(OpenTamis(ours, directory_.Path("ours"))
                  ->IngestExternalFile({path}, behind)
                  .IsInvalidArgument());
  rocksdb::Options theirs;
  theirs.create_if_missing = true;
  rocksdb::IngestExternalFileOptions peer_behind;
  peer_behind.ingest_behind = true;
  EXPECT_TRUE(OpenPeer(theirs, directory_.Path("theirs"))
                  ->IngestExternalFile({path}, peer_behind)
                  .IsInvalidArgument());
}

}  // namespace
}  // namespace tamis
