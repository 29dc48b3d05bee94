// SPDX-License-Identifier: Apache-2.0
//
// Range filters in partitions: which tables get them, how they are probed, and
// that no key is hidden.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/perf_context.h"

#include "filter/filter_registry.h"
#include "tests/support/tables.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr char kName[] = "partitionedfilter.tamis.Grafite";

std::string Bytes(Random* random, size_t n) {
  std::string bytes;
  while (bytes.size() < n) {
    bytes.push_back(static_cast<char>(random->Uniform(256)));
  }
  return bytes;
}

// Keys that a filter tells apart.
void AddNumbers(char lead, Random* random, std::set<std::string>* keys) {
  for (int i = 0; i < 1000; ++i) keys->insert(lead + Bytes(random, 8));
}
// Keys that differ from a neighbour only after more than 64 bits.
void AddClusters(char lead, Random* random, std::set<std::string>* keys) {
  for (int i = 0; i < 250; ++i) {
    const std::string shared = lead + Bytes(random, 16);
    for (const char* end : {"1", "2", "3", "4"}) keys->insert(shared + end);
  }
}

// With two versions of every fifth key.
std::string TableOf(const std::set<std::string>& keys, bool user_keys) {
  TableBuildOptions options(Bytewise());
  options.table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  options.table.partition_filters = true;
  options.table.metadata_block_size = 512;
  options.table.range_filter = BlockBasedTableOptions::kGrafite;
  options.table.range_filter_bits_per_key = 20;
  options.table.format_version = user_keys ? 5 : 2;
  Entries entries;
  for (const std::string& key : keys) {
    if (entries.size() % 5 == 0) entries.emplace_back(InternalKey(key, 9), "9");
    entries.emplace_back(InternalKey(key, 3), "3");
  }
  return BuildTable(options, entries);
}

const BlockHandle* HandleOf(const TableLayout& layout,
                            const std::string& name) {
  for (const auto& [key, handle] : layout.metaindex) {
    if (key == name) return &handle;
  }
  return nullptr;
}

// Whether a scan of [begin, end) shows an entry.
bool Shows(const TableReader& table, const std::string& begin,
           const std::string& end) {
  const Slice upper = end;
  ReadContext context;
  context.upper_bound = &upper;
  const auto it = table.NewIterator(context);
  it->Seek(InternalKey(begin, kMaxSequenceNumber));
  EXPECT_TRUE(it->status().ok()) << it->status();
  return it->Valid() && ExtractUserKey(it->key()).compare(upper) < 0;
}

TEST(RangeFilterPartitionsTest, NoKeyIsHiddenAndAbsentOnesAreExcluded) {
  for (const bool user_keys : {true, false}) {
    Random random(301);
    std::set<std::string> keys;
    AddNumbers('a', &random, &keys);
    AddClusters('b', &random, &keys);
    AddNumbers('c', &random, &keys);
    const std::string contents = TableOf(keys, user_keys);
    const auto table = OpenTable(contents);
    ASSERT_TRUE(table.ok()) << table.status();
    const auto layout = (*table)->ReadLayout();
    ASSERT_NE(HandleOf(*layout, kName), nullptr);
    for (const std::string& key : keys) {
      ASSERT_TRUE(Shows(**table, key, key + '\0'));
      ASSERT_TRUE(Shows(**table, key.substr(0, key.size() - 1), key + "x"));
    }
    PerfContext& perf = *get_perf_context();
    for (const char lead : {'a', 'b', 'c'}) {
      perf.Reset();
      for (int i = 0; i < 1000; ++i) {
        const std::string begin = lead + Bytes(&random, 7);
        const auto next = keys.lower_bound(begin);
        const std::string end = begin + '\1';
        const bool is_there = next != keys.end() && *next < end;
        EXPECT_EQ(Shows(**table, begin, end), is_there);
      }
      // The partitions of 'b' are empty, and match. One has keys of 'c', too.
      EXPECT_TRUE(lead == 'b' || perf.range_filter_miss_count >= 900u) << lead;
    }
    // Before the first key, and after the last one.
    EXPECT_FALSE(Shows(**table, "", "a"));
    perf.Reset();
    EXPECT_FALSE(Shows(**table, "d", "e"));
    EXPECT_EQ(perf.range_filter_miss_count, 1u);
    EXPECT_TRUE(Shows(**table, "", "d"));
  }
}

TEST(RangeFilterPartitionsTest, OneThatExcludesLittleIsNotWritten) {
  Random random(302);
  std::set<std::string> keys;
  AddClusters('b', &random, &keys);
  const std::string contents = TableOf(keys, true);
  const auto layout = (*OpenTable(contents))->ReadLayout();
  for (const auto& [key, handle] : layout->metaindex) {
    const auto where = ParseMetaindexKey(key);
    EXPECT_FALSE(where && FindRangeFilterCodec(where->family) != nullptr)
        << key;
  }
}

TEST(RangeFilterPartitionsTest, VerifyingReadsEveryPartitionAndDamageMatches) {
  Random random(303);
  std::set<std::string> keys;
  AddNumbers('a', &random, &keys);
  std::string contents = TableOf(keys, true);
  const auto whole = OpenTable(contents);
  EXPECT_TRUE((*whole)->VerifyChecksums().ok());
  const BlockHandle index = *HandleOf(*(*whole)->ReadLayout(), kName);
  // The last partition lies right before the index of the partitions.
  const size_t at = static_cast<size_t>(index.offset) - 100;
  contents[at] = static_cast<char>(contents[at] ^ 1);
  const auto damaged = OpenTable(contents);
  ASSERT_TRUE(damaged.ok()) << damaged.status();
  EXPECT_TRUE((*damaged)->VerifyChecksums().IsCorruption());
  for (const std::string& key : keys) {
    ASSERT_TRUE(Shows(**damaged, key, key + '\0'));
  }
}

}  // namespace
}  // namespace tamis
