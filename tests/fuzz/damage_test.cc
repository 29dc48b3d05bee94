// SPDX-License-Identifier: Apache-2.0
//
// Directories with random damage, opened in each way, without a fuzzer: random
// inputs for damage_fuzz.
//
//   TAMIS_DIRECTORY_MUTATIONS=n    n directories instead of 500
//   TAMIS_SEED=n                   another seed
//   TAMIS_DIRECTORY=<hex>          only this one, as a failure printed it
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "tests/fuzz/fuzz_targets.h"
#include "tests/support/directories.h"
#include "tests/support/effort.h"
#include "util/base/random.h"

namespace tamis {
namespace {

std::string living;

// A claim that does not hold ends the process: this shows the input.
void TellAndDie(int signal) {
  std::signal(signal, SIG_DFL);
  std::fprintf(stderr, "TAMIS_DIRECTORY=%s\n", ToHex(living).c_str());
  std::raise(signal);
}

void Open(const std::string& input) {
  living = input;
  ASSERT_EQ(
      damage_fuzz(reinterpret_cast<const uint8_t*>(input.data()), input.size()),
      0);
}

TEST(DirectoryDamageTest, NoDamageGivesWrongAnswers) {
  std::signal(SIGABRT, TellAndDie);
  if (const char* const hex = std::getenv("TAMIS_DIRECTORY")) {
    Open(FromHexDigits(hex));
    return;
  }
  const uint64_t count = FromEnvironment("TAMIS_DIRECTORY_MUTATIONS",
                                         static_cast<uint64_t>(Rounds(500)));
  const uint64_t seed = FromEnvironment("TAMIS_SEED", 301);
  Random random(seed);
  for (uint64_t i = 0; i < count; ++i) {
    // The directory, the way, its flags; then six bytes for each damage.
    std::string input(3 + 6 * (1 + random.Uniform(8)), '\0');
    for (char& byte : input) byte = static_cast<char>(random.Uniform(256));
    Open(input);
  }
  std::signal(SIGABRT, SIG_DFL);
  std::printf("%llu directories, seed %llu\n",
              static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(seed));
}

}  // namespace
}  // namespace tamis
