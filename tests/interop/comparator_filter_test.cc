// SPDX-License-Identifier: Apache-2.0
//
// A comparator in LevelDB's style, which does not override
// CanKeysWithDifferentByteContentsBeEqual, has filters in both engines, and
// each uses those of the other.
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/table.h>

#include "tamis/db.h"
#include "tamis/filter_policy.h"
#include "tamis/perf_context.h"
#include "tamis/table.h"

#include "tests/support/directories.h"

namespace {

template <typename Comparator, typename Slice>
class LevelDBStyle : public Comparator {
 public:
  const char* Name() const override { return "test.LevelDBStyle"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return a.compare(b);
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

template <typename DB, typename Options, typename TableOptions,
          typename WriteOptions, typename FlushOptions, typename ReadOptions>
class Engine {
 public:
  template <typename Comparator, typename Policy, typename Factory>
  Engine(const Comparator* comparator, const Policy& policy,
         const Factory& factory, const std::string& path) {
    TableOptions table;
    table.filter_policy.reset(policy());
    Options options;
    options.create_if_missing = true;
    options.comparator = comparator;
    options.table_factory.reset(factory(table));
    DB* db = nullptr;
    const auto status = DB::Open(options, path, &db);
    EXPECT_TRUE(status.ok()) << status.ToString();
    db_.reset(db);
  }
  void Fill() {
    for (int i = 1000; i < 2000; ++i) {
      EXPECT_TRUE(
          db_->Put(WriteOptions(), "key" + std::to_string(i), "value").ok());
    }
    EXPECT_TRUE(db_->Flush(FlushOptions()).ok());
  }
  // Looks 100 keys up that are between those of the table.
  void LookUpAbsent() {
    std::string value;
    for (int i = 1000; i < 1100; ++i) {
      const std::string key = "key" + std::to_string(i) + "x";
      EXPECT_TRUE(db_->Get(ReadOptions(), key, &value).IsNotFound());
    }
  }
  bool Has(const std::string& key) {
    std::string value;
    return db_->Get(ReadOptions(), key, &value).ok();
  }

 private:
  std::unique_ptr<DB> db_;
};

using TamisEngine =
    Engine<tamis::DB, tamis::Options, tamis::BlockBasedTableOptions,
           tamis::WriteOptions, tamis::FlushOptions, tamis::ReadOptions>;
using RocksDBEngine =
    Engine<rocksdb::DB, rocksdb::Options, rocksdb::BlockBasedTableOptions,
           rocksdb::WriteOptions, rocksdb::FlushOptions, rocksdb::ReadOptions>;

TEST(ComparatorFilterTest, LevelDBStyleComparatorsHaveFiltersInBothEngines) {
  const LevelDBStyle<tamis::Comparator, tamis::Slice> ours;
  const LevelDBStyle<rocksdb::Comparator, rocksdb::Slice> theirs;
  for (const bool we_write : {true, false}) {
    const tamis::TemporaryDirectory directory;
    const std::string path = directory.Path("db");
    const auto open_ours = [&] {
      return TamisEngine(
          &ours, [] { return tamis::NewBloomFilterPolicy(10); },
          [](const auto& table) {
            return tamis::NewBlockBasedTableFactory(table);
          },
          path);
    };
    const auto open_theirs = [&] {
      return RocksDBEngine(
          &theirs, [] { return rocksdb::NewBloomFilterPolicy(10); },
          [](const auto& table) {
            return rocksdb::NewBlockBasedTableFactory(table);
          },
          path);
    };
    if (we_write) {
      open_ours().Fill();
    } else {
      open_theirs().Fill();
    }
    {
      auto engine = open_ours();
      tamis::get_perf_context()->Reset();
      engine.LookUpAbsent();
      EXPECT_GT(tamis::get_perf_context()->bloom_sst_miss_count, 90u);
      EXPECT_TRUE(engine.Has("key1007"));
    }
    {
      auto engine = open_theirs();
      rocksdb::get_perf_context()->Reset();
      engine.LookUpAbsent();
      EXPECT_GT(rocksdb::get_perf_context()->bloom_sst_miss_count, 90u);
      EXPECT_TRUE(engine.Has("key1007"));
    }
  }
}

}  // namespace
