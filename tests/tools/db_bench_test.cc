// SPDX-License-Identifier: Apache-2.0
//
// tamis_db_bench as a program: its lines are those that scripts for RocksDB's
// db_bench read, and its counts are right.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

TEST(DbBenchTest, AThreadWithoutKeysDoesNothing) {
  for (const char* duration : {"--duration=0", "--duration=0.01"}) {
    const Outcome ran =
        RunOurs("tamis_db_bench", {"--num=1", "--threads=3", duration,
                                   "--benchmarks=filluniquerandom,readrandom"});
    EXPECT_EQ(ran.exit_code, 0) << ran.text;
  }
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
      "Microseconds per operation:\nCount: 1400 Average: [0-9.]+  StdDev: "
      "[0-9.]+\nMin: [0-9.]+  Median: [0-9.]+  Max: [0-9.]+\n"
      "Percentiles: P50: [0-9.]+ P75: [0-9.]+ P99: [0-9.]+ P99.9: [0-9.]+ "
      "P99.99: [0-9.]+\n-{54}\n(. +[0-9]+, +[0-9]+ ] +[0-9]+ [^\n]*\n)+");
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

TEST(DbBenchTest, WhatChangesAndMergesCountsItsOperations) {
  const Outcome ran = RunOurs(
      "tamis_db_bench",
      {"--num=1000", "--writes=800", "--deletes=300", "--threads=2",
       "--merge_operator=stringappend", "--merge_keys=50", "--numdistinct=20",
       "--readwritepercent=50", "--deletepercent=10",
       "--benchmarks=filluniquerandom,readrandom,updaterandom,xorupdaterandom,"
       "appendrandom,mergerandom,readrandommergerandom,readrandomoperands,"
       "readwhilemerging,"
       "seekrandomwhilemerging,readwhilescanning,multireadwhilewriting,"
       "newiteratorwhilewriting,readtocache,approximatesizerandom,"
       "randomreplacekeys,randomwithverify,deleteseq,fillseekseq,fill100K"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  for (const auto& [name, operations] :
       std::vector<std::pair<std::string, std::string>>{
           {"filluniquerandom", "1000"},
           {"readrandom", "2000"},
           {"updaterandom", "2000"},
           {"xorupdaterandom", "2000"},
           {"appendrandom", "2000"},
           {"mergerandom", "1600"},
           {"readrandommergerandom", "2000"},
           {"readrandomoperands", "2000"},
           {"readwhilemerging", "2000"},
           {"seekrandomwhilemerging", "2000"},
           {"readwhilescanning", "2000"},
           {"multireadwhilewriting", "2000"},
           {"newiteratorwhilewriting", "2000"},
           {"readtocache", "1000"},
           {"approximatesizerandom", "2000"},
           {"randomreplacekeys", "1600"},
           {"randomwithverify", "2000"},
           {"deleteseq", "600"},
           {"fillseekseq", "3200"},
           {"fill100K", "2"}}) {
    EXPECT_EQ(Operations(ran.text, name), operations) << name << ran.text;
  }
  // Each key was written once: every read finds one.
  EXPECT_NE(ran.text.find("(2000 of 2000 found)"), std::string::npos);
  EXPECT_TRUE(std::regex_search(
      ran.text, std::regex("thread 1: [0-9]+ reads, [0-9]+ writes, [0-9]+ "
                           "deletions, of three keys each\n")))
      << ran.text;
}

TEST(DbBenchTest, MaintenanceIsDone) {
  const TemporaryDirectory directory;
  const std::string db = directory.Path("db");
  const Outcome ran = RunOurs(
      "tamis_db_bench",
      {"--db=" + db, "--num=5000", "--file_checksum",
       "--disable_auto_compactions", "--write_buffer_size=65536",
       "--benchmarks=fillseq,flush,levelstats,compact0,levelstats,compact1,"
       "levelstats,waitforcompaction,verifychecksum,verifyfilechecksums,"
       "resetstats,sstables,memstats,backup,restore"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  for (const char* name :
       {"compact0", "compact1", "waitforcompaction", "verifychecksum",
        "verifyfilechecksums", "resetstats", "backup", "restore"}) {
    EXPECT_EQ(Operations(ran.text, name), "1") << name << ran.text;
  }
  // Level 0 is full, then level 1, then level 2.
  for (const char level : {'0', '1', '2'}) {
    EXPECT_TRUE(std::regex_search(
        ran.text, std::regex(std::string("\n  ") + level + " +[1-9]")))
        << ran.text;
  }
  EXPECT_NE(ran.text.find("rocksdb.cur-size-all-mem-tables: "),
            std::string::npos);
  const Outcome restored =
      RunOurs("tamis_db_bench", {"--db=" + db + "_restored", "--num=5000",
                                 "--use_existing_db", "--benchmarks=readseq"});
  EXPECT_EQ(Operations(restored.text, "readseq"), "5000") << restored.text;
}

TEST(DbBenchTest, VerifyComparesEveryEntry) {
  const TemporaryDirectory directory;
  const std::string db = directory.Path("db");
  const std::string truth = directory.Path("truth");
  const auto fill = [](const std::string& path, const std::string& num) {
    ASSERT_EQ(RunOurs("tamis_db_bench",
                      {"--db=" + path, "--num=" + num, "--benchmarks=fillseq"})
                  .exit_code,
              0);
  };
  const auto verify = [&] {
    return RunOurs("tamis_db_bench",
                   {"--db=" + db, "--num=1", "--use_existing_db",
                    "--truth_db=" + truth, "--benchmarks=verify"});
  };
  fill(db, "1000");
  fill(truth, "1000");
  const Outcome equal = verify();
  EXPECT_EQ(equal.exit_code, 0) << equal.text;
  EXPECT_EQ(Operations(equal.text, "verify"), "1000") << equal.text;
  fill(truth, "1001");
  const Outcome shorter = verify();
  EXPECT_EQ(shorter.exit_code, 1);
  EXPECT_NE(shorter.text.find("is missing"), std::string::npos) << shorter.text;
  fill(truth, "999");
  const Outcome longer = verify();
  EXPECT_EQ(longer.exit_code, 1);
  EXPECT_NE(longer.text.find("should not be there"), std::string::npos)
      << longer.text;
}

TEST(DbBenchTest, FunctionsAreMeasuredWithoutADatabase) {
  const TemporaryDirectory directory;
  const std::string db = directory.Path("none");
  const Outcome ran =
      RunOurs("tamis_db_bench",
              {"--db=" + db, "--reads=50", "--block_size=8192",
               "--compression_type=zstd",
               "--benchmarks=crc32c,xxhash,xxhash64,xxh3,compress,uncompress"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  for (const char* name :
       {"crc32c", "xxhash", "xxhash64", "xxh3", "compress", "uncompress"}) {
    EXPECT_EQ(Operations(ran.text, name), "50") << name;
  }
  EXPECT_NE(ran.text.find("output: "), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(db));
  const Outcome none = RunOurs(
      "tamis_db_bench", {"--compression_type=none", "--benchmarks=compress"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_NE(none.text.find("does not compress"), std::string::npos);
}

TEST(DbBenchTest, RepeatedRunsHaveAveragesAndMedians) {
  const Outcome ran = RunOurs(
      "tamis_db_bench", {"--num=500", "--repeat=3",
                         "--benchmarks=fillseq,readrandom[X2-W1],readseq[W1]"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  const auto count = [&](const std::string& pattern) {
    const std::regex regex(pattern);
    return std::distance(
        std::sregex_iterator(ran.text.begin(), ran.text.end(), regex),
        std::sregex_iterator());
  };
  EXPECT_EQ(count("\nfillseq +: "), 3);
  EXPECT_EQ(count("\nreadrandom +: "), 3);
  EXPECT_EQ(count("\nreadseq +: "), 4);
  EXPECT_EQ(count("\nProcess: [0-9.]+ user and [0-9.]+ system seconds"), 10);
  EXPECT_EQ(count("\nfillseq \\[AVG    3 runs\\] : [0-9]+ \\(± [0-9]+\\) "
                  "ops/sec; +[0-9.]+ \\(± [0-9.]+\\) MB/sec\n"
                  "fillseq \\[MEDIAN 3 runs\\] : [0-9]+ ops/sec; +[0-9.]+ "
                  "MB/sec\n"),
            1);
  EXPECT_EQ(count("readrandom \\[MEDIAN 2 runs\\]"), 1);
  const Outcome interval = RunOurs(
      "tamis_db_bench",
      {"--num=500", "--confidence_interval_only", "--benchmarks=fillseq[X2]"});
  EXPECT_TRUE(std::regex_search(
      interval.text,
      std::regex(
          "\nfillseq \\[CI95 2 runs\\] : \\(-?[0-9]+, [0-9]+\\) ops/sec; "
          "\\(-?[0-9.]+, [0-9.]+\\) MB/sec\n$")))
      << interval.text;
}

TEST(DbBenchTest, AnOpenLoopAndLimitsKeepTheirRates) {
  for (const char* flag :
       {"--open_loop_rate=2000", "--benchmark_read_rate_limit=2000"}) {
    const Outcome ran =
        RunOurs("tamis_db_bench", {"--num=1000", "--reads=400", "--threads=2",
                                   flag, "--writes=10", "--histogram",
                                   "--benchmarks=fillseq,readrandom,ycsbc"});
    ASSERT_EQ(ran.exit_code, 0) << ran.text;
    // 800 reads at 2000 per second; the limiter lets a tenth of a second pass.
    const std::regex line("\nreadrandom +: [^\n]* ([0-9.]+) seconds");
    std::smatch match;
    ASSERT_TRUE(std::regex_search(ran.text, match, line));
    EXPECT_GE(std::stod(match[1].str()), 0.15) << flag;
  }
  const Outcome writes = RunOurs(
      "tamis_db_bench", {"--num=1000", "--benchmark_write_rate_limit=200000",
                         "--benchmarks=fillseq"});
  const std::regex line("\nfillseq +: [^\n]* ([0-9.]+) seconds");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(writes.text, match, line)) << writes.text;
  EXPECT_GE(std::stod(match[1].str()), 0.3);
}

TEST(DbBenchTest, TheReportFileHasEachInterval) {
  const TemporaryDirectory directory;
  const std::string file = directory.Path("report.csv");
  const Outcome ran = RunOurs(
      "tamis_db_bench", {"--num=1000", "--reads=2500", "--open_loop_rate=1000",
                         "--report_interval_seconds=1", "--report_file=" + file,
                         "--perf_level=2", "--benchmarks=readrandom"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_NE(ran.text.find("PERF_CONTEXT:\n"), std::string::npos);
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "secs_elapsed,interval_qps");
  std::getline(in, line);
  EXPECT_TRUE(std::regex_match(line, std::regex("1,[0-9]+"))) << line;
  std::getline(in, line);
  EXPECT_TRUE(std::regex_match(line, std::regex("2,[0-9]+"))) << line;
  EXPECT_EQ(RunOurs("tamis_db_bench",
                    {"--report_interval_seconds=1",
                     "--report_file=/no/such/dir/x", "--benchmarks=stats"})
                .exit_code,
            1);
}

TEST(DbBenchTest, JsonHasAllResultsAndIsCompared) {
  const TemporaryDirectory directory;
  const Outcome ran = RunOurs("tamis_db_bench",
                              {"--num=500", "--json", "--histogram", "--seed=7",
                               "--benchmarks=fillseq,readrandom[X2],stats"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  nlohmann::json json = nlohmann::json::parse(ran.text);
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["flags"]["num"], "500");
  EXPECT_FALSE(json["commit"].get<std::string>().empty());
  ASSERT_EQ(json["benchmarks"].size(), 2u);
  EXPECT_EQ(json["benchmarks"][0]["runs"][0]["operations"], 500);
  EXPECT_EQ(json["benchmarks"][0]["runs"][0]["bytes"], 58000);
  const auto& reads = json["benchmarks"][1];
  EXPECT_EQ(reads["name"], "readrandom");
  ASSERT_EQ(reads["runs"].size(), 2u);
  EXPECT_EQ(reads["runs"][1]["found"], 500);
  EXPECT_GT(reads["runs"][1]["latency_micros"]["p99"], 0);
  EXPECT_GT(reads["ops_per_second"]["median"], 0);

  const auto write = [&](const char* name, double rate, double reach) {
    json["benchmarks"][1]["ops_per_second"] = {
        {"median", rate}, {"mean", rate}, {"reach95", reach}};
    std::ofstream(directory.Path(name)) << json;
    return directory.Path(name);
  };
  const std::string before = write("before", 1000, 10);
  const auto compare = [&](const std::string& after, const char* flag) {
    return RunOurs("tamis_db_bench", {"compare", before, after, flag});
  };
  const Outcome slower = compare(write("slower", 900, 10), "--percent=5");
  EXPECT_EQ(slower.exit_code, 1);
  EXPECT_NE(slower.text.find("-10.0 % slower"), std::string::npos)
      << slower.text;
  // The runs differ by less than the flag says, or than they spread.
  EXPECT_EQ(compare(directory.Path("slower"), "--percent=20").exit_code, 0);
  const Outcome spread = compare(write("spread", 900, 200), "--percent=5");
  EXPECT_EQ(spread.exit_code, 0) << spread.text;
  const Outcome faster = compare(write("faster", 2000, 10), "--percent=5");
  EXPECT_EQ(faster.exit_code, 0);
  EXPECT_NE(faster.text.find("+100.0 % faster"), std::string::npos);
  std::ofstream(directory.Path("broken")) << "{";
  EXPECT_EQ(compare(directory.Path("broken"), "--percent=5").exit_code, 1);
  EXPECT_EQ(compare(directory.Path("absent"), "--percent=5").exit_code, 1);
  EXPECT_EQ(RunOurs("tamis_db_bench", {"compare", before}).exit_code, 2);
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
  for (const char* word : {"readrandom[X0]", "readrandom[Y2]", "readrandom[X2",
                           "readrandom[]", "mergerandom", "timeseries"}) {
    EXPECT_EQ(RunOurs("tamis_db_bench", {"--benchmarks=" + std::string(word)})
                  .exit_code,
              2)
        << word;
  }
}

}  // namespace
}  // namespace tamis
