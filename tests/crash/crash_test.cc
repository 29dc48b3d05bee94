// SPDX-License-Identifier: Apache-2.0
//
// Power cuts and failing calls at every call of the file system that a script
// makes (script.h), failing reads, and cuts at every call of some recoveries.
//
//   TAMIS_CRASH=<triple>     CrashReplayTest lives that one (fault.h) and tells
//                            its story: ./dev crash <triple>
//   TAMIS_CRASH_SECONDS=n    CrashLongTest lives random scripts and triples for
//                            so long: ./dev crash <seconds>
//   TAMIS_SEED=n             other luck; the default is 301
//   TAMIS_CRASH_STRIDE=n     one triple of n only
//
// Shows D1 to D4, D6 to D8, D10 to D13, D20 and D21 of docs/durability.md.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/crash/life.h"
#include "tests/support/effort.h"
#include "util/random.h"

namespace tamis::crash {
namespace {

uint64_t BaseSeed() { return FromEnvironment("TAMIS_SEED", 301); }

// What an abort (a failed check of the engine) is told with.
std::string living;

void TellAndDie(int signal) {
  std::signal(signal, SIG_DFL);
  std::fputs(living.c_str(), stderr);
  std::raise(signal);
}

std::string Command(const Triple& triple) {
  return "replay: ./dev crash " + triple.ToString() + "\n";
}

std::string Story(const Life& life) {
  std::string story;
  for (const std::string& line : life.log()) story += line + "\n";
  return story;
}

// Counts the triples that were lived.
class Lives {
 public:
  explicit Lives(const Script& script) : script_(script) {
    std::signal(SIGABRT, TellAndDie);
  }

  // False after a failure. *met: whether the recovery met its fault.
  bool Live(Triple triple, bool* met = nullptr) {
    triple.script = script_.name;
    living = Command(triple);
    Life life(script_, triple);
    const std::string problem = life.Go();
    EXPECT_EQ(problem, "") << living << Story(life);
    if (met != nullptr) *met = life.met_recovery_fault();
    ++count_;
    return problem.empty();
  }
  uint64_t count() const { return count_; }

 private:
  const Script& script_;
  uint64_t count_ = 0;
};

// The calls that a script makes.
struct Calls {
  std::vector<std::string> operations;
  uint64_t reads = 0;

  size_t size() const { return operations.size(); }
};

Calls CallsOf(const Script& script) {
  Triple none;
  none.script = script.name;
  Life life(script, none);
  EXPECT_EQ(life.Go(), "") << script.name << "\n" << Story(life);
  return {life.operations(), life.reads()};
}

uint64_t SeedFor(const Triple& triple) {
  Random mixed(BaseSeed() + triple.call * 8 +
               static_cast<uint64_t>(triple.kind));
  return mixed.Uniform(1'000'000);
}

uint64_t Stride(const std::string& script) {
  // Random scripts are many, and some long.
  const uint64_t otherwise = script.starts_with("random") ? 5 : 1;
  return FaultStride() * otherwise;
}

// What goes wrong, in groups that run each as a test.
enum class Group : uint8_t { kPowerCuts, kFailingCalls, kFailingReads };

// Call number `call` may meet such a fault. Power cuts also come behind the
// last call.
bool MayMeet(const Calls& calls, uint64_t call, Kind kind, Group group) {
  switch (group) {
    case Group::kPowerCuts:
      return IsPowerCut(kind) && call <= calls.size() + 1;
    case Group::kFailingCalls:
      return !IsPowerCut(kind) && call <= calls.size() &&
             Concerns(kind, calls.operations[call - 1]);
    case Group::kFailingReads:
      return kind == Kind::kRead && call <= calls.reads;
  }
  return false;
}

// Every fault that a call may meet, at every call, or one of `stride`.
std::vector<Triple> TriplesOf(const Calls& calls, Group group,
                              uint64_t stride) {
  std::vector<Triple> triples;
  const uint64_t last = std::max<uint64_t>(calls.size() + 1, calls.reads);
  for (uint64_t call = 1; call <= last; ++call) {
    for (const KindName& known : kKindNames) {
      if (!MayMeet(calls, call, known.kind, group)) continue;
      Triple triple;
      triple.call = call;
      triple.kind = known.kind;
      triple.seed = SeedFor(triple);
      if (triple.seed % stride == 0) triples.push_back(triple);
    }
  }
  return triples;
}

class CrashTest : public testing::TestWithParam<std::string> {
 protected:
  void TearDown() override {
    std::cout << count_ << " triples, seed " << BaseSeed() << "\n";
  }
  void LiveAll(Group group) {
    Lives lives(script_);
    for (const Triple& triple :
         TriplesOf(CallsOf(script_), group, Stride(script_.name))) {
      if (!lives.Live(triple)) break;
    }
    count_ = lives.count();
  }

  const Script script_ = FindScript(GetParam());
  uint64_t count_ = 0;
};

TEST_P(CrashTest, NothingDurableIsLostWhereverThePowerGoesOff) {
  LiveAll(Group::kPowerCuts);
}

TEST_P(CrashTest, WritesGoOnAfterAnyCallFailed) {
  LiveAll(Group::kFailingCalls);
}

TEST_P(CrashTest, NothingIsLostWhenAReadFailed) {
  LiveAll(Group::kFailingReads);
}

// A few crashes of each script, and each of their recoveries cut at each of
// its calls.
TEST_P(CrashTest, ARecoveryMayBeCutOffAnywhere) {
  constexpr uint64_t kCrashes = 8;
  constexpr Kind kKinds[] = {Kind::kKeep, Kind::kPrefix, Kind::kSectors,
                             Kind::kDrop};
  const uint64_t stride = Stride(script_.name);
  const uint64_t calls = CallsOf(script_).size();
  Lives lives(script_);
  for (uint64_t i = 0; i < kCrashes; ++i) {
    Triple triple;
    triple.call = 1 + calls * (i + 1) / kCrashes;
    triple.kind = kKinds[i % 3];
    triple.seed = SeedFor(triple);
    bool met = true;
    for (uint64_t call = 1; met && !HasFailure(); call += stride) {
      triple.recovery_call = call;
      triple.recovery_kind =
          call % 5 == 0 ? Kind::kBroken : kKinds[call % std::size(kKinds)];
      lives.Live(triple, &met);
    }
  }
  count_ = lives.count();
}

std::vector<std::string> Workloads() {
  std::vector<std::string> names = ScriptNames();
  for (int i = 1; i <= 8; ++i) names.push_back("random" + std::to_string(i));
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, CrashTest, testing::ValuesIn(Workloads()),
                         [](const auto& name) { return name.param; });

TEST(CrashCountTest, TheTriplesOfTheScriptsAreMoreThanTenThousand) {
  std::map<Group, size_t> triples;
  for (const std::string& name : Workloads()) {
    const Calls calls = CallsOf(FindScript(name));
    std::cout << name << ": " << calls.size() << " calls, " << calls.reads
              << " reads\n";
    for (const Group group :
         {Group::kPowerCuts, Group::kFailingCalls, Group::kFailingReads}) {
      triples[group] += TriplesOf(calls, group, Stride(name)).size();
    }
  }
  std::cout << triples[Group::kPowerCuts] << " power cuts, "
            << triples[Group::kFailingCalls] << " failing calls, "
            << triples[Group::kFailingReads] << " failing reads\n";
  if (FaultStride() == 1) {
    EXPECT_GT(triples[Group::kPowerCuts], 10'000u);
  }
}

// An engine that left such a sync out would not pass.
TEST(CrashForgetTest, EverySyncThatIsLeftOutIsNoticed) {
  for (uint8_t forgotten = 1; forgotten <= 5; ++forgotten) {
    Script script = FindScript("flush");
    script.settings["forget"] = forgotten;
    bool noticed = false;
    for (Triple& triple :
         TriplesOf(CallsOf(script), Group::kPowerCuts, /*stride=*/1)) {
      triple.script = script.name;
      noticed = noticed || !Life(script, triple).Go().empty();
    }
    EXPECT_TRUE(noticed) << int{forgotten};
  }
}

TEST(CrashReplayTest, TheSameTripleIsTheSameLife) {
  const char* const text = std::getenv("TAMIS_CRASH");
  const auto triple =
      ParseTriple(text != nullptr ? text : "flush:40:prefix:7:9:drop");
  ASSERT_TRUE(triple.has_value()) << "TAMIS_CRASH is no triple: " << text;
  const Script script = FindScript(triple->script);
  std::signal(SIGABRT, TellAndDie);
  living = Command(*triple);
  Life first(script, *triple);
  EXPECT_EQ(first.Go(), "") << living;
  if (text != nullptr) std::cout << Story(first);
  Life second(script, *triple);
  EXPECT_EQ(second.Go(), "");
  EXPECT_EQ(Story(first), Story(second));
}

Kind RandomKind(Random* random) {
  return kKindNames[random->Uniform(std::size(kKindNames))].kind;
}

// Random scripts and faults, as long as it is let.
TEST(CrashLongTest, NoRandomTripleBreaksAPromise) {
  using std::chrono::steady_clock;
  const auto end = steady_clock::now() + std::chrono::seconds(FromEnvironment(
                                             "TAMIS_CRASH_SECONDS", 1));
  const uint64_t first = FromEnvironment("TAMIS_SEED", 1000);
  uint64_t count = 0;
  uint64_t seed = first;
  for (; steady_clock::now() < end && !HasFailure(); ++seed) {
    const Script script = FindScript("random" + std::to_string(seed));
    const uint64_t calls = CallsOf(script).size();
    Lives lives(script);
    Random random(seed);
    for (int i = 0; i < 100 && !HasFailure(); ++i) {
      Triple triple;
      triple.call = 1 + random.Uniform(calls + 1);
      triple.kind = RandomKind(&random);
      triple.seed = random.Uniform(1'000'000);
      if (random.OneIn(3)) {
        triple.recovery_call = 1 + random.Uniform(40);
        triple.recovery_kind = RandomKind(&random);
      }
      lives.Live(triple);
    }
    count += lives.count();
  }
  std::cout << count << " triples, seeds " << first << " to " << seed << "\n";
}

}  // namespace
}  // namespace tamis::crash
