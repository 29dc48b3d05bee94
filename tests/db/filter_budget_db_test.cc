// SPDX-License-Identifier: Apache-2.0
//
// A budget of filter bytes in a database of several levels.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tamis/perf_context.h"

#include "tests/db/test_db.h"
#include "util/base/random.h"

namespace tamis {
namespace {

class FilterBudgetDBTest : public DBTest {
 protected:
  static constexpr int kKeys = 60000;

  // Levels 1 to 3, each of which holds keys of all ranges.
  void Fill(const FilterPolicy* policy) {
    BlockBasedTableOptions table;
    table.filter_policy.reset(policy);
    SetTable(table);
    options_.compression = kNoCompression;
    // Large enough that filters are Ribbons, but for the smallest.
    options_.write_buffer_size = 128 << 10;
    options_.target_file_size_base = 256 << 10;
    options_.max_bytes_for_level_base = 128 << 10;
    options_.max_bytes_for_level_multiplier = 8;
    Destroy();
    Open();
    // The second pass rewrites tables from when there were fewer.
    for (int pass = 0; pass < 2; ++pass) {
      Random random(301);
      for (int i = 0; i < kKeys; ++i) {
        Put(std::to_string(random.Next() % 1000000 * 2),
            Noise(60, random.Next()));
      }
      Flush();
    }
  }
  uint64_t FilterBytes() {
    uint64_t bytes = 0;
    for (const auto& [name, properties] : Tables()) {
      bytes += properties.filter_size;
    }
    return bytes;
  }
  // Reads of tables that do not hold the key, for 100,000 absent keys.
  uint64_t WastedReads() {
    get_perf_context()->Reset();
    Random random(17);
    std::string value;
    for (int i = 0; i < 100000; ++i) {
      const std::string key = std::to_string(random.Next() % 1000000 * 2 + 1);
      EXPECT_TRUE(db_->Get(ReadOptions(), key, &value).IsNotFound());
    }
    return get_perf_context()->bloom_sst_hit_count;
  }
};

TEST_F(FilterBudgetDBTest, AbsentKeysWasteFewerReadsInTheSameMemory) {
  Fill(NewBloomFilterPolicy(10));
  const uint64_t bytes = FilterBytes();
  const uint64_t uniform = WastedReads();
  // Small tables, and those that were written when the levels were smaller,
  // take more than their share.
  Fill(NewBudgetFilterPolicy(bytes * 78 / 100));
  EXPECT_LE(FilterBytes(), bytes);
  EXPECT_LE(2 * WastedReads(), uniform);
}

}  // namespace
}  // namespace tamis
