// SPDX-License-Identifier: Apache-2.0
//
// Another process takes a database over, at every call to the cluster that the
// scripts of tests/crash make: it finds what the one before had promised, and
// what that one has sent, or sends, arrives while it works. Calls fail, answers
// get lost, requests arrive late or twice.
//
//   TAMIS_TAKE_OVERS=n       LongTest runs n random scripts and faults
//   TAMIS_SEED=n             another seed
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/crash/life.h"
#include "tests/rados/cluster_file_system.h"
#include "tests/support/effort.h"
#include "util/base/random.h"

namespace tamis::rados {
namespace {

using crash::Kind;
using crash::Life;
using crash::Script;
using crash::Triple;

constexpr Unreliability kUnreliable = {20, 20, 20};

struct Late {
  uint64_t arrived = 0;
  uint64_t refused = 0;
};

std::shared_ptr<ClusterFileSystem> NewFileSystem(const Triple& triple) {
  return std::make_shared<ClusterFileSystem>(triple.seed, kUnreliable,
                                             !crash::IsPowerCut(triple.kind));
}

// Empty, or what went wrong, with its story.
std::string Live(const Script& script, const Triple& triple,
                 const std::shared_ptr<ClusterFileSystem>& fs) {
  Life life(script, triple, fs);
  std::string problem = life.Go();
  if (problem.empty()) return problem;
  problem = triple.ToString() + ": " + problem + "\n";
  for (const std::string& line : life.log()) problem += line + "\n";
  return problem;
}

uint64_t CallsOf(const Script& script) {
  Triple none;
  none.script = script.name;
  Life life(script, none, NewFileSystem(none));
  EXPECT_EQ(life.Go(), "") << script.name;
  return life.operations().size();
}

class TakeOverTest : public testing::TestWithParam<std::string> {};

// Of calls that fail, and of take-overs at every call.
TEST_P(TakeOverTest, FindsWhatWasPromised) {
  const Script script = crash::FindScript(GetParam());
  const uint64_t calls = CallsOf(script);
  Late late;
  uint64_t lives = 0;
  for (uint64_t call = 1; call <= calls; call += Stride()) {
    for (const Kind kind : {Kind::kDrop, Kind::kError, Kind::kBroken}) {
      Triple triple;
      triple.script = script.name;
      triple.call = call;
      triple.kind = kind;
      triple.seed = FromEnvironment("TAMIS_SEED", 1) + call;
      const auto fs = NewFileSystem(triple);
      ASSERT_EQ(Live(script, triple, fs), "");
      late.arrived += fs->cluster().late();
      late.refused += fs->cluster().late_refused();
      ++lives;
    }
  }
  std::cout << lives << " take-overs; " << late.arrived
            << " requests arrived late, " << late.refused << " refused\n";
  EXPECT_GT(lives, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, TakeOverTest,
                         testing::ValuesIn(crash::ScriptNames()),
                         [](const auto& name) { return name.param; });

// What the tests above would find in an engine that trusts leases.
TEST(TakeOverControlTest, WithoutConditionsWritesAreLost) {
  const Script script = crash::FindScript("flush");
  const uint64_t calls = CallsOf(script);
  uint64_t problems = 0;
  for (uint64_t call = 1; call <= calls; ++call) {
    Triple triple;
    triple.script = script.name;
    triple.call = call;
    triple.kind = Kind::kDrop;
    triple.seed = call;
    const auto fs = NewFileSystem(triple);
    fs->cluster().SetChecksConditions(false);
    if (!Live(script, triple, fs).empty()) ++problems;
  }
  std::cout << problems << " of " << calls << " take-overs fail\n";
  EXPECT_GT(problems, 0u);
}

TEST(TakeOverLongTest, RandomScriptsKeepEveryPromise) {
  const uint64_t lives = FromEnvironment("TAMIS_TAKE_OVERS", 20);
  const uint64_t first_seed = FromEnvironment("TAMIS_SEED", 1);
  Late late;
  uint64_t count = 0;
  for (uint64_t seed = first_seed; count < lives; ++seed) {
    const Script script = crash::FindScript("random" + std::to_string(seed));
    const uint64_t calls = CallsOf(script);
    Random random(seed);
    for (int i = 0; i < 20 && count < lives; ++i, ++count) {
      constexpr Kind kKinds[] = {Kind::kDrop, Kind::kDrop, Kind::kError,
                                 Kind::kBroken, Kind::kFull};
      Triple triple;
      triple.script = script.name;
      triple.call = 1 + random.Uniform(calls);
      triple.kind = kKinds[random.Uniform(std::size(kKinds))];
      triple.seed = random.Uniform(1'000'000);
      // The one that takes over may be replaced, too.
      if (random.OneIn(3)) triple.recovery_call = 1 + random.Uniform(40);
      const auto fs = NewFileSystem(triple);
      ASSERT_EQ(Live(script, triple, fs), "");
      late.arrived += fs->cluster().late();
      late.refused += fs->cluster().late_refused();
    }
  }
  std::cout << count << " lives; " << late.arrived << " requests arrived late, "
            << late.refused << " refused\n";
}

}  // namespace
}  // namespace tamis::rados
