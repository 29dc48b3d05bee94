// SPDX-License-Identifier: Apache-2.0
//
// Random histories (tests/model/history.h), compared with a std::map
// (tests/model/model.h).
//
//   TAMIS_SEED=n      runs only this seed
//   TAMIS_SEEDS=n     runs n seeds instead of 500
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/perf_context.h"

#include "filter/filter_registry.h"
#include "tests/model/life.h"
#include "tests/support/effort.h"
#include "tests/support/filter_choices.h"
#include "tests/support/worker_service.h"

namespace tamis::model {
namespace {

constexpr uint64_t kGroups = 10;
constexpr uint64_t kSeedsByDefault = 500;

// What an abort (a failed check of the engine) is told with.
const Life* living = nullptr;

void TellAndDie(int signal) {
  std::signal(signal, SIG_DFL);
  if (living != nullptr) std::fputs(living->Tail().c_str(), stderr);
  std::raise(signal);
}

// Goes through the life; the result is as Go's.
std::string Live(Life* life) {
  std::signal(SIGABRT, TellAndDie);
  living = life;
  std::string problem = life->Go();
  living = nullptr;
  return problem;
}

void LiveSeed(uint64_t seed) {
  Life life(seed);
  EXPECT_EQ(Live(&life), "") << life.Tail();
}

class ModelTest : public testing::TestWithParam<uint64_t> {};

TEST_P(ModelTest, DatabaseAgreesWithAMapThroughFaultsAndPowerFailures) {
  if (std::getenv("TAMIS_SEED") != nullptr) {
    if (GetParam() == 0) LiveSeed(FromEnvironment("TAMIS_SEED", 0));
    return;
  }
  const uint64_t count = SeedCount(kSeedsByDefault);
  for (uint64_t seed = GetParam(); seed < count && !HasFailure();
       seed += kGroups) {
    LiveSeed(seed);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ModelTest,
                         testing::Range(uint64_t{0}, kGroups));

// Returns the first lines that differ, or "" if there are none.
std::string FirstDifference(const std::vector<std::string>& a,
                            const std::vector<std::string>& b) {
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at.first == a.end() && at.second == b.end()) return "";
  const std::string none = "(no line)";
  return "line " + std::to_string(at.first - a.begin()) + ": " +
         (at.first == a.end() ? none : *at.first) + "\n" +
         (at.second == b.end() ? none : *at.second);
}

TEST(ModelLifeTest, SameSeedGivesTheSameHistory) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    Life first(seed);
    Life second(seed);
    first.KeepLog();
    second.KeepLog();
    EXPECT_EQ(Live(&first), Live(&second));
    EXPECT_EQ(FirstDifference(first.log(), second.log()), "")
        << "seed " << seed;
    EXPECT_GT(first.log().size(), 100U);
  }
}

TEST(ModelLifeTest, SeedsCoverEveryOperationAndFault) {
  std::map<std::string, int> found = {
      {"power is cut", 0},    {"killed", 0},
      {"Open: IO error", 0},  {"Open: OK", 0},
      {"Write: IO error", 0}, {"Flush: IO error", 0},
      {"Close: OK", 0},       {"Resume: IO error", 0},
      {"Resume: OK", 0},      {"CompactRange: IO error", 0},
      {" merge+", 0},         {" single-", 0},
      {" range-", 0},
  };
  int deep = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Life life(seed);
    ASSERT_EQ(Live(&life), "") << life.Tail();
    for (const std::string& line : life.log()) {
      for (auto& [what, count] : found) {
        if (line.find(what) != std::string::npos) ++count;
      }
      if (line.find("files") == std::string::npos) continue;
      // Something in level 2 or below, beside something above it.
      deep += line.find("L2=0 L3=0 L4=0 L5=0 L6=0") == std::string::npos &&
              line.find("L0=0 L1=0") == std::string::npos;
    }
  }
  for (const auto& [what, count] : found) EXPECT_GT(count, 3) << what;
  EXPECT_GT(deep, 100);
}

// Every kind of filter that options can ask for occurs often.
TEST(ModelHistoryTest, SeedsCoverEveryFilter) {
  std::vector<std::string> wanted = {
      "full Bloom",         "partitioned Bloom",
      "full Ribbon",        "full budget",
      "full rate",          "partitioned budget",
      "partitioned rate",   "full user's",
      "partitioned user's", "[none",
      "block-based Bloom",  "block-based user's",
      "FixedPrefix",        "CappedPrefix",
      "rocksdb.Noop",       "BeforeSlash",
      "no whole keys",      "none in the last level"};
  for (const FilterFormat format : kFilterFormats) {
    wanted.push_back(std::string(", ") + NameOf(format));
  }
  ASSERT_EQ(kRangeFilterTypes.size(), RangeFilterCodecs().size());
  for (const RangeFilterCodec* codec : RangeFilterCodecs()) {
    wanted.push_back("ranges " + std::string(codec->name()));
  }
  std::map<std::string, int> found;
  for (uint64_t seed = 0; seed < kSeedsByDefault; ++seed) {
    const History history = MakeHistory(seed);
    for (const std::string& what : wanted) {
      found[what] += history.description.find(what) != std::string::npos;
    }
  }
  for (const std::string& what : wanted) EXPECT_GE(found[what], 20) << what;
}

// Filters exclude keys, prefixes and ranges, and let others pass.
TEST(ModelLifeTest, SeedsProbeEveryKindOfFilter) {
  get_perf_context()->Reset();
  for (uint64_t seed = 100; seed < 130; ++seed) {
    Life life(seed);
    ASSERT_EQ(Live(&life), "") << life.Tail();
  }
  const PerfContext& perf = *get_perf_context();
  EXPECT_GT(perf.bloom_sst_miss_count, 1000u);
  EXPECT_GT(perf.bloom_sst_hit_count, 1000u);
  EXPECT_GT(perf.range_filter_miss_count, 1000u);
  EXPECT_GT(perf.range_filter_hit_count, 1000u);
}

// A worker's tables can be used, unless a fault made the job fail.
TEST(ModelLifeTest, SeedsLetWorkersCompact) {
  int installed = 0;
  for (uint64_t seed = 200; seed < 260; ++seed) {
    Life life(seed);
    ASSERT_EQ(Live(&life), "") << life.Tail();
    const History& history = life.history();
    const bool has_faults = std::any_of(
        history.operations.begin(), history.operations.end(),
        [](const Operation& operation) { return operation.act == Act::kArm; });
    for (const Options& options : history.options) {
      if (options.compaction_service == nullptr) continue;
      const auto& service =
          static_cast<const WorkerService&>(*options.compaction_service);
      installed += service.told(CompactionServiceJobStatus::kSuccess);
      if (has_faults) continue;
      EXPECT_EQ(service.told(CompactionServiceJobStatus::kFailure), 0)
          << life.Tail();
    }
  }
  EXPECT_GT(installed, 100);
}

TEST(ModelLifeTest, SeedsGiveDifferentHistories) {
  Life first(1);
  Life second(2);
  EXPECT_EQ(Live(&first), "");
  EXPECT_EQ(Live(&second), "");
  EXPECT_NE(first.log(), second.log());
}

}  // namespace
}  // namespace tamis::model
