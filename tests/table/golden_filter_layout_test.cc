// SPDX-License-Identifier: Apache-2.0
//
// Tables that RocksDB wrote are written again from their entries: block-based,
// partitioned and prefix filters come out byte for byte equal, and partitions
// end at the same keys. RocksDB 11.9 probes a filter that is not full more
// often (optimize_filters_for_memory), so that ours has some of its bits.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "table/properties.h"
#include "tests/support/directories.h"
#include "tests/support/table_filters.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

constexpr char kRocksDB6[] = "rocksdb-6.29.5";
constexpr char kRocksDB7[] = "rocksdb-7.8.3";
constexpr char kRocksDB11[] = "rocksdb-11.9";  // decouples partitions

Result<std::unique_ptr<TableReader>> Open(const std::string& contents,
                                          const std::string& name) {
  TableContext context = TestContext();
  context.file_name = name;
  return OpenTable(contents, context);
}

// How the golden files were made, as far as their names do not say.
struct Recipe {
  const char* release;
  const char* file;
  uint32_t format_version;
  enum Kind : uint8_t { kBlockBased, kFull, kPartitioned } kind;
  bool ribbon = false;
  const char* prefixes = "";  // "fixed", "capped" or none
  bool whole_keys = true;
  uint64_t block_size = 1024;
  double bits_per_key = 10;
};

void PrintTo(const Recipe& recipe, std::ostream* out) {
  *out << recipe.release << "/" << recipe.file;
}

TableBuildOptions OptionsFor(const Recipe& recipe) {
  TableBuildOptions options(Bytewise());
  BlockBasedTableOptions& table = options.table;
  table.format_version = recipe.format_version;
  table.block_size = recipe.block_size;
  table.whole_key_filtering = recipe.whole_keys;
  if (recipe.format_version == 0) table.checksum = kCRC32c;
  table.filter_policy.reset(
      recipe.ribbon ? NewRibbonFilterPolicy(recipe.bits_per_key)
                    : NewBloomFilterPolicy(recipe.bits_per_key,
                                           recipe.kind == Recipe::kBlockBased));
  if (recipe.kind == Recipe::kPartitioned) {
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
    table.metadata_block_size = 512;
    table.decouple_partitioned_filters =
        std::string_view(recipe.release) == kRocksDB11;
  }
  const std::string prefixes = recipe.prefixes;
  if (prefixes == "fixed") {
    options.prefix_extractor.reset(NewFixedPrefixTransform(10));
  } else if (prefixes == "capped") {
    options.prefix_extractor.reset(NewCappedPrefixTransform(8));
  }
  options.is_flush = true;
  return options;
}

// Whether the Bloom filters are equal, if `theirs` may have more probes.
bool IsEqualButForProbes(const std::string& ours, const std::string& theirs) {
  if (ours.size() != theirs.size() || ours.size() < 5) return false;
  const size_t bits = ours.size() - 5;
  const size_t probes = bits + 2;
  for (size_t i = 0; i < ours.size(); ++i) {
    const auto a = static_cast<unsigned char>(ours[i]);
    const auto b = static_cast<unsigned char>(theirs[i]);
    if (i < bits ? (a & ~b) != 0 : i == probes ? a > b : a != b) return false;
  }
  return true;
}

class GoldenFilterLayoutTest : public testing::TestWithParam<Recipe> {};

TEST_P(GoldenFilterLayoutTest, TheSameEntriesGiveTheSameFilters) {
  const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
  if (root == nullptr) GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set";
  const Recipe& recipe = GetParam();
  const std::string file = std::string(recipe.file) + ".sst";
  const std::string golden =
      ReadWholeFile(fs::path(root) / "golden" / recipe.release / file);
  const auto theirs = Open(golden, file);
  ASSERT_TRUE(theirs.ok()) << theirs.status();
  Status status;
  const Entries entries =
      ScanForward((*theirs)->NewIterator(ReadContext()).get(), &status);
  ASSERT_TRUE(status.ok()) << status;

  const std::string again = BuildTable(OptionsFor(recipe), entries);
  const auto ours = Open(again, "again.sst");
  ASSERT_TRUE(ours.ok()) << ours.status();
  std::string their_name;
  std::string our_name;
  const TableFilters expected = FiltersOf(**theirs, golden, &their_name);
  const TableFilters got = FiltersOf(**ours, again, &our_name);
  EXPECT_EQ(our_name, their_name);
  ASSERT_FALSE(expected.empty());
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(Slice(got[i].first).ToString(true),
              Slice(expected[i].first).ToString(true))
        << "end of partition " << i;
    EXPECT_EQ(got[i].second.size(), expected[i].second.size()) << i;
    EXPECT_TRUE(got[i].second == expected[i].second ||
                (recipe.release == std::string_view(kRocksDB11) &&
                 i + 1 == expected.size() &&
                 IsEqualButForProbes(got[i].second, expected[i].second)))
        << "bytes of " << i;
  }
  const TableProperties& p = *(*ours)->properties();
  const TableProperties& q = *(*theirs)->properties();
  EXPECT_EQ(p.num_filter_entries, q.num_filter_entries);
  EXPECT_EQ(p.filter_size, q.filter_size);
  EXPECT_EQ(p.whole_key_filtering, q.whole_key_filtering);
  EXPECT_EQ(p.prefix_filtering, q.prefix_filtering);
  EXPECT_EQ(p.prefix_extractor_name, q.prefix_extractor_name);
  EXPECT_EQ(p.user_collected_properties.count(kDecoupledFiltersProperty),
            q.user_collected_properties.count(kDecoupledFiltersProperty));
}

constexpr Recipe kRecipes[] = {
    {kRocksDB6, "fv0_blockbased_bloom", 0, Recipe::kBlockBased},
    {kRocksDB6, "fv2_blockbased_bloom", 2, Recipe::kBlockBased},
    {kRocksDB6, "fv4_blockbased_bloom", 4, Recipe::kBlockBased},
    {kRocksDB6, "fv5_blockbased_bloom", 5, Recipe::kBlockBased},
    {kRocksDB6, "blockbased_prefix_whole", 2, Recipe::kBlockBased, false,
     "fixed", true, 1024, 14},
    {kRocksDB6, "blockbased_prefix_only", 2, Recipe::kBlockBased, false,
     "fixed", false},
    {kRocksDB6, "blockbased_big_blocks", 2, Recipe::kBlockBased, false, "",
     true, 8192},
    {kRocksDB6, "full_prefix_whole", 5, Recipe::kFull, false, "fixed"},
    {kRocksDB6, "full_prefix_only", 5, Recipe::kFull, false, "fixed", false},
    {kRocksDB6, "fv4_partitioned_bloom", 4, Recipe::kPartitioned},
    {kRocksDB6, "fv4_partitioned_ribbon", 4, Recipe::kPartitioned, true},
    {kRocksDB6, "fv5_partitioned_bloom", 5, Recipe::kPartitioned},
    {kRocksDB6, "fv5_partitioned_ribbon", 5, Recipe::kPartitioned, true},
    {kRocksDB6, "partitioned_prefix", 5, Recipe::kPartitioned, false, "fixed"},
    {kRocksDB6, "partitioned_prefix_only", 5, Recipe::kPartitioned, false,
     "capped", false},
    {kRocksDB7, "full_prefix_whole", 5, Recipe::kFull, false, "fixed"},
    {kRocksDB7, "full_prefix_only", 5, Recipe::kFull, false, "fixed", false},
    {kRocksDB7, "fv4_partitioned_bloom", 4, Recipe::kPartitioned},
    {kRocksDB7, "fv4_partitioned_ribbon", 4, Recipe::kPartitioned, true},
    {kRocksDB7, "fv5_partitioned_bloom", 5, Recipe::kPartitioned},
    {kRocksDB7, "fv5_partitioned_ribbon", 5, Recipe::kPartitioned, true},
    {kRocksDB7, "partitioned_prefix", 5, Recipe::kPartitioned, false, "fixed"},
    {kRocksDB7, "partitioned_prefix_only", 5, Recipe::kPartitioned, false,
     "capped", false},
    {kRocksDB11, "fv4_partitioned_bloom", 4, Recipe::kPartitioned},
    {kRocksDB11, "fv4_partitioned_ribbon", 4, Recipe::kPartitioned, true},
    {kRocksDB11, "fv5_partitioned_bloom", 5, Recipe::kPartitioned},
    {kRocksDB11, "fv5_partitioned_ribbon", 5, Recipe::kPartitioned, true},
    {kRocksDB11, "fv6_partitioned_bloom", 6, Recipe::kPartitioned},
    {kRocksDB11, "fv6_partitioned_ribbon", 6, Recipe::kPartitioned, true},
    {kRocksDB11, "fv7_partitioned_bloom", 7, Recipe::kPartitioned},
    {kRocksDB11, "fv7_partitioned_ribbon", 7, Recipe::kPartitioned, true},
    {kRocksDB11, "partitioned_prefix", 5, Recipe::kPartitioned, false, "fixed"},
    {kRocksDB11, "partitioned_prefix_only", 5, Recipe::kPartitioned, false,
     "capped", false},
};

INSTANTIATE_TEST_SUITE_P(Tables, GoldenFilterLayoutTest,
                         testing::ValuesIn(kRecipes),
                         [](const testing::TestParamInfo<Recipe>& which) {
                           std::string name = std::string(which.param.release) +
                                              "_" + which.param.file;
                           for (char& c : name) {
                             if (c == '-' || c == '.') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace tamis
