// SPDX-License-Identifier: Apache-2.0
//
// Reads recorded directories of other engines. Scans and point reads find every
// key of every family. A read-only open changes no byte. After a compaction
// RocksDB reads the result. LevelDB's directories are written only with
// upgrade_leveldb. The directories are $TAMIS_GOLDEN_DIR/golden/*/dirs/*, with
// *.tsv beside them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
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

constexpr const char* kDirectories[] = {
    "leveldb-1.23/bloom16_binary_keys",
    "leveldb-1.23/bloom_nocompress",
    "leveldb-1.23/bloom_snappy",
    "leveldb-1.23/nofilter",
    "rocksdb-6.29.5/column_families",
    "rocksdb-6.29.5/compacted",
    "rocksdb-6.29.5/l0_only",
    "rocksdb-6.29.5/levels_and_wal",
    "rocksdb-6.29.5/recycled_wal",
    "rocksdb-6.29.5/wal_only",
    "rocksdb-7.8.3/column_families",
    "rocksdb-7.8.3/compacted",
    "rocksdb-7.8.3/l0_only",
    "rocksdb-7.8.3/levels_and_wal",
    "rocksdb-7.8.3/recycled_wal",
    "rocksdb-7.8.3/wal_only",
    "rocksdb-11.9/column_families",
    "rocksdb-11.9/compacted",
    "rocksdb-11.9/l0_only",
    "rocksdb-11.9/levels_and_wal",
    "rocksdb-11.9/recycled_wal",
    "rocksdb-11.9/wal_only",
};

// Name and bytes of everything.
std::map<std::string, std::string> Files(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    files[entry.path().string()] =
        entry.is_directory() ? "" : ReadWholeFile(entry.path());
  }
  return files;
}

// Removes LOCK, which a refused open may create.
std::map<std::string, std::string> WithoutLock(
    std::map<std::string, std::string> files) {
  std::erase_if(files,
                [](const auto& file) { return file.first.ends_with("/LOCK"); });
  return files;
}

// key-hex TAB value-hex, a line each.
KeyValues Listing(const std::string& path) {
  KeyValues listing;
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  std::string line;
  while (std::getline(in, line)) {
    const size_t tab = line.find('\t');
    listing.emplace_back(FromHexDigits(line.substr(0, tab)),
                         FromHexDigits(line.substr(tab + 1)));
  }
  std::sort(listing.begin(), listing.end());
  return listing;
}

// A family, and what is in it.
using Families = std::map<std::string, KeyValues>;

class GoldenDirectoriesTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
    if (root == nullptr) {
      GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set: nothing was read";
    }
    const std::string name = GetParam();
    const size_t slash = name.find('/');
    from_leveldb_ = name.starts_with("leveldb");
    const std::string original = std::string(root) + "/golden/" +
                                 name.substr(0, slash) + "/dirs" +
                                 name.substr(slash);
    directory_ = temporary_.Path("db");
    CopyDirectory(original, directory_);
    expected_[kDefaultColumnFamilyName] = Listing(original + ".tsv");
    if (name.ends_with("/column_families")) {
      expected_["users"] = Listing(original + ".users.tsv");
    }
  }

  std::vector<ColumnFamilyDescriptor> Descriptors() const {
    std::vector<ColumnFamilyDescriptor> families;
    for (const auto& [family, entries] : expected_) {
      families.emplace_back(family, ColumnFamilyOptions());
    }
    return families;
  }

  void ExpectFamilies(DB* db, const std::vector<ColumnFamilyHandle*>& handles) {
    ASSERT_EQ(handles.size(), expected_.size());
    for (ColumnFamilyHandle* const handle : handles) {
      SCOPED_TRACE(handle->GetName());
      Status status;
      EXPECT_EQ(DifferenceFrom(expected_.at(handle->GetName()), db, &status,
                               ReadOptions(), handle),
                "");
      EXPECT_TRUE(status.ok()) << status;
    }
  }

  // Opens, compares, changes, compacts if asked, compares, closes.
  void Use(const DBOptions& options, bool compact) {
    std::unique_ptr<DB> db;
    std::vector<ColumnFamilyHandle*> handles;
    Status status = DB::Open(options, directory_, Descriptors(), &handles, &db);
    ASSERT_TRUE(status.ok()) << status;
    ExpectFamilies(db.get(), handles);
    for (ColumnFamilyHandle* const handle : handles) {
      KeyValues& entries = expected_.at(handle->GetName());
      const std::string key = entries[entries.size() / 2].first;
      entries[entries.size() / 2].second = "changed";
      status = db->Put(WriteOptions(), handle, key, "changed");
      ASSERT_TRUE(status.ok()) << status;
      status = db->Delete(WriteOptions(), handle, entries.front().first);
      ASSERT_TRUE(status.ok()) << status;
      entries.erase(entries.begin());
      if (!compact) continue;
      CompactRangeOptions force;
      force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
      status = db->CompactRange(force, handle, nullptr, nullptr);
      EXPECT_TRUE(status.ok()) << status;
    }
    ExpectFamilies(db.get(), handles);
    for (ColumnFamilyHandle* const handle : handles) {
      EXPECT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
    }
    EXPECT_TRUE(db->Close().ok());
  }

  // Gives every table a Ribbon filter.
  void RewriteFilters(const DBOptions& options) {
    BlockBasedTableOptions table;
    table.filter_policy.reset(NewRibbonFilterPolicy(10, /*before_level=*/-1));
    std::vector<ColumnFamilyDescriptor> families = Descriptors();
    for (ColumnFamilyDescriptor& family : families) {
      family.options.table_factory.reset(NewBlockBasedTableFactory(table));
      family.options.disable_auto_compactions = true;
    }
    std::unique_ptr<DB> db;
    std::vector<ColumnFamilyHandle*> handles;
    Status status = DB::Open(options, directory_, families, &handles, &db);
    ASSERT_TRUE(status.ok()) << status;
    for (ColumnFamilyHandle* const handle : handles) {
      status = db->RewriteFilters({}, handle, nullptr, nullptr);
      // LevelDB's tables have no properties.
      EXPECT_TRUE(status.ok() || (from_leveldb_ && status.IsNotSupported()))
          << status;
    }
    ExpectFamilies(db.get(), handles);
    for (ColumnFamilyHandle* const handle : handles) {
      TablePropertiesCollection tables;
      EXPECT_TRUE(db->GetPropertiesOfAllTables(handle, &tables).ok());
      for (const auto& [name, properties] : tables) {
        if (from_leveldb_) continue;
        EXPECT_EQ(properties->filter_policy_name, "ribbonfilter") << name;
      }
      EXPECT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
    }
    EXPECT_TRUE(db->Close().ok());
  }

  void ExpectReadByRocksDB() {
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const auto& [family, entries] : expected_) {
      families.emplace_back(family, rocksdb::ColumnFamilyOptions());
    }
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* raw = nullptr;
    const rocksdb::Status status = rocksdb::DB::Open(
        rocksdb::DBOptions(), directory_, families, &handles, &raw);
    ASSERT_TRUE(status.ok()) << status.ToString();
    const std::unique_ptr<rocksdb::DB> db(raw);
    for (rocksdb::ColumnFamilyHandle* const handle : handles) {
      EXPECT_EQ(
          PeerDifferenceFrom(expected_.at(handle->GetName()), db.get(), handle),
          "")
          << handle->GetName();
      EXPECT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
    }
  }

  const TemporaryDirectory temporary_;
  bool from_leveldb_ = false;
  std::string directory_;
  Families expected_;
};

TEST_P(GoldenDirectoriesTest, AreReadWithoutChangingAByte) {
  const auto before = Files(directory_);
  std::vector<std::string> names;
  Status status = DB::ListColumnFamilies(DBOptions(), directory_, &names);
  ASSERT_TRUE(status.ok()) << status;
  std::vector<std::string> expected_names;
  for (const auto& [family, entries] : expected_) {
    expected_names.push_back(family);
  }
  EXPECT_EQ(names, expected_names);
  {
    std::unique_ptr<DB> db;
    std::vector<ColumnFamilyHandle*> handles;
    status = DB::OpenForReadOnly(DBOptions(), directory_, Descriptors(),
                                 &handles, &db);
    ASSERT_TRUE(status.ok()) << status;
    ExpectFamilies(db.get(), handles);
    for (ColumnFamilyHandle* const handle : handles) {
      EXPECT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
    }
  }
  EXPECT_TRUE(Files(directory_) == before) << "reading changed files";
}

TEST_P(GoldenDirectoriesTest, AreRefusedForWritingWhereDataWouldBeLost) {
  const auto before = Files(directory_);
  std::unique_ptr<DB> db;
  const Status status = DB::Open(Options(), directory_, &db);
  if (from_leveldb_) {
    EXPECT_TRUE(status.IsNotSupported()) << status;
    EXPECT_NE(status.message().find("upgrade_leveldb"), std::string::npos)
        << status;
  } else if (expected_.size() > 1) {
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    EXPECT_NE(status.message().find("not opened: users"), std::string::npos)
        << status;
  } else {
    EXPECT_TRUE(status.ok()) << status;
    return;
  }
  EXPECT_EQ(db, nullptr);
  EXPECT_TRUE(WithoutLock(Files(directory_)) == before)
      << "the refusal changed files";
}

TEST_P(GoldenDirectoriesTest, AreWrittenReopenedAndReadByRocksDB) {
  DBOptions options;
  options.upgrade_leveldb = from_leveldb_;
  ASSERT_NO_FATAL_FAILURE(Use(options, /*compact=*/false));
  // RocksDB 7.8.3 reads tables of every release up to its own, .ldb too.
  const bool newer = std::string(GetParam()).starts_with("rocksdb-11");
  if (!newer) {
    ASSERT_NO_FATAL_FAILURE(ExpectReadByRocksDB());
  }
  // After the upgrade it is not LevelDB's any more.
  ASSERT_NO_FATAL_FAILURE(Use(DBOptions(), /*compact=*/true));
  ASSERT_NO_FATAL_FAILURE(ExpectReadByRocksDB());
  ASSERT_NO_FATAL_FAILURE(Use(DBOptions(), /*compact=*/false));
}

TEST_P(GoldenDirectoriesTest, WithNewFiltersAreReadByRocksDB) {
  DBOptions options;
  options.upgrade_leveldb = from_leveldb_;
  ASSERT_NO_FATAL_FAILURE(RewriteFilters(options));
  const bool newer = std::string(GetParam()).starts_with("rocksdb-11");
  if (!newer) {
    ASSERT_NO_FATAL_FAILURE(ExpectReadByRocksDB());
  }
  ASSERT_NO_FATAL_FAILURE(Use(DBOptions(), /*compact=*/true));
  ASSERT_NO_FATAL_FAILURE(ExpectReadByRocksDB());
}

// So that a directory that is added is read too.
TEST(GoldenDirectoriesListTest, MatchesTheDirectories) {
  const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
  if (root == nullptr) {
    GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set: nothing was read";
  }
  std::set<std::string> seen;
  for (const auto& writer : fs::directory_iterator(fs::path(root) / "golden")) {
    if (!fs::is_directory(writer.path() / "dirs")) continue;
    for (const auto& entry : fs::directory_iterator(writer.path() / "dirs")) {
      if (!entry.is_directory()) continue;
      seen.insert(writer.path().filename().string() + "/" +
                  entry.path().filename().string());
    }
  }
  EXPECT_EQ(seen, std::set<std::string>(std::begin(kDirectories),
                                        std::end(kDirectories)));
}

INSTANTIATE_TEST_SUITE_P(All, GoldenDirectoriesTest,
                         testing::ValuesIn(kDirectories),
                         [](const testing::TestParamInfo<const char*>& i) {
                           std::string name;
                           for (const char c : std::string(i.param)) {
                             const bool plain = (c >= 'a' && c <= 'z') ||
                                                (c >= '0' && c <= '9');
                             name.push_back(plain ? c : '_');
                           }
                           return name;
                         });

}  // namespace
}  // namespace tamis
