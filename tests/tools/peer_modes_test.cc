// SPDX-License-Identifier: Apache-2.0
//
// The modes tail, growth and open of tamis_peer_bench: what they report, on an
// engine that stores nothing and as a program with each engine.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/directories.h"
#include "tests/tools/program.h"
#include "tools/peers/flat_table.h"
#include "tools/peers/growth_mode.h"
#include "tools/peers/null_engine.h"
#include "tools/process_usage.h"
#include "tools/store_counter.h"

namespace tamis::peers {
namespace {

TEST(FlatTableTest, TextIsAligned) {
  const FlatTable table{.name = "open",
                        .settings = "of two",
                        .columns = {"engine", "ms", "threads"},
                        .rows = {{"a", 1.5, 4.0}, {"longer 1", 1234.5, "-"}}};
  EXPECT_EQ(ToText(table),
            "open: of two\n\n"
            "engine       ms  threads\n"
            "a         1.500        4\n"
            "longer 1   1234  -      \n");
}

TEST(FlatTableTest, JsonHasAnObjectARow) {
  const FlatTable table{.name = "open",
                        .settings = "of one",
                        .columns = {"engine", "ms"},
                        .rows = {{"a", 1.5}}};
  const auto json = nlohmann::json::parse(ToJson(table));
  EXPECT_EQ(json["name"], "open");
  ASSERT_EQ(json["rows"].size(), 1u);
  EXPECT_EQ(json["rows"][0]["engine"], "a");
  EXPECT_EQ(json["rows"][0]["ms"], 1.5);
  const auto empty = nlohmann::json::parse(
      ToJson({.name = "", .settings = "", .columns = {}, .rows = {}}));
  EXPECT_TRUE(empty["rows"].is_array());
}

TEST(GrowthModeTest, EachRoundSizeAndEngineHasARow) {
  const TemporaryDirectory directory;
  std::vector<std::unique_ptr<Engine>> engines;
  engines.push_back(NewNullEngine(0));
  engines.push_back(NewNullEngine(0));
  GrowthConfig config{.work = {},
                      .engine = {},
                      .sizes = {100, 1000},
                      .rounds = 2,
                      .folder = directory.path(),
                      .wait_until_idle = [] {}};
  config.work.reads = 10;
  const FlatTable table = RunGrowth(engines, config);
  EXPECT_EQ(table.rows.size(), 8u);
  for (const auto& row : table.rows) {
    EXPECT_EQ(row.size(), table.columns.size());
  }
  // Round, keys.
  EXPECT_EQ(table.rows[0][1].number, 100);
  EXPECT_EQ(table.rows[7][0].number, 2);
  EXPECT_EQ(table.rows[7][1].number, 1000);
  // The engine tells no number of blocks.
  EXPECT_EQ(table.rows[0].back().text, "-");
}

TEST(ProcessUsageTest, TellsOfThisProcess) {
  EXPECT_GE(ThreadCount(), 1);
  EXPECT_GT(ResidentBytes(), 1u << 16);
}

class PeerModesProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::string(TAMIS_BIN_DIR) +
                                 "/tamis_peer_bench")) {
      GTEST_SKIP() << "built without RocksDB and LevelDB";
    }
  }
  // The rows of the JSON.
  nlohmann::json Rows(std::vector<std::string> flags,
                      const std::string& cache_bytes = "1048576",
                      const std::string& reads = "500") {
    const std::string file = directory_.path() + "/figures.json";
    flags.insert(flags.end(),
                 {"--json=" + file, "--db=" + directory_.path() + "/db",
                  "--idle_seconds=0.02", "--reads=" + reads,
                  "--write_buffer_size=65536", "--cache_size=" + cache_bytes});
    const Outcome ran = RunOurs("tamis_peer_bench", flags);
    EXPECT_EQ(ran.exit_code, 0) << ran.text;
    std::ifstream in(file);
    return nlohmann::json::parse(in)["rows"];
  }

 private:
  const TemporaryDirectory directory_;
};

TEST_F(PeerModesProgramTest, TailReportsReadsAndWritesOfEachEngine) {
  const auto rows = Rows({"--mode=tail", "--num=3000", "--seconds=0.2",
                          "--capacity_seconds=0.05", "--write_rate=1000"});
  ASSERT_EQ(rows.size(), 6u);
  for (const auto& row : rows) {
    EXPECT_GT(row["capacity/s"], 0);
    EXPECT_LE(row["p50"], row["p99"]);
    EXPECT_LE(row["p99.99"], row["max"]);
  }
  EXPECT_EQ(rows[0]["operation"], "read");
  EXPECT_EQ(rows[1]["operation"], "write");
  EXPECT_EQ(rows[1]["offered/s"], 1000);
  EXPECT_NEAR(rows[0]["offered/s"].get<double>(),
              0.8 * rows[0]["capacity/s"].get<double>(), 1);
}

TEST_F(PeerModesProgramTest, GrowthReportsEachSizeOfEachEngine) {
  const auto rows = Rows({"--mode=growth", "--sizes=1000,3000"});
  ASSERT_EQ(rows.size(), 6u);
  for (const auto& row : rows) {
    EXPECT_GT(row["fill"], 0);
    EXPECT_GT(row["kept"], 0);
  }
  EXPECT_EQ(rows[0]["keys"], 1000);
  EXPECT_GT(rows[0]["blocks"], 0);  // of Tamis
  EXPECT_GT(rows[1]["blocks"], 0);  // of RocksDB
  EXPECT_EQ(rows[2]["blocks"], "-");
}

TEST_F(PeerModesProgramTest, OpenReportsTablesMemoryAndThreads) {
  const auto rows = Rows({"--mode=open", "--tables=0,20", "--rounds=2"});
  // LevelDB has no tables as small as those of the second database.
  ASSERT_EQ(rows.size(), 5u);
  for (const auto& row : rows) {
    EXPECT_GT(row["open.ms"], 0);
    EXPECT_GE(row["longest.ms"], row["open.ms"]);
  }
  EXPECT_EQ(rows[0]["tables"], 0);
  EXPECT_GT(rows[3]["tables"], 10);
  EXPECT_GT(rows[4]["tables"], 10);
  EXPECT_GE(rows[1]["threads"], 2);  // RocksDB's pools
}

TEST_F(PeerModesProgramTest, RangesReportsEachReadOfEachCase) {
  const auto rows =
      Rows({"--mode=ranges", "--ranges=200", "--engines=tamis,leveldb"});
  // LevelDB has no range deletions. Six cases of three reads, and four seeks.
  ASSERT_EQ(rows.size(), 6u * 3 + 4);
  for (const auto& row : rows) {
    EXPECT_EQ(row["reads"], 500);
    EXPECT_LE(row["p50"], row["p99"]);
    EXPECT_LE(row["p99"], row["max"]);
  }
  EXPECT_EQ(rows[0]["read"], "get");
  EXPECT_EQ(rows[1]["read"], "seek");
  EXPECT_EQ(rows[21]["case"], "covered, above and below");
}

TEST_F(PeerModesProgramTest, StallReportsEachLoadOfEachEngine) {
  const auto rows =
      Rows({"--mode=stall", "--num=3000", "--seconds=0.1", "--engines=tamis"});
  ASSERT_EQ(rows.size(), 4u);
  for (const auto& row : rows) {
    EXPECT_GT(row["done/s"], 0);
    EXPECT_LE(row["p99.9"], row["max"]);
  }
  EXPECT_EQ(rows[1]["share"], 1);
  EXPECT_NEAR(rows[3]["offered/s"].get<double>(),
              2 * rows[1]["done/s"].get<double>(), 1);
}

TEST_F(PeerModesProgramTest, MemoryReportsEachPhaseUnderEachCache) {
  const auto rows = Rows({"--mode=memory", "--num=20000", "--tables=20",
                          "--engines=tamis,leveldb"});
  // LevelDB has no budget. Three caches, four phases.
  ASSERT_EQ(rows.size(), 3u * 4);
  for (const auto& row : rows) {
    EXPECT_GE(row["tables"], 10);
    EXPECT_EQ(row["charged"] > 0, row["phase"] != "before");
    EXPECT_GE(row["peak"], row["resident"]);
    EXPECT_LE(row["p50"], row["p99"]);
  }
  EXPECT_EQ(rows[0]["cache"], 1);  // MiB, as given
  EXPECT_NEAR(rows[4]["cache"].get<double>(),
              1 + rows[2]["readers"].get<double>(), 0.01);
  EXPECT_EQ(rows[8]["cache"], 4096);
  EXPECT_LE(rows[2]["charged"], rows[10]["charged"]);
}

// What performance.md says of Tamis: of its reads, only iterators store to
// lines of other threads, twice for each block that they come to.
TEST_F(PeerModesProgramTest, StoresThatThreadsShareAreFew) {
  if (!CanCountStores()) GTEST_SKIP() << "not on this platform";
  const auto rows = Rows({"--mode=stores", "--num=20000", "--engines=tamis"},
                         /*cache_bytes=*/"268435456", /*reads=*/"128");
  ASSERT_EQ(rows.size(), 6u);
  const double most[] = {0.3, 0.3, 0.3, 2.3, 2.3, 0.3};
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_LT(rows[i]["shared"].get<double>(), most[i]) << rows[i];
    EXPECT_GT(rows[i]["stores"], 1) << rows[i];
  }
}

TEST_F(PeerModesProgramTest, MisuseExitsWithTwo) {
  const std::vector<std::vector<std::string>> misuses = {
      {"--mode=no_such"},
      {"--mode=tail", "--load=0"},
      {"--mode=tail", "--seconds=nan"},
      {"--mode=growth", "--sizes="},
      {"--mode=growth", "--sizes=0"},
      {"--mode=open", "--tables=ten"},
      {"--mode=memory", "--tables=0"},
      {"--mode=ranges", "--ranges=1"},
      {"--mode=stall", "--seconds=0"},
      {"--mode=open", "--tables=5000000000"}};
  for (const auto& flags : misuses) {
    EXPECT_EQ(RunOurs("tamis_peer_bench", flags).exit_code, 2)
        << flags.front() << " " << flags.back();
  }
}

}  // namespace
}  // namespace tamis::peers
