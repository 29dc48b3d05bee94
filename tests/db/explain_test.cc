// SPDX-License-Identifier: Apache-2.0
//
// What Explain says of options.
#include "tamis/explain.h"

#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "tamis/filter_policy.h"

#include "tests/db/test_db.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

// Returns the fact about the subject, or "" if there is none.
std::string FactOf(const Options& options, const std::string& subject) {
  const std::string text = "\n" + Explain(options);
  const std::string begin = "\n" + subject + ": ";
  const size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  const size_t from = at + begin.size();
  return text.substr(from, text.find('\n', from) - from);
}

TEST(ExplainTest, AdjustedAndIgnoredValuesAreNamed) {
  Options options;
  EXPECT_EQ(FactOf(options, "write_buffer_size"), "");
  options.write_buffer_size = 1;
  options.level0_slowdown_writes_trigger = 2;
  options.use_fsync = true;
  EXPECT_EQ(FactOf(options, "write_buffer_size"), "65536 is used instead of 1");
  EXPECT_EQ(FactOf(options, "level0_slowdown_writes_trigger"),
            "4 is used instead of 2");
  EXPECT_EQ(FactOf(options, "use_fsync"), "true is ignored");
}

TEST(ExplainTest, FlushesAndMemtablesFollowFromThreeOptions) {
  Options options;
  EXPECT_EQ(FactOf(options, "flush"), "when a memtable has 64 MiB");
  options.max_write_buffer_number = 4;
  options.min_write_buffer_number_to_merge = 2;
  EXPECT_EQ(FactOf(options, "flush"),
            "when 2 memtables have 64 MiB each, into one table");
  EXPECT_TRUE(FactOf(options, "memtables").starts_with("up to 256 MiB"));
  EXPECT_TRUE(FactOf(options, "max_write_buffer_number")
                  .starts_with("writes stop while 3 full memtables wait"));
  EXPECT_EQ(FactOf(options, "max_total_wal_size"),
            "0 means 4 times the memtables of all families: 1 GiB with one "
            "family");
}

TEST(ExplainTest, LevelsDependOnStyleAndShape) {
  Options options;
  EXPECT_NE(
      FactOf(options, "max_bytes_for_level_base").find("not level 1's target"),
      std::string::npos);
  EXPECT_EQ(FactOf(options, "level 1"), "");
  EXPECT_EQ(FactOf(options, "max_compaction_bytes"),
            "0 means 25 times target_file_size_base: 1600 MiB");
  options.level_compaction_dynamic_level_bytes = false;
  EXPECT_EQ(FactOf(options, "max_bytes_for_level_base"), "");
  EXPECT_EQ(FactOf(options, "level 1"), "may have 256 MiB");
  EXPECT_EQ(FactOf(options, "level 2"), "may have 2560 MiB");
  EXPECT_EQ(FactOf(options, "level 6"), "the last level, which has no limit");
  Options behind = options;
  behind.cf_allow_ingest_behind = true;
  EXPECT_EQ(FactOf(behind, "level 5"), "the last level, which has no limit");
  EXPECT_EQ(FactOf(behind, "cf_allow_ingest_behind"),
            "level 6 is kept for files of ingest_behind; compactions keep "
            "tombstones");
  options.compaction_style = kCompactionStyleFIFO;
  EXPECT_EQ(FactOf(options, "level 1"), "");
  EXPECT_NE(FactOf(options, "compaction_style").find("above 1 GiB"),
            std::string::npos);
}

TEST(ExplainTest, EachLevelHasItsCodec) {
  Options options;
  options.level_compaction_dynamic_level_bytes = false;
  options.target_file_size_multiplier = 2;
  options.compression_per_level = {kNoCompression, kNoCompression,
                                   kSnappyCompression};
  options.bottommost_compression = kNoCompression;
  const std::string none = CompressionTypeName(kNoCompression);
  const std::string snappy = CompressionTypeName(kSnappyCompression);
  EXPECT_EQ(FactOf(options, "tables of level 0"), "flushed with " + none);
  EXPECT_EQ(FactOf(options, "tables of level 1"), none + ", up to 64 MiB");
  EXPECT_EQ(FactOf(options, "tables of level 2"),
            snappy + ", where nothing is below " + none + ", up to 128 MiB");
  options.level_compaction_dynamic_level_bytes = true;
  EXPECT_EQ(FactOf(options, "tables of level 2"), "");
  EXPECT_EQ(FactOf(options, "tables of the base level + 1"),
            snappy + ", where nothing is below " + none + ", up to 128 MiB");
}

TEST(ExplainTest, FiltersAreNamedOrTheReasonThatThereIsNone) {
  Options options;
  EXPECT_TRUE(FactOf(options, "filters of flushes")
                  .starts_with("FastLocalBloom, full: "));
  EXPECT_EQ(FactOf(options, "prefixes"),
            "in no filter: there is no prefix_extractor");
  options.optimize_filters_for_hits = true;
  EXPECT_EQ(FactOf(options, "filters of bottommost tables"),
            "none: optimize_filters_for_hits");
  EXPECT_TRUE(FactOf(options, "filters above the bottom")
                  .starts_with("FastLocalBloom"));
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewFilterPolicy({.fpr = 0.02}));
  options.optimize_filters_for_hits = false;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  EXPECT_TRUE(FactOf(options, "filters of flushes")
                  .starts_with("HomogeneousRibbon, full: "))
      << Explain(options);
  EXPECT_TRUE(FactOf(options, "filters of bottommost tables")
                  .starts_with("BumpedRibbon, full: "))
      << Explain(options);
  table.filter_policy.reset();
  table.range_filter = BlockBasedTableOptions::kFence;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  options.prefix_extractor.reset(NewFixedPrefixTransform(4));
  EXPECT_EQ(FactOf(options, "filters of flushes"), "none: no filter_policy");
  EXPECT_EQ(FactOf(options, "prefixes"),
            "in no filter: there is no filter_policy");
  EXPECT_TRUE(
      FactOf(options, "range_filter").starts_with("Fence, of about 16"));
}

TEST(ExplainTest, OptionsThatOpenRejectsAreAnError) {
  Options options;
  options.max_background_jobs = 0;
  EXPECT_TRUE(Explain(options).starts_with(
      "error: Invalid argument: DBOptions::max_background_jobs: "));
}

class ThrowingPolicy : public FilterPolicy {
 public:
  const char* Name() const override { return "ThrowingPolicy"; }
  FilterBitsBuilder* GetFilterBitsBuilder() const override {
    throw std::runtime_error("no builder today");
  }
};

TEST(ExplainTest, AnExceptionOfThePolicyIsAnError) {
  BlockBasedTableOptions table;
  table.filter_policy = std::make_shared<ThrowingPolicy>();
  Options options;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  const std::string text = Explain(options);
  EXPECT_TRUE(text.starts_with("error: ")) << text;
  EXPECT_NE(text.find("no builder today"), std::string::npos) << text;
}

using ExplainDBTest = DBTest;

TEST_F(ExplainDBTest, OptionsInUseHaveNothingToAdjust) {
  options_.write_buffer_size = 1;
  Open();
  EXPECT_EQ(FactOf(options_, "write_buffer_size"),
            "65536 is used instead of 1");
  EXPECT_EQ(FactOf(db_->GetOptions(), "write_buffer_size"), "");
  EXPECT_EQ(FactOf(db_->GetOptions(), "flush"), "when a memtable has 64 KiB");
  ASSERT_TRUE(db_->SetOptions({{"write_buffer_size", "1M"}}).ok());
  EXPECT_EQ(FactOf(db_->GetOptions(), "flush"), "when a memtable has 1 MiB");
}

TEST(ExplainTest, PinnedIndexesAndFilters) {
  Options options;
  BlockBasedTableOptions table;
  const auto fact = [&](const std::string& subject) {
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    return FactOf(options, subject);
  };
  EXPECT_EQ(fact("... top levels of partitions"), "") << "all stay";
  EXPECT_EQ(fact("... partitions"), "");
  table.cache_index_and_filter_blocks = true;
  EXPECT_EQ(fact("... top levels of partitions"),
            "are not evicted while a table is open");
  EXPECT_EQ(fact("... in one block"), "");
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  for (const char* what : {"... in one block", "... partitions"}) {
    EXPECT_EQ(fact(what),
              "are not evicted while a table is open, at level 0 and below "
              "about 1.5 times 64 MiB");
  }
}

}  // namespace
}  // namespace tamis
