// SPDX-License-Identifier: Apache-2.0
//
// Directories that other engines left: each is opened and shows every key that
// its writer showed, or is refused by a Status that names why and left as it
// was. $TAMIS_GOLDEN_DIR/golden/*/dirs/*, with *.tsv beside them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/support/databases.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

struct Expectation {
  const char* directory;
  const char* refusal;  // what the Status says; nullptr: it opens
};

constexpr char kLevelDB[] = "the directory is LevelDB's";
constexpr char kFamilies[] = "Column families not opened: users";
constexpr char kRangeDeletions[] = ".sst: the table holds range deletions";
constexpr char kDeleteRange[] = "delete range";

constexpr Expectation kExpectations[] = {
    {"leveldb-1.23/bloom16_binary_keys", kLevelDB},
    {"leveldb-1.23/bloom_nocompress", kLevelDB},
    {"leveldb-1.23/bloom_snappy", kLevelDB},
    {"leveldb-1.23/nofilter", kLevelDB},
    {"rocksdb-6.29.5/column_families", kFamilies},
    {"rocksdb-6.29.5/compacted", nullptr},
    {"rocksdb-6.29.5/l0_only", kRangeDeletions},
    {"rocksdb-6.29.5/levels_and_wal", kRangeDeletions},
    {"rocksdb-6.29.5/recycled_wal", kRangeDeletions},
    {"rocksdb-6.29.5/wal_only", kDeleteRange},
    {"rocksdb-7.8.3/column_families", kFamilies},
    {"rocksdb-7.8.3/compacted", nullptr},
    {"rocksdb-7.8.3/l0_only", kRangeDeletions},
    {"rocksdb-7.8.3/levels_and_wal", kRangeDeletions},
    {"rocksdb-7.8.3/recycled_wal", kRangeDeletions},
    {"rocksdb-7.8.3/wal_only", kDeleteRange},
    {"rocksdb-11.9/column_families", kFamilies},
    {"rocksdb-11.9/compacted", nullptr},
    {"rocksdb-11.9/l0_only", kRangeDeletions},
    {"rocksdb-11.9/levels_and_wal", kRangeDeletions},
    {"rocksdb-11.9/recycled_wal", kRangeDeletions},
    {"rocksdb-11.9/wal_only", kDeleteRange},
};

std::string Contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Name and bytes of everything but what an open may add: LOCK and LOG.
std::map<std::string, std::string> Files(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name == "LOCK" || name == "LOG") continue;
    files[name] = Contents(entry.path());
  }
  return files;
}

// key-hex TAB value-hex, a line each.
KeyValues Listing(const std::string& path) {
  KeyValues listing;
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    const size_t tab = line.find('\t');
    listing.emplace_back(FromHexDigits(line.substr(0, tab)),
                         FromHexDigits(line.substr(tab + 1)));
  }
  std::sort(listing.begin(), listing.end());
  return listing;
}

// Twice: the second time it is what the first one left.
void ExpectOpens(const std::string& directory, const KeyValues& listing) {
  for (int i = 0; i < 2; ++i) {
    std::unique_ptr<DB> db;
    Status status = DB::Open(Options(), directory, &db);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(DifferenceFrom(listing, db.get(), &status), "");
    EXPECT_TRUE(status.ok()) << status;
    status = db->CompactRange(CompactRangeOptions(), nullptr, nullptr);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(DifferenceFrom(listing, db.get(), &status), "");
    EXPECT_TRUE(status.ok()) << status;
  }
}

void ExpectRefused(const std::string& directory, const char* why) {
  const auto before = Files(directory);
  std::unique_ptr<DB> db;
  const Status status = DB::Open(Options(), directory, &db);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(db, nullptr);
  EXPECT_NE(status.ToString().find(why), std::string::npos) << status;
  EXPECT_EQ(Files(directory) == before, true) << "the refusal changed files";
}

TEST(GoldenDirectoriesTest, OpenOrAreRefusedUnchanged) {
  const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
  if (root == nullptr) {
    GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set: nothing was read";
  }
  std::set<std::string> seen;
  for (const auto& writer : fs::directory_iterator(fs::path(root) / "golden")) {
    if (!fs::is_directory(writer.path() / "dirs")) continue;
    for (const auto& entry : fs::directory_iterator(writer.path() / "dirs")) {
      if (!entry.is_directory()) continue;
      const std::string name = writer.path().filename().string() + "/" +
                               entry.path().filename().string();
      SCOPED_TRACE(name);
      const auto* const found = std::find_if(
          std::begin(kExpectations), std::end(kExpectations),
          [&](const Expectation& e) { return name == e.directory; });
      EXPECT_NE(found, std::end(kExpectations)) << "expects nothing of it";
      if (found == std::end(kExpectations)) continue;
      seen.insert(name);
      const TemporaryDirectory temporary;
      const std::string copy = temporary.Path("db");
      CopyDirectory(entry.path().string(), copy);
      if (found->refusal != nullptr) {
        ExpectRefused(copy, found->refusal);
      } else {
        ExpectOpens(copy, Listing(entry.path().string() + ".tsv"));
      }
    }
  }
  EXPECT_EQ(seen.size(), std::size(kExpectations));
}

}  // namespace
}  // namespace tamis
