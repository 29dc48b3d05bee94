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
  options_.write_buffer_size = 64 << 10;
  options_.target_file_size_base = 16 << 10;
  options_.max_bytes_for_level_base = 64 << 10;
  options_.max_bytes_for_level_multiplier = 4;
  options_.max_background_jobs = 4;
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBudgetFilterPolicy(2000));
  SetTable(table);
  Open();
  // A value is the key and a version, which grows.
  const auto value_of = [](int i, uint64_t version) {
    return Key(i) + ":" + std::to_string(version);
  };
  const auto version_in = [](const std::string& value, int i) -> uint64_t {
    const std::string begin = Key(i) + ":";
    EXPECT_TRUE(value.starts_with(begin)) << value;
    return value.starts_with(begin) ? std::stoull(value.substr(begin.size()))
                                    : 0;
  };
  for (int i = 0; i < kKeys; ++i) Put(Key(i), value_of(i, 1));
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  std::vector<uint64_t> written(kKeys, 1);
  threads.emplace_back([this, &done, &written, &value_of] {
    Random random(1);
    while (!done.load()) {
      const auto i = static_cast<int>(random.Next() % kKeys);
      Put(Key(i), value_of(i, ++written[static_cast<size_t>(i)]));
    }
  });
  for (uint64_t seed = 2; seed < 4; ++seed) {
    threads.emplace_back([this, &done, &version_in, seed] {
      Random random(seed);
      std::vector<uint64_t> seen(kKeys, 1);
      while (!done.load() && !HasFailure()) {
        const auto i = static_cast<int>(random.Next() % kKeys);
        uint64_t& last = seen[static_cast<size_t>(i)];
        const uint64_t version = version_in(Get(Key(i)), i);
        EXPECT_GE(version, last) << i;
        last = version;
        EXPECT_EQ(Get(Key(i) + "x"), "NOT_FOUND") << i;
      }
    });
  }
  for (int round = 0; round < 15 && !HasFailure(); ++round) {
    const Status status = db_->RewriteFilters({.wait = round % 3 != 0});
    EXPECT_TRUE(status.ok()) << status;
    if (round % 5 == 0) Compact(/*force=*/true);
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(db_->RewriteFilters({}).ok());
  for (int i = 0; i < kKeys; ++i) {
    ASSERT_EQ(Get(Key(i)), value_of(i, written[static_cast<size_t>(i)])) << i;
  }
  // Close ends what was begun.
  ASSERT_TRUE(db_->RewriteFilters({.wait = false}).ok());
  ASSERT_TRUE(db_->Close().ok());
}

}  // namespace
}  // namespace tamis
