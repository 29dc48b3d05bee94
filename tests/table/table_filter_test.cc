// SPDX-License-Identifier: Apache-2.0
//
// Filters in tables: which options write which filters, which readers use them,
// and that no result of Get depends on them.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/filter_registry.h"
#include "table/properties.h"
#include "table/table_reader_rep.h"
#include "tests/filter/exact_filter_policy.h"
#include "tests/support/table_filters.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

using Placement = FilterPlacement;

std::string KeyOf(int i) {
  std::string digits = std::to_string(i);
  return "k" + std::string(5 - digits.size(), '0') + digits;
}

// Every second key of 0, 1 ... 2 * kKeys, some in several versions, and two
// that have no prefix of 4 bytes.
constexpr int kKeys = 1000;
Entries SomeEntries() {
  Entries entries;
  entries.emplace_back(InternalKey("a", 9), "short");
  entries.emplace_back(InternalKey("b", 9), "short");
  for (int i = 0; i < kKeys; ++i) {
    if (i % 7 == 0) {
      entries.emplace_back(InternalKey(KeyOf(2 * i), 500), "newer");
    }
    entries.emplace_back(InternalKey(KeyOf(2 * i), 100), "value");
  }
  return entries;
}

struct Case {
  const char* name;
  std::shared_ptr<const FilterPolicy> policy;
  bool partitioned = false;
  bool decoupled = false;
};

std::vector<Case> Cases() {
  return {
      {"full bloom",
       std::shared_ptr<const FilterPolicy>(NewBloomFilterPolicy(10))},
      {"partitioned bloom",
       std::shared_ptr<const FilterPolicy>(NewBloomFilterPolicy(10)), true},
      {"ribbon",
       std::shared_ptr<const FilterPolicy>(NewRibbonFilterPolicy(10))},
      {"partitioned ribbon",
       std::shared_ptr<const FilterPolicy>(NewRibbonFilterPolicy(10)), true},
      {"block-based",
       std::shared_ptr<const FilterPolicy>(NewBloomFilterPolicy(10, true))},
      {"own full", std::make_shared<ExactFilterPolicy>()},
      {"own partitioned", std::make_shared<ExactFilterPolicy>(), true},
      {"decoupled bloom",
       std::shared_ptr<const FilterPolicy>(NewBloomFilterPolicy(10)), true,
       true},
      {"own decoupled", std::make_shared<ExactFilterPolicy>(), true, true},
      {"own block-based", std::make_shared<ExactChunkPolicy>()},
  };
}

TableBuildOptions OptionsFor(const Case& which) {
  TableBuildOptions options(Bytewise());
  options.table.filter_policy = which.policy;
  options.table.block_size = 256;
  options.table.metadata_block_size = 256;
  if (which.partitioned) {
    options.table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    options.table.partition_filters = true;
    options.table.decouple_partitioned_filters = which.decoupled;
  }
  return options;
}

std::shared_ptr<const SliceTransform> Fixed(size_t length) {
  return std::shared_ptr<const SliceTransform>(NewFixedPrefixTransform(length));
}

TableContext ContextOf(std::shared_ptr<const FilterPolicy> policy,
                       std::shared_ptr<const SliceTransform> prefixes,
                       Statistics* statistics = nullptr) {
  TableContext context = TestContext();
  context.filter_policy = std::move(policy);
  context.prefix_extractor = std::move(prefixes);
  context.statistics = statistics;
  return context;
}

// Every present key is found, every absent one is not.
void CheckAnswers(const TableReader& table, const ReadContext& read) {
  EXPECT_EQ(GetFrom(table, "a", kMaxSequenceNumber, read).value, "short");
  EXPECT_EQ(GetFrom(table, "b", kMaxSequenceNumber, read).value, "short");
  EXPECT_TRUE(
      GetFrom(table, "c", kMaxSequenceNumber, read).status.IsNotFound());
  for (int i = 0; i < 2 * kKeys; ++i) {
    const Answer got = GetFrom(table, KeyOf(i), kMaxSequenceNumber, read);
    if (i % 2 == 1) {
      ASSERT_TRUE(got.status.IsNotFound()) << KeyOf(i);
    } else {
      ASSERT_EQ(got.value, i % 14 == 0 ? "newer" : "value") << KeyOf(i);
      ASSERT_EQ(GetFrom(table, KeyOf(i), 100, read).value, "value");
    }
  }
  ASSERT_TRUE(
      GetFrom(table, "zzzz1", kMaxSequenceNumber, read).status.IsNotFound());
}

TEST(TableFilterTest, AnswersAgreeWithTheTableUnderEveryPolicyAndReader) {
  for (const Case& which : Cases()) {
    for (bool whole_keys : {true, false}) {
      for (size_t written : {0u, 4u}) {
        TableBuildOptions options = OptionsFor(which);
        options.table.whole_key_filtering = whole_keys;
        if (written != 0) options.prefix_extractor = Fixed(written);
        const std::string contents = BuildTable(options, SomeEntries());
        for (const auto& policy :
             {which.policy, std::shared_ptr<const FilterPolicy>()}) {
          for (size_t read : {0u, 3u, 4u}) {
            SCOPED_TRACE(std::string(which.name) + (whole_keys ? " keys" : "") +
                         " written " + std::to_string(written) + " read " +
                         std::to_string(read));
            const auto table = OpenTable(
                contents, ContextOf(policy, read == 0 ? nullptr : Fixed(read)));
            ASSERT_TRUE(table.ok()) << table.status();
            CheckAnswers(**table, ReadContext());
          }
        }
      }
    }
  }
}

TEST(TableFilterTest, PropertiesSayWhatWasAdded) {
  for (const Case& which : Cases()) {
    for (bool whole_keys : {true, false}) {
      for (bool prefixes : {true, false}) {
        TableBuildOptions options = OptionsFor(which);
        options.table.whole_key_filtering = whole_keys;
        if (prefixes) options.prefix_extractor = Fixed(4);
        TableProperties p;
        const std::string contents = BuildTable(options, SomeEntries(), &p);
        SCOPED_TRACE(which.name);
        EXPECT_EQ(p.whole_key_filtering, whole_keys);
        EXPECT_EQ(p.prefix_filtering, prefixes);
        EXPECT_EQ(p.prefix_extractor_name,
                  prefixes ? "rocksdb.FixedPrefix.4" : "nullptr");
        const auto table =
            OpenTable(contents, ContextOf(which.policy, nullptr));
        const auto layout = (*table)->ReadLayout();
        int filters = 0;
        for (const auto& [name, handle] : layout->metaindex) {
          const auto where = ParseMetaindexKey(name);
          if (!where) continue;
          ++filters;
          EXPECT_EQ(where->family, which.policy->CompatibilityName());
          EXPECT_EQ(where->placement == Placement::kPartitioned,
                    which.partitioned);
        }
        EXPECT_EQ(filters, whole_keys || prefixes ? 1 : 0);
        EXPECT_EQ(p.filter_size != 0, whole_keys || prefixes);
        EXPECT_EQ(p.filter_policy_name,
                  filters == 1 ? which.policy->Name() : std::string());
      }
    }
  }
}

// How often each kind of filter answer was given while absent keys between
// present ones were looked for.
struct Counts {
  uint64_t useful, checked, prefix_useful;
};
Counts CountAbsent(const std::string& contents,
                   std::shared_ptr<const FilterPolicy> policy,
                   std::shared_ptr<const SliceTransform> prefixes,
                   const char* key_of_no_prefix = nullptr) {
  const auto statistics = CreateDBStatistics();
  const auto table = OpenTable(
      contents,
      ContextOf(std::move(policy), std::move(prefixes), statistics.get()));
  ReadContext read;
  read.statistics = statistics.get();
  for (int i = 0; i < kKeys; ++i) {
    // Between keys that are there, half of them with prefixes that are not.
    std::string key = KeyOf(2 * i) + "x";
    if (i % 2 == 1) key[0] = "cdefghij"[i / 2 % 8];
    if (key_of_no_prefix != nullptr) key = key_of_no_prefix;
    EXPECT_TRUE(
        GetFrom(**table, key, kMaxSequenceNumber, read).status.IsNotFound());
  }
  return {statistics->getTickerCount(BLOOM_FILTER_USEFUL),
          statistics->getTickerCount(BLOOM_FILTER_PREFIX_CHECKED),
          statistics->getTickerCount(BLOOM_FILTER_PREFIX_USEFUL)};
}

TEST(TableFilterTest, AbsentKeysAreRejectedByTheFilter) {
  for (const Case& which : Cases()) {
    SCOPED_TRACE(which.name);
    const std::string contents = BuildTable(OptionsFor(which), SomeEntries());
    const Counts counts = CountAbsent(contents, which.policy, nullptr);
    EXPECT_GT(counts.useful, kKeys * 95 / 100);
    EXPECT_EQ(counts.checked, 0u);
  }
}

TEST(TableFilterTest, WithPrefixesAloneAGetProbesThePrefix) {
  for (const Case& which : Cases()) {
    SCOPED_TRACE(which.name);
    TableBuildOptions options = OptionsFor(which);
    options.table.whole_key_filtering = false;
    options.prefix_extractor = Fixed(4);
    const std::string contents = BuildTable(options, SomeEntries());
    const Counts same = CountAbsent(contents, which.policy, Fixed(4));
    EXPECT_EQ(same.useful, 0u);
    EXPECT_GT(same.checked, 0u);
    EXPECT_GT(same.prefix_useful, 0u);
    // Another extractor, or none: the table names its own, which is built in.
    for (const Counts& other : {CountAbsent(contents, which.policy, Fixed(3)),
                                CountAbsent(contents, which.policy, nullptr)}) {
      EXPECT_EQ(other.useful, 0u);
      EXPECT_EQ(other.checked, same.checked);
      EXPECT_EQ(other.prefix_useful, same.prefix_useful);
    }
    // A key without a prefix: not probed.
    const Counts none = CountAbsent(contents, which.policy, Fixed(4), "c");
    EXPECT_EQ(none.useful + none.checked + none.prefix_useful, 0u);
  }
}

TEST(TableFilterTest, AUsersFilterIsNotProbedWithoutItsPolicy) {
  for (const Case& which : Cases()) {
    if (IsBuiltinFamily(which.policy->CompatibilityName())) continue;
    SCOPED_TRACE(which.name);
    const std::string contents = BuildTable(OptionsFor(which), SomeEntries());
    EXPECT_EQ(CountAbsent(contents, nullptr, nullptr).useful, 0u);
    const std::shared_ptr<const FilterPolicy> bloom(NewBloomFilterPolicy(10));
    EXPECT_EQ(CountAbsent(contents, bloom, nullptr).useful, 0u);
  }
}

TEST(TableFilterTest, OurOwnFiltersNeedNoPolicy) {
  for (const Case& which : Cases()) {
    if (!IsBuiltinFamily(which.policy->CompatibilityName())) continue;
    SCOPED_TRACE(which.name);
    const std::string contents = BuildTable(OptionsFor(which), SomeEntries());
    EXPECT_GT(CountAbsent(contents, nullptr, nullptr).useful, kKeys / 2u);
  }
}

TEST(TableFilterTest, AUsersReaderOfAFullFilterIsCreatedOnce) {
  const auto policy = std::make_shared<ExactFilterPolicy>();
  const std::string contents =
      BuildTable(OptionsFor({"", policy, false}), SomeEntries());
  const auto table = OpenTable(contents, ContextOf(policy, nullptr));
  CheckAnswers(**table, ReadContext());
  EXPECT_EQ(policy->readers_made(), 1);
}

// Partitions that wait for the index to be cut end with the entry of the index
// that did not fit, in blocks of few keys; decoupled ones have the size asked
// for.
TEST(TableFilterTest, DecoupledPartitionsAreOfTheirOwnSize) {
  size_t partitions[2];
  for (const bool decoupled : {false, true}) {
    Case which = Cases()[1];
    which.decoupled = decoupled;
    TableBuildOptions options = OptionsFor(which);
    options.table.metadata_block_size = 512;
    options.table.block_size = 64;
    TableProperties p;
    const std::string contents = BuildTable(options, SomeEntries(), &p);
    const auto table = OpenTable(contents);
    std::string name;
    const TableFilters filters = FiltersOf(**table, contents, &name);
    partitions[decoupled] = filters.size();
    // Nine tenths of the target, in lines of 64 bytes, and the trailer.
    constexpr size_t kFull = 448 + 5;
    for (size_t i = 0; i + 1 < filters.size(); ++i) {
      EXPECT_LE(filters[i].second.size(), kFull);
      EXPECT_TRUE(!decoupled || filters[i].second.size() == kFull);
    }
    EXPECT_EQ(p.user_collected_properties.count(kDecoupledFiltersProperty),
              decoupled ? 1u : 0u);
    CheckAnswers(**table, ReadContext());
  }
  // 358 keys each; an index partition has far fewer.
  EXPECT_EQ(partitions[1], (kKeys + 2u + 357) / 358);
  EXPECT_GT(partitions[0], 3 * partitions[1]);
}

TEST(TableFilterTest, SkippedFiltersAreNotWritten) {
  TableBuildOptions options = OptionsFor(Cases().front());
  options.skip_filters = true;
  TableProperties p;
  const std::string contents = BuildTable(options, SomeEntries(), &p);
  EXPECT_EQ(p.filter_size, 0u);
  EXPECT_EQ(p.filter_policy_name, "");
  const auto table = OpenTable(contents);
  CheckAnswers(**table, ReadContext());
}

// As a user would: other bits on other levels, under RocksDB's name.
class BitsByLevel final : public FilterPolicy {
 public:
  const char* Name() const override { return "my.BitsByLevel"; }
  const char* CompatibilityName() const override {
    return low_->CompatibilityName();
  }
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override {
    return (context.level_at_creation < 2 ? low_ : high_)
        ->GetBuilderWithContext(context);
  }

 private:
  const std::unique_ptr<const FilterPolicy> low_{NewBloomFilterPolicy(16)};
  const std::unique_ptr<const FilterPolicy> high_{NewBloomFilterPolicy(8)};
};

TEST(TableFilterTest, APolicyMayChooseOurBitsByLevel) {
  const auto policy = std::make_shared<BitsByLevel>();
  uint64_t sizes[2];
  for (int i = 0; i < 2; ++i) {
    TableBuildOptions options = OptionsFor({"", policy, false});
    options.level = 1 + 4 * i;
    TableProperties p;
    const std::string contents = BuildTable(options, SomeEntries(), &p);
    sizes[i] = p.filter_size;
    EXPECT_EQ(p.filter_policy_name, "my.BitsByLevel");
    // No policy is needed to read it.
    EXPECT_GT(CountAbsent(contents, nullptr, nullptr).useful, kKeys / 2u);
  }
  EXPECT_NEAR(static_cast<double>(sizes[0]),
              2.0 * static_cast<double>(sizes[1]), 64 * 2);
}

// Makes no filter of any keys.
class Silent final : public FilterPolicy {
 public:
  const char* Name() const override { return "my.Silent"; }
};

TEST(TableFilterTest, APolicyThatCreatesNothingIsRefusedByName) {
  TableBuildOptions options =
      OptionsFor({"", std::make_shared<Silent>(), false});
  std::string contents;
  StringWritableFile file(&contents);
  TableBuilder builder(options, &file);
  for (const auto& [key, value] : SomeEntries()) builder.Add(key, value);
  const Status status = builder.Finish();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.ToString().find("my.Silent"), std::string::npos);
}

TEST(TableFilterTest, AReservedNameIsRefusedByName) {
  class Taken final : public FilterPolicy {
   public:
    const char* Name() const override { return "rocksdb.Taken"; }
  };
  std::string contents;
  StringWritableFile file(&contents);
  TableBuilder builder(OptionsFor({"", std::make_shared<Taken>(), false}),
                       &file);
  EXPECT_TRUE(builder.status().IsInvalidArgument());
  EXPECT_NE(builder.status().ToString().find("rocksdb.Taken"),
            std::string::npos);
  builder.Abandon();
}

}  // namespace
}  // namespace tamis
