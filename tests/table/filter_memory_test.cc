// SPDX-License-Identifier: Apache-2.0
//
// The memory of unfinished filters counts as usage of the block cache, until
// the table ends, whatever its end is. A partition whose keys take too much of
// a small cache ends early.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter_policy.h"

#include "tests/support/effort.h"
#include "tests/support/table_filters.h"
#include "util/cache/block_cache.h"

namespace tamis {
namespace {

using Options = BlockBasedTableOptions;

constexpr int kKeys = 20'000;
constexpr size_t kLarge = 32 << 20;

std::string KeyOf(int i) { return "user" + std::to_string(1'000'000 + 3 * i); }

void Partition(TableBuildOptions* options) {
  options->table.index_type = Options::kTwoLevelIndexSearch;
  options->table.partition_filters = true;
}

struct Kind {
  std::string name;
  std::function<void(TableBuildOptions*)> set;
};

std::vector<Kind> Kinds() {
  std::vector<Kind> kinds = {
      {"partitions", Partition},
      {"block-based",
       [](TableBuildOptions* o) {
         o->table.filter_policy.reset(NewBloomFilterPolicy(10, true));
       }},
      {"legacy Bloom",
       [](TableBuildOptions* o) { o->table.format_version = 4; }},
      {"only Grafite",
       [](TableBuildOptions* o) {
         o->skip_filters = true;
         o->table.range_filter = Options::kGrafite;
       }},
      {"only Fence",
       [](TableBuildOptions* o) {
         o->skip_filters = true;
         o->table.range_filter = Options::kFence;
       }},
      {"partitions and Grafite", [](TableBuildOptions* o) {
         Partition(o);
         o->table.range_filter = Options::kGrafite;
       }}};
  for (int format = 0; format <= static_cast<int>(FilterFormat::kByLevel);
       ++format) {
    kinds.push_back(
        {"format " + std::to_string(format), [format](TableBuildOptions* o) {
           o->table.filter_policy.reset(
               NewFilterPolicy({.format = static_cast<FilterFormat>(format)}));
         }});
  }
  return kinds;
}

// With `runner`, filters are built beside the data.
TableBuildOptions OptionsFor(const Kind& kind, BlockCache* cache,
                             JobRunner* runner = nullptr) {
  TableBuildOptions options(Bytewise());
  if (runner != nullptr) {
    options.helpers = {runner, [runner](std::function<void()> job) {
                         runner->Schedule(JobPriority::kLow, std::move(job));
                       }};
  }
  options.file_name = "test.sst";
  options.block_cache = cache;
  kind.set(&options);
  return options;
}

// Adds the keys while the builder is OK. Returns the largest usage meanwhile.
size_t AddAll(TableBuilder* builder, const BlockCache& cache) {
  size_t most = 0;
  for (int i = 0; i < kKeys && builder->ok(); ++i) {
    builder->Add(InternalKey(KeyOf(i), 7), "value");
    if (i % 64 == 0) most = std::max(most, cache.GetUsage());
  }
  return most;
}

TEST(FilterMemoryTest, CountsUntilTheTableEnds) {
  const auto runner = NewThreadJobRunner(1, 2);
  for (const Kind& kind : Kinds()) {
    SCOPED_TRACE(kind.name);
    BlockCache cache(kLarge);
    std::string contents;
    StringWritableFile file(&contents);
    for (JobRunner* const helper :
         {static_cast<JobRunner*>(nullptr), runner.get()}) {
      TableBuilder builder(OptionsFor(kind, &cache, helper), &file);
      EXPECT_EQ(cache.GetUsage(), 0u);
      const size_t most = AddAll(&builder, cache);
      // A byte for each key, in one form or another, and less than its text
      // twice.
      EXPECT_GT(most, size_t{kKeys});
      EXPECT_LT(most, size_t{64} * kKeys);
      EXPECT_TRUE(builder.Finish().ok());
      EXPECT_EQ(cache.GetUsage(), 0u);
    }
    EXPECT_EQ(cache.GetUsage(), 0u);
  }
}

TEST(FilterMemoryTest, AnAbandonedTableGivesItBack) {
  const auto runner = NewThreadJobRunner(1, 2);
  for (const Kind& kind : Kinds()) {
    SCOPED_TRACE(kind.name);
    BlockCache cache(kLarge);
    std::string contents;
    StringWritableFile file(&contents);
    for (JobRunner* const helper :
         {static_cast<JobRunner*>(nullptr), runner.get()}) {
      TableBuilder builder(OptionsFor(kind, &cache, helper), &file);
      EXPECT_GT(AddAll(&builder, cache), 0u);
      builder.Abandon();
      EXPECT_EQ(cache.GetUsage(), 0u);
    }
  }
}

TEST(FilterMemoryTest, ADestroyedBuilderGivesItBack) {
  BlockCache cache(kLarge);
  std::string contents;
  StringWritableFile file(&contents);
  {
    TableBuilder builder(OptionsFor(Kinds().front(), &cache), &file);
    AddAll(&builder, cache);
    EXPECT_GT(cache.GetUsage(), 0u);
  }
  EXPECT_EQ(cache.GetUsage(), 0u);
}

// At a data block, at the filter, and at the last bytes.
TEST(FilterMemoryTest, AFailedTableGivesItBack) {
  for (const Kind& kind : Kinds()) {
    SCOPED_TRACE(kind.name);
    int calls = 0;
    for (int fail_at = 1;; fail_at += std::max(1, calls / 9)) {
      BlockCache cache(kLarge);
      std::string contents;
      StringWritableFile file(&contents, fail_at);
      TableBuilder builder(OptionsFor(kind, &cache), &file);
      AddAll(&builder, cache);
      const Status status = builder.Finish();
      EXPECT_EQ(cache.GetUsage(), 0u) << fail_at;
      if (status.ok()) break;
      calls = fail_at;
    }
    EXPECT_GT(calls, 1);
  }
}

TEST(FilterMemoryTest, AnEntryOutOfOrderGivesItBack) {
  BlockCache cache(kLarge);
  std::string contents;
  StringWritableFile file(&contents);
  TableBuilder builder(OptionsFor(Kinds().front(), &cache), &file);
  AddAll(&builder, cache);
  builder.Add(InternalKey("a", 7), "value");
  EXPECT_TRUE(builder.Finish().IsCorruption());
  EXPECT_EQ(cache.GetUsage(), 0u);
}

// Returns the table's bytes and the number of its filters.
std::pair<std::string, size_t> Build(const Kind& kind, BlockCache* cache) {
  const TableBuildOptions options = OptionsFor(kind, cache);
  Entries entries;
  for (int i = 0; i < kKeys; ++i) {
    entries.emplace_back(InternalKey(KeyOf(i), 7), std::to_string(i));
  }
  const std::string contents = BuildTable(options, entries);
  const auto table = OpenTable(contents);
  EXPECT_TRUE(table.ok()) << table.status();
  std::string name;
  const size_t filters = FiltersOf(**table, contents, &name).size();
  for (int i = 0; i < kKeys; i += static_cast<int>(Stride())) {
    EXPECT_EQ(GetFrom(**table, KeyOf(i)).value, std::to_string(i));
    EXPECT_TRUE(GetFrom(**table, KeyOf(i) + "x").status.IsNotFound());
  }
  return {contents, filters};
}

TEST(FilterMemoryTest, APartitionEndsEarlyUnderASmallCache) {
  const auto with = [](uint64_t partition_bytes) {
    return Kind{"", [partition_bytes](TableBuildOptions* o) {
                  Partition(o);
                  o->table.metadata_block_size = partition_bytes;
                }};
  };
  const Kind small = with(4 << 10);
  const Kind large = with(64 << 10);
  BlockCache ample(kLarge);
  BlockCache scarce(256 << 10);
  BlockCache tiny(4 << 10);
  const auto alone = Build(large, nullptr);
  EXPECT_EQ(alone.second, 1u);
  EXPECT_TRUE(Build(large, &ample) == alone);
  // 16 KiB are 2,048 hashes, and 4 KiB, which any partition may take, are 512.
  const size_t under_scarce = Build(large, &scarce).second;
  EXPECT_GE(under_scarce, 9u);
  EXPECT_LE(under_scarce, 11u);
  const size_t under_tiny = Build(large, &tiny).second;
  EXPECT_GE(under_tiny, 25u);
  EXPECT_LE(under_tiny, 41u);
  EXPECT_TRUE(Build(large, &tiny) == Build(large, &tiny));
  // Partitions that are small anyway stay as they are.
  EXPECT_TRUE(Build(small, &ample) == Build(small, nullptr));
  EXPECT_EQ(tiny.GetUsage() + scarce.GetUsage() + ample.GetUsage(), 0u);
}

TEST(FilterMemoryTest, AFullFilterNeedsAllKeysWhateverTheyTake) {
  BlockCache tiny(4 << 10);
  const Kind full = {"", [](TableBuildOptions*) {}};
  EXPECT_TRUE(Build(full, &tiny) == Build(full, nullptr));
}

}  // namespace
}  // namespace tamis
