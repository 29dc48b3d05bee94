// SPDX-License-Identifier: Apache-2.0
//
// RewriteFilters beside writes, compactions and reads of other threads.
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "util/base/random.h"

namespace tamis {
namespace {

class RewriteFiltersThreadsTest : public DBTest {};

TEST_F(RewriteFiltersThreadsTest, BesideWritesReadsAndCompactions) {
  constexpr int kKeys = 2000;
  UseThreads();
  options_.write_buffer_size = 32 << 10;
  options_.target_file_size_base = 16 << 10;
  options_.max_bytes_for_level_base = 64 << 10;
  options_.max_bytes_for_level_multiplier = 4;
  options_.max_background_jobs = 4;
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBudgetFilterPolicy(2000));
  SetTable(table);
  Open();
  PutMany(kKeys, 20);
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  // Each key keeps a value; how long it is varies.
  threads.emplace_back([this, &done] {
    Random random(1);
    while (!done.load()) {
      const auto i = static_cast<int>(random.Next() % kKeys);
      Put(Key(i), Noise(random.Next() % 60, random.Next()));
    }
  });
  for (uint64_t seed = 2; seed < 4; ++seed) {
    threads.emplace_back([this, &done, seed] {
      Random random(seed);
      while (!done.load()) {
        const auto i = static_cast<int>(random.Next() % kKeys);
        ASSERT_NE(Get(Key(i)), "NOT_FOUND") << i;
        ASSERT_EQ(Get(Key(i) + "x"), "NOT_FOUND") << i;
      }
    });
  }
  for (int round = 0; round < 15; ++round) {
    const Status status = db_->RewriteFilters({.wait = round % 3 != 0});
    ASSERT_TRUE(status.ok()) << status;
    if (round % 5 == 0) Compact(/*force=*/true);
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(db_->RewriteFilters({}).ok());
  for (int i = 0; i < kKeys; ++i) ASSERT_NE(Get(Key(i)), "NOT_FOUND") << i;
  // Close ends what was begun.
  ASSERT_TRUE(db_->RewriteFilters({.wait = false}).ok());
  ASSERT_TRUE(db_->Close().ok());
}

}  // namespace
}  // namespace tamis
