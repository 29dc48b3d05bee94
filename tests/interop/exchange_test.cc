// SPDX-License-Identifier: Apache-2.0
//
// Tamis and RocksDB alternate in one directory every few hundred operations.
// Each is a process of its own, runs its part of a random script with several
// families, and ends with a close or dies with the database open. Each compares
// the database with the model, by every kind of read, at the start and at the
// end of its turn. RocksDB also verifies every block, and `ldb` the levels.
//
//   TAMIS_SEED=n      only that seed
//   TAMIS_SEEDS=n     n seeds instead of 60
//
// Shows promise D10 of docs/durability.md, with RocksDB opening the directory.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/interop/differential_programs.h"
#include "tests/support/directories.h"
#include "tests/support/effort.h"

namespace tamis {
namespace {

constexpr uint64_t kGroups = 6;
constexpr uint64_t kSeedsByDefault = 60;
constexpr uint64_t kTurns = 6;

std::vector<std::string> LinesOf(const std::string& output) {
  std::vector<std::string> lines;
  size_t at = 0;
  for (size_t end; (end = output.find('\n', at)) != std::string::npos;
       at = end + 1) {
    lines.push_back(output.substr(at, end - at));
  }
  return lines;
}

bool Has(const std::string& line, const std::string& what) {
  return line.find(what) != std::string::npos;
}

// The tool knows only bytewise order, and no merges, which a log may hold.
bool IsForLdb(const std::vector<std::string>& lines) {
  if (lines.size() < 2 || !Has(lines[lines.size() - 2], " flush default all")) {
    return false;
  }
  return std::none_of(lines.begin(), lines.end(),
                      [](const auto& line) { return Has(line, ",reverse"); });
}

class ExchangeTest : public ::testing::TestWithParam<uint64_t> {
 protected:
  void Exchange(uint64_t seed) {
    const ProgramDirectory directory;
    std::string commands;
    // The last open is one more.
    for (uint64_t turn = 0; turn <= kTurns; ++turn) {
      const bool ours = (seed + turn) % 2 == 0;
      commands += DifferentialCommand(ours ? "tamis" : "rocksdb", seed) +
                  " --turns " + std::to_string(kTurns) + " --turn " +
                  std::to_string(turn) + " --directory " + directory.path();
      const CommandResult result =
          RunCommand(commands.substr(commands.rfind('\n') + 1));
      const std::vector<std::string> lines = LinesOf(result.output);
      ASSERT_FALSE(lines.empty()) << commands;
      ASSERT_EQ(result.exit_code, 0)
          << (lines.size() > 1 ? lines[lines.size() - 2] + "\n" : "")
          << lines.back() << "\n"
          << commands;
      commands += "\n";
      ++turns_;
      if (Has(lines.back(), "dies")) ++deaths_;
      if (!IsForLdb(lines)) continue;
      ++checks_;
      // Unasked it would load RocksDB's OPTIONS, which may be from before the
      // last family came or went.
      const CommandResult checked =
          RunCommand(std::string(TAMIS_PEER_LDB) + " --db=" + directory.path() +
                     "/db --try_load_options=false checkconsistency");
      ASSERT_EQ(checked.output, "OK\n") << commands;
    }
  }

  int turns_ = 0;
  int deaths_ = 0;
  int checks_ = 0;
};

TEST_P(ExchangeTest, EachReadsWhatTheOtherWrote) {
  if (std::getenv("TAMIS_SEED") != nullptr) {
    if (GetParam() == 0) Exchange(FromEnvironment("TAMIS_SEED", 0));
    return;
  }
  const uint64_t count = SeedCount(kSeedsByDefault);
  for (uint64_t seed = GetParam(); seed < count && !HasFailure();
       seed += kGroups) {
    Exchange(seed);
  }
  if (HasFailure() || count < kSeedsByDefault) return;
  EXPECT_GT(turns_, 60);
  EXPECT_GT(deaths_, 10);
  EXPECT_GT(checks_, 3);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ExchangeTest,
                         ::testing::Range(uint64_t{0}, kGroups));

}  // namespace
}  // namespace tamis
