// SPDX-License-Identifier: Apache-2.0
//
// A process that writes to several column families with several threads is
// killed at a random time, 50 times in one growing directory, under four
// settings: 200 kills (15 times under a sanitizer). Each thread does its own
// sequence of operations on its own keys (operations.h), and counts in a file
// that survives the kill which it began and which were acknowledged
// (expected_state.h). Afterwards, the thread's keys must have their contents
// after the last acknowledged operation, or after the one that was running:
// nothing less, nothing more, and no batch in part.
//
// Half the survivors are only read, so that the next process recovers them, and
// may be killed during that. RocksDB's ldb, if installed, opens all families of
// every survivor and shows one, in turn.
// TAMIS_SEED repeats a run as far as threads and kills allow.
//
// Shows the column "kill" of D1 to D3, D6, D10 and D13 of docs/durability.md.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter_policy.h"
#include "tamis/table.h"

#include "tests/kill/expected_state.h"
#include "tests/kill/survivor.h"
#include "tests/kill/victim.h"
#include "tests/support/effort.h"

namespace tamis::kill {
namespace {

int KillCount() { return std::max(Rounds(50), 15); }

constexpr Setting kSettings[] = {
    {"Plain", [](Options*, BlockBasedTableOptions*) {}},
    {"AtomicFlush",
     [](Options* options, BlockBasedTableOptions*) {
       options->atomic_flush = true;
     }},
    // Memtables, logs and MANIFESTs change all the time.
    {"EverythingSmall",
     [](Options* options, BlockBasedTableOptions*) {
       options->write_buffer_size = 64 * 1024;
       options->max_write_buffer_number = 4;
       options->max_total_wal_size = 64 * 1024;
       options->max_manifest_file_size = 4 * 1024;
     }},
    // Tables are mapped and unmapped all the time, too.
    {"FewOpenFilesPartitionedFilters",
     [](Options* options, BlockBasedTableOptions* table) {
       options->max_open_files = 8;
       options->allow_mmap_reads = true;
       table->filter_policy.reset(NewBloomFilterPolicy(10));
       table->index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
       table->partition_filters = true;
       table->metadata_block_size = 512;
     }},
};

uint64_t Seed() {
  const char* const given = std::getenv("TAMIS_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10)
                          : RandomBitsFromSystem()[0];
}

class KillTest : public ::testing::TestWithParam<Setting> {
 protected:
  // The number of operations that were acknowledged.
  uint64_t KillAndCompare(const Round& round) {
    // Early kills hit the open, and its recovery.
    const bool early = random_.OneIn(4);
    const Moment moment = {
        early ? 0 : 1 + random_.Uniform(300),
        std::chrono::microseconds(random_.Uniform(early ? 20'000 : 5'000))};
    RunAndKill(round, models_, moment, &state_);

    const auto family = static_cast<size_t>(round.number) % kFamilies;
    std::vector<std::string> names;
    const Status listed = ListFamilies(round.directory, &names);
    EXPECT_TRUE(listed.ok()) << listed;
    const bool by_ldb =
        !ldb_.empty() && std::find(names.begin(), names.end(),
                                   kDefaultColumnFamilyName) != names.end();
    const bool is_there = std::find(names.begin(), names.end(),
                                    kFamilyNames[family]) != names.end();
    const size_t shown = is_there ? family : kDefault;
    KeyValues ldb_shows;
    if (by_ldb) {
      ldb_shows =
          ReadByLdb(ldb_, round.directory, temporary_.Path("copy"), shown);
    }
    const Survivor survivor =
        ReadByTamis(round.directory, round.setting, random_.OneIn(2));
    if (by_ldb) {
      EXPECT_EQ(Difference(survivor[shown].value_or(KeyValues()), ldb_shows),
                "")
          << "by ldb, " << kFamilyNames[shown];
    }
    uint64_t acknowledged = 0;
    for (uint32_t t = 0; t < kThreads; ++t) {
      acknowledged += Advance(round, t, state_.of(t), survivor, &models_[t]);
    }
    return acknowledged;
  }

  const uint64_t seed_ = Seed();
  const std::string ldb_ = FindLdb();
  const TemporaryDirectory temporary_;
  ExpectedState state_{temporary_.Path("expected")};
  Random random_{seed_};
  Models models_;
};

TEST_P(KillTest, AcknowledgedOperationsSurviveEveryKill) {
  std::printf("TAMIS_SEED=%llu\n", static_cast<unsigned long long>(seed_));
  std::fflush(stdout);
  ASSERT_TRUE(state_.mapped());
  uint64_t total = 0;
  const int kills = KillCount();
  for (int i = 0; i < kills && !HasFailure(); ++i) {
    SCOPED_TRACE("TAMIS_SEED=" + std::to_string(seed_) + ", round " +
                 std::to_string(i));
    total += KillAndCompare({temporary_.Path("db"), GetParam(), seed_, i});
  }
  std::printf("%llu acknowledged operations\n",
              static_cast<unsigned long long>(total));
  EXPECT_GT(total, static_cast<uint64_t>(kills));
}

INSTANTIATE_TEST_SUITE_P(Settings, KillTest, ::testing::ValuesIn(kSettings),
                         [](const auto& setting) {
                           return setting.param.name;
                         });

}  // namespace
}  // namespace tamis::kill
