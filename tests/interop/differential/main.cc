// SPDX-License-Identifier: Apache-2.0
//
// differential_<engine>: leads its engine through the scripts of a range of
// seeds, and writes a line for each step.
//
//   --seed N --count M   the seeds N .. N + M - 1 (default: 0, 1)
//   --directory D        where the database is while it runs
//   --turns N --turn K   of one script of N turns the K-th alone, on what the
//                        one before it left (see turn.h)
//   --verbose            every entry that a read shows, not a hash of them
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/interop/differential/driver.h"
#include "tests/interop/differential/turn.h"

namespace tamis::differential {
namespace {

struct Arguments {
  uint64_t seed = 0;
  uint64_t count = 1;
  std::string directory;
  bool verbose = false;
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
    } else if (word == "--directory") {
      arguments->directory = argv[++i];
    } else {
      return false;
    }
  }
  return !arguments->directory.empty();
}

void Run(uint64_t seed, const Arguments& arguments) {
  const Script script = MakeScript(seed, arguments.means);
  Driver driver(arguments.directory + "/db", arguments.verbose);
  for (size_t i = 0; i < script.steps.size(); ++i) {
    Announce(script, i);
    std::printf("%s\n", driver.Do(script.steps[i]).c_str());
  }
}

}  // namespace
}  // namespace tamis::differential

int main(int argc, char** argv) {
  tamis::differential::Arguments arguments;
  if (!tamis::differential::Parse(argc, argv, &arguments)) {
    std::fprintf(stderr,
                 "usage: %s --directory D [--seed N] [--count M] "
                 "[--turns N --turn K] [--verbose]\n",
                 argv[0]);
    return 2;
  }
  if (arguments.means.turns > 0) {
    return tamis::differential::TakeTurn(
        tamis::differential::MakeScript(arguments.seed, arguments.means),
        arguments.turn, arguments.directory + "/db", arguments.verbose);
  }
  for (uint64_t i = 0; i < arguments.count; ++i) {
    tamis::differential::Run(arguments.seed + i, arguments);
  }
  return 0;
}
