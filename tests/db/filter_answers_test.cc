// SPDX-License-Identifier: Apache-2.0
//
// A database answers the same with filters and without: iterators with random
// bounds, over keys of many shapes, with every kind of filter. And range
// filters skip the tables that they promise to skip.
//
//   TAMIS_RANGES=n    asks for n ranges instead of 24,000, and prints figures
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "filter/filter_registry.h"
#include "tests/db/test_db.h"
#include "tests/support/effort.h"
#include "tests/support/filter_choices.h"
#include "tests/support/key_shapes.h"
#include "util/base/random.h"

namespace tamis {
namespace {

using Keys = std::vector<std::string>;

bool IsLongRun() { return std::getenv("TAMIS_RANGES") != nullptr; }
uint64_t RangesOfAShape() {
  return std::max<uint64_t>(
      FromEnvironment("TAMIS_RANGES", 24000 * Effort() / 100) /
          kKeyShapes.size(),
      100);
}

// What a database is opened with.
struct Variant {
  std::string name;
  BlockBasedTableOptions table;
};

// The first has no filters.
std::vector<Variant> Variants() {
  BlockBasedTableOptions plain;
  plain.filter_policy = nullptr;
  plain.block_size = 1024;
  std::vector<Variant> variants = {{"no filter", plain}};
  EXPECT_EQ(kRangeFilterTypes.size(), RangeFilterCodecs().size());
  for (size_t i = 0; i < kRangeFilterTypes.size(); ++i) {
    for (const double bits : {6.0, 10.0, 14.0}) {
      BlockBasedTableOptions table = plain;
      table.range_filter = kRangeFilterTypes[i];
      table.range_filter_bits_per_key = bits;
      // Also where a filter is opened at each probe, and beside another.
      table.cache_index_and_filter_blocks = bits == 6;
      if (bits == 6) table.filter_policy.reset(NewFilterPolicy());
      if (bits == 14) {
        table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
        table.partition_filters = true;
        table.metadata_block_size = 256;
      }
      variants.push_back({std::string(RangeFilterCodecs()[i]->name()) + " of " +
                              std::to_string(bits) + " bits",
                          table});
    }
  }
  for (const FilterFormat format : kFilterFormats) {
    for (const bool partitioned : {false, true}) {
      BlockBasedTableOptions table = plain;
      // Few enough false positives for every format to be smaller than Bloom.
      table.filter_policy.reset(
          NewFilterPolicy({.fpr = 0.003, .format = format}));
      if (partitioned) {
        table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
        table.partition_filters = true;
        table.metadata_block_size = 512;
        table.decouple_partitioned_filters =
            format == FilterFormat::kBloom || format == FilterFormat::kXor;
      }
      table.whole_key_filtering = !partitioned;
      variants.push_back(
          {std::string(partitioned ? "partitioned " : "full ") + NameOf(format),
           table});
    }
  }
  BlockBasedTableOptions chunks = plain;
  chunks.filter_policy.reset(NewBloomFilterPolicy(10, true));
  variants.push_back({"block-based Bloom", chunks});
  BlockBasedTableOptions budget = plain;
  budget.filter_policy.reset(NewBudgetFilterPolicy(3000));
  variants.push_back({"budget", budget});
  return variants;
}

// Limits of an iterator, and its moves.
struct Question {
  std::string lower, upper, target;
  bool has_lower = false;
  bool has_upper = false;
  bool same_prefix = false;
  uint64_t moves = 0;
};

// Appends each key and value that the iterator shows, and its status.
void Answer(DB* db, const Question& asked, std::string* answer) {
  const Slice lower = asked.lower;
  const Slice upper = asked.upper;
  ReadOptions options;
  if (asked.has_lower) options.iterate_lower_bound = &lower;
  if (asked.has_upper) options.iterate_upper_bound = &upper;
  options.prefix_same_as_start = asked.same_prefix;
  const std::unique_ptr<Iterator> it(db->NewIterator(options));
  uint64_t moves = asked.moves;
  for (int turn = 0; turn < 2; ++turn) {
    switch (moves % 8) {
      case 0:
        it->SeekToFirst();
        break;
      case 1:
        it->SeekToLast();
        break;
      case 2:
      case 3:
      case 4:
        it->Seek(asked.target);
        break;
      default:
        it->SeekForPrev(asked.target);
    }
    moves /= 8;
    for (int step = 0; step < 4 && it->Valid(); ++step) {
      answer->append(it->key().data(), it->key().size()).push_back('=');
      answer->append(it->value().data(), it->value().size()).push_back(' ');
      // Most moves continue in one direction.
      if (moves % 8 < 5) {
        it->Next();
      } else {
        it->Prev();
      }
      moves /= 8;
    }
    answer->append(it->Valid() ? "..." : "end");
    if (!it->status().ok()) answer->append(it->status().ToString());
  }
}

class FilterAnswersTest : public testing::TestWithParam<KeyShape> {
 protected:
  static constexpr size_t kStored = 3000;

  FilterAnswersTest()
      : keys_(DrawKeys(GetParam(), 4 * kStored, &random_)),
        fs_(NewSimulatedFileSystem()),
        runner_(NewDeterministicJobRunner(301)) {}

  std::unique_ptr<DB> Fill(const Variant& variant);
  const std::string& AnyKey() { return keys_[random_.Uniform(keys_.size())]; }
  Question Ask();

  Random random_{301};
  const Keys keys_;  // about a quarter of them is stored
  const std::shared_ptr<SimulatedFileSystem> fs_;
  const std::shared_ptr<DeterministicJobRunner> runner_;
};

// Every database gets the same entries: tables of the deepest level, tables of
// level 0 above them with new, changed and deleted keys, and a memtable.
std::unique_ptr<DB> FilterAnswersTest::Fill(const Variant& variant) {
  Options options;
  options.create_if_missing = true;
  options.file_system = fs_;
  options.job_runner = runner_;
  options.disable_auto_compactions = true;
  options.compression = kNoCompression;
  options.target_file_size_base = 16 << 10;
  options.prefix_extractor.reset(
      NewCappedPrefixTransform(GetParam().prefix_bytes));
  options.table_factory.reset(NewBlockBasedTableFactory(variant.table));
  std::unique_ptr<DB> db;
  const Status opened = DB::Open(options, "/" + variant.name, &db);
  EXPECT_TRUE(opened.ok()) << opened;
  if (!opened.ok()) return nullptr;
  Random random(17);
  const auto any = [&] { return keys_[random.Uniform(keys_.size())]; };
  const auto put = [&](size_t n) {
    for (size_t i = 0; i < n; ++i) {
      EXPECT_TRUE(
          db->Put(WriteOptions(), any(), std::to_string(random.Next())).ok());
    }
  };
  put(kStored * 3 / 4);
  EXPECT_TRUE(db->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  for (int table = 0; table < 4; ++table) {
    put(kStored / 20);
    for (int i = 0; i < 40; ++i) {
      EXPECT_TRUE(db->Delete(WriteOptions(), any()).ok());
    }
    const size_t from = random.Uniform(keys_.size() - 40);
    EXPECT_TRUE(db->DeleteRange(WriteOptions(), db->DefaultColumnFamily(),
                                keys_[from], keys_[from + random.Uniform(40)])
                    .ok());
    if (table < 3) {
      EXPECT_TRUE(db->Flush(FlushOptions()).ok());
    }
  }
  return db;
}

Question FilterAnswersTest::Ask() {
  Question asked;
  const size_t at = random_.Uniform(keys_.size() - 1);
  asked.lower = keys_[at];
  if (random_.OneIn(4)) asked.lower.push_back(AnyKey().front());
  if (random_.OneIn(8)) asked.lower.resize(asked.lower.size() / 2);
  switch (random_.Uniform(6)) {
    case 0:
      asked.upper = keys_[at + 1];
      break;
    case 1:
      asked.upper = asked.lower + std::string(1, '\0');
      break;
    case 2:
      asked.upper = asked.lower + '\xff';
      break;
    case 3:
      asked.upper = keys_[std::min(at + random_.Uniform(60), keys_.size() - 1)];
      break;
    case 4:  // a prefix
      asked.upper = asked.lower.substr(0, GetParam().prefix_bytes);
      while (!asked.upper.empty() && asked.upper.back() == '\xff') {
        asked.upper.pop_back();
      }
      if (!asked.upper.empty()) ++asked.upper.back();
      break;
    default:
      asked.upper = AnyKey();
  }
  if (asked.upper < asked.lower) std::swap(asked.lower, asked.upper);
  asked.has_upper = !random_.OneIn(6);
  asked.has_lower = !asked.has_upper || !random_.OneIn(4);
  asked.same_prefix = random_.OneIn(4);
  asked.target = random_.OneIn(8)   ? AnyKey()
                 : random_.OneIn(2) ? asked.lower
                                    : asked.upper;
  asked.moves = random_.Next();
  return asked;
}

TEST_P(FilterAnswersTest, AreThoseOfADatabaseWithoutFilters) {
  struct Opened {
    std::string name;
    std::unique_ptr<DB> db;
    uint64_t excluded = 0;
    uint64_t passed = 0;
  };
  std::vector<Opened> databases;
  for (const Variant& variant : Variants()) {
    databases.push_back({variant.name, Fill(variant)});
    ASSERT_NE(databases.back().db, nullptr) << variant.name;
  }
  PerfContext& perf = *get_perf_context();
  std::string wanted;
  std::string found;
  const uint64_t ranges = RangesOfAShape();
  for (uint64_t i = 0; i < ranges && !HasFailure(); ++i) {
    const Question asked = Ask();
    wanted.clear();
    Answer(databases[0].db.get(), asked, &wanted);
    for (Opened& opened : databases) {
      perf.Reset();
      found.clear();
      Answer(opened.db.get(), asked, &found);
      ASSERT_EQ(Slice(found).ToString(true), Slice(wanted).ToString(true))
          << opened.name << ", range " << i << ", from "
          << Slice(asked.lower).ToString(true) << " to "
          << Slice(asked.upper).ToString(true);
      opened.excluded +=
          perf.range_filter_miss_count + perf.bloom_sst_miss_count;
      opened.passed += perf.range_filter_hit_count + perf.bloom_sst_hit_count;
    }
  }
  for (const Opened& opened : databases) {
    if (!IsLongRun()) break;
    std::printf("%s, %s: %llu ranges, filters exclude %llu times, pass %llu\n",
                GetParam().name, opened.name.c_str(),
                static_cast<unsigned long long>(ranges),
                static_cast<unsigned long long>(opened.excluded),
                static_cast<unsigned long long>(opened.passed));
  }
  EXPECT_EQ(databases[0].excluded + databases[0].passed, 0u);
}

INSTANTIATE_TEST_SUITE_P(Keys, FilterAnswersTest, testing::ValuesIn(kKeyShapes),
                         [](const auto& instance) {
                           return std::string(instance.param.name);
                         });

// Tables of level 0, each with keys of the whole range.
class RangeFilterSkipTest : public DBTest {
 protected:
  static constexpr size_t kTables = 4;

  // Writes `stored`, one table's keys after the other's.
  void Fill(BlockBasedTableOptions::RangeFilterType type, double bits,
            const Keys& stored) {
    BlockBasedTableOptions table;
    table.range_filter = type;
    table.range_filter_bits_per_key = bits;
    SetTable(table);
    options_.disable_auto_compactions = true;
    Open();
    for (size_t t = 0; t < kTables; ++t) {
      for (size_t i = t; i < stored.size(); i += kTables) {
        Put(stored[i], "value");
      }
      Flush();
    }
  }

  // Asks for [begin, end), which holds no key.
  void Ask(const std::string& begin, const std::string& end) {
    const Slice upper = end;
    ReadOptions options;
    options.iterate_upper_bound = &upper;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    it->Seek(begin);
    ASSERT_FALSE(it->Valid()) << Slice(begin).ToString(true);
    ASSERT_TRUE(it->status().ok()) << it->status();
  }

  // Stores a tenth of the keys. Returns the share of tables that are skipped in
  // ranges from each absent key to the next key, if that is absent too.
  double ShareSkipped(const KeyShape& shape, double bits,
                      BlockBasedTableOptions::RangeFilterType type) {
    Random random(301);
    const size_t asked = IsLongRun() ? 400000 : 40000;
    const Keys keys = DrawKeys(shape, asked + asked / 5, &random);
    Keys stored;
    std::vector<bool> is_stored(keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      is_stored[i] = random.OneIn(10);
      if (is_stored[i]) stored.push_back(keys[i]);
    }
    Fill(type, bits, stored);
    PerfContext& perf = *get_perf_context();
    perf.Reset();
    size_t ranges = 0;
    for (size_t i = 0; i + 1 < keys.size(); ++i) {
      if (is_stored[i] || is_stored[i + 1]) continue;
      ++ranges;
      Ask(keys[i], keys[i + 1]);
    }
    const uint64_t probes =
        perf.range_filter_miss_count + perf.range_filter_hit_count;
    EXPECT_GE(probes, ranges * kTables * 95 / 100);
    const double share = static_cast<double>(perf.range_filter_miss_count) /
                         static_cast<double>(probes);
    if (IsLongRun()) {
      std::printf(
          "%s, range filter %d of %g bits: %zu empty ranges, %.4f %% "
          "of %llu probes exclude the table\n",
          shape.name, static_cast<int>(type), bits, ranges, 100 * share,
          static_cast<unsigned long long>(probes));
    }
    return share;
  }
};

TEST_F(RangeFilterSkipTest, FenceSkipsTablesOfYcsbKeys) {
  EXPECT_GE(ShareSkipped(kKeyShapes[2], 12, BlockBasedTableOptions::kFence),
            0.99);
}

TEST_F(RangeFilterSkipTest, FenceSkipsTablesOfTenantsAndTimes) {
  EXPECT_GE(ShareSkipped(kKeyShapes[3], 12, BlockBasedTableOptions::kFence),
            0.98);
}

// L / 2^w of the tables match, w the bits per key without 2.25.
TEST_F(RangeFilterSkipTest, GrafiteKeepsItsBoundForNumbers) {
  Random random(301);
  const Keys stored = DrawKeys(kKeyShapes[0], 8000, &random);
  Fill(BlockBasedTableOptions::kGrafite, 16, stored);
  PerfContext& perf = *get_perf_context();
  for (const uint64_t length : {1u, 16u, 128u, 1024u}) {
    perf.Reset();
    const size_t asked = IsLongRun() ? 250000 : 10000;
    for (size_t i = 0; i < asked; ++i) {
      const uint64_t begin = random.Next() >> 1;
      const std::string first = BigEndian64(begin);
      const std::string end = BigEndian64(begin + length);
      const auto at = std::lower_bound(stored.begin(), stored.end(), first);
      if (at == stored.end() || *at >= end) Ask(first, end);
    }
    const auto probes = static_cast<double>(perf.range_filter_miss_count +
                                            perf.range_filter_hit_count);
    EXPECT_GE(probes, 3.9 * static_cast<double>(asked));
    const auto hits = static_cast<double>(perf.range_filter_hit_count);
    const double bound = static_cast<double>(length) / 16384;
    // Four deviations of the sample.
    EXPECT_LE(hits, probes * bound + 4 * std::sqrt(probes * bound) + 4)
        << length;
    if (IsLongRun()) {
      std::printf(
          "Grafite, ranges of %llu numbers: %.4f %% of %.0f probes "
          "pass, the bound is %.4f %%\n",
          static_cast<unsigned long long>(length), 100 * hits / probes, probes,
          100 * bound);
    }
  }
}

}  // namespace
}  // namespace tamis
