// SPDX-License-Identifier: Apache-2.0
//
// tamis_sst_dump --command=filter, as a program: what it says of filters that
// RocksDB wrote, and what they answer for keys that RocksDB found.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter_policy.h"
#include "tamis/sst_file_writer.h"
#include "tamis/table.h"

#include "tests/support/comparators.h"
#include "tests/support/directories.h"
#include "tests/tools/program.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

class FilterCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* dir = std::getenv("TAMIS_GOLDEN_DIR");
    if (dir == nullptr) GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set";
    golden_ = fs::path(dir) / "golden";
  }

  static Outcome Dump(const fs::path& table,
                      const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"--file=" + table.string(),
                                          "--command=filter"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return RunOurs("tamis_sst_dump", arguments);
  }

  fs::path golden_;
};

std::string ExtractorOf(const std::string& table) {
  if (table == "partitioned_prefix_only") return "--prefix_extractor=capped:8";
  if (table.find("prefix") == std::string::npos) return "--prefix_extractor=";
  return "--prefix_extractor=fixed:10";
}

TEST_F(FilterCommandTest, NoFilterDeniesAKeyThatRocksDbFound) {
  const TemporaryDirectory directory;
  const std::string probes = directory.Path("keys.txt");
  int tables = 0;
  int denied = 0;
  for (const auto& entry : fs::directory_iterator(golden_ / "rocksdb-7.8.3")) {
    fs::path answers = entry.path();
    if (answers.extension() != ".sst") continue;
    ++tables;
    answers.replace_extension(".gets.tsv");
    std::vector<bool> found;
    std::ofstream keys(probes);
    std::ifstream in(answers);
    for (std::string line; std::getline(in, line);) {
      std::istringstream fields(line);
      std::string key;
      std::string answer;
      std::getline(fields, key, '\t');
      std::getline(fields, answer, '\t');
      keys << key << "\n";
      found.push_back(answer == "found");
    }
    keys.close();
    const Outcome outcome = Dump(
        entry.path(),
        {"--probe_file=" + probes, ExtractorOf(entry.path().stem().string())});
    ASSERT_EQ(outcome.exit_code, 0) << entry.path() << outcome.text;
    std::istringstream printed(outcome.text);
    std::string line;
    for (const bool was_found : found) {
      ASSERT_TRUE(std::getline(printed, line)) << entry.path();
      ASSERT_TRUE(line == "no" || line == "may match") << line;
      if (was_found) {
        ASSERT_EQ(line, "may match") << entry.path();
      }
      if (line == "no") ++denied;
    }
    ASSERT_FALSE(std::getline(printed, line)) << entry.path();
  }
  EXPECT_GT(tables, 30);
  EXPECT_GT(denied, 25 * tables);
}

TEST_F(FilterCommandTest, DescribesTheFilter) {
  struct Case {
    const char* table;
    std::vector<const char*> lines;
  };
  const Case cases[] = {
      {"rocksdb-7.8.3/fv5_full_bloom",
       {"placement: full", "codec: FastLocalBloom",
        "name: fullfilter.rocksdb.BuiltinBloomFilter", "holds: keys",
        "parameters: 6 probes",
        "bits per key: ", "predicted false positives: "}},
      {"rocksdb-7.8.3/fv5_partitioned_bloom",
       {"placement: partitioned", "partitions: ", "partition bytes: "}},
      {"rocksdb-6.29.5/fv5_blockbased_bloom",
       {"placement: block-based", "chunks: ", "bytes: ", "entries: "}},
      {"rocksdb-7.8.3/full_prefix_only",
       {"holds: prefixes", "prefix extractor: rocksdb.FixedPrefix.10"}},
      {"rocksdb-7.8.3/nofilter", {"placement: none"}},
  };
  for (const Case& c : cases) {
    const Outcome outcome = Dump(golden_ / (std::string(c.table) + ".sst"), {});
    EXPECT_EQ(outcome.exit_code, 0) << c.table;
    for (const char* line : c.lines) {
      EXPECT_NE(outcome.text.find(std::string("\n  ") + line),
                std::string::npos)
          << c.table << ": " << line << "\n"
          << outcome.text;
    }
  }
}

// Formats that only Tamis has.
class OwnFilterCommandTest
    : public testing::TestWithParam<
          std::pair<BlockBasedTableOptions::RangeFilterType, const char*>> {};

TEST_P(OwnFilterCommandTest, DescribesAPointAndARangeFilter) {
  const auto [range_filter, name] = GetParam();
  const TemporaryDirectory directory;
  const std::string path = directory.Path("table.sst");
  BlockBasedTableOptions table;
  table.filter_policy.reset(
      NewFilterPolicy({.format = FilterFormat::kBumpedRibbon}));
  table.range_filter = range_filter;
  Options options;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  SstFileWriter writer(options);
  ASSERT_TRUE(writer.Open(path).ok());
  for (int i = 10000; i < 20000; ++i) {
    ASSERT_TRUE(writer.Put("user" + std::to_string(i), "value").ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
  const Outcome outcome =
      RunOurs("tamis_sst_dump", {"--file=" + path, "--command=filter"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const std::string& line :
       {std::string("codec: BumpedRibbon"),
        std::string("name: fullfilter.tamis.BumpedRibbon"),
        std::string("filter policy: tamis.RateFilterPolicy"),
        std::string("entries: 10000"), std::string("range filter: ") + name,
        std::string("range filter name: fullfilter.tamis.") + name,
        std::string("range filter parameters: 10000 keys")}) {
    EXPECT_NE(outcome.text.find("\n  " + line), std::string::npos)
        << line << "\n"
        << outcome.text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    RangeFilters, OwnFilterCommandTest,
    testing::Values(std::pair(BlockBasedTableOptions::kGrafite, "Grafite"),
                    std::pair(BlockBasedTableOptions::kFence, "Fence"),
                    std::pair(BlockBasedTableOptions::kSurf, "SuRF")),
    [](const auto& instance) { return std::string(instance.param.second); });

TEST(FilterCommandFlagsTest, WrongProbesFailAndWrongFlagsAreMisuse) {
  const TemporaryDirectory directory;
  const std::string& dir = directory.path();
  std::ofstream(dir + "/keys.txt") << "6B31\nxyz\n";
  EXPECT_EQ(RunOurs("tamis_sst_dump", {"--file=none.sst", "--command=filter",
                                       "--probe_file=" + dir + "/keys.txt"})
                .exit_code,
            1);
  EXPECT_EQ(RunOurs("tamis_sst_dump", {"--file=none.sst", "--command=filter"})
                .exit_code,
            1);
  for (const char* extractor : {"fixed", "fixed:", "fixed:x", "other:3"}) {
    EXPECT_EQ(RunOurs("tamis_sst_dump",
                      {"--file=none.sst", "--command=filter",
                       std::string("--prefix_extractor=") + extractor})
                  .exit_code,
              2)
        << extractor;
  }
}

// Whether it is, the comparator decides, which the program does not have.
TEST(FilterReportTest, SaysWhenTheFilterOfAUsersComparatorIsUsed) {
  const TemporaryDirectory directory;
  const NamedComparator named("test.Comparator");
  for (const Comparator* comparator :
       {static_cast<const Comparator*>(&named), BytewiseComparator()}) {
    BlockBasedTableOptions table;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    Options options;
    options.comparator = comparator;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    SstFileWriter writer(options);
    const std::string path = directory.Path("1.sst");
    ASSERT_TRUE(writer.Open(path).ok());
    ASSERT_TRUE(writer.Put("a", "1").ok());
    ASSERT_TRUE(writer.Finish().ok());
    const Outcome outcome =
        RunOurs("tamis_sst_dump", {"--file=" + path, "--command=filter"});
    EXPECT_NE(outcome.text.find("placement: full"), std::string::npos)
        << outcome.text;
    EXPECT_EQ(outcome.text.find("used: if comparator test.Comparator says") !=
                  std::string::npos,
              comparator == &named)
        << outcome.text;
  }
}

}  // namespace
}  // namespace tamis
