// SPDX-License-Identifier: Apache-2.0
//
// False-positive rates that theory predicts, against those that filters have:
// of every codec at several sizes, and of tables of every placement, through
// SstFileReader.
//
//   TAMIS_BIG_TESTS=1    also filters of a million keys
#include "tools/observed_rate.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/sst_file_reader.h"
#include "tamis/sst_file_writer.h"
#include "tamis/table.h"

#include "filter/leveldb_bloom.h"
#include "tests/support/directories.h"
#include "tests/support/filter_choices.h"
#include "tests/support/key_shapes.h"
#include "tools/table_facts.h"

namespace tamis {
namespace {

constexpr double kTolerance = 0.2;  // four deviations of kMatchesWanted

std::vector<size_t> Sizes() {
  std::vector<size_t> sizes = {10000, 100000};
  if (std::getenv("TAMIS_BIG_TESTS") != nullptr) sizes.push_back(1000000);
  return sizes;
}
// Chunks of block-based filters hold the keys of a few data blocks. With more
// than about 50,000 keys, LevelDB's 32-bit hash lets up to 1.9 times as many
// absent keys pass as independent bits would.
std::vector<size_t> ChunkSizes() { return {1000, 10000}; }

void ExpectNear(const ObservedRate& observed, double predicted) {
  EXPECT_EQ(observed.matches, kMatchesWanted);
  EXPECT_GE(observed.rate(), (1 - kTolerance) * predicted);
  EXPECT_LE(observed.rate(), (1 + kTolerance) * predicted);
}

FilterLocator WhereOf(const FilterCodec* codec) {
  if (codec == LevelDBBloomCodec()) {
    return {FilterPlacement::kBlockBased, std::string(kLevelDBBloomFamily)};
  }
  if (codec == LevelDBBloomSignedTailCodec()) {
    return {FilterPlacement::kBlockBased, std::string(kBuiltinBloomFamily)};
  }
  return {FilterPlacement::kFull, std::string(codec->family())};
}

class CodecRateTest : public testing::TestWithParam<const FilterCodec*> {};

TEST_P(CodecRateTest, IsAsPredicted) {
  const FilterCodec* const codec = GetParam();
  const bool chunks = WhereOf(codec).placement == FilterPlacement::kBlockBased;
  for (const size_t n : chunks ? ChunkSizes() : Sizes()) {
    for (const double bits : {4.0, 10.0, 14.0}) {
      SCOPED_TRACE(testing::Message() << n << " keys, " << bits << " bits");
      // Random, since older formats hash sequences unevenly.
      Random random(17);
      const auto builder = codec->NewBuilder(bits);
      for (size_t i = 0; i < n; ++i) {
        builder->Add(FilterKey(NumberKey(&random)));
      }
      const Result<std::string> filter = builder->Finish();
      ASSERT_TRUE(filter.ok());
      const FilterLocator where = WhereOf(codec);
      ASSERT_EQ(FindCodec(where, *filter), codec);
      ExpectNear(ObserveFilters(where, {*filter}),
                 codec->PredictedFalsePositiveRate(*filter, n));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Builtin, CodecRateTest,
                         testing::ValuesIn(BuiltinCodecs().begin(),
                                           BuiltinCodecs().end()),
                         [](const auto& instance) {
                           return std::string(instance.param->name());
                         });

class RangeCodecRateTest
    : public testing::TestWithParam<const RangeFilterCodec*> {};

// The keys that a format is for.
TEST_P(RangeCodecRateTest, IsAsPredicted) {
  const RangeFilterCodec* const codec = GetParam();
  const bool numbers = codec->name() == "Grafite";
  for (const size_t n : Sizes()) {
    // SuRF's trie takes 12 bits and more.
    const double more = codec->name() == "SuRF" ? 6 : 0;
    for (const double bits : {8.0 + more, 12.0 + more}) {
      SCOPED_TRACE(testing::Message() << n << " keys, " << bits << " bits");
      Random random(301);
      const std::vector<std::string> keys = DrawKeys(
          {"", numbers ? NumberKey : YcsbKey, /*prefix_bytes=*/0}, n, &random);
      const auto builder = codec->NewBuilder(bits);
      for (const std::string& key : keys) builder->Add(key);
      const std::string filter = builder->Finish();
      ASSERT_NE(filter, "");
      ExpectNear(ObserveRangeFilter(
                     [view = codec->Open(filter)](const Slice& begin,
                                                  const Slice& end) {
                       return view.MayMatch(begin, end);
                     },
                     keys),
                 codec->PredictedFalsePositiveRate(filter));
    }
  }
  EXPECT_EQ(codec->PredictedFalsePositiveRate("malformed"), 1);
}

INSTANTIATE_TEST_SUITE_P(Builtin, RangeCodecRateTest,
                         testing::ValuesIn(RangeFilterCodecs().begin(),
                                           RangeFilterCodecs().end()),
                         [](const auto& instance) {
                           return std::string(instance.param->name());
                         });

// A table of `options` with YCSB's keys.
class TableRateTest : public testing::Test {
 protected:
  static Options OptionsOf(const BlockBasedTableOptions& table) {
    Options options;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    return options;
  }
  void Write(const Options& options) {
    Random random(301);
    SstFileWriter writer(options);
    ASSERT_TRUE(writer.Open(path_).ok());
    for (const std::string& key :
         DrawKeys({"", YcsbKey, /*prefix_bytes=*/0}, 20000, &random)) {
      ASSERT_TRUE(writer.Put(key, std::string(40, 'v')).ok());
    }
    ASSERT_TRUE(writer.Finish().ok());
  }
  // What SstFileReader predicts is what the tools print, and is observed.
  void Check(const Options& options, FilterPlacement placement) {
    Write(options);
    SstFileReader reader(options);
    ASSERT_TRUE(reader.Open(path_).ok());
    double fpr = 0;
    ASSERT_TRUE(reader.PredictedFpr(&fpr).ok());
    Result<std::unique_ptr<RawTable>> table = RawTable::Open(path_);
    ASSERT_TRUE(table.ok()) << table.status();
    FilterContents contents;
    const Result<FilterFacts> facts = ReadFilterFacts(**table, &contents);
    ASSERT_TRUE(facts.ok()) << facts.status();
    ASSERT_TRUE(facts->where.has_value());
    EXPECT_EQ(facts->where->placement, placement);
    EXPECT_EQ(fpr, facts->predicted_fpr);
    ExpectNear(ObserveFilters(*facts->where, contents.filters), fpr);
  }

  const TemporaryDirectory directory_;
  const std::string path_ = directory_.Path("table.sst");
};

TEST_F(TableRateTest, IsAsPredictedInEveryPlacement) {
  for (const FilterFormat format : kFilterFormats) {
    SCOPED_TRACE(NameOf(format));
    BlockBasedTableOptions table;
    table.filter_policy.reset(
        NewFilterPolicy({.fpr = 0.0035, .format = format}));
    Check(OptionsOf(table), FilterPlacement::kFull);
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
    Check(OptionsOf(table), FilterPlacement::kPartitioned);
  }
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10, true));
  Check(OptionsOf(table), FilterPlacement::kBlockBased);
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  table.format_version = 4;  // the legacy full filter
  Check(OptionsOf(table), FilterPlacement::kFull);
}

TEST_F(TableRateTest, WithoutAFilterEveryKeyAndRangePasses) {
  BlockBasedTableOptions table;
  table.filter_policy = nullptr;
  Write(OptionsOf(table));
  SstFileReader reader(OptionsOf(table));
  ASSERT_TRUE(reader.Open(path_).ok());
  double fpr = 0;
  ASSERT_TRUE(reader.PredictedFpr(&fpr).ok());
  EXPECT_EQ(fpr, 1);
  double range_fpr = 0;
  ASSERT_TRUE(reader.PredictedRangeFpr(&range_fpr).ok());
  EXPECT_EQ(range_fpr, 1);
}

TEST_F(TableRateTest, RangeFiltersHaveARateOfTheirOwn) {
  BlockBasedTableOptions table;
  table.range_filter = BlockBasedTableOptions::kFence;
  table.range_filter_bits_per_key = 12;
  Write(OptionsOf(table));
  SstFileReader reader(OptionsOf(table));
  ASSERT_TRUE(reader.Open(path_).ok());
  double fpr = 0;
  ASSERT_TRUE(reader.PredictedRangeFpr(&fpr).ok());
  EXPECT_EQ(fpr, 1.0 / 256);
  ASSERT_TRUE(reader.PredictedFpr(&fpr).ok());
  EXPECT_NEAR(fpr, 0.0095, 0.0005);
}

}  // namespace
}  // namespace tamis
