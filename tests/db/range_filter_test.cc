// SPDX-License-Identifier: Apache-2.0
//
// Range filters as a database uses them: bounded iterators skip tables, and
// show what they would show without.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/perf_context.h"

#include "tests/db/test_db.h"
#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {
namespace {

std::string Number(uint64_t value) {
  std::string key;
  PutFixed64(&key, __builtin_bswap64(value));
  return key;
}

using RangeFilterType = BlockBasedTableOptions::RangeFilterType;

std::string NameOf(RangeFilterType type) {
  switch (type) {
    case BlockBasedTableOptions::kGrafite:
      return "Grafite";
    case BlockBasedTableOptions::kFence:
      return "Fence";
    default:
      return "SuRF";
  }
}

class RangeFilterTestBase : public DBTest {
 protected:
  void SetRangeFilter(RangeFilterType type, double bits_per_key = 20) {
    BlockBasedTableOptions table;
    table.range_filter = type;
    table.range_filter_bits_per_key = bits_per_key;
    SetTable(table);
  }
  // Four tables of level 0 with numbers at least `gap` apart.
  void MakeTables(uint64_t gap) {
    options_.disable_auto_compactions = true;
    Open();
    for (uint64_t table = 0; table < 4; ++table) {
      for (uint64_t i = 0; i < 1000; ++i) {
        Put(Number((4 * i + table) * gap), "value");
      }
      Flush();
    }
  }
};

class RangeFilterDBTest : public RangeFilterTestBase,
                          public testing::WithParamInterface<RangeFilterType> {
};

TEST_P(RangeFilterDBTest, EmptyRangesSkipTables) {
  SetRangeFilter(GetParam());
  constexpr uint64_t kGap = 1 << 20;
  MakeTables(kGap);
  PerfContext& perf = *get_perf_context();
  perf.Reset();
  Random random(301);
  constexpr uint64_t kRanges = 1000;
  const uint64_t hits = Tick(BLOCK_CACHE_HIT) + Tick(BLOCK_CACHE_MISS);
  for (uint64_t i = 0; i < kRanges; ++i) {
    const uint64_t first =
        random.Uniform(4000) * kGap + 1 + random.Uniform(kGap / 2);
    const std::string begin = Number(first);
    const std::string end = Number(first + 16);
    const Slice upper = end;
    ReadOptions options;
    options.iterate_upper_bound = &upper;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    it->Seek(begin);
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().ok()) << it->status();
  }
  // Ranges after the last key of a table do not reach its filter.
  EXPECT_LE(perf.range_filter_miss_count, 4 * kRanges);
  EXPECT_GE(perf.range_filter_miss_count, 4 * kRanges / 100 * 99);
  EXPECT_LE(perf.range_filter_hit_count, 4 * kRanges / 500);
  EXPECT_LE(Tick(BLOCK_CACHE_HIT) + Tick(BLOCK_CACHE_MISS) - hits,
            perf.range_filter_hit_count * 3);
  // Also backward.
  perf.Reset();
  for (uint64_t i = 0; i < 100; ++i) {
    const std::string begin = Number(i * 40 * kGap + 5);
    const Slice lower = begin;
    ReadOptions options;
    options.iterate_lower_bound = &lower;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    it->SeekForPrev(Number(i * 40 * kGap + 20));
    EXPECT_FALSE(it->Valid());
  }
  EXPECT_EQ(perf.range_filter_hit_count + perf.range_filter_miss_count, 400u);
  EXPECT_LE(perf.range_filter_hit_count, 10u);
}

TEST_P(RangeFilterDBTest, AProbeLoadsOnePartitionAtMost) {
  constexpr uint64_t kGap = 1 << 20;
  for (const bool in_cache : {false, true}) {
    BlockBasedTableOptions table;
    table.filter_policy = nullptr;
    table.range_filter = GetParam();
    table.range_filter_bits_per_key = 20;
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
    table.metadata_block_size = 512;
    table.block_cache = NewLRUCache(8 << 20);
    table.cache_index_and_filter_blocks = in_cache;
    SetTable(table);
    options_.disable_auto_compactions = true;
    Open();
    constexpr uint64_t kKeys = 4000;
    for (uint64_t i = 0; i < kKeys; ++i) Put(Number(i * kGap), "value");
    Flush();
    ASSERT_EQ(Get(Number(0)), "value");
    PerfContext& perf = *get_perf_context();
    perf.Reset();
    for (uint64_t i = 0; i < kKeys; ++i) {
      const uint64_t reads_before = perf.filter_block_read_count;
      const std::string begin = Number(i * kGap + kGap / 3);
      const std::string end = Number(i * kGap + kGap / 3 + 16);
      const Slice upper = end;
      ReadOptions options;
      options.iterate_upper_bound = &upper;
      options.fill_cache = false;
      const std::unique_ptr<Iterator> it(db_->NewIterator(options));
      it->Seek(begin);
      EXPECT_FALSE(it->Valid());
      EXPECT_TRUE(it->status().ok()) << it->status();
      EXPECT_LE(perf.filter_block_read_count - reads_before, 1u);
    }
    EXPECT_GE(perf.filter_block_read_count, kKeys / 2);
    EXPECT_GE(perf.range_filter_miss_count, kKeys / 100 * 98);
    for (uint64_t i = 0; i < kKeys; ++i) {
      EXPECT_EQ(Get(Number(i * kGap)), "value");
    }
    EXPECT_GE(perf.range_filter_hit_count, kKeys);
    // A range over the end of a partition holds a key.
    perf.Reset();
    const std::string end = Number(kKeys * kGap);
    const Slice upper = end;
    ReadOptions options;
    options.iterate_upper_bound = &upper;
    std::unique_ptr<Iterator> it(db_->NewIterator(options));
    it->Seek(Number(1));
    EXPECT_TRUE(it->Valid());
    EXPECT_EQ(perf.filter_block_read_count, 0u);
    EXPECT_EQ(perf.range_filter_hit_count, 1u);
    it.reset();
    Destroy();
  }
}

TEST_P(RangeFilterDBTest, WithoutBoundsNoFilterIsProbed) {
  SetRangeFilter(GetParam());
  MakeTables(1 << 20);
  get_perf_context()->Reset();
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek(Number(5));
  EXPECT_TRUE(it->Valid());
  it->SeekForPrev(Number(5));
  EXPECT_TRUE(it->Valid());
  std::string value;
  EXPECT_TRUE(db_->Get(ReadOptions(), Number(1 << 20), &value).ok());
  EXPECT_EQ(get_perf_context()->range_filter_hit_count +
                get_perf_context()->range_filter_miss_count,
            0u);
}

// LOG says which filters a table has, and which one is not worth it.
TEST_F(RangeFilterDBTest, LogNamesTheFilters) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(
      NewFilterPolicy({.format = FilterFormat::kBumpedRibbon}));
  table.range_filter = BlockBasedTableOptions::kGrafite;
  SetTable(table);
  Open();
  for (uint64_t i = 0; i < 3000; ++i) Put(Number(i * 1000), "value");
  Flush();
  std::vector<std::string> lines = LogLines("event=table_written");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("fullfilter.tamis.BumpedRibbon, "
                          "fullfilter.tamis.Grafite"),
            std::string::npos)
      << lines[0];
  EXPECT_NE(lines[0].find("filter_entries=3000"), std::string::npos)
      << lines[0];
  // Keys that differ only after what counts.
  Random random(301);
  for (int i = 0; i < 50; ++i) {
    std::string folder(30, ' ');
    for (char& c : folder) c = static_cast<char>('a' + random.Uniform(26));
    for (int file = 0; file < 40; ++file) Put(folder + Key(file), "value");
  }
  Flush();
  lines = LogLines("event=table_written");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[1].find("fullfilter.tamis.BumpedRibbon (no Grafite: it "
                          "would exclude too little, or take too much)"),
            std::string::npos)
      << lines[1];
}

// A skipped table still gives its range tombstones.
TEST_P(RangeFilterDBTest, ASkippedTableHidesOlderKeys) {
  SetRangeFilter(GetParam());
  options_.disable_auto_compactions = true;
  Open();
  Put(Number(1000), "old");
  Flush();
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(),
                               Number(500), Number(2000))
                  .ok());
  for (uint64_t i = 0; i < 100; ++i) Put(Number(1000000 + i * 1000), "new");
  Flush();
  get_perf_context()->Reset();
  const std::string end = Number(1010);
  const Slice upper = end;
  ReadOptions options;
  options.iterate_upper_bound = &upper;
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  it->Seek(Number(990));
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
  EXPECT_GT(get_perf_context()->range_filter_miss_count, 0u);
}

TEST_P(RangeFilterDBTest, LookupsOfKeysProbeItIfItIsTheOnlyFilter) {
  constexpr uint64_t kGap = 1 << 20;
  constexpr uint64_t kKeys = 1000;
  for (const bool with_bloom : {false, true}) {
    BlockBasedTableOptions table;
    table.range_filter = GetParam();
    table.range_filter_bits_per_key = 20;
    if (!with_bloom) table.filter_policy = nullptr;
    SetTable(table);
    MakeTables(kGap);
    ASSERT_EQ(Get(Number(0)), "value");
    const PerfContext& perf = *get_perf_context();
    get_perf_context()->Reset();
    std::vector<std::string> absent;
    for (uint64_t i = 0; i < kKeys; ++i) {
      ASSERT_EQ(Get(Number(4 * i * kGap)), "value");
      absent.push_back(Number(4 * i * kGap + kGap / 3));
    }
    const uint64_t reads =
        Tick(BLOCK_CACHE_DATA_HIT) + Tick(BLOCK_CACHE_DATA_MISS);
    const uint64_t passed = perf.range_filter_hit_count;
    for (const std::string& key : absent) ASSERT_EQ(Get(key), "NOT_FOUND");
    const std::vector<Slice> keys(absent.begin(), absent.end());
    std::vector<std::string> values;
    for (const Status& status : db_->MultiGet({}, keys, &values)) {
      EXPECT_TRUE(status.IsNotFound()) << status;
    }
    if (with_bloom) {
      EXPECT_EQ(perf.range_filter_hit_count + perf.range_filter_miss_count, 0u);
    } else {
      // Fewer than the four tables span the keys at both ends.
      EXPECT_GE(perf.range_filter_miss_count, 3 * 3 * kKeys - 100);
      EXPECT_LE(perf.range_filter_hit_count - passed, kKeys / 50);
      EXPECT_LE(
          Tick(BLOCK_CACHE_DATA_HIT) + Tick(BLOCK_CACHE_DATA_MISS) - reads,
          kKeys / 50);
      EXPECT_EQ(perf.bloom_sst_hit_count + perf.bloom_sst_miss_count, 0u);
    }
    Destroy();
  }
}

TEST_P(RangeFilterDBTest, OtherOrdersGetNone) {
  SetRangeFilter(GetParam());
  options_.comparator = ReverseBytewiseComparator();
  MakeTables(1 << 20);
  get_perf_context()->Reset();
  const std::string end = Number(3);
  const Slice upper = end;
  ReadOptions options;
  options.iterate_upper_bound = &upper;
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  it->Seek(Number(500));
  EXPECT_FALSE(it->Valid());
  EXPECT_EQ(get_perf_context()->range_filter_hit_count +
                get_perf_context()->range_filter_miss_count,
            0u);
}

TEST_P(RangeFilterDBTest, BitsPerKeyOutOfRangeAreRefused) {
  SetRangeFilter(GetParam(), 2);
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find("range_filter_bits_per_key"),
            std::string::npos)
      << status;
}

INSTANTIATE_TEST_SUITE_P(Types, RangeFilterDBTest,
                         testing::Values(BlockBasedTableOptions::kGrafite,
                                         BlockBasedTableOptions::kFence,
                                         BlockBasedTableOptions::kSurf),
                         [](const auto& instance) {
                           return NameOf(instance.param);
                         });

TEST_F(RangeFilterTestBase, StringsOfTenantsAndTimesSkipTables) {
  SetRangeFilter(BlockBasedTableOptions::kFence, 14);
  options_.disable_auto_compactions = true;
  Open();
  Random random(301);
  const auto key = [&random] {
    return "tenant/" + std::to_string(10 + random.Uniform(20)) + "/17" +
           std::to_string(100000000 + random.Uniform(900000000));
  };
  for (int table = 0; table < 4; ++table) {
    for (int i = 0; i < 2000; ++i) Put(key(), "value");
    Flush();
  }
  PerfContext& perf = *get_perf_context();
  perf.Reset();
  for (int i = 0; i < 1000; ++i) {
    const std::string begin = key();
    const std::string end = begin + "~";
    const Slice upper = end;
    ReadOptions options;
    options.iterate_upper_bound = &upper;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    it->Seek(begin);
    EXPECT_TRUE(it->status().ok()) << it->status();
  }
  EXPECT_GE(perf.range_filter_miss_count, 3800u);
  EXPECT_LE(perf.range_filter_hit_count, 80u);
}

// Random writes, range deletions, flushes and compactions; bounded iterators
// that turn around. The model is a map.
struct ModelCase {
  RangeFilterType type;
  bool in_cache;
  bool partitioned = false;
};

class RangeFilterModelTest : public RangeFilterTestBase,
                             public testing::WithParamInterface<ModelCase> {
 protected:
  using Model = std::map<std::string, std::string>;

  std::string RandomKey() {
    const std::string key = Number(random_.Uniform(3000) * 7);
    // Some keys share eight bytes with others.
    return random_.OneIn(8) ? key + "x" : key;
  }
  void Change() {
    switch (random_.Uniform(40)) {
      case 0:
        Flush();
        break;
      case 1: {
        std::string begin = RandomKey();
        std::string end = RandomKey();
        if (end < begin) std::swap(begin, end);
        ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(),
                                     begin, end)
                        .ok());
        model_.erase(model_.lower_bound(begin), model_.lower_bound(end));
        break;
      }
      case 2:
        if (random_.OneIn(10)) Compact();
        break;
      case 3:
      case 4: {
        const std::string key = RandomKey();
        Delete(key);
        model_.erase(key);
        break;
      }
      default: {
        const std::string key = RandomKey();
        const std::string value = std::to_string(random_.Next());
        Put(key, value);
        model_[key] = value;
      }
    }
  }
  void CheckAt(const Iterator& it, Model::const_iterator at,
               Model::const_iterator outside) {
    ASSERT_TRUE(it.status().ok()) << it.status();
    ASSERT_EQ(it.Valid(), at != outside);
    if (!it.Valid()) return;
    EXPECT_EQ(it.key().ToString(true), Slice(at->first).ToString(true));
    EXPECT_EQ(it.value(), at->second);
  }
  void Scan();

  Random random_{301};
  Model model_;
};

// Seeks and steps in both directions within random bounds.
void RangeFilterModelTest::Scan() {
  std::string begin = RandomKey();
  std::string end = random_.OneIn(2) ? RandomKey() : begin + "\x01";
  if (end < begin) std::swap(begin, end);
  if (begin == end) return;
  const Slice lower = begin;
  const Slice upper = end;
  ReadOptions options;
  options.iterate_lower_bound = &lower;
  options.iterate_upper_bound = &upper;
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  // The part of the model within the bounds.
  const Model part(model_.lower_bound(begin), model_.lower_bound(end));
  for (int i = 0; i < 4; ++i) {
    const std::string target =
        random_.OneIn(3) ? begin : std::clamp(RandomKey(), begin, end);
    Model::const_iterator at;
    if (random_.OneIn(2)) {
      it->Seek(target);
      at = part.lower_bound(target);
    } else {
      it->SeekForPrev(target);
      at = part.upper_bound(target);
      at = at == part.begin() ? part.end() : std::prev(at);
    }
    CheckAt(*it, at, part.end());
    for (int step = 0; step < 6 && it->Valid() && !HasFatalFailure(); ++step) {
      if (random_.OneIn(2)) {
        it->Next();
        ++at;
      } else {
        it->Prev();
        at = at == part.begin() ? part.end() : std::prev(at);
      }
      CheckAt(*it, at, part.end());
    }
  }
}

TEST_P(RangeFilterModelTest, BoundedIteratorsShowTheSame) {
  SetRangeFilter(GetParam().type, 6);  // few bits: hits and misses
  BlockBasedTableOptions table = options_.table_factory->block_based_options();
  table.cache_index_and_filter_blocks = GetParam().in_cache;
  table.block_size = 512;
  if (GetParam().partitioned) {
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
    table.metadata_block_size = 64;
  }
  SetTable(table);
  options_.target_file_size_base = 8 << 10;
  options_.max_bytes_for_level_base = 32 << 10;
  Open();
  get_perf_context()->Reset();
  for (int i = 0; i < 20000 && !HasFatalFailure(); ++i) {
    Change();
    if (i % 2 == 0) Scan();
  }
  EXPECT_GT(get_perf_context()->range_filter_miss_count, 1000u);
  EXPECT_GT(get_perf_context()->range_filter_hit_count, 1000u);
}

INSTANTIATE_TEST_SUITE_P(
    Placement, RangeFilterModelTest,
    testing::Values(ModelCase{BlockBasedTableOptions::kGrafite, false},
                    ModelCase{BlockBasedTableOptions::kGrafite, true},
                    ModelCase{BlockBasedTableOptions::kFence, false},
                    ModelCase{BlockBasedTableOptions::kFence, true},
                    ModelCase{BlockBasedTableOptions::kSurf, false},
                    ModelCase{BlockBasedTableOptions::kSurf, true},
                    ModelCase{BlockBasedTableOptions::kGrafite, false, true},
                    ModelCase{BlockBasedTableOptions::kGrafite, true, true},
                    ModelCase{BlockBasedTableOptions::kFence, false, true},
                    ModelCase{BlockBasedTableOptions::kFence, true, true},
                    ModelCase{BlockBasedTableOptions::kSurf, false, true},
                    ModelCase{BlockBasedTableOptions::kSurf, true, true}),
    [](const auto& instance) {
      return NameOf(instance.param.type) +
             (instance.param.partitioned ? "Partitioned" : "") +
             (instance.param.in_cache ? "InTheCache" : "Kept");
    });

}  // namespace
}  // namespace tamis
