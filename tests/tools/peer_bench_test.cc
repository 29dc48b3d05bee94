// SPDX-License-Identifier: Apache-2.0
//
// tamis_peer_bench: its statistics, plans and reports, its workloads on an
// engine that stores nothing, and the program with each engine.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/directories.h"
#include "tests/tools/program.h"
#include "tools/peers/null_engine.h"
#include "tools/peers/preset.h"
#include "tools/peers/report.h"
#include "tools/peers/rounds.h"
#include "tools/repeated_runs.h"

namespace tamis::peers {
namespace {

TEST(PeerComparisonTest, MedianLeastAndMost) {
  const Summary odd = Summarize({3, 1, 2});
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(odd.least, 1);
  EXPECT_EQ(odd.most, 3);
  EXPECT_EQ(Summarize({4, 1, 2, 3}).median, 2.5);
}

TEST(PeerComparisonTest, TheIntervalOfAMeanIsThatOfStudentsT) {
  const Mean mean = MeanOf({1, 2, 3});
  EXPECT_DOUBLE_EQ(mean.value, 2);
  EXPECT_NEAR(mean.reach, 4.303 / std::sqrt(3.0), 1e-9);
  EXPECT_EQ(MeanOf({5}).reach, 0);
}

TEST(PeerComparisonTest, TheRatioIsPerRound) {
  // Twice as fast in each round, although the machine is slower in the second.
  const Ratio ratio = Compare({1, 10, 1}, {2, 20, 2});
  EXPECT_DOUBLE_EQ(ratio.median, 2);
  EXPECT_NEAR(ratio.lower95, 2, 1e-9);
}

TEST(PeerComparisonTest, TheBoundIsThatOfStudentsT) {
  // Logarithms of the ratios: -1, 0, 1, so mean 0 and deviation 1.
  const double e = std::exp(1.0);
  const Ratio ratio = Compare({1, 1, 1}, {1 / e, 1, e});
  EXPECT_DOUBLE_EQ(ratio.median, 1);
  EXPECT_NEAR(ratio.lower95, std::exp(-4.303 / std::sqrt(3.0)), 1e-9);
  EXPECT_NEAR(Compare({2}, {6}).lower95, 3, 1e-9);
}

TEST(PeerPresetTest, NamesAreUniqueAndRowsExist) {
  std::set<std::string> names;
  for (const Preset& preset : Presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    Compression ignored{};
    EXPECT_TRUE(preset.compression.empty() ||
                ParseCompression(preset.compression, &ignored));
    for (const TableSpec& table : preset.tables) {
      EXPECT_FALSE(table.rows.empty()) << preset.name;
      for (const std::string_view row : table.rows) {
        EXPECT_NE(FindWorkload(row), nullptr) << preset.name << " " << row;
      }
    }
  }
  EXPECT_EQ(FindPreset("no_such"), nullptr);
  EXPECT_EQ(FindWorkload("no_such"), nullptr);
}

TEST(PeerPresetTest, EachWorkloadIsInAPreset) {
  for (const Workload& workload : Workloads()) {
    bool found = false;
    for (const Preset& preset : Presets()) {
      for (const TableSpec& table : preset.tables) {
        found = found || std::count(table.rows.begin(), table.rows.end(),
                                    workload.name) > 0;
      }
    }
    EXPECT_TRUE(found) << workload.name;
  }
}

TEST(PeerPresetTest, AColdTableHasAShareOfTheDataAsCacheAndFewerReads) {
  WorkloadConfig work;
  work.num = 1000;
  work.reads = 500;
  work.key_size = 16;
  work.value_size = 84;
  const auto tables = PlanTables(*FindPreset("cold"), {}, work, {}, 50);
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].cache_bytes, 10'000u);
  EXPECT_EQ(tables[1].cache_bytes, 3'500u);
  for (const PlannedTable& table : tables) {
    EXPECT_TRUE(table.cold);
    EXPECT_EQ(table.work.reads, 50u);
  }
}

TEST(PeerPresetTest, RowsAreChosenByNameAndRunByStage) {
  const std::vector<std::string> rows = {"readseq", "fillseq", "readmissing"};
  const auto tables = PlanTables(*FindPreset("default"), rows, {}, {}, 50);
  ASSERT_EQ(tables.size(), 3u);
  ASSERT_EQ(tables[0].rows.size(), 3u);
  EXPECT_STREQ(tables[0].rows[0]->name, "fillseq");
  EXPECT_STREQ(tables[0].rows[1]->name, "readmissing");
  EXPECT_STREQ(tables[0].rows[2]->name, "readseq");
  EXPECT_FALSE(tables[0].cold);
  ASSERT_EQ(tables[1].rows.size(), 1u);
  EXPECT_TRUE(PlanTables(*FindPreset("sync"), {"readseq"}, {}, {}, 50).empty());
}

// Each row of each preset has a cost of each engine and round, and does as many
// operations as it says.
TEST(PeerRoundsTest, EveryRowOfEveryPresetIsMeasured) {
  constexpr int kRounds = 2;
  const TemporaryDirectory directory;
  WorkloadConfig work;
  work.num = 100;
  work.reads = 64;
  work.syncs = 16;
  for (const Preset& preset : Presets()) {
    SCOPED_TRACE(preset.name);
    std::vector<std::unique_ptr<Engine>> engines;
    engines.push_back(NewNullEngine(work.num));
    engines.push_back(NewNullEngine(work.num));
    Rounds rounds(std::move(engines), directory.path(),
                  PlanTables(preset, {}, work, {}, 64), {}, [] {});
    for (int round = 0; round < kRounds; ++round) rounds.Run(round);
    const auto figures = rounds.Figures();
    ASSERT_EQ(figures.size(), preset.tables.size());
    for (size_t t = 0; t < figures.size(); ++t) {
      EXPECT_EQ(figures[t].measurements.size(), preset.tables[t].rows.size());
      for (const Measurement& m : figures[t].measurements) {
        SCOPED_TRACE(m.workload);
        ASSERT_EQ(m.engines.size(), 2u);
        for (const auto& costs : m.engines) EXPECT_EQ(costs.size(), kRounds);
      }
    }
  }
}

TEST(PeerWorkloadTest, OperationsAreCountedOverAllThreads) {
  WorkloadConfig work;
  work.num = 1001;
  work.reads = 640;
  work.syncs = 100;
  const auto engine = NewNullEngine(work.num);
  const auto operations = [&](const char* name) {
    return FindWorkload(name)->run(*engine, work);
  };
  for (const char* fill :
       {"fillseq", "fillseqbatch", "fillrandom", "fillrandbatch", "fillrandom2",
        "fillrandom4", "overwrite", "writewhilereading", "readseq",
        "mergerandom"}) {
    EXPECT_EQ(operations(fill), 1001u) << fill;
  }
  for (const char* read :
       {"readrandom", "readrandom2", "readmissing", "readmixed", "readzipfian",
        "multiget", "seekrandom", "seeknew", "seeknext10", "readwhilewriting",
        "readwrite", "ycsba", "ycsbb", "ycsbc", "ycsbd", "ycsbe", "ycsbf"}) {
    EXPECT_EQ(operations(read), 640u) << read;
  }
  for (const char* sync : {"fillsync", "fillsync8"}) {
    EXPECT_EQ(operations(sync), 100u) << sync;
  }
  EXPECT_EQ(operations("deleterandom"), 501u);
  EXPECT_EQ(operations("deleterange"), 1u);
}

RunReport SmallReport() {
  RunReport run{
      .preset = "cold",
      .settings = "of two engines",
      .engines = {{"a 1", {.flush = 2, .compaction = 3}}, {"b 2", {}}},
      .tables = {}};
  run.tables.push_back(
      {.name = "cold10",
       .conditions = "cache 1 KiB",
       .measurements = {{.workload = "readrandom",
                         .threads = 1,
                         .engines = {{{1, 1, 7, 5}, {1, 1, 7, 5}},
                                     {{2, 3, 9, 6}, {2, 3, 9, 6}}}},
                        {.workload = "readrandom2",
                         .threads = 2,
                         .engines = {{{0.5, 0}, {0.5, 0}}, {}}}}});
  return run;
}

TEST(PeerReportTest, TextHasFiguresRatiosAndThreads) {
  const std::string text = ToText(SmallReport());
  for (const char* part :
       {"of two engines\n", "a 1 2 + 3, parallel_threads 1",
        "threads that call: one, readrandom2 2", "cold10: cache 1 KiB\n",
        "1.000 [1.000 .. 1.000] cpu 1.000", "2.000 [2.000 .. 2.000] cpu 3.000",
        "2.00 (2.00) cpu 3.00 (3.00)", "readrandom2 / readrandom\n",
        "bytes given to storage until", "7, files 5", "9, files 6"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(PeerReportTest, JsonHasRoundsAndRatiosByTable) {
  const auto json = nlohmann::json::parse(ToJson({SmallReport()}));
  const auto& run = json["runs"][0];
  EXPECT_EQ(run["preset"], "cold");
  EXPECT_EQ(run["engines"][0]["compaction_threads"], 3);
  const auto& table = run["tables"][0];
  EXPECT_EQ(table["name"], "cold10");
  const auto& row = table["workloads"]["readrandom"];
  EXPECT_EQ(row["threads"], 1);
  EXPECT_EQ(row["engines"]["a 1"]["rounds"].size(), 2u);
  EXPECT_EQ(row["engines"]["b 2"]["cpu_median"], 3);
  EXPECT_EQ(row["engines"]["b 2"]["stored_median"], 9);
  EXPECT_EQ(row["engines"]["b 2"]["kept_median"], 6);
  EXPECT_NEAR(row["engines"]["b 2"]["ratio"]["lower95"], 2, 1e-9);
  EXPECT_NEAR(row["engines"]["b 2"]["cpu_ratio"]["median"], 3, 1e-9);
  // An engine that does not take part has no figures.
  const auto& other = table["workloads"]["readrandom2"];
  EXPECT_EQ(other["threads"], 2);
  EXPECT_FALSE(other["engines"].contains("b 2"));
}

class PeerBenchProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::string(TAMIS_BIN_DIR) +
                                 "/tamis_peer_bench")) {
      GTEST_SKIP() << "built without RocksDB and LevelDB";
    }
  }
};

TEST_F(PeerBenchProgramTest, EachEngineRunsEachRow) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/figures.json";
  const Outcome ran =
      RunOurs("tamis_peer_bench",
              {"--preset=default,writes,sync,mixed,deletes,ycsb,levels",
               "--num=3000", "--reads=640", "--cold_reads=640", "--syncs=16",
               "--rounds=1", "--write_buffer_size=65536",
               "--cache_size=1048576", "--idle_seconds=0.02",
               "--db=" + directory.path() + "/db", "--json=" + file});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  std::ifstream in(file);
  const auto json = nlohmann::json::parse(in);
  ASSERT_EQ(json["runs"].size(), 7u);
  std::set<std::string> rows;
  for (const auto& run : json["runs"]) {
    for (const auto& table : run["tables"]) {
      for (const auto& [name, row] : table["workloads"].items()) {
        rows.insert(name);
        // LevelDB has neither.
        const bool all = name != "mergerandom" && name != "deleterange";
        EXPECT_EQ(row["engines"].size(), all ? 3u : 2u) << name;
      }
    }
  }
  EXPECT_EQ(rows.size(), Workloads().size());
}

TEST_F(PeerBenchProgramTest, LevelDBIsLeftOutWhereItLacksTheCompression) {
  const Outcome ran =
      RunOurs("tamis_peer_bench", {"--preset=zstd", "--rows=readrandom",
                                   "--num=1000", "--reads=100", "--rounds=1"});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  EXPECT_NE(ran.text.find("which lacks zstd"), std::string::npos) << ran.text;
}

TEST_F(PeerBenchProgramTest, MisuseExitsWithTwo) {
  for (const char* flag :
       {"--preset=no_such", "--preset=", "--rows=no_such", "--engines=no_such",
        "--engines=", "--num=0", "--rounds=0", "--key_size=7",
        "--compression_type=gzip", "--cold_reads=0", "--idle_seconds=0"}) {
    EXPECT_EQ(RunOurs("tamis_peer_bench", {flag}).exit_code, 2) << flag;
  }
  EXPECT_EQ(RunOurs("tamis_peer_bench", {"--preset=sync", "--rows=readseq"})
                .exit_code,
            2);
}

}  // namespace
}  // namespace tamis::peers
