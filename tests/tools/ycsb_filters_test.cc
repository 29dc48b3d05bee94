// SPDX-License-Identifier: Apache-2.0
//
// tamis_ycsb_filters as a program: tables with every store, in Markdown, and
// each round's figures. It is built where RocksDB is.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "tests/tools/program.h"

namespace tamis {
namespace {

constexpr const char* kProgram = "tamis_ycsb_filters";

class YcsbFiltersTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::string(TAMIS_BIN_DIR) + "/" + kProgram)) {
      GTEST_SKIP() << "built without RocksDB";
    }
  }
};

std::vector<std::string> LinesWith(const std::string& text,
                                   const std::string& part) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.find(part) != std::string::npos) lines.push_back(line);
  }
  return lines;
}

TEST_F(YcsbFiltersTest, EachStoreHasItsRows) {
  const TemporaryDirectory directory;
  const std::string csv = directory.path() + "/figures.csv";
  const Outcome ran =
      RunOurs(kProgram, {"--num=3000", "--reads=1000", "--rounds=2",
                         "--write_buffer_size=65536", "--cache_percent=5",
                         "--workloads=c,a", "--db=" + directory.path() + "/db",
                         "--csv=" + csv});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  for (const char* workload : {"YCSB A, uniform:", "YCSB A, zipfian:",
                               "YCSB C, uniform:", "YCSB C, zipfian:"}) {
    EXPECT_NE(ran.text.find(workload), std::string::npos) << workload;
  }
  const std::regex figure(R"([0-9.]+ \[[0-9.]+ \.\. [0-9.]+\])");
  // One row of its own, and one for each workload and distribution.
  constexpr size_t kRows = 1 + 2 * 2;
  for (const char* store :
       {"Tamis, Bloom |", "Tamis, Ribbon |", "Tamis, BinaryFuse |",
        "Tamis, HomogeneousRibbon |", "Tamis, BumpedRibbon |"}) {
    EXPECT_EQ(LinesWith(ran.text, store).size(), kRows) << store;
  }
  EXPECT_EQ(LinesWith(ran.text, "| RocksDB ").size(), 2 * kRows);
  for (const std::string& row : LinesWith(ran.text, " .. ")) {
    // Five of the store on its own, four of a workload.
    EXPECT_EQ(
        std::distance(std::sregex_iterator(row.begin(), row.end(), figure),
                      std::sregex_iterator()),
        row.find(" % | ") == std::string::npos ? 5 : 4)
        << row;
  }
  std::ifstream in(csv);
  const std::string lines((std::istreambuf_iterator<char>(in)),
                          std::istreambuf_iterator<char>());
  // A heading; the figures of seven stores in two rounds.
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'),
            1 + 7 * (kRows * 4 + 1) * 2);
}

TEST_F(YcsbFiltersTest, MisuseExitsWithTwo) {
  for (const char* flag :
       {"--num=0", "--rounds=0", "--stores=tamis:none",
        "--stores=leveldb:bloom", "--workloads=e", "--workloads=x",
        "--distributions=gauss", "--cache_percent=2,x", "--cache_percent=0",
        "--cache_percent=", "--ycsb_absent=2", "--bloom_bits=0",
        "--compression_type=zip", "--no_such_flag=1"}) {
    EXPECT_EQ(RunOurs(kProgram, {flag}).exit_code, 2) << flag;
  }
  EXPECT_EQ(RunOurs(kProgram, {"argument"}).exit_code, 2);
}

}  // namespace
}  // namespace tamis
