// SPDX-License-Identifier: Apache-2.0
#include "db/options/options_file.h"

#include <gtest/gtest.h>

#include "tamis/filter_policy.h"
#include "tamis/utilities/merge_operators.h"
#include "tamis/utilities/options_util.h"

#include "filter/bloom_filter_policy.h"
#include "tests/support/simulated_file_system.h"

namespace tamis {
namespace {

constexpr char kMinimal[] = "[DBOptions]\n[CFOptions \"default\"]\n";

// A directory in memory that contains one OPTIONS file.
class OptionsFileTest : public testing::Test {
 protected:
  void Write(const std::string& text,
             const std::string& name = "OPTIONS-000007") {
    ASSERT_TRUE(fs_->CreateDirIfMissing("/db").ok());
    ASSERT_TRUE(
        WriteStringToFile(fs_.get(), text, "/db/" + name, /*sync=*/false).ok());
  }
  ConfigOptions Config() const {
    ConfigOptions config;
    config.file_system = fs_;
    return config;
  }
  Status Load() { return Load(Config()); }
  Status Load(const ConfigOptions& config) {
    return LoadLatestOptions(config, "/db", &options_, &families_);
  }
  std::string ErrorOf(const std::string& text) {
    Write(text);
    return Load().ToString();
  }

  std::shared_ptr<SimulatedFileSystem> fs_ = NewSimulatedFileSystem();
  DBOptions options_;
  std::vector<ColumnFamilyDescriptor> families_;
};

TEST_F(OptionsFileTest, WhatIsPrintedIsLoaded) {
  DBOptions database;
  database.max_open_files = 123;
  database.upgrade_leveldb = true;
  database.enable_pipelined_write = true;
  database.skip_checking_sst_file_sizes_on_db_open = true;
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewFilterPolicy({.fpr = 0.001}));
  table.range_filter = BlockBasedTableOptions::kFence;
  ColumnFamilyOptions family;
  family.merge_operator = MergeOperators::CreateStringAppendOperator(";#\n");
  family.table_factory.reset(NewBlockBasedTableFactory(table));
  const std::string odd = "a \"#\\ family\n";
  const std::string text = PrintOptionsFile(
      database, {{"default", ColumnFamilyOptions()}, {odd, family}});
  Write(text);
  ASSERT_TRUE(Load().ok()) << Load().ToString() << text;
  EXPECT_EQ(options_.max_open_files, 123);
  EXPECT_TRUE(options_.upgrade_leveldb);
  EXPECT_TRUE(options_.enable_pipelined_write);
  EXPECT_TRUE(options_.skip_checking_sst_file_sizes_on_db_open);
  ASSERT_EQ(families_.size(), 2u);
  EXPECT_EQ(families_[1].name, odd);
  const auto& loaded =
      families_[1].options.table_factory->block_based_options();
  EXPECT_EQ(loaded.filter_policy->GetId(),
            "tamis.RateFilterPolicy:0.001:kByLevel");
  EXPECT_EQ(loaded.range_filter, BlockBasedTableOptions::kFence);
  EXPECT_EQ(PrintOptionsFile(options_, {{"default", families_[0].options},
                                        {odd, families_[1].options}})
                .find("\n[TableOptions/BlockBasedTable \"default\"]"),
            std::string::npos)
      << "no table_factory, no section";
  EXPECT_TRUE(CheckOptionsCompatibility(
                  Config(), "/db", database,
                  {{"default", ColumnFamilyOptions()}, {odd, family}})
                  .ok());
}

TEST_F(OptionsFileTest, AFilterPolicyThatIsSetIsNotTheDefault) {
  for (const bool is_default : {true, false}) {
    BlockBasedTableOptions table;
    if (!is_default) table.filter_policy.reset(NewBloomFilterPolicy(10));
    ColumnFamilyOptions family;
    family.table_factory.reset(NewBlockBasedTableFactory(table));
    const std::string text =
        PrintOptionsFile(DBOptions(), {{"default", family}});
    EXPECT_NE(text.find("\n  filter_policy=bloomfilter:10:false\n"),
              std::string::npos)
        << "for RocksDB";
    Write(text);
    ASSERT_TRUE(Load().ok()) << Load().ToString();
    const auto& loaded =
        families_[0].options.table_factory->block_based_options();
    EXPECT_EQ(IsDefaultFilterPolicy(loaded.filter_policy.get()), is_default);
  }
}

TEST_F(OptionsFileTest, OptionsOfTamisAreComments) {
  DBOptions database;
  database.max_open_files = 5;
  const std::string text =
      PrintOptionsFile(database, {{"default", ColumnFamilyOptions()}});
  EXPECT_NE(text.find("\n  max_open_files=5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  #tamis: upgrade_leveldb=false\n"),
            std::string::npos);
  EXPECT_EQ(text.find("enable_pipelined_write"), std::string::npos)
      << "it has its default";
}

TEST_F(OptionsFileTest, TheNewestFileCounts) {
  std::string name;
  EXPECT_TRUE(Load().IsNotFound() || Load().IsPathNotFound());
  Write(kMinimal, "OPTIONS-000099.dbtmp");
  EXPECT_TRUE(Load().IsNotFound()) << Load().ToString();
  Write("nonsense", "OPTIONS-000099");
  Write(kMinimal, "OPTIONS-000100");
  EXPECT_TRUE(Load().ok()) << Load().ToString();
  ASSERT_TRUE(
      GetLatestOptionsFileName("/db", NewCompositeEnv(fs_).get(), &name).ok());
  EXPECT_EQ(name, "OPTIONS-000100");
}

TEST_F(OptionsFileTest, MalformedFilesNameTheLine) {
  EXPECT_EQ(ErrorOf(""),
            "Corruption: /db/OPTIONS-000007: line 0: there is no section "
            "DBOptions");
  EXPECT_EQ(ErrorOf("[DBOptions]\n"),
            "Corruption: /db/OPTIONS-000007: line 1: there is no section "
            "CFOptions \"default\"");
  EXPECT_EQ(ErrorOf("a=1\n"),
            "Corruption: /db/OPTIONS-000007: line 1: \"a=1\" is not the title "
            "of a section");
  EXPECT_EQ(ErrorOf("[DBOptions]\nxyz # comment\n"),
            "Corruption: /db/OPTIONS-000007: line 2: \"xyz\" is not of the "
            "form name=value");
  EXPECT_EQ(ErrorOf("[DBOptions]\n[CFOptions \"other\"]\n"),
            "Corruption: /db/OPTIONS-000007: line 2: the first family is not "
            "\"default\"");
  EXPECT_EQ(ErrorOf("[DBOptions]\n[DBOptions]\n"),
            "Corruption: /db/OPTIONS-000007: line 2: a second section "
            "DBOptions");
  EXPECT_EQ(ErrorOf(std::string(kMinimal) + "[CFOptions \"default\"]"),
            "Corruption: /db/OPTIONS-000007: line 3: a second section "
            "CFOptions for \"default\"");
  EXPECT_EQ(ErrorOf("[TableOptions/BlockBasedTable \"x\"]\n"),
            "Corruption: /db/OPTIONS-000007: line 1: TableOptions without "
            "CFOptions of \"x\" before them");
  EXPECT_EQ(ErrorOf("[Nonsense]\n"),
            "Corruption: /db/OPTIONS-000007: line 1: there is no kind of "
            "section Nonsense");
}

TEST_F(OptionsFileTest, BadOptionsNameFileAndSection) {
  EXPECT_EQ(ErrorOf("[DBOptions]\nnosuch=1\n[CFOptions \"default\"]\n"),
            "Invalid argument: /db/OPTIONS-000007: DBOptions: nosuch: there is "
            "no such option");
  ConfigOptions lenient = Config();
  lenient.ignore_unknown_options = true;
  EXPECT_TRUE(Load(lenient).ok());
  options_.max_open_files = 77;
  EXPECT_EQ(ErrorOf(std::string(kMinimal) +
                    "[TableOptions/BlockBasedTable \"default\"]\n"
                    "block_size=big\n")
                .substr(0, 92),
            "Invalid argument: /db/OPTIONS-000007: "
            "TableOptions/BlockBasedTable \"default\": block_size: \"b");
  EXPECT_EQ(options_.max_open_files, 77) << "unchanged after an error";
}

TEST_F(OptionsFileTest, ACacheIsSharedByAllFamilies) {
  Write(std::string(kMinimal) + "[CFOptions \"two\"]\n");
  std::shared_ptr<Cache> cache = NewLRUCache(1 << 20);
  ASSERT_TRUE(
      LoadLatestOptions(Config(), "/db", &options_, &families_, &cache).ok());
  ASSERT_EQ(families_.size(), 2u);
  for (const ColumnFamilyDescriptor& family : families_) {
    EXPECT_EQ(family.options.table_factory->block_based_options().block_cache,
              cache);
  }
}

TEST_F(OptionsFileTest, CompatibilityByLevel) {
  Write(
      "[DBOptions]\nmax_open_files=5\n[CFOptions \"default\"]\n"
      "merge_operator=MaxOperator\nwrite_buffer_size=1000000\n");
  ConfigOptions config = Config();
  const auto check = [&](const DBOptions& database,
                         const ColumnFamilyOptions& family) {
    return CheckOptionsCompatibility(config, "/db", database,
                                     {{"default", family}})
        .ToString();
  };
  DBOptions database;
  database.max_open_files = 5;
  ColumnFamilyOptions family;
  family.write_buffer_size = 1000000;
  family.merge_operator = MergeOperators::CreateMaxOperator();
  EXPECT_EQ(check(database, family), "OK");
  EXPECT_EQ(check(DBOptions(), family),
            "Invalid argument: /db/OPTIONS-000007: DBOptions: max_open_files "
            "is 5 there, but -1 here");
  family.write_buffer_size = 1;
  EXPECT_EQ(check(database, family),
            "Invalid argument: /db/OPTIONS-000007: CFOptions \"default\": "
            "write_buffer_size is 1000000 there, but 1 here");
  config.sanity_level = ConfigOptions::kSanityLevelLooselyCompatible;
  EXPECT_EQ(check(DBOptions(), family), "OK");
  family.comparator = ReverseBytewiseComparator();
  EXPECT_EQ(check(DBOptions(), family), "OK") << "the file names none";
  family.merge_operator.reset();
  EXPECT_NE(check(DBOptions(), family).find("merge_operator is MaxOperator"),
            std::string::npos);
  config.sanity_level = ConfigOptions::kSanityLevelNone;
  EXPECT_EQ(check(DBOptions(), family), "OK");
  config.sanity_level = ConfigOptions::kSanityLevelLooselyCompatible;
  EXPECT_NE(CheckOptionsCompatibility(config, "/db", database, {})
                .ToString()
                .find("number of column families is 1 there, but 0 here"),
            std::string::npos);
}

TEST_F(OptionsFileTest, AnExactMatchComparesWhatTheFileOmits) {
  Write(std::string(kMinimal) +
        "merge_operator=user.Operator\n"
        "[TableOptions/BlockBasedTable \"default\"]\n"
        "filter_policy=user.Policy\nindex_type=kHashSearch\n");
  DBOptions database;
  ColumnFamilyOptions family;
  const auto check = [&] {
    return CheckOptionsCompatibility(Config(), "/db", database,
                                     {{"default", family}})
        .ToString();
  };
  database.max_open_files = 5;
  EXPECT_EQ(check(),
            "Invalid argument: /db/OPTIONS-000007: DBOptions: max_open_files "
            "is -1 there, but 5 here");
  database = DBOptions();
  EXPECT_NE(check().find("merge_operator is user.Operator there, but nullptr"),
            std::string::npos)
      << check();
  Write(std::string(kMinimal) +
        "[TableOptions/BlockBasedTable \"default\"]\n"
        "filter_policy=user.Policy\n");
  BlockBasedTableOptions table;
  table.filter_policy.reset();
  family.table_factory.reset(NewBlockBasedTableFactory(table));
  EXPECT_NE(check().find("filter_policy is user.Policy there, but nullptr"),
            std::string::npos)
      << check();
  Write(std::string(kMinimal) +
        "[TableOptions/BlockBasedTable \"default\"]\n"
        "filter_policy=nullptr\nindex_type=kHashSearch\n");
  EXPECT_NE(check().find("index_type is kHashSearch there, but kBinarySearch"),
            std::string::npos)
      << check();
}

TEST_F(OptionsFileTest, AnEmptyListThatIsNotTheDefaultIsPrinted) {
  ColumnFamilyOptions family;
  family.max_bytes_for_level_multiplier_additional.clear();
  Write(PrintOptionsFile(DBOptions(), {{"default", family}}));
  ASSERT_TRUE(Load().ok()) << Load().ToString();
  EXPECT_TRUE(
      families_[0].options.max_bytes_for_level_multiplier_additional.empty());
}

}  // namespace
}  // namespace tamis
