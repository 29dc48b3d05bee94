// SPDX-License-Identifier: Apache-2.0
//
// tamis_db_bench as a program: its lines are those that scripts for RocksDB's
// db_bench read, and its counts are right.
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "tests/tools/program.h"

namespace tamis {
namespace {

// The operations that the benchmark's line tells of; empty: no such line.
std::string Operations(const std::string& text, const std::string& name) {
  const std::regex line("(^|\n)" + name +
                        " *: +[0-9.]+ micros/op [0-9]+ ops/sec [0-9.]+ seconds "
                        "([0-9]+) operations;[^\n]*");
  std::smatch match;
  return std::regex_search(text, match, line) ? match[2].str() : "";
}

TEST(DbBenchTest, EachBenchmarkPrintsALineWithItsResult) {
  const TemporaryDirectory directory;
  const Outcome ran =
      RunOurs("tamis_db_bench",
              {"--db=" + directory.path(), "--num=2000", "--threads=2",
               "--batch_size=8", "--write_buffer_size=65536",
               "--benchmarks=fillseq,readseq,readreverse,readmissing,"
               "multireadrandom,seekrandom,readwhilewriting,overwrite,compact,"
               "stats,fillrandom,readrandom"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"fillseq", "2000"},
      {"readseq", "4000"},
      {"readreverse", "4000"},
      {"readmissing", "4000"},
      {"multireadrandom", "4000"},
      {"seekrandom", "4000"},
      {"readwhilewriting", "4000"},
      {"overwrite", "2000"},
      {"compact", "1"},
      {"fillrandom", "2000"},
      {"readrandom", "4000"}};
  for (const auto& [name, operations] : expected) {
    EXPECT_EQ(Operations(ran.text, name), operations) << name << ran.text;
  }
  // After fillseq every key is there, and no other.
  EXPECT_NE(ran.text.find("(0 of 4000 found)"), std::string::npos);
  EXPECT_NE(ran.text.find("(4000 of 4000 found)"), std::string::npos);
  EXPECT_NE(ran.text.find("Level Files Bytes"), std::string::npos);
}

TEST(DbBenchTest, MisuseExitsWithTwo) {
  EXPECT_EQ(RunOurs("tamis_db_bench", {"--benchmarks=no_such"}).exit_code, 2);
  EXPECT_EQ(RunOurs("tamis_db_bench", {"--num=0"}).exit_code, 2);
  EXPECT_EQ(RunOurs("tamis_db_bench", {"--no_such_flag=1"}).exit_code, 2);
}

}  // namespace
}  // namespace tamis
