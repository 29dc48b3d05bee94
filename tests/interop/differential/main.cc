// SPDX-License-Identifier: Apache-2.0
//
// differential_<engine> runs the scripts of a range of seeds on its engine, and
// writes a line for each step.
//
//   --seed N --count M   the seeds N .. N + M - 1 (default: 0, 1)
//   --directory D        where the database is while it runs
//   --turns N --turn K   only turn K of a script of N turns, on the directory
//                        that the turn before left (see turn.h)
//   --faults F           what the system refuses at random: none, descriptors,
//                        or all, which includes space of the tmpfs that is
//                        mounted at the directory. Answers are those without
//                        faults: a failed step is repeated when its fault is
//                        gone. Standard error gets the number of failed steps
//   --verbose            every entry that a read shows instead of a hash
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "tests/interop/differential/driver.h"
#include "tests/interop/differential/faults.h"
#include "tests/interop/differential/turn.h"

namespace tamis::differential {
namespace {

struct Arguments {
  uint64_t seed = 0;
  uint64_t count = 1;
  std::string directory;
  bool verbose = false;
  std::string faults = "none";
  uint64_t turn = 0;
  Means means;
};

bool Parse(int argc, char** argv, Arguments* arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (word == "--verbose") {
      arguments->verbose = true;
    } else if (value == nullptr) {
      return false;
    } else if (word == "--seed") {
      arguments->seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--count") {
      arguments->count = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--turns") {
      arguments->means.turns = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--turn") {
      arguments->turn = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--faults") {
      arguments->faults = argv[++i];
    } else if (word == "--directory") {
      arguments->directory = argv[++i];
    } else {
      return false;
    }
  }
  const std::string& faults = arguments->faults;
  return !arguments->directory.empty() &&
         (faults == "none" || faults == "descriptors" || faults == "all");
}

bool Failed(const std::string& answer) {
  return answer.find("IOError") != std::string::npos;
}

// An iterator that failed is at its end, and a close is not done twice. A
// family that could not be made may have used its number.
bool CanBeDoneAgain(const Step& step) {
  switch (step.act) {
    case Act::kMoveIterator:
    case Act::kRefreshIterator:
    case Act::kCreateFamily:
    case Act::kCloneFamily:
    case Act::kClose:
      return false;
    default:
      return true;
  }
}

// Counts the steps that failed.
std::string DoUnderFaults(const Step& step, Driver* driver, Faults* faults,
                          uint64_t* failures) {
  if (CanBeDoneAgain(step)) {
    faults->Take();
  } else if (!driver->Resume().ok()) {
    return "cannot resume";
  }
  std::string answer = driver->Do(step);
  faults->GiveBack();
  // What failed may also be a background job of a step before.
  for (int i = 0; i < 3 && Failed(answer) && CanBeDoneAgain(step); ++i) {
    ++*failures;
    answer = driver->DoAgain(step);
  }
  return answer;
}

void Run(uint64_t seed, const Arguments& arguments, uint64_t* failures) {
  const Script script = MakeScript(seed, arguments.means);
  Driver driver(arguments.directory + "/db", arguments.verbose);
  std::optional<Faults> faults;
  if (arguments.faults == "all") faults.emplace(arguments.directory, seed);
  if (arguments.faults == "descriptors") faults.emplace(std::nullopt, seed);
  if (faults) driver.ExpectFaults();
  for (size_t i = 0; i < script.steps.size(); ++i) {
    Announce(script, i);
    const Step& step = script.steps[i];
    const std::string answer =
        faults ? DoUnderFaults(step, &driver, &*faults, failures)
               : driver.Do(step);
    std::printf("%s\n", answer.c_str());
  }
}

}  // namespace
}  // namespace tamis::differential

int main(int argc, char** argv) {
  tamis::differential::Arguments arguments;
  if (!tamis::differential::Parse(argc, argv, &arguments)) {
    std::fprintf(stderr,
                 "usage: %s --directory D [--seed N] [--count M] "
                 "[--turns N --turn K] [--faults F] [--verbose]\n",
                 argv[0]);
    return 2;
  }
  if (arguments.means.turns > 0) {
    return tamis::differential::TakeTurn(
        tamis::differential::MakeScript(arguments.seed, arguments.means),
        arguments.turn, arguments.directory + "/db", arguments.verbose);
  }
  uint64_t failures = 0;
  for (uint64_t i = 0; i < arguments.count; ++i) {
    tamis::differential::Run(arguments.seed + i, arguments, &failures);
  }
  if (arguments.faults != "none") {
    std::fprintf(stderr, "%llu steps failed\n",
                 static_cast<unsigned long long>(failures));
  }
  return 0;
}
