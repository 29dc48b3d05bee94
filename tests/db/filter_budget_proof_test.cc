// SPDX-License-Identifier: Apache-2.0
//
// What a budget of filter bytes saves, counted in a tree of four full levels,
// each ten times the one above. One tree gets one kind of filters after another
// by DB::RewriteFilters; absent keys, uniform over the range of the keys, are
// looked up in each.
//
// TAMIS_PROOF_LEVEL1_BYTES sets the size of level 1, 1048576 for the figures of
// docs/filters.md (1.1 GiB of tables; docs/testing.md). The default is small.
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "tamis/perf_context.h"

#include "tests/db/test_db.h"
#include "tests/support/effort.h"
#include "tests/support/sanitizers.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr uint64_t kFullScale = 1 << 20;

class FilterBudgetProofTest : public DBTest {
 protected:
  static constexpr int kLevelsFilled = 4;
  static constexpr uint64_t kLookups = 400'000;

  struct Outcome {
    uint64_t bytes = 0;   // of the filters
    uint64_t wasted = 0;  // reads of tables that lack the key
  };

  // Keys are even numbers below this.
  static constexpr uint64_t kKeyLimit = 20'000'000'000;
  static std::string KeyOf(uint64_t number) {
    char text[24];
    std::snprintf(text, sizeof(text), "%016" PRIu64, number);
    return text;
  }
  uint64_t LevelTarget(int level) const {
    uint64_t bytes = level1_;
    for (int i = 1; i < level; ++i) bytes *= 10;
    return bytes;
  }
  uint64_t LevelBytes(int level) {
    uint64_t bytes = 0;
    for (const LiveFileMetaData& file : LiveFiles()) {
      if (file.level == level) bytes += file.size;
    }
    return bytes;
  }

  void UsePolicy(const FilterPolicy* policy) {
    BlockBasedTableOptions table;
    table.filter_policy.reset(policy);
    table.block_cache = cache_;
    SetTable(table);
    if (db_ == nullptr) {
      Open();
    } else {
      Reopen();
    }
  }

  // Makes every write end up in this level: those above hold next to nothing,
  // and this one more than is written.
  void AimAt(int level) {
    const double room = 1.5 * static_cast<double>(LevelTarget(level));
    options_.max_bytes_for_level_base =
        level == 1 ? static_cast<uint64_t>(room) : 1;
    options_.max_bytes_for_level_multiplier =
        level == 1 ? 1000 : std::pow(room, 1.0 / (level - 1));
    options_.write_buffer_size =
        static_cast<size_t>(std::max(level1_, LevelTarget(level) / 8));
    UsePolicy(NewBloomFilterPolicy(10));
  }

  // Fills the levels from the last one up. Each has keys of the whole range.
  void Grow() {
    options_.compression = kNoCompression;
    // Little of the range of a level lies between its tables.
    options_.target_file_size_base =
        level1_ < kFullScale ? level1_ : level1_ / 4;
    options_.level0_file_num_compaction_trigger = 1;
    const size_t value_bytes = level1_ < kFullScale ? 10 : 100;
    const std::string value = Noise(value_bytes, 301);
    const uint64_t entry_bytes = value_bytes + (level1_ < kFullScale ? 22 : 20);
    WriteOptions unlogged;
    unlogged.disableWAL = true;
    Random random(17);
    for (int level = kLevelsFilled; level >= 1; --level) {
      AimAt(level);
      const uint64_t keys = LevelTarget(level) / entry_bytes;
      for (uint64_t i = 0; i < keys; ++i) {
        // One of each step; ascending, the tables are moved, not merged.
        const uint64_t step = kKeyLimit / 2 / keys;
        const uint64_t key = i * step + random.Next() % step;
        ASSERT_TRUE(db_->Put(unlogged, KeyOf(2 * key), value).ok());
      }
      Flush();
      RunJobs();
    }
    options_.disable_auto_compactions = true;
    uint64_t entries = 0;
    for (const auto& [file, properties] : Tables()) {
      entries += properties.num_entries;
    }
    std::printf("%" PRIu64 " entries in %zu tables\n", entries,
                LiveFiles().size());
    for (int level = 0; level < 7; ++level) {
      const uint64_t bytes = LevelBytes(level);
      std::printf("level %d: %7.2f MiB\n", level,
                  static_cast<double>(bytes) / (1 << 20));
      if (level < 1 || level > kLevelsFilled) {
        EXPECT_EQ(bytes, 0u);
        continue;
      }
      EXPECT_NEAR(static_cast<double>(bytes),
                  static_cast<double>(LevelTarget(level)),
                  0.15 * static_cast<double>(LevelTarget(level)));
    }
  }

  // Gives all tables the policy's filters, and looks up absent keys.
  Outcome Try(const char* name, const FilterPolicy* policy) {
    UsePolicy(policy);
    const Status status = db_->RewriteFilters({});
    EXPECT_TRUE(status.ok()) << status;
    Outcome outcome;
    for (const auto& [file, properties] : Tables()) {
      outcome.bytes += properties.filter_size;
      // Reads of a table without a filter would not be counted.
      EXPECT_GT(properties.filter_size, 0u) << file;
    }
    get_perf_context()->Reset();
    Random random(99);
    std::string value;
    for (uint64_t i = 0; i < kLookups; ++i) {
      const std::string key = KeyOf(random.Next() % (kKeyLimit / 2) * 2 + 1);
      EXPECT_TRUE(db_->Get(ReadOptions(), key, &value).IsNotFound());
    }
    outcome.wasted = get_perf_context()->bloom_sst_hit_count;
    std::printf("%-22s %9" PRIu64 " bytes, %6" PRIu64
                " wasted reads of %" PRIu64 " lookups\n",
                name, outcome.bytes, outcome.wasted, kLookups);
    return outcome;
  }

  const uint64_t level1_ =
      FromEnvironment("TAMIS_PROOF_LEVEL1_BYTES", kFullScale / 16);
  const std::shared_ptr<Cache> cache_ = NewLRUCache(256 << 20);
};

TEST_F(FilterBudgetProofTest, AbsentKeysWasteFewerReads) {
  if (kSanitizer) GTEST_SKIP() << kNoOtherCode;
  Grow();
  const Outcome uniform =
      Try("Bloom, 10 bits per key", NewBloomFilterPolicy(10));
  // A budget is met to about 1/2 %.
  const uint64_t bytes = uniform.bytes * 99 / 100;
  const Outcome same = Try("budget", NewBudgetFilterPolicy(bytes));
  const Outcome less =
      Try("budget of 75 %", NewBudgetFilterPolicy(bytes * 3 / 4));
  const Outcome bloom =
      Try("budget, Bloom", NewBudgetFilterPolicy(bytes, FilterFormat::kBloom));
  EXPECT_LE(same.bytes, uniform.bytes);
  EXPECT_GE(uniform.wasted, 8 * same.wasted);
  EXPECT_LE(less.bytes, uniform.bytes * 3 / 4);
  EXPECT_GE(uniform.wasted, 2 * less.wasted);
  EXPECT_LE(bloom.bytes, uniform.bytes);
  EXPECT_GE(static_cast<double>(uniform.wasted),
            2.3 * static_cast<double>(bloom.wasted));
}

}  // namespace
}  // namespace tamis
