// SPDX-License-Identifier: Apache-2.0
//
// tamis_filter_bench as a program: every format that reads its filters, in each
// placement that it has; sizes and rates are those of the formats; the same in
// every form of output. Times are not tested.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "filter/filter_codec.h"
#include "filter/filter_registry.h"
#include "tests/support/directories.h"
#include "tests/tools/program.h"

namespace tamis {
namespace {

using Json = nlohmann::json;

constexpr const char* kProgram = "tamis_filter_bench";
const std::vector<std::string> kQuick = {"--rounds=1", "--probes=1024",
                                         "--cold_mb=1"};

Outcome Bench(std::vector<std::string> flags) {
  flags.insert(flags.end(), kQuick.begin(), kQuick.end());
  return RunOurs(kProgram, flags);
}

Json Figures(const std::vector<std::string>& flags) {
  std::vector<std::string> all = {"--format=json"};
  all.insert(all.end(), flags.begin(), flags.end());
  const Outcome outcome = Bench(all);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  return Json::parse(outcome.text)["figures"];
}

TEST(FilterBenchTest, HasEveryCodecAndPlacement) {
  std::map<std::string, std::set<std::string>> placements;
  for (const Json& one :
       Figures({"--keys=5000", "--placements=all", "--filters=tamis"})) {
    placements[one["filter"]].insert(one["placement"].get<std::string>());
    EXPECT_EQ(one["keys"], 5000u);
    EXPECT_EQ(one["key_bytes"], 16u);
    for (const char* time : {"build_ns", "hit_ns", "miss_ns", "cold_ns"}) {
      EXPECT_EQ(one[time].size(), 1u) << one;
    }
  }
  for (const FilterCodec* codec : BuiltinCodecs()) {
    const bool leveldb = codec->name().starts_with("LevelDB");
    EXPECT_EQ(placements[std::string(codec->name())],
              leveldb ? (std::set<std::string>{"block-based"})
                      : (std::set<std::string>{"full", "partitioned"}))
        << codec->name();
  }
  EXPECT_EQ(placements.size(), BuiltinCodecs().size());
}

TEST(FilterBenchTest, SizesAndRatesAreThoseOfTheFormats) {
  for (const Json& one : Figures({"--keys=20000", "--placements=all"})) {
    const double observed = one["observed_rate"];
    const double bits = one["bits_per_key"];
    EXPECT_GT(observed, 0.002) << one;
    EXPECT_LT(observed, 0.02) << one;
    EXPECT_GT(bits, 6.5) << one;
    EXPECT_LT(bits, 11) << one;
    // Of the few keys of a block, more bits coincide than theory has it.
    if (one["predicted_rate"].is_number() &&
        one["placement"] != "block-based") {
      EXPECT_NEAR(observed / one["predicted_rate"].get<double>(), 1, 0.25)
          << one;
    }
    // The keys of a table take memory before they are a filter; partitions and
    // blocks need little at a time beside the filters.
    EXPECT_GE(one["build_memory_bytes"].get<uint64_t>() + 4096,
              one["filter_bytes"].get<uint64_t>())
        << one;
  }
}

TEST(FilterBenchTest, TheBloomFiltersOfRocksdbAreOurs) {
  std::map<std::string, Json> by_engine;
  for (const Json& one :
       Figures({"--keys=20000", "--placements=all", "--bits_per_key=12"})) {
    const std::string name = one["filter"];
    if (name.find("Bloom") == std::string::npos || name == "CacheLocalBloom" ||
        name == "LevelDBBloomSignedTail") {
      continue;
    }
    by_engine[one["engine"].get<std::string>() + " " +
              one["placement"].get<std::string>()] = one;
  }
  if (!by_engine.contains("rocksdb full")) GTEST_SKIP() << "built without";
  for (const auto& [ours, theirs] : std::map<std::string, std::string>{
           {"tamis full", "rocksdb full"},
           {"tamis block-based", "leveldb block-based"}}) {
    EXPECT_EQ(by_engine[ours]["filter_bytes"],
              by_engine[theirs]["filter_bytes"])
        << ours;
    EXPECT_NEAR(by_engine[ours]["observed_rate"].get<double>() /
                    by_engine[theirs]["observed_rate"].get<double>(),
                1, 0.1)
        << ours;
  }
}

TEST(FilterBenchTest, EveryFormOfOutputHasEveryLine) {
  const TemporaryDirectory folder;
  const std::vector<std::string> what = {"--keys=2000,3000",
                                         "--filters=Ribbon,Xor",
                                         "--placements=full,partitioned"};
  const auto with = [&](const std::string& flag) {
    std::vector<std::string> flags = what;
    flags.push_back(flag);
    return flags;
  };
  const size_t lines = Figures(what).size();
  EXPECT_GE(lines, 8u);
  const std::string page = folder.Path("page.html");
  const Outcome table = Bench(with("--html=" + page));
  EXPECT_EQ(Count(table.text, "\n"), lines + 2) << table.text;
  EXPECT_EQ(Count(Bench(with("--format=csv")).text, "\n"), lines + 1);
  EXPECT_EQ(Count(Bench(with("--format=markdown")).text, "\n"), lines + 2);
  const std::string html = ReadWholeFile(page);
  // Eight charts with a bar a line.
  EXPECT_EQ(Count(html, "<figure>"), 8u);
  EXPECT_EQ(Count(html, "<rect "), 8 * lines);
  EXPECT_EQ(html.find("http:"), html.find("http://www.w3.org"));
}

TEST(FilterBenchTest, WhatIsNotThereIsMisuse) {
  for (const char* flag : {"--keys=0", "--keys=ten", "--keys=", "--key_sizes=7",
                           "--placements=some", "--filters=Cuckoo"}) {
    const Outcome outcome = Bench({flag});
    EXPECT_EQ(outcome.exit_code, 2) << flag << ": " << outcome.text;
    EXPECT_EQ(Count(outcome.text, "\n"), 1u) << outcome.text;
  }
  EXPECT_EQ(Bench({"--keys=1000", "--filters=Xor", "--html=/no/such/place"})
                .exit_code,
            1);
}

}  // namespace
}  // namespace tamis
