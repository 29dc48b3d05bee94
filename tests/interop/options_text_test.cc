// SPDX-License-Identifier: Apache-2.0
//
// Options as text, in both directions: RocksDB loads OPTIONS files of Tamis,
// and Tamis those of RocksDB. Strings have the same meaning in both.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include "tamis/convenience.h"
#include "tamis/filter_policy.h"
#include "tamis/utilities/merge_operators.h"
#include "tamis/utilities/options_util.h"

#include "db/options/options_file.h"
#include "tests/support/directories.h"

namespace {

const rocksdb::BlockBasedTableOptions* TableOf(
    const rocksdb::ColumnFamilyOptions& options) {
  return options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
}
const tamis::BlockBasedTableOptions* TableOf(
    const tamis::ColumnFamilyOptions& options) {
  return &options.table_factory->block_based_options();
}

// Fields that both have, of either's options.
template <typename Database, typename Family>
std::string Show(const Database& database, const Family& family) {
  const auto* const table = TableOf(family);
  std::string text;
  const auto add = [&](const char* name, auto value) {
    text += std::string(name) + "=" + std::to_string(value) + "\n";
  };
  add("create_if_missing", database.create_if_missing);
  add("max_background_jobs", database.max_background_jobs);
  add("max_open_files", database.max_open_files);
  add("max_total_wal_size", database.max_total_wal_size);
  add("wal_recovery_mode", static_cast<int>(database.wal_recovery_mode));
  add("atomic_flush", database.atomic_flush);
  add("info_log_level", static_cast<int>(database.info_log_level));
  add("write_buffer_size", family.write_buffer_size);
  add("compression", static_cast<int>(family.compression));
  add("multiplier", family.max_bytes_for_level_multiplier);
  add("parallel_threads", family.compression_opts.parallel_threads);
  add("max_dict_bytes", family.compression_opts.max_dict_bytes);
  add("zstd_max_train_bytes", family.compression_opts.zstd_max_train_bytes);
  add("max_dict_buffer_bytes", family.compression_opts.max_dict_buffer_bytes);
  add("use_zstd_dict_trainer", family.compression_opts.use_zstd_dict_trainer);
  add("disable_auto_compactions", family.disable_auto_compactions);
  add("block_size", table->block_size);
  add("format_version", table->format_version);
  add("checksum", static_cast<int>(table->checksum));
  add("index_type", static_cast<int>(table->index_type));
  add("partition_filters", table->partition_filters);
  add("hash_ratio", table->data_block_hash_table_util_ratio);
  text += std::string("comparator=") + family.comparator->Name() + "\n";
  text += "merge_operator=" +
          std::string(family.merge_operator == nullptr
                          ? "nullptr"
                          : family.merge_operator->Name()) +
          "\n";
  text +=
      "prefix_extractor=" +
      (family.prefix_extractor == nullptr ? "nullptr"
                                          : family.prefix_extractor->GetId()) +
      "\n";
  text += "filter_policy=" +
          (table->filter_policy == nullptr ? "nullptr"
                                           : table->filter_policy->GetId()) +
          "\n";
  return text;
}

constexpr char kDatabaseText[] =
    "create_if_missing=true;max_background_jobs=5;max_open_files=2k;"
    "max_total_wal_size=3G;wal_recovery_mode=kAbsoluteConsistency;"
    "atomic_flush=1;info_log_level=ERROR_LEVEL;use_adaptive_mutex=true";
constexpr char kFamilyText[] =
    "write_buffer_size=8M;compression=kZSTD;max_bytes_for_level_multiplier=7.5;"
    "compression_opts={parallel_threads=3;max_dict_bytes=16k;"
    "zstd_max_train_bytes=1M;max_dict_buffer_bytes=4M;"
    "use_zstd_dict_trainer=false};disable_auto_compactions=true;"
    "comparator=rocksdb.ReverseBytewiseComparator;"
    "merge_operator={id=StringAppendOperator;delimiter=|};"
    "prefix_extractor=rocksdb.FixedPrefix.4;"
    "block_based_table_factory={block_size=16k;format_version=4;"
    "checksum=kCRC32c;index_type=kTwoLevelIndexSearch;partition_filters=true;"
    "data_block_hash_table_util_ratio=0.5;filter_policy=ribbonfilter:12.5:2}";

struct TamisOptions {
  tamis::DBOptions database;
  tamis::ColumnFamilyOptions family;
};
struct RocksDBOptions {
  rocksdb::DBOptions database;
  rocksdb::ColumnFamilyOptions family;
};

TamisOptions TamisFromText() {
  TamisOptions options;
  EXPECT_TRUE(tamis::GetDBOptionsFromString(options.database, kDatabaseText,
                                            &options.database)
                  .ok());
  const tamis::Status status = tamis::GetColumnFamilyOptionsFromString(
      options.family, kFamilyText, &options.family);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return options;
}

RocksDBOptions RocksDBFromText() {
  RocksDBOptions options;
  const rocksdb::ConfigOptions config;
  EXPECT_TRUE(rocksdb::GetDBOptionsFromString(config, options.database,
                                              kDatabaseText, &options.database)
                  .ok());
  EXPECT_TRUE(rocksdb::GetColumnFamilyOptionsFromString(
                  config, options.family, kFamilyText, &options.family)
                  .ok());
  return options;
}

TEST(OptionsTextTest, AStringMeansTheSameToBoth) {
  const TamisOptions ours = TamisFromText();
  const RocksDBOptions theirs = RocksDBFromText();
  EXPECT_EQ(Show(ours.database, ours.family),
            Show(theirs.database, theirs.family));
}

TEST(OptionsTextTest, RocksDBLoadsAFileOfTamis) {
  const tamis::TemporaryDirectory directory;
  const TamisOptions ours = TamisFromText();
  tamis::ColumnFamilyOptions other;
  tamis::BlockBasedTableOptions table;
  table.filter_policy.reset(tamis::NewFilterPolicy());
  other.table_factory.reset(tamis::NewBlockBasedTableFactory(table));
  other.merge_operator = tamis::MergeOperators::CreateStringAppendOperator(";");
  const std::string text = tamis::PrintOptionsFile(
      ours.database, {{"default", ours.family}, {"a #b", other}});
  ASSERT_TRUE(tamis::WriteStringToFile(tamis::NewPosixFileSystem().get(), text,
                                       directory.path() + "/OPTIONS-000009",
                                       /*sync=*/false)
                  .ok());
  for (const bool ignore_unsupported : {true, false}) {
    rocksdb::ConfigOptions config;
    config.ignore_unsupported_options = ignore_unsupported;
    rocksdb::DBOptions database;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    const rocksdb::Status status = rocksdb::LoadLatestOptions(
        config, directory.path(), &database, &families);
    ASSERT_TRUE(status.ok()) << status.ToString() << "\n" << text;
    ASSERT_EQ(families.size(), 2u);
    EXPECT_EQ(Show(ours.database, ours.family),
              Show(database, families[0].options));
    EXPECT_TRUE(database.use_adaptive_mutex);
    EXPECT_EQ(families[1].name, "a #b");
    EXPECT_EQ(families[1].options.merge_operator, nullptr)
        << "better none than one with another delimiter";
  }
}

TEST(OptionsTextTest, TamisLoadsAFileOfRocksDB) {
  const tamis::TemporaryDirectory directory;
  const std::string path = directory.path() + "/db";
  RocksDBOptions theirs = RocksDBFromText();
  rocksdb::DB* db = nullptr;
  const rocksdb::Status opened = rocksdb::DB::Open(
      rocksdb::Options(theirs.database, theirs.family), path, &db);
  ASSERT_TRUE(opened.ok()) << opened.ToString();
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db->CreateColumnFamily({}, "a \"#b\\:", &handle).ok());
  theirs.database = db->GetDBOptions();
  theirs.family = db->GetOptions();
  ASSERT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
  delete db;

  tamis::DBOptions database;
  std::vector<tamis::ColumnFamilyDescriptor> families;
  tamis::ConfigOptions config;
  const tamis::Status status =
      tamis::LoadLatestOptions(config, path, &database, &families);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_EQ(families.size(), 2u);
  EXPECT_EQ(Show(database, families[0].options),
            Show(theirs.database, theirs.family));
  EXPECT_EQ(families[1].name, "a \"#b\\:");
  EXPECT_EQ(TableOf(families[1].options)->filter_policy, nullptr);

  // All that it names is known, and means what Tamis does.
  config.ignore_unsupported_options = false;
  const tamis::Status strict =
      tamis::LoadLatestOptions(config, path, &database, &families);
  EXPECT_TRUE(strict.ok()) << strict.ToString();
}

// A directory with a family, whose OPTIONS file Tamis wrote.
TEST(OptionsTextTest, RocksDBAndItsToolsOpenADirectoryOfTamis) {
  const tamis::TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  const TamisOptions ours = TamisFromText();
  tamis::Options options(ours.database, ours.family);
  options.create_if_missing = true;
  std::unique_ptr<tamis::DB> db;
  const tamis::Status opened = tamis::DB::Open(options, path, &db);
  ASSERT_TRUE(opened.ok()) << opened.ToString();
  tamis::ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db->CreateColumnFamily({}, "users", &handle).ok());
  ASSERT_TRUE(db->Put(tamis::WriteOptions(), "key", "value").ok());
  ASSERT_TRUE(db->SetOptions({{"write_buffer_size", "3M"}}).ok());
  ASSERT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
  db.reset();

  // Without options on its command line, it takes those of the file: the
  // comparator is not the default one.
  const tamis::CommandResult scanned =
      tamis::RunCommand(std::string(TAMIS_PEER_LDB) + " --db=" + path +
                        " --try_load_options scan");
  EXPECT_EQ(scanned.exit_code, 0) << scanned.output;
  EXPECT_NE(scanned.output.find("key : value"), std::string::npos)
      << scanned.output;

  rocksdb::DBOptions database;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  const rocksdb::Status loaded = rocksdb::LoadLatestOptions(
      rocksdb::ConfigOptions(), path, &database, &families);
  ASSERT_TRUE(loaded.ok()) << loaded.ToString();
  ASSERT_EQ(families.size(), 2u);
  EXPECT_EQ(families[0].options.write_buffer_size, size_t{3} << 20);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* theirs = nullptr;
  const rocksdb::Status status =
      rocksdb::DB::Open(database, path, families, &handles, &theirs);
  ASSERT_TRUE(status.ok()) << status.ToString();
  for (rocksdb::ColumnFamilyHandle* one : handles) {
    ASSERT_TRUE(theirs->DestroyColumnFamilyHandle(one).ok());
  }
  delete theirs;

  // RocksDB's file is now the newest.
  tamis::DBOptions back;
  std::vector<tamis::ColumnFamilyDescriptor> described;
  ASSERT_TRUE(
      tamis::LoadLatestOptions(tamis::ConfigOptions(), path, &back, &described)
          .ok());
  EXPECT_EQ(Show(back, described[0].options),
            Show(database, families[0].options));
}

// $TAMIS_GOLDEN_DIR/golden/<engine>/dirs/<name>/OPTIONS-*
TEST(OptionsTextTest, FilesOfOtherReleasesNameNothingUnknown) {
  const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
  if (root == nullptr) {
    GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set: nothing was read";
  }
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::string(root) + "/golden")) {
    const std::string path = entry.path().string();
    if (!entry.path().filename().string().starts_with("OPTIONS-")) continue;
    ++files;
    tamis::DBOptions database;
    std::vector<tamis::ColumnFamilyDescriptor> families;
    const tamis::Status status = tamis::LoadOptionsFromFile(
        tamis::ConfigOptions(), path, &database, &families);
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_FALSE(families.empty());
  }
  EXPECT_GT(files, 0);
}

}  // namespace
