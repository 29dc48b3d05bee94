// SPDX-License-Identifier: Apache-2.0
//
// tamis_ldb's commands on levels and files, and what its flags make of the
// tables that it writes.
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/ldb_fixture.h"

namespace tamis {
namespace {

using Json = nlohmann::json;

class LdbShapeTest : public LdbFixture {
 protected:
  // 300 entries in the log.
  void Fill(std::vector<std::string> flags) {
    std::string lines;
    for (int i = 100; i < 400; ++i) {
      lines +=
          "key" + std::to_string(i) + " ==> " + std::string(100, 'v') + "\n";
    }
    flags.insert(flags.end(), {"load", "--create_if_missing", "--compact"});
    const Outcome load = OursOn(lines, flags);
    EXPECT_EQ(load.exit_code, 0) << load.text;
  }

  std::vector<std::string> Tables() const {
    std::vector<std::string> paths;
    for (const auto& file : std::filesystem::directory_iterator(db_)) {
      if (file.path().extension() == ".sst") {
        paths.push_back(file.path().string());
      }
    }
    return paths;
  }

  // A property of the only table.
  Json Property(const std::string& name) const {
    const auto tables = Tables();
    EXPECT_EQ(tables.size(), 1u);
    const Outcome dump = RunOurs(
        "tamis_sst_dump",
        {tables.front(), "--command=none", "--json", "--show_properties"});
    return Json::parse(dump.text)["properties"][name];
  }
};

TEST_F(LdbShapeTest, FlagsSayHowTablesAreWritten) {
  Fill({"--compression_type=zstd", "--block_size=1000", "--bloom_bits=20",
        "--fix_prefix_len=4", "--compression_max_dict_bytes=1000"});
  EXPECT_EQ(Property("SST file compression algo"), "ZSTD");
  EXPECT_GT(Property("data blocks"), 20);
  EXPECT_GT(Property("filter block size"), 300 * 20 / 8);
  EXPECT_EQ(Property("prefix extractor name"), "rocksdb.FixedPrefix.4");
  EXPECT_NE(Property("SST file compression options")
                .get<std::string>()
                .find("max_dict_bytes=1000;"),
            std::string::npos);
}

TEST_F(LdbShapeTest, OptionsOfTheDatabaseAreUsedUnlessToldOtherwise) {
  Fill({"--compression_type=zstd", "--block_size=1000"});
  Must({"put", "key100", "again"});
  EXPECT_EQ(Ours({"compact"}).exit_code, 0);
  EXPECT_EQ(Property("SST file compression algo"), "ZSTD");
  Must({"put", "key100", "again"});
  EXPECT_EQ(Ours({"compact", "--try_load_options=false"}).exit_code, 0);
  EXPECT_EQ(Property("SST file compression algo"), "Snappy");
}

TEST_F(LdbShapeTest, AnOptionsFileThatCannotBeReadIsARemark) {
  Fill({});
  for (const auto& file : std::filesystem::directory_iterator(db_)) {
    const std::string name = file.path().filename().string();
    if (!name.starts_with("OPTIONS-")) continue;
    std::ofstream(file.path(), std::ios::app)
        << "[CFOptions \"default\"]\n  no_such_option=1\n";
  }
  const Outcome get = Ours({"get", "key100"});
  EXPECT_EQ(get.exit_code, 0);
  EXPECT_NE(get.text.find("options not used: "), std::string::npos) << get.text;
  EXPECT_EQ(Ours({"get", "key100", "--try_load_options"}).exit_code, 1);
}

TEST_F(LdbShapeTest, ReduceLevelsMovesTablesUp) {
  Fill({});
  const Outcome reduced =
      Ours({"reduce_levels", "--new_levels=3", "--print_old_levels"});
  EXPECT_EQ(reduced.exit_code, 0) << reduced.text;
  const Outcome again =
      Ours({"reduce_levels", "--new_levels=3", "--print_old_levels"});
  const std::string prefix = "The old number of levels in use is ";
  ASSERT_EQ(again.text.find(prefix), 0u);
  EXPECT_LE(std::stoi(again.text.substr(prefix.size())), 3);
  EXPECT_EQ(Ours({"reduce_levels", "--new_levels=1"}).exit_code, 2);
}

TEST_F(LdbShapeTest, AnotherCompactionStyleNeedsACompaction) {
  Fill({});
  Must({"put", "key100", "again"});
  const Outcome changed =
      Ours({"change_compaction_style", "--old_compaction_style=0",
            "--new_compaction_style=1"});
  EXPECT_EQ(changed.exit_code, 0);
  EXPECT_NE(changed.text.find("files per level before compaction: "),
            std::string::npos);
  EXPECT_NE(
      changed.text.find("files per level after compaction: 0,0,0,0,0,0,1"),
      std::string::npos)
      << changed.text;
  EXPECT_EQ(Ours({"change_compaction_style", "--old_compaction_style=1",
                  "--new_compaction_style=1"})
                .exit_code,
            2);
}

TEST_F(LdbShapeTest, ARemovedTableIsGoneFromTheDatabase) {
  Fill({});
  Must({"put", "other", "1"});
  EXPECT_EQ(Ours({"get", "key100"}).exit_code, 0);
  const std::string name =
      std::filesystem::path(Tables().front()).stem().string();
  const Outcome removed = Ours({"unsafe_remove_sst_file", name});
  EXPECT_EQ(removed.exit_code, 0) << removed.text;
  EXPECT_EQ(Ours({"get", "key100"}).exit_code, 1);
  EXPECT_EQ(Ours({"get", "other"}).text, "1\n");
  EXPECT_EQ(Ours({"unsafe_remove_sst_file", name}).exit_code, 1);
  EXPECT_EQ(Ours({"unsafe_remove_sst_file", "x"}).exit_code, 2);
}

TEST_F(LdbShapeTest, CompactSaysWhatItDid) {
  Fill({});
  Must({"delete", "key100"});
  const Outcome compact = Ours({"compact"});
  EXPECT_EQ(compact.text.find("tamis_ldb: compacted default: 2 tables of "), 0u)
      << compact.text;
  EXPECT_NE(compact.text.find(" now, by level 0,0,0,0,0,0,1\n"),
            std::string::npos)
      << compact.text;
}

TEST_F(LdbShapeTest, StatsWarnWhereLevelZeroPilesUp) {
  Must({"put", "--create_if_missing", "k", "0"});
  EXPECT_EQ(Ours({"stats"}).text.find("level 0 has "), std::string::npos);
  for (int i = 0; i < 21; ++i) {
    EXPECT_EQ(OursOn("k ==> " + std::to_string(i) + "\n",
                     {"load", "--disable_wal", "--auto_compaction=false"})
                  .exit_code,
              0);
  }
  const Outcome stats = Ours({"stats"});
  EXPECT_EQ(stats.exit_code, 0);
  EXPECT_NE(stats.text.find("level 0 has 2"), std::string::npos) << stats.text;
}

TEST_F(LdbShapeTest, PropertiesSizesAndChecksumsAreNamed) {
  Fill({"--file_size=10000", "--compression_type=no"});
  EXPECT_GE(Tables().size(), 3u);
  EXPECT_EQ(Ours({"get_property", "rocksdb.odd"}).exit_code, 1);
  const Outcome map =
      Ours({"get_property", "rocksdb.aggregated-table-properties"});
  EXPECT_NE(
      map.text.find("rocksdb.aggregated-table-properties.num_entries: 300\n"),
      std::string::npos)
      << map.text;
  const Outcome all = Ours({"approxsize", "--from=k", "--to=l"});
  const Outcome half = Ours({"approxsize", "--from=k", "--to=key200"});
  EXPECT_GT(std::stoi(half.text), 0);
  EXPECT_GT(std::stoi(all.text), std::stoi(half.text));
  const Outcome checksums = Ours({"file_checksum_dump"});
  EXPECT_EQ(Count(checksums.text, ", Unknown, \n"), Tables().size());
  EXPECT_NE(checksums.text.find("Print SST file checksum information finished"),
            std::string::npos);
}

TEST_F(LdbShapeTest, SmallMemtablesMakeMoreTables) {
  std::string lines;
  for (int i = 0; i < 20000; ++i) {
    lines += "key" + std::to_string(i) + " ==> " + std::string(60, 'v') + "\n";
  }
  const auto tables_after = [&](const char* flag) {
    std::filesystem::remove_all(db_);
    EXPECT_EQ(OursOn(lines, {flag, "load", "--create_if_missing",
                             "--auto_compaction=false"})
                  .exit_code,
              0);
    return Tables().size();
  };
  EXPECT_EQ(tables_after("--write_buffer_size=67108864"), 0u);
  EXPECT_GE(tables_after("--write_buffer_size=65536"), 2u);
  // How many depends on how long a flush takes.
  EXPECT_GE(tables_after("--db_write_buffer_size=65536"), 1u);
}

TEST_F(LdbShapeTest, SeveralKeysAreReadAtOnce) {
  Must({"batchput", "--create_if_missing", "a", "1", "b", "2"});
  const Outcome both = Ours({"multi_get", "b", "a"});
  EXPECT_EQ(both.exit_code, 0);
  EXPECT_EQ(both.text, "2\n1\n");
  const Outcome one = Ours({"multi_get", "a", "c"});
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_EQ(one.text, "1\nKey not found: c\n");
}

}  // namespace
}  // namespace tamis
