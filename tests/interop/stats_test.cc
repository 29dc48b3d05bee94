// SPDX-License-Identifier: Apache-2.0
//
// The properties of figures have the same lines, columns, keys and counts in
// Tamis as in RocksDB, after the same history.
#include <cctype>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include "tamis/sst_file_writer.h"

#include "tests/interop/peers.h"
#include "tests/support/directories.h"

namespace tamis {
namespace {

using StringMap = std::map<std::string, std::string>;

// The text with '#' for each number, and one space for several: the width of a
// column depends on its number.
std::string Masked(const std::string& text) {
  std::string masked;
  for (const char c : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    const char last = masked.empty() ? '\n' : masked.back();
    if (c == ' ' && (last == ' ' || last == '\n')) continue;
    if (digit || (c == '.' && last == '#')) {
      if (last != '#') masked += '#';
    } else {
      masked += c;
    }
  }
  return masked;
}

// Both databases, and a history that both get.
class StatsTest : public testing::Test {
 protected:
  void Open(bool statistics) {
    Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.compression = kNoCompression;
    options.stats_dump_period_sec = 0;
    options.level_compaction_dynamic_level_bytes = false;  // its default
    if (statistics) options.statistics = CreateDBStatistics();
    ours_ = OpenTamis(options, directory_.Path("ours"));
    rocksdb::Options theirs;
    theirs.create_if_missing = true;
    theirs.disable_auto_compactions = true;
    theirs.compression = rocksdb::kNoCompression;
    theirs.stats_dump_period_sec = 0;
    if (statistics) theirs.statistics = rocksdb::CreateDBStatistics();
    theirs_ = OpenPeer(theirs, directory_.Path("theirs"));
    ASSERT_TRUE(ours_ != nullptr && theirs_ != nullptr);
  }
  void Put(int from, int n) {
    for (int i = from; i < from + n; ++i) {
      const std::string key = "key" + std::to_string(1'000'000 + i);
      ASSERT_TRUE(ours_->Put({}, key, std::string(1000, 'v')).ok());
      ASSERT_TRUE(theirs_->Put({}, key, std::string(1000, 'v')).ok());
    }
  }
  void Flush() {
    ASSERT_TRUE(ours_->Flush({}).ok());
    ASSERT_TRUE(theirs_->Flush({}).ok());
  }
  void Compact() {
    ASSERT_TRUE(ours_->CompactRange({}, nullptr, nullptr).ok());
    ASSERT_TRUE(theirs_->CompactRange({}, nullptr, nullptr).ok());
  }
  void Ingest() {
    const std::string path = directory_.Path("ingested.sst");
    SstFileWriter writer{Options()};
    ASSERT_TRUE(writer.Open(path).ok());
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(writer.Put("z" + std::to_string(i), "v").ok());
    }
    ASSERT_TRUE(writer.Finish().ok());
    const Status status = ours_->IngestExternalFile({path}, {});
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_TRUE(theirs_->IngestExternalFile({path}, {}).ok());
  }
  // Flushes, compactions that merge tables, an ingestion and synced writes.
  void MakeHistory() {
    Put(0, 1000);
    Flush();
    Put(0, 1000);
    Flush();
    Compact();
    Put(500, 1000);
    Flush();
    Put(700, 100);
    Flush();
    Compact();
    Ingest();
    Put(3000, 500);
    Flush();
    WriteOptions sync;
    sync.sync = true;
    rocksdb::WriteOptions their_sync;
    their_sync.sync = true;
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(ours_->Delete(sync, "gone").ok());
      ASSERT_TRUE(theirs_->Delete(their_sync, "gone").ok());
    }
  }
  std::string Ours(const std::string& property) {
    std::string value;
    EXPECT_TRUE(ours_->GetProperty(property, &value)) << property;
    return value;
  }
  std::string Theirs(const std::string& property) {
    std::string value;
    EXPECT_TRUE(theirs_->GetProperty(property, &value)) << property;
    return value;
  }
  StringMap OurMap(const std::string& property) {
    StringMap map;
    EXPECT_TRUE(ours_->GetMapProperty(property, &map)) << property;
    return map;
  }
  StringMap TheirMap(const std::string& property) {
    StringMap map;
    EXPECT_TRUE(theirs_->GetMapProperty(property, &map)) << property;
    return map;
  }

  const TemporaryDirectory directory_;
  std::unique_ptr<DB> ours_;
  std::unique_ptr<rocksdb::DB> theirs_;
};

std::set<std::string> KeysOf(const StringMap& map) {
  std::set<std::string> keys;
  for (const auto& [key, value] : map) keys.insert(key);
  return keys;
}

TEST_F(StatsTest, TextsHaveTheSameLines) {
  Open(/*statistics=*/false);
  MakeHistory();
  for (const char* name :
       {"cfstats", "cfstats-no-file-histogram", "cf-file-histogram", "dbstats",
        "stats", "levelstats", "blob-stats"}) {
    const std::string property = std::string("rocksdb.") + name;
    EXPECT_EQ(Masked(Ours(property)), Masked(Theirs(property))) << property;
  }
  // The layout, too, where no number is wide.
  const auto head = [](const std::string& text) {
    return text.substr(0, text.find("\n  L0"));
  };
  EXPECT_EQ(head(Ours("rocksdb.cfstats")), head(Theirs("rocksdb.cfstats")));
  EXPECT_EQ(Ours("rocksdb.levelstats"), Theirs("rocksdb.levelstats"));
  EXPECT_EQ(Ours("rocksdb.blob-stats"), Theirs("rocksdb.blob-stats"));
}

// Without a blank between them, columns of a line would be one.
TEST_F(StatsTest, RowsHaveTheSameWidths) {
  Open(/*statistics=*/false);
  Put(0, 1000);
  Flush();
  const auto row = [](const std::string& text, const std::string& name) {
    const size_t at = text.find("\n" + name) + 1;
    return text.substr(at, text.find('\n', at) - at);
  };
  const std::string ours = Ours("rocksdb.cfstats");
  const std::string theirs = Theirs("rocksdb.cfstats");
  for (const char* name : {"  L0", " Sum", " Int", "High"}) {
    EXPECT_EQ(row(ours, name).size(), row(theirs, name).size()) << name;
  }
}

TEST_F(StatsTest, FiguresOfJobsAreTheSame) {
  Open(/*statistics=*/false);
  MakeHistory();
  const StringMap ours = OurMap("rocksdb.cfstats");
  const StringMap theirs = TheirMap("rocksdb.cfstats");
  EXPECT_EQ(KeysOf(ours), KeysOf(theirs));
  for (const auto& [key, their_value] : theirs) {
    const auto found = ours.find(key);
    if (found == ours.end()) continue;
    const std::string& our_value = found->second;
    const std::string column = key.substr(key.rfind('.') + 1);
    const bool exact =
        std::set<std::string>{"NumFiles", "CompactedFiles", "CompCount",
                              "KeyIn",    "KeyDrop",        "RblobGB",
                              "WblobGB"}
            .contains(column) ||
        key.starts_with("io_stalls.") || key == "compaction.L0.Score";
    // Tables differ by some bytes of their properties; times by all.
    const bool near = std::set<std::string>{"SizeBytes", "Score",   "ReadGB",
                                            "RnGB",      "Rnp1GB",  "WriteGB",
                                            "WnewGB",    "MovedGB", "WriteAmp"}
                          .contains(column);
    if (exact) {
      EXPECT_EQ(our_value, their_value) << key;
    } else if (near) {
      const double theirs_is = std::stod(their_value);
      EXPECT_NEAR(std::stod(our_value), theirs_is, theirs_is * 0.02 + 3e-6)
          << key;
    }
  }
}

TEST_F(StatsTest, FiguresOfWritesAreTheSame) {
  Open(/*statistics=*/false);
  MakeHistory();
  StringMap ours = OurMap("rocksdb.dbstats");
  StringMap theirs = TheirMap("rocksdb.dbstats");
  EXPECT_GT(std::stod(ours["db.uptime"]), 0);
  ours.erase("db.uptime");
  theirs.erase("db.uptime");
  EXPECT_EQ(ours, theirs);
  // The line up to the rate, which differs.
  const auto line = [](const std::string& text, const std::string& begin) {
    const size_t at = text.find(begin);
    const size_t written = text.find(" GB,", at);
    return text.substr(at, written - at);
  };
  const std::string our_text = Ours("rocksdb.dbstats");
  const std::string their_text = Theirs("rocksdb.dbstats");
  for (const char* begin : {"Cumulative WAL", "Interval WAL"}) {
    EXPECT_EQ(line(our_text, begin), line(their_text, begin));
  }
}

TEST_F(StatsTest, IntervalsAndResetAreTheSame) {
  Open(/*statistics=*/false);
  MakeHistory();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Masked(Ours("rocksdb.stats")), Masked(Theirs("rocksdb.stats")));
  }
  const auto interval = [](const std::string& text) {
    const size_t at = text.find("\n Int");
    return text.substr(at, text.find('\n', at + 1) - at);
  };
  EXPECT_EQ(interval(Ours("rocksdb.cfstats")),
            interval(Theirs("rocksdb.cfstats")));
  ASSERT_TRUE(ours_->ResetStats().ok());
  ASSERT_TRUE(theirs_->ResetStats().ok());
  StringMap ours = OurMap("rocksdb.cfstats");
  StringMap theirs = TheirMap("rocksdb.cfstats");
  EXPECT_EQ(KeysOf(ours), KeysOf(theirs));
  for (const char* key : {"compaction.L0.CompCount", "compaction.Sum.KeyIn",
                          "compaction.Sum.WriteGB", "compaction.L1.NumFiles",
                          "compaction.Sum.MovedGB"}) {
    EXPECT_EQ(ours[key], theirs[key]) << key;
  }
}

TEST_F(StatsTest, LatenciesOfReadsHaveTheSameForm) {
  Open(/*statistics=*/true);
  Put(0, 1000);
  Flush();
  Compact();
  Put(0, 1000);
  Flush();
  std::string value;
  for (int i = 0; i < 100; ++i) {
    const std::string key = "key" + std::to_string(1'000'000 + 10 * i);
    ASSERT_TRUE(ours_->Get({}, key, &value).ok());
    ASSERT_TRUE(theirs_->Get({}, key, &value).ok());
  }
  // The lines of titles, which have no figures.
  const auto titles = [](const std::string& text) {
    std::istringstream lines(text);
    std::string all;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("**") || line.empty()) all += line + "\n";
    }
    return all;
  };
  const std::string ours = Ours("rocksdb.cf-file-histogram");
  EXPECT_EQ(titles(ours), titles(Theirs("rocksdb.cf-file-histogram")));
  EXPECT_NE(ours.find("** Level 0 read"), std::string::npos) << ours;
  EXPECT_NE(ours.find("\nPercentiles: P50:"), std::string::npos) << ours;
}

TEST_F(StatsTest, BlockCacheRolesHaveTheSameNames) {
  Open(/*statistics=*/false);
  Put(0, 1000);
  Flush();
  std::string value;
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "key" + std::to_string(1'000'000 + i);
    ASSERT_TRUE(ours_->Get({}, key, &value).ok());
    ASSERT_TRUE(theirs_->Get({}, key, &value).ok());
  }
  for (const char* name :
       {"block-cache-entry-stats", "fast-block-cache-entry-stats"}) {
    const std::string property = std::string("rocksdb.") + name;
    StringMap ours = OurMap(property);
    EXPECT_EQ(KeysOf(ours), KeysOf(TheirMap(property)));
    EXPECT_GT(std::stoul(ours["count.data-block"]), 100u);
    using Keys = rocksdb::BlockCacheEntryStatsMapKeys;
    EXPECT_EQ(ours[Keys::EntryCount(rocksdb::CacheEntryRole::kDataBlock)],
              TheirMap(property)["count.data-block"]);
    EXPECT_GT(std::stoul(ours[Keys::CacheCapacityBytes()]), 0u);
    EXPECT_FALSE(ours[Keys::CacheId()].empty());
    const std::string text = Ours(property);
    EXPECT_TRUE(text.starts_with("Block cache ")) << text;
    const size_t at = text.find("\nBlock cache entry stats(");
    ASSERT_NE(at, std::string::npos) << text;
    const std::string their_text = Theirs(property);
    const auto form = [](const std::string& whole) {
      const std::string masked = Masked(whole);
      return masked.substr(masked.find(" capacity"),
                           masked.find("last_secs") - masked.find(" capacity"));
    };
    EXPECT_EQ(form(text), form(their_text));
    EXPECT_NE(text.find(" DataBlock(" + ours["count.data-block"] + ","),
              std::string::npos)
        << text;
  }
}

TEST_F(StatsTest, PropertiesWithOneValue) {
  Open(/*statistics=*/false);
  Put(0, 100);
  Flush();
  for (const char* name :
       {"num-blob-files", "total-blob-file-size", "live-blob-file-size",
        "live-blob-file-garbage-size", "min-obsolete-sst-number-to-keep",
        "is-file-deletions-enabled"}) {
    const std::string property = std::string("rocksdb.") + name;
    uint64_t ours = 1;
    uint64_t theirs = 2;
    EXPECT_TRUE(ours_->GetIntProperty(property, &ours)) << property;
    EXPECT_TRUE(theirs_->GetIntProperty(property, &theirs)) << property;
    EXPECT_EQ(ours, theirs) << property;
    EXPECT_TRUE(ours_->GetAggregatedIntProperty(property, &ours)) << property;
    EXPECT_EQ(ours, theirs) << property;
  }
  const std::string temperature = "rocksdb.live-sst-files-size-at-temperature";
  EXPECT_EQ(Ours(temperature + "0"), Ours("rocksdb.live-sst-files-size"));
  for (const char* number : {"4", "8", "12"}) {
    EXPECT_EQ(Ours(temperature + number), Theirs(temperature + number));
  }
  std::string value;
  for (const std::string& name :
       {temperature, temperature + "x", temperature + "4x",
        std::string("rocksdb.blob-cache-usage"),
        std::string("rocksdb.blob-cache-capacity"),
        std::string("rocksdb.blob-cache-pinned-usage")}) {
    EXPECT_FALSE(ours_->GetProperty(name, &value)) << name;
    EXPECT_FALSE(theirs_->GetProperty(name, &value)) << name;
  }
}

}  // namespace
}  // namespace tamis
