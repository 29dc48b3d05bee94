// SPDX-License-Identifier: Apache-2.0
//
// Power failures and failing calls at every file system call of a script
// (script.h); failing reads, allocations, callbacks and jobs; and the same at
// every call of some recoveries.
//
//   TAMIS_CRASH=<triple>     CrashReplayTest runs this one (fault.h) and prints
//                            its log: ./dev crash <triple>
//   TAMIS_CRASH_SECONDS=n    CrashLongTest runs random scripts and triples for
//                            n seconds: ./dev crash <seconds>
//   TAMIS_CRASH_TRIPLES=n    CrashLongTest stops after n triples; with both
//                            limits it stops at the first
//   TAMIS_SEED=n             another seed; the default is 301
//   TAMIS_CRASH_STRIDE=n     only one of n triples; 1: all, including all
//                            allocations and callbacks, which are sampled by
//                            default
//
// Shows D1 to D4, D6 to D8, D10 to D13, D20, D21 and D24 of docs/durability.md.
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
#include "util/base/random.h"

namespace tamis::crash {
namespace {

uint64_t BaseSeed() { return FromEnvironment("TAMIS_SEED", 301); }

// What an abort (a failed check of the engine) is told with.
std::string living;
const Life* life_in_danger = nullptr;

void TellAndDie(int signal) {
  std::signal(signal, SIG_DFL);
  std::fputs(living.c_str(), stderr);
  if (life_in_danger != nullptr) {
    for (const std::string& line : life_in_danger->log()) {
      std::fprintf(stderr, "%s\n", line.c_str());
    }
  }
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
    life_in_danger = &life;
    const std::string problem = life.Go();
    life_in_danger = nullptr;
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
  Failures::Counts failures;

  size_t size() const { return operations.size(); }
  // Of those that such a fault is numbered by.
  uint64_t CountOf(Kind kind) const;
};

uint64_t Calls::CountOf(Kind kind) const {
  switch (kind) {
    case Kind::kRead:
      return reads;
    case Kind::kAlloc:
    case Kind::kMemory:
      return failures.allocations;
    case Kind::kThrow:
      return failures.callbacks;
    case Kind::kThread:
      return failures.threads;
    default:
      return size();
  }
}

Calls CallsOf(const Script& script) {
  Triple none;
  none.script = script.name;
  Life life(script, none);
  EXPECT_EQ(life.Go(), "") << script.name << "\n" << Story(life);
  return {life.operations(), life.reads(), life.failures()};
}

uint64_t SeedFor(const Triple& triple) {
  Random mixed(BaseSeed() + triple.call * 16 +
               static_cast<uint64_t>(triple.kind));
  return mixed.Uniform(1'000'000);
}

// What goes wrong, in groups that run each as a test.
enum class Group : uint8_t {
  kPowerCuts,
  kFailingCalls,
  kFailingReads,
  kFailingMemory,
  kCallbacks,
  kJobs,
};
constexpr Group kGroups[] = {Group::kPowerCuts,    Group::kFailingCalls,
                             Group::kFailingReads, Group::kFailingMemory,
                             Group::kCallbacks,    Group::kJobs};
constexpr const char* kGroupNames[] = {
    "power cuts",          "failing calls",     "failing reads",
    "failing allocations", "failing callbacks", "refused jobs"};

Group GroupOf(Kind kind) {
  switch (kind) {
    case Kind::kRead:
      return Group::kFailingReads;
    case Kind::kAlloc:
    case Kind::kMemory:
      return Group::kFailingMemory;
    case Kind::kThrow:
      return Group::kCallbacks;
    case Kind::kThread:
      return Group::kJobs;
    default:
      return IsPowerCut(kind) ? Group::kPowerCuts : Group::kFailingCalls;
  }
}

// There are some ten allocations and a few callbacks for each call of the file
// system.
uint64_t StrideOf(const std::string& script, Group group) {
  if (std::getenv("TAMIS_CRASH_STRIDE") != nullptr) return Stride();
  // Random scripts are many, and some long.
  uint64_t stride = Stride() * (script.starts_with("random") ? 5 : 1);
  if (group == Group::kFailingMemory) stride *= 40;
  if (group == Group::kCallbacks) stride *= 10;
  return stride;
}

// Call number `call` may meet such a fault. Power cuts also come behind the
// last call.
bool MayMeet(const Calls& calls, uint64_t call, Kind kind) {
  switch (GroupOf(kind)) {
    case Group::kPowerCuts:
      return call <= calls.size() + 1;
    case Group::kFailingCalls:
      return call <= calls.size() && Concerns(kind, calls.operations[call - 1]);
    default:
      return call <= calls.CountOf(kind);
  }
}

// Every fault of the group that a call may meet, at every call, or one of
// `stride`.
std::vector<Triple> TriplesOf(const Calls& calls, Group group,
                              uint64_t stride) {
  std::vector<Triple> triples;
  for (const KindName& known : kKindNames) {
    if (GroupOf(known.kind) != group) continue;
    for (uint64_t call = 1; call <= calls.CountOf(known.kind) + 1; ++call) {
      if (!MayMeet(calls, call, known.kind)) continue;
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
         TriplesOf(CallsOf(script_), group, StrideOf(script_.name, group))) {
      if (!lives.Live(triple)) break;
    }
    count_ = lives.count();
  }
  // A few crashes of the script, and each of their recoveries meets a fault at
  // each of its calls, or one of the group's stride.
  void FailRecoveries(Group group, Kind (*kind_at)(uint64_t call)) {
    constexpr uint64_t kCrashes = 8;
    constexpr Kind kKinds[] = {Kind::kKeep, Kind::kPrefix, Kind::kSectors};
    const uint64_t stride = StrideOf(script_.name, group);
    const uint64_t calls = CallsOf(script_).size();
    Lives lives(script_);
    for (uint64_t i = 0; i < kCrashes; ++i) {
      Triple triple;
      triple.call = 1 + calls * (i + 1) / kCrashes;
      triple.kind = kKinds[i % std::size(kKinds)];
      triple.seed = SeedFor(triple);
      bool met = true;
      for (uint64_t call = 1 + triple.seed % stride; met && !HasFailure();
           call += stride) {
        triple.recovery_call = call;
        triple.recovery_kind = kind_at(call);
        lives.Live(triple, &met);
      }
    }
    count_ = lives.count();
  }

  const Script script_ = FindScript(GetParam());
  uint64_t count_ = 0;
};

TEST_P(CrashTest, NoPowerFailureLosesDurableWrites) {
  LiveAll(Group::kPowerCuts);
}

TEST_P(CrashTest, WritesContinueAfterAnyFailedCall) {
  LiveAll(Group::kFailingCalls);
}

TEST_P(CrashTest, FailedReadsLoseNothing) { LiveAll(Group::kFailingReads); }

TEST_P(CrashTest, WritesContinueAfterAFailedAllocation) {
  LiveAll(Group::kFailingMemory);
}

TEST_P(CrashTest, WritesContinueAfterACallbackThrows) {
  LiveAll(Group::kCallbacks);
}

TEST_P(CrashTest, WritesContinueAfterARefusedJob) { LiveAll(Group::kJobs); }

TEST_P(CrashTest, ARecoveryMayBeInterruptedAnywhere) {
  static constexpr Kind kKinds[] = {Kind::kKeep, Kind::kPrefix, Kind::kSectors,
                                    Kind::kDrop};
  FailRecoveries(Group::kPowerCuts, [](uint64_t call) {
    return call % 5 == 0 ? Kind::kBroken : kKinds[call % std::size(kKinds)];
  });
}

TEST_P(CrashTest, ARecoveryMayRunOutOfMemoryAnywhere) {
  FailRecoveries(Group::kFailingMemory, [](uint64_t call) {
    return call % 2 == 0 ? Kind::kMemory : Kind::kAlloc;
  });
}

TEST_P(CrashTest, ACallbackMayThrowAnywhereInARecovery) {
  FailRecoveries(Group::kCallbacks, [](uint64_t) { return Kind::kThrow; });
}

std::vector<std::string> Workloads() {
  std::vector<std::string> names = ScriptNames();
  for (int i = 1; i <= 8; ++i) names.push_back("random" + std::to_string(i));
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, CrashTest, testing::ValuesIn(Workloads()),
                         [](const auto& name) { return name.param; });

TEST(CrashCountTest, ScriptsHaveMoreThanTenThousandTriples) {
  std::map<Group, size_t> triples;
  for (const std::string& name : Workloads()) {
    const Calls calls = CallsOf(FindScript(name));
    std::cout << name << ": " << calls.size() << " calls, " << calls.reads
              << " reads, " << calls.failures.allocations << " allocations, "
              << calls.failures.callbacks << " callbacks, "
              << calls.failures.threads << " jobs\n";
    for (const Group group : kGroups) {
      triples[group] += TriplesOf(calls, group, StrideOf(name, group)).size();
    }
  }
  for (const Group group : kGroups) {
    std::cout << triples[group] << " "
              << kGroupNames[static_cast<size_t>(group)] << "\n";
  }
  if (Stride() == 1) {
    EXPECT_GT(triples[Group::kPowerCuts], 10'000u);
  }
}

// An engine that left such a sync out would not pass.
TEST(CrashForgetTest, EveryOmittedSyncIsDetected) {
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

TEST(CrashReplayTest, ATripleReplaysIdentically) {
  const char* const text = std::getenv("TAMIS_CRASH");
  const auto triple =
      ParseTriple(text != nullptr ? text : "flush:40:prefix:7:9:drop");
  ASSERT_TRUE(triple.has_value()) << "TAMIS_CRASH is no triple: " << text;
  const Script script = FindScript(triple->script);
  std::signal(SIGABRT, TellAndDie);
  living = Command(*triple);
  // What the process allocates once is not counted for the first of the two.
  CallsOf(script);
  Life first(script, *triple);
  life_in_danger = &first;
  EXPECT_EQ(first.Go(), "") << living;
  life_in_danger = nullptr;
  if (text != nullptr) std::cout << Story(first);
  Life second(script, *triple);
  EXPECT_EQ(second.Go(), "");
  EXPECT_EQ(Story(first), Story(second));
}

Triple RandomTriple(const Calls& calls, Random* random) {
  const auto any_kind = [random] {
    return kKindNames[random->Uniform(std::size(kKindNames))].kind;
  };
  // About what the recovery of a long script makes.
  constexpr uint64_t kOfARecovery = 40;
  Triple triple;
  triple.kind = any_kind();
  triple.call = 1 + random->Uniform(calls.CountOf(triple.kind) + 1);
  triple.seed = random->Uniform(1'000'000);
  if (random->OneIn(3)) {
    triple.recovery_kind = any_kind();
    const uint64_t more =
        GroupOf(triple.recovery_kind) == Group::kFailingMemory ? 20 : 1;
    triple.recovery_call = 1 + random->Uniform(kOfARecovery * more);
  }
  return triple;
}

// When a long run ends.
class Bound {
 public:
  Bound()
      : triples_(FromEnvironment("TAMIS_CRASH_TRIPLES", ~uint64_t{0})),
        end_(std::chrono::steady_clock::now() +
             std::chrono::seconds(FromEnvironment(
                 "TAMIS_CRASH_SECONDS",
                 std::getenv("TAMIS_CRASH_TRIPLES") != nullptr ? 1'000'000
                                                               : 1))) {}

  bool IsReached(uint64_t triples) const {
    return triples >= triples_ || std::chrono::steady_clock::now() >= end_;
  }

 private:
  const uint64_t triples_;
  const std::chrono::steady_clock::time_point end_;
};

// Tables of a worker get their names in the database by links.
TEST(CrashScriptTest, WorkersCompact) {
  const Calls calls = CallsOf(FindScript("worker"));
  EXPECT_GE(std::count(calls.operations.begin(), calls.operations.end(),
                       std::string("link")),
            4);
}

// Random scripts and faults, as long as it is let.
TEST(CrashLongTest, RandomTriplesKeepEveryPromise) {
  const Bound bound;
  const uint64_t first = FromEnvironment("TAMIS_SEED", 1000);
  std::map<Kind, uint64_t> of_script;
  std::map<Kind, uint64_t> of_recovery;
  uint64_t count = 0;
  uint64_t seed = first;
  for (; !bound.IsReached(count) && !HasFailure(); ++seed) {
    const Script script = FindScript("random" + std::to_string(seed));
    const Calls calls = CallsOf(script);
    Lives lives(script);
    Random random(seed);
    for (int i = 0; i < 100 && !bound.IsReached(count) && !HasFailure(); ++i) {
      const Triple triple = RandomTriple(calls, &random);
      bool met = false;
      lives.Live(triple, &met);
      ++of_script[triple.kind];
      if (met) ++of_recovery[triple.recovery_kind];
      ++count;
    }
  }
  std::cout << count << " triples, seeds " << first << " to " << seed - 1
            << "\n";
  for (const KindName& known : kKindNames) {
    std::cout << known.name << ": " << of_script[known.kind]
              << ", in a recovery " << of_recovery[known.kind] << "\n";
  }
}

}  // namespace
}  // namespace tamis::crash
