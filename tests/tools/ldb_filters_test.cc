// SPDX-License-Identifier: Apache-2.0
//
// tamis_ldb filters: what it prints of tables with different filters, and its
// exit codes.
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/table.h"

#include "tests/support/key_shapes.h"
#include "tests/tools/ldb_fixture.h"

namespace tamis {
namespace {

class LdbFiltersTest : public LdbFixture {
 protected:
  // Writes a table of level 6 and then one of level 0, each under options of
  // its own.
  void Make(const BlockBasedTableOptions& deep,
            const BlockBasedTableOptions& top) {
    Random random(301);
    for (const auto& table : {deep, top}) {
      Options options;
      options.create_if_missing = true;
      options.disable_auto_compactions = true;
      options.table_factory.reset(NewBlockBasedTableFactory(table));
      std::unique_ptr<DB> db;
      ASSERT_TRUE(DB::Open(options, db_, &db).ok());
      const bool is_deep = !made_;
      const size_t n = is_deep ? 20000 : 2000;
      for (size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(db->Put(WriteOptions(), YcsbKey(&random), "value").ok());
      }
      ASSERT_TRUE(db->Flush(FlushOptions()).ok());
      if (is_deep) {
        ASSERT_TRUE(db->CompactRange({.bottommost_level_compaction =
                                          BottommostLevelCompaction::kForce},
                                     nullptr, nullptr)
                        .ok());
      }
      made_ = true;
      ASSERT_TRUE(db->Close().ok());
    }
  }

  // The fields of the lines that begin with `level`.
  static std::vector<std::vector<std::string>> LinesOf(
      const std::string& text, const std::string& level) {
    std::vector<std::vector<std::string>> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      std::vector<std::string> fields;
      for (std::string word; words >> word;) {
        if (word != "%") fields.push_back(word);
      }
      if (!fields.empty() && fields[0] == level) lines.push_back(fields);
    }
    return lines;
  }

 private:
  bool made_ = false;
};

TEST_F(LdbFiltersTest, ShowsWhatEachLevelHas) {
  BlockBasedTableOptions deep;
  deep.filter_policy.reset(NewFilterPolicy());
  deep.range_filter = BlockBasedTableOptions::kFence;
  deep.range_filter_bits_per_key = 12;
  BlockBasedTableOptions top;
  top.filter_policy.reset(NewBloomFilterPolicy(10));
  Make(deep, top);
  const Outcome outcome = Ours({"filters"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;

  const auto level_0 = LinesOf(outcome.text, "0");
  ASSERT_EQ(level_0.size(), 2u) << outcome.text;  // a table and the sum
  EXPECT_EQ(level_0[0][2], "2000");
  EXPECT_EQ(level_0[0][3], "full");
  EXPECT_EQ(level_0[0][4], "FastLocalBloom");
  EXPECT_NEAR(std::stod(level_0[0][6]), 10, 0.3);
  EXPECT_NEAR(std::stod(level_0[0][7]), 0.95, 0.1);
  EXPECT_EQ(level_0[0][8], "none");
  EXPECT_EQ(level_0[0].back(), "bloomfilter");

  std::string deepest;
  for (const char* level : {"1", "2", "3", "4", "5", "6"}) {
    if (!LinesOf(outcome.text, level).empty()) deepest = level;
  }
  const auto below = LinesOf(outcome.text, deepest);
  ASSERT_GE(below.size(), 2u) << outcome.text;
  EXPECT_EQ(below[0][4], "BumpedRibbon");
  EXPECT_NEAR(std::stod(below[0][6]), 6.8, 0.3);
  EXPECT_NEAR(std::stod(below[0][7]), 1, 0.1);
  EXPECT_EQ(below[0][8], "Fence");
  EXPECT_NEAR(std::stod(below[0][9]), 12, 1.5);
  EXPECT_NEAR(std::stod(below[0][10]), 0.39, 0.2);
  EXPECT_EQ(below[0].back(), "tamis.RateFilterPolicy");

  const auto total = LinesOf(outcome.text, "total");
  ASSERT_EQ(total.size(), 1u);
  EXPECT_EQ(total[0][2], "22000");
  EXPECT_EQ(total[0][4], "BumpedRibbon+FastLocalBloom");
  EXPECT_EQ(total[0][8], "Fence");
  // About 1 % in each of two runs.
  EXPECT_NE(outcome.text.find("An absent key is expected to pass 0.0"),
            std::string::npos)
      << outcome.text;
}

TEST_F(LdbFiltersTest, TablesWithoutFiltersPassEverything) {
  BlockBasedTableOptions table;
  table.filter_policy = nullptr;
  Make(table, table);
  const Outcome outcome = Ours({"filters"});
  EXPECT_EQ(outcome.exit_code, 0);
  const auto total = LinesOf(outcome.text, "total");
  ASSERT_EQ(total.size(), 1u) << outcome.text;
  EXPECT_EQ(total[0][4], "none");
  EXPECT_EQ(total[0][7], "100.0000");
  EXPECT_NE(outcome.text.find("An absent key is expected to pass 2.0000 "),
            std::string::npos)
      << outcome.text;
}

TEST_F(LdbFiltersTest, ADamagedTableFailsAndTheOthersAreShown) {
  BlockBasedTableOptions table;
  Make(table, table);
  std::string first;
  for (const auto& file : std::filesystem::directory_iterator(db_)) {
    if (file.path().extension() != ".sst") continue;
    const std::string path = file.path().string();
    if (first.empty() || path < first) first = path;
  }
  std::filesystem::resize_file(first, 100);
  const Outcome outcome = Ours({"filters"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.text;
  EXPECT_NE(outcome.text.find(first), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("FastLocalBloom"), std::string::npos);
}

TEST_F(LdbFiltersTest, AMissingDatabaseFailsAndAnArgumentIsMisuse) {
  EXPECT_EQ(Ours({"filters"}).exit_code, 1);
  EXPECT_EQ(Ours({"filters", "x"}).exit_code, 2);
  EXPECT_EQ(RunOurs("tamis_ldb", {"filters"}).exit_code, 2);
}

}  // namespace
}  // namespace tamis
