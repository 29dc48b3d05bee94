// SPDX-License-Identifier: Apache-2.0
//
// A compaction filter beside writes, snapshots and reads of other threads.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/compaction_filter.h"

#include "tests/db/test_db.h"
#include "util/base/random.h"

namespace tamis {
namespace {

// Removes values that end in an odd digit.
class OddFilter : public CompactionFilter {
 public:
  const char* Name() const override { return "test.Odd"; }
  bool Filter(int, const Slice&, const Slice& value, std::string*,
              bool*) const override {
    return (value[value.size() - 1] - '0') % 2 == 1;
  }
};

class OddFactory : public CompactionFilterFactory {
 public:
  const char* Name() const override { return "test.OddFactory"; }
  bool ShouldFilterTableFileCreation(TableFileCreationReason) const override {
    return true;
  }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context&) override {
    return std::make_unique<OddFilter>();
  }
};

class CompactionFilterThreadsTest : public DBTest {};

TEST_F(CompactionFilterThreadsTest, SnapshotsReadTheSameAgain) {
  constexpr uint64_t kKeys = 400;
  UseThreads();
  options_.write_buffer_size = 64 << 10;
  options_.target_file_size_base = 8 << 10;
  options_.max_bytes_for_level_base = 32 << 10;
  options_.level0_file_num_compaction_trigger = 2;
  options_.max_background_jobs = 4;
  options_.max_subcompactions = 2;
  options_.compaction_filter_factory = std::make_shared<OddFactory>();
  Open();
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  std::vector<uint64_t> written(kKeys, 0);
  threads.emplace_back([this, &done, &written] {
    Random random(1);
    for (uint64_t n = 1; !done.load(); ++n) {
      const uint64_t i = random.Uniform(kKeys);
      Put(Key(static_cast<int>(i)), Noise(20, n) + std::to_string(n));
      written[i] = n;
    }
  });
  threads.emplace_back([this, &done] {
    Random random(2);
    while (!done.load() && !HasFailure()) {
      const Snapshot* const snapshot = db_->GetSnapshot();
      const std::string before = ContentsAt(snapshot);
      for (int i = 0; i < 20; ++i) {
        const std::string key = Key(static_cast<int>(random.Uniform(kKeys)));
        EXPECT_EQ(Get(key, snapshot), Get(key, snapshot)) << key;
      }
      EXPECT_EQ(ContentsAt(snapshot), before);
      db_->ReleaseSnapshot(snapshot);
    }
  });
  for (int round = 0; round < 40 && !HasFailure(); ++round) {
    const Status status = db_->CompactRange({}, nullptr, nullptr);
    EXPECT_TRUE(status.ok()) << status;
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  Compact(/*force=*/true);
  for (uint64_t i = 0; i < kKeys; ++i) {
    const std::string value = Get(Key(static_cast<int>(i)));
    if (written[i] == 0 || written[i] % 2 == 1) {
      ASSERT_EQ(value, "NOT_FOUND") << i;
    } else {
      ASSERT_EQ(value, Noise(20, written[i]) + std::to_string(written[i])) << i;
    }
  }
}

}  // namespace
}  // namespace tamis
