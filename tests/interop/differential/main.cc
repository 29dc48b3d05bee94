// SPDX-License-Identifier: Apache-2.0
//
// differential_<engine>: leads its engine through the scripts of a range of
// seeds, and writes a line for each step.
//
//   --seed N --count M   the seeds N .. N + M - 1 (default: 0, 1)
//   --directory D        where the database is while it runs
//   --one-family         without families and what came with them
//   --verbose            every entry that a read shows, not a hash of them
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/interop/differential/driver.h"

namespace tamis::differential {
namespace {

struct Arguments {
  uint64_t seed = 0;
  uint64_t count = 1;
  std::string directory;
  bool verbose = false;
  Means means;
};

bool Parse(int argc, char** argv, Arguments* arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (word == "--verbose") {
      arguments->verbose = true;
    } else if (word == "--one-family") {
      arguments->means.families = false;
    } else if (value == nullptr) {
      return false;
    } else if (word == "--seed") {
      arguments->seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--count") {
      arguments->count = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--directory") {
      arguments->directory = argv[++i];
    } else {
      return false;
    }
  }
  return !arguments->directory.empty();
}

// A line goes out before the next step begins: an engine that dies shows where.
void Run(uint64_t seed, const Arguments& arguments) {
  const Script script = MakeScript(seed, arguments.means);
  Driver driver(arguments.directory + "/db", arguments.verbose);
  for (size_t i = 0; i < script.steps.size(); ++i) {
    const Step& step = script.steps[i];
    std::printf("%llu:%zu %s => ", static_cast<unsigned long long>(seed), i,
                Describe(step).c_str());
    std::fflush(stdout);
    std::printf("%s\n", driver.Do(step).c_str());
  }
}

}  // namespace
}  // namespace tamis::differential

int main(int argc, char** argv) {
  tamis::differential::Arguments arguments;
  if (!tamis::differential::Parse(argc, argv, &arguments)) {
    std::fprintf(stderr,
                 "usage: %s --directory D [--seed N] [--count M] "
                 "[--one-family] [--verbose]\n",
                 argv[0]);
    return 2;
  }
  for (uint64_t i = 0; i < arguments.count; ++i) {
    tamis::differential::Run(arguments.seed + i, arguments);
  }
  return 0;
}
