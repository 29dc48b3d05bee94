// SPDX-License-Identifier: Apache-2.0
//
// Code by which RocksDB's users configure a filter compiles and works
// unchanged: the body of the template is the same for both engines.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include "tamis/db.h"
#include "tamis/filter_policy.h"
#include "tamis/table.h"

#include "tests/support/directories.h"

namespace {

// The names of either engine.
struct Tamis {
  using BlockBasedTableOptions = tamis::BlockBasedTableOptions;
  using Options = tamis::Options;
  using DB = tamis::DB;
  using Status = tamis::Status;
  using WriteOptions = tamis::WriteOptions;
  using ReadOptions = tamis::ReadOptions;
  using FlushOptions = tamis::FlushOptions;
  using CompactRangeOptions = tamis::CompactRangeOptions;
  using WriteBatch = tamis::WriteBatch;
  using DBOptions = tamis::DBOptions;
  using ColumnFamilyOptions = tamis::ColumnFamilyOptions;
  using ColumnFamilyDescriptor = tamis::ColumnFamilyDescriptor;
  using ColumnFamilyHandle = tamis::ColumnFamilyHandle;
  static constexpr auto NewBloomFilterPolicy = &tamis::NewBloomFilterPolicy;
  static constexpr auto NewBlockBasedTableFactory =
      &tamis::NewBlockBasedTableFactory;
};
struct RocksDB {
  using BlockBasedTableOptions = rocksdb::BlockBasedTableOptions;
  using Options = rocksdb::Options;
  using DB = rocksdb::DB;
  using Status = rocksdb::Status;
  using WriteOptions = rocksdb::WriteOptions;
  using ReadOptions = rocksdb::ReadOptions;
  using FlushOptions = rocksdb::FlushOptions;
  using CompactRangeOptions = rocksdb::CompactRangeOptions;
  using WriteBatch = rocksdb::WriteBatch;
  using DBOptions = rocksdb::DBOptions;
  using ColumnFamilyOptions = rocksdb::ColumnFamilyOptions;
  using ColumnFamilyDescriptor = rocksdb::ColumnFamilyDescriptor;
  using ColumnFamilyHandle = rocksdb::ColumnFamilyHandle;
  static constexpr auto NewBloomFilterPolicy = &rocksdb::NewBloomFilterPolicy;
  static constexpr auto NewBlockBasedTableFactory =
      &rocksdb::NewBlockBasedTableFactory;
};

template <typename Engine>
class SnippetTest : public ::testing::Test {};
using Engines = ::testing::Types<Tamis, RocksDB>;
TYPED_TEST_SUITE(SnippetTest, Engines);

TYPED_TEST(SnippetTest, SetsFiltersUp) {
  using E = TypeParam;
  for (const int placement : {0, 1, 2}) {
    const tamis::TemporaryDirectory directory;
    typename E::BlockBasedTableOptions table_options;
    table_options.filter_policy.reset(E::NewBloomFilterPolicy(
        10, /*use_block_based_builder=*/placement == 0));
    if (placement == 2) {
      table_options.partition_filters = true;
      table_options.index_type =
          E::BlockBasedTableOptions::IndexType::kTwoLevelIndexSearch;
      table_options.metadata_block_size = 4096;
    }
    typename E::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = 1 << 20;
    options.level_compaction_dynamic_level_bytes = false;  // as in 7.8.3
    options.table_factory.reset(E::NewBlockBasedTableFactory(table_options));

    typename E::DB* db = nullptr;
    typename E::Status s = E::DB::Open(options, directory.Path("db"), &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    s = db->Put(typename E::WriteOptions(), "key", "value");
    ASSERT_TRUE(s.ok());
    typename E::WriteBatch batch;
    ASSERT_TRUE(batch.Put("other", "value").ok());
    ASSERT_TRUE(batch.Delete("key").ok());
    s = db->Write(typename E::WriteOptions(), &batch);
    ASSERT_TRUE(s.ok());
    ASSERT_TRUE(db->Flush(typename E::FlushOptions()).ok());
    s = db->CompactRange(typename E::CompactRangeOptions(), nullptr, nullptr);
    ASSERT_TRUE(s.ok());
    std::string value;
    s = db->Get(typename E::ReadOptions(), "other", &value);
    ASSERT_TRUE(s.ok());
    EXPECT_EQ(value, "value");
    s = db->Get(typename E::ReadOptions(), "key", &value);
    EXPECT_TRUE(s.IsNotFound());
    auto* it = db->NewIterator(typename E::ReadOptions());
    it->SeekToFirst();
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key().ToString(), "other");
    delete it;
    std::string files;
    EXPECT_TRUE(db->GetProperty("rocksdb.num-files-at-level1", &files));
    EXPECT_EQ(files, "1");
    s = db->Close();
    EXPECT_TRUE(s.ok());
    delete db;
  }
}

// Without families, with families, and for reading only.
TYPED_TEST(SnippetTest, OpensInEveryShape) {
  using E = TypeParam;
  const tamis::TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  typename E::Options options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.IncreaseParallelism(2);
  typename E::DB* db = nullptr;
  ASSERT_TRUE(E::DB::Open(options, path, &db).ok());
  ASSERT_TRUE(db->Put(typename E::WriteOptions(), "k", "v").ok());
  EXPECT_EQ(db->GetOptions().max_background_jobs, 2);
  EXPECT_EQ(db->GetDBOptions().max_background_jobs, 2);
  delete db;

  const std::vector<typename E::ColumnFamilyDescriptor> families = {
      {"default", typename E::ColumnFamilyOptions()},
      {"other", typename E::ColumnFamilyOptions(options)}};
  std::vector<typename E::ColumnFamilyHandle*> handles;
  ASSERT_TRUE(
      E::DB::Open(typename E::DBOptions(options), path, families, &handles, &db)
          .ok());
  ASSERT_EQ(handles.size(), 2u);
  EXPECT_EQ(db->GetOptions(handles[1]).write_buffer_size,
            options.write_buffer_size);
  std::string value;
  EXPECT_TRUE(db->Get(typename E::ReadOptions(), handles[0], "k", &value).ok());
  for (auto* handle : handles) {
    EXPECT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
  }
  delete db;

  ASSERT_TRUE(E::DB::OpenForReadOnly(options, path, &db).ok());
  EXPECT_TRUE(db->Get(typename E::ReadOptions(), "k", &value).ok());
  EXPECT_FALSE(db->Put(typename E::WriteOptions(), "k", "w").ok());
  delete db;
  ASSERT_TRUE(E::DB::OpenForReadOnly(typename E::DBOptions(options), path,
                                     families, &handles, &db)
                  .ok());
  ASSERT_EQ(handles.size(), 2u);
  for (auto* handle : handles) {
    EXPECT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
  }
  delete db;
}

}  // namespace
