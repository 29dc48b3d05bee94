// SPDX-License-Identifier: Apache-2.0
//
// Our raw dump beside RocksDB 7.8.3's of the same file.
#include "tools/table_dump.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tools/table_facts.h"

namespace tamis {
namespace {

class TableDumpTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* dir = std::getenv("TAMIS_GOLDEN_DIR");
    if (dir == nullptr) GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set";
    golden_ = std::string(dir) + "/golden/";
  }

  static std::string ReadFile(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in.good()) << path;
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string golden_;
};

TEST_P(TableDumpTest, IsRocksDbsDumpFollowedByOurSections) {
  const std::string name = golden_ + "reference_dump/" + GetParam();
  std::string expected = ReadFile(name + ".raw-7.8.3.txt");
  // The one line of it that we leave out.
  const size_t unique_id = expected.find("  unique ID: ");
  ASSERT_NE(unique_id, std::string::npos);
  expected.erase(unique_id, expected.find('\n', unique_id) + 1 - unique_id);

  Result<std::unique_ptr<RawTable>> table = RawTable::Open(name + ".sst");
  ASSERT_TRUE(table.ok()) << table.status();
  std::string dump;
  const Status s = DumpTable(**table, TextForm::kOwn,
                             [&dump](std::string_view text) { dump += text; });
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_EQ(dump.substr(0, expected.size()), expected);
  const std::string own = dump.substr(std::min(dump.size(), expected.size()));
  EXPECT_EQ(own.find("\nFurther Properties:"), 0u) << own;
  EXPECT_NE(own.find("\nFilter Details:"), std::string::npos) << own;
}

INSTANTIATE_TEST_SUITE_P(ReferenceDumps, TableDumpTest,
                         testing::Values("fv5_full_bloom", "one_key",
                                         "twenty_puts_two_range_deletes"));

struct FilterCase {
  const char* file;
  FilterPlacement placement;
  const char* codec;
};

using FilterFactsTest = TableDumpTest;

TEST_F(FilterFactsTest, PlacementCodecAndRateAreReadFromTheFile) {
  constexpr FilterCase kCases[] = {
      {"6.29.5/fv5_full_bloom", FilterPlacement::kFull, "FastLocalBloom"},
      {"7.8.3/fv5_partitioned_bloom", FilterPlacement::kPartitioned,
       "FastLocalBloom"},
      {"6.29.5/fv4_full_bloom", FilterPlacement::kFull, nullptr},
      {"6.29.5/fv5_blockbased_bloom", FilterPlacement::kBlockBased, nullptr},
  };
  for (const FilterCase& c : kCases) {
    const std::string path = golden_ + "rocksdb-" + c.file + ".sst";
    const Result<TableFacts> facts = ReadTableFacts(path);
    ASSERT_TRUE(facts.ok()) << facts.status();
    const FilterFacts& filter = facts->filter;
    ASSERT_TRUE(filter.where.has_value()) << path;
    EXPECT_EQ(filter.where->placement, c.placement) << path;
    if (c.codec != nullptr) {
      EXPECT_EQ(filter.codec, c.codec) << path;
    }
    EXPECT_GE(filter.filters, 1u) << path;
    // 10 bits a key, plus what small filters waste.
    EXPECT_GT(filter.bits_per_key(), 8) << path;
    EXPECT_LT(filter.bits_per_key(), 20) << path;
    EXPECT_GT(filter.predicted_fpr, 0.0005) << path;
    EXPECT_LT(filter.predicted_fpr, 0.03) << path;
  }
  const Result<TableFacts> none =
      ReadTableFacts(golden_ + "rocksdb-7.8.3/nofilter.sst");
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_FALSE(none->filter.where.has_value());
  EXPECT_EQ(none->filter.predicted_fpr, 1);
}

}  // namespace
}  // namespace tamis
