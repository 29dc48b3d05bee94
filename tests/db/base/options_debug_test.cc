// SPDX-License-Identifier: Apache-2.0
#include "db/base/options_debug.h"

#include <gtest/gtest.h>

#include "tamis/filter_policy.h"
#include "tamis/slice_transform.h"

#include "tests/support/kept_lines.h"

namespace tamis {
namespace {

bool HasLine(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(OptionsDebugTest, ShowsNumbersNamesAndMissingObjects) {
  DBOptions options;
  options.max_open_files = 100;
  options.atomic_flush = true;
  const std::string text = DebugString(options);
  EXPECT_TRUE(HasLine(text, "max_open_files=100")) << text;
  EXPECT_TRUE(HasLine(text, "atomic_flush=true")) << text;
  EXPECT_TRUE(HasLine(text, "create_if_missing=false")) << text;
  EXPECT_TRUE(HasLine(text, "wal_recovery_mode=kPointInTimeRecovery")) << text;
  EXPECT_TRUE(HasLine(text, "statistics=nullptr")) << text;
  EXPECT_TRUE(HasLine(text, "listeners=0")) << text;
}

TEST(OptionsDebugTest, FamilyOptionsIncludeTableOptions) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  table.block_size = 1234;
  ColumnFamilyOptions options;
  EXPECT_TRUE(HasLine(DebugString(options), "table_factory=nullptr"));
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  options.prefix_extractor.reset(NewFixedPrefixTransform(3));
  const std::string text = DebugString(options);
  EXPECT_TRUE(HasLine(text, "comparator=leveldb.BytewiseComparator")) << text;
  EXPECT_TRUE(HasLine(text, "merge_operator=nullptr")) << text;
  EXPECT_TRUE(HasLine(text, "compaction_filter=nullptr")) << text;
  EXPECT_TRUE(HasLine(text, "prefix_extractor=rocksdb.FixedPrefix.3")) << text;
  for (const char* part :
       {"\ntable_factory={id=BlockBasedTable;", ";block_size=1234;",
        ";filter_policy=bloomfilter:10:false;"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

TEST(OptionsDebugTest, DumpWritesEveryOptionToALog) {
  Options options;
  options.max_background_jobs = 7;
  options.num_levels = 5;
  KeptLines all;
  options.Dump(&all);
  EXPECT_EQ(all.With("Options.max_background_jobs: 7").size(), 1u);
  EXPECT_EQ(all.With("Options.num_levels: 5").size(), 1u);
  EXPECT_EQ(all.With("Options.comparator: ").size(), 1u);
  KeptLines of_database;
  options.DBOptions::Dump(&of_database);
  EXPECT_EQ(of_database.With("Options.num_levels").size(), 0u);
  KeptLines of_family;
  options.DumpCFOptions(&of_family);
  EXPECT_EQ(of_family.With("Options.max_background_jobs").size(), 0u);
  EXPECT_EQ(of_database.lines().size() + of_family.lines().size(),
            all.lines().size());
}

}  // namespace
}  // namespace tamis
