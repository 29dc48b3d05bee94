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

// The number before `words` in the line of the benchmark that has them; -1:
// no such line.
double NumberBefore(const std::string& text, const std::string& name,
                    const std::string& words) {
  const std::regex line("(^|\n)" + name + " *: [^\n]*?([0-9.]+) " + words);
  std::smatch match;
  return std::regex_search(text, match, line) ? std::stod(match[2].str()) : -1;
}

TEST(DbBenchTest, YcsbRunsItsMixesAndReports) {
  const TemporaryDirectory directory;
  const Outcome ran = RunOurs(
      "tamis_db_bench",
      {"--db=" + directory.path(), "--num=3000", "--reads=2000", "--threads=2",
       "--write_buffer_size=262144", "--cache_size=262144",
       "--cache_index_and_filter_blocks", "--ycsb_absent=0.5",
       "--benchmarks=ycsbload,compact,ycsba,ycsbb,ycsbc,ycsbd,ycsbe,ycsbf"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_EQ(Operations(ran.text, "ycsbload"), "3000") << ran.text;
  EXPECT_NE(ran.text.find("values of 1000 bytes"), std::string::npos);
  for (const char name : {'a', 'b', 'c', 'd', 'e', 'f'}) {
    const std::string benchmark = std::string("ycsb") + name;
    SCOPED_TRACE(benchmark + "\n" + ran.text);
    EXPECT_EQ(Operations(ran.text, benchmark), "4000");
    const double p50 = NumberBefore(ran.text, benchmark, "p99 ");
    const double p99 = NumberBefore(ran.text, benchmark, "p99.9 ");
    EXPECT_GT(p50, 0);
    EXPECT_LE(p50, p99);
    EXPECT_LE(p99, NumberBefore(ran.text, benchmark, "max "));
    const double reads = NumberBefore(ran.text, benchmark, "reads ");
    const double absent = NumberBefore(ran.text, benchmark, "of absent keys");
    // Every other key is found.
    EXPECT_EQ(NumberBefore(ran.text, benchmark, "found"), reads - absent);
    EXPECT_GE(NumberBefore(ran.text, benchmark, "% hits"), 0);
    EXPECT_GT(NumberBefore(ran.text, benchmark, "bytes in"), 0);
    EXPECT_GE(NumberBefore(ran.text, benchmark, "wasted reads"), 0);
  }
  EXPECT_EQ(NumberBefore(ran.text, "ycsbc", "reads "), 4000);
  EXPECT_NEAR(NumberBefore(ran.text, "ycsbc", "of absent keys"), 2000, 200);
  // All data is in tables then: an absent key is excluded, or wastes a read.
  EXPECT_GT(NumberBefore(ran.text, "ycsbc", "probes useful"), 1800);
  EXPECT_LT(NumberBefore(ran.text, "ycsbc", "wasted reads"), 200);
  EXPECT_NEAR(NumberBefore(ran.text, "ycsba", "updates"), 2000, 200);
  EXPECT_NEAR(NumberBefore(ran.text, "ycsbd", "inserts"), 200, 80);
  EXPECT_NEAR(NumberBefore(ran.text, "ycsbe", "scans"), 3800, 80);
  EXPECT_GT(NumberBefore(ran.text, "ycsbe", "entries"), 100000);
  EXPECT_NEAR(NumberBefore(ran.text, "ycsbf", "read-modify-writes"), 2000, 200);
}

TEST(DbBenchTest, YcsbTakesADistributionAndAValueSize) {
  for (const char* distribution :
       {"uniform", "zipfian", "scrambled_zipfian", "latest"}) {
    const Outcome ran = RunOurs(
        "tamis_db_bench", {"--num=500", "--value_size=50",
                           "--ycsb_distribution=" + std::string(distribution),
                           "--benchmarks=ycsbload,ycsba,ycsbd,ycsbe"});
    ASSERT_EQ(ran.exit_code, 0) << ran.text;
    EXPECT_NE(ran.text.find("values of 50 bytes, " + std::string(distribution)),
              std::string::npos)
        << ran.text;
    EXPECT_EQ(Operations(ran.text, "ycsbe"), "500") << ran.text;
  }
}

TEST(DbBenchTest, MisuseExitsWithTwo) {
  EXPECT_EQ(RunOurs("tamis_db_bench", {"--ycsb_distribution=gauss"}).exit_code,
            2);
  EXPECT_EQ(RunOurs("tamis_db_bench", {"--ycsb_absent=1.5"}).exit_code, 2);
  EXPECT_EQ(RunOurs("tamis_db_bench", {"--ycsb_absent=-1"}).exit_code, 2);
  EXPECT_EQ(RunOurs("tamis_db_bench", {"--ycsb_absent=nan"}).exit_code, 2);
  EXPECT_EQ(RunOurs("tamis_db_bench", {"--benchmarks=ycsbg"}).exit_code, 2);
  EXPECT_EQ(RunOurs("tamis_db_bench", {"--benchmarks=no_such"}).exit_code, 2);
  EXPECT_EQ(RunOurs("tamis_db_bench", {"--num=0"}).exit_code, 2);
  EXPECT_EQ(RunOurs("tamis_db_bench", {"--no_such_flag=1"}).exit_code, 2);
}

}  // namespace
}  // namespace tamis
