// SPDX-License-Identifier: Apache-2.0
//
// tamis_db_bench as a program: its lines are those that scripts for RocksDB's
// db_bench read, and its counts are right.
#include <iterator>
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
               "stats,fillrandom,readrandom,deleteseq,readseq,fillbatch,"
               "fillsync,readrandomwriterandom,seekrandomwhilewriting,"
               "newiterator,flush,deleterandom"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"fillseq", "4000"},
      {"readseq", "4000"},
      {"readreverse", "4000"},
      {"readmissing", "4000"},
      {"multireadrandom", "4000"},
      {"seekrandom", "4000"},
      {"readwhilewriting", "4000"},
      {"overwrite", "4000"},
      {"compact", "1"},
      {"fillrandom", "4000"},
      {"readrandom", "4000"},
      {"deleteseq", "4000"},
      {"fillbatch", "4000"},
      {"fillsync", "4"},
      {"readrandomwriterandom", "4000"},
      {"seekrandomwhilewriting", "4000"},
      {"newiterator", "4000"},
      {"flush", "1"},
      {"deleterandom", "4000"}};
  for (const auto& [name, operations] : expected) {
    EXPECT_EQ(Operations(ran.text, name), operations) << name << ran.text;
  }
  // After fillseq every key is there, and no other.
  EXPECT_NE(ran.text.find("(0 of 4000 found)"), std::string::npos);
  EXPECT_NE(ran.text.find("(4000 of 4000 found)"), std::string::npos);
  EXPECT_NE(ran.text.find("** Compaction Stats [default] **"),
            std::string::npos);
}

// As in RocksDB's db_bench, each thread does as many operations as the flags
// say.
TEST(DbBenchTest, EachThreadDoesTheOperationsOfTheFlags) {
  const Outcome ran = RunOurs(
      "tamis_db_bench", {"--num=1000", "--reads=300", "--writes=200",
                         "--threads=3", "--compression_type=zstd",
                         "--compression_parallel_threads=1", "--block_size=512",
                         "--benchmarks=fillseq,overwrite,readrandom,readseq"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_EQ(Operations(ran.text, "fillseq"), "600") << ran.text;
  EXPECT_EQ(Operations(ran.text, "overwrite"), "600");
  EXPECT_EQ(Operations(ran.text, "readrandom"), "900");
  EXPECT_EQ(Operations(ran.text, "readseq"), "900");
}

TEST(DbBenchTest, ADurationEndsABenchmarkInsteadOfItsNumber) {
  const Outcome ran =
      RunOurs("tamis_db_bench", {"--num=10", "--duration=0.01",
                                 "--benchmarks=fillseq,readrandom,readseq"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_GE(std::stoull(Operations(ran.text, "fillseq")), 999u) << ran.text;
  EXPECT_GE(std::stoull(Operations(ran.text, "readrandom")), 999u);
  EXPECT_EQ(Operations(ran.text, "readseq"), "10");
}

TEST(DbBenchTest, ASeekReadsTheNextEntriesInTheirDirection) {
  const auto run = [](const std::vector<std::string>& flags) {
    std::vector<std::string> all = {"--num=2000", "--reads=500",
                                    "--benchmarks=fillseq,seekrandom"};
    all.insert(all.end(), flags.begin(), flags.end());
    const Outcome ran = RunOurs("tamis_db_bench", all);
    EXPECT_EQ(ran.exit_code, 0) << ran.text;
    EXPECT_NE(ran.text.find("(500 of 500 found)"), std::string::npos);
  };
  run({});
  run({"--seek_nexts=10"});
  run({"--seek_nexts=10", "--reverse_iterator", "--noverify_checksum"});
}

TEST(DbBenchTest, TheHistogramHasEachOperation) {
  const Outcome ran =
      RunOurs("tamis_db_bench", {"--num=700", "--threads=2", "--histogram",
                                 "--benchmarks=fillseq,readrandom"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  const std::regex lines(
      "Microseconds per operation:\nCount: 1400 Average: [0-9.]+\n"
      "Min: [0-9.]+  Median: [0-9.]+  Max: [0-9.]+\n"
      "Percentiles: P50: [0-9.]+ P75: [0-9.]+ P99: [0-9.]+ P99.9: [0-9.]+ "
      "P99.99: [0-9.]+\n");
  const auto first =
      std::sregex_iterator(ran.text.begin(), ran.text.end(), lines);
  EXPECT_EQ(std::distance(first, std::sregex_iterator()), 2) << ran.text;
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
  EXPECT_EQ(RunOurs("tamis_db_bench", {"--compression_type=gzip"}).exit_code,
            2);
  EXPECT_EQ(RunOurs("tamis_db_bench", {"--duration=-1"}).exit_code, 2);
  EXPECT_EQ(RunOurs("tamis_db_bench", {"--readwritepercent=101"}).exit_code, 2);
}

}  // namespace
}  // namespace tamis
