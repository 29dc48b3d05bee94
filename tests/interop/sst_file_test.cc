// SPDX-License-Identifier: Apache-2.0
//
// RocksDB verifies, scans and ingests files of Tamis's SstFileWriter, and
// Tamis's SstFileReader reads files of RocksDB's.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include "tamis/sst_file_reader.h"
#include "tamis/sst_file_writer.h"

#include "tests/support/directories.h"
#include "tests/support/second_filter.h"

namespace tamis {
namespace {

using KeyMap = std::map<std::string, std::string>;

struct Layout {
  const char* name;
  bool filter;
  bool ribbon;
  bool partitioned;
  bool prefixes;
  bool hash_index;
  uint32_t format_version;
  bool own_filter = false;  // of a user's making; RocksDB has its Bloom
  // The name of a foreign filter that our table has in addition to RocksDB's.
  const char* beside = nullptr;
  bool decoupled = false;
  bool range_filter = false;
};

constexpr Layout kLayouts[] = {
    {"plain", false, false, false, false, false, 5},
    {"full", true, false, false, false, false, 5},
    {"full_prefix", true, false, false, true, false, 5},
    {"legacy_full", true, false, false, false, false, 4},
    {"old_index", true, false, false, false, false, 2},
    {"ribbon", true, true, false, false, false, 5},
    {"partitioned", true, false, true, false, false, 5},
    {"partitioned_prefix", true, false, true, true, false, 5},
    {"hash_index", true, false, false, false, true, 5},
    {"own_filter", true, false, false, false, false, 5, true},
    {"own_partitioned", true, false, true, false, false, 5, true},
    {"own_prefix", true, false, false, true, false, 5, true},
    {"full_beside_full", true, false, false, false, false, 5, false,
     "fullfilter.test.Sum"},
    {"full_beside_first", true, false, false, false, false, 5, false,
     "fullfilter.a.First"},
    {"partitioned_beside_full", true, false, true, false, false, 5, false,
     "fullfilter.tamis.Later"},
    {"full_beside_partitioned", true, false, false, true, false, 4, false,
     "partitionedfilter.tamis.Later"},
    {"none_beside", false, false, false, false, false, 5, false,
     "fullfilter.tamis.Alone"},
    {"decoupled", true, false, true, false, false, 5, false, nullptr, true},
    {"decoupled_ribbon", true, true, true, false, false, 5, false, nullptr,
     true},
    {"decoupled_prefix", true, false, true, true, false, 5, false, nullptr,
     true},
    {"decoupled_old_index", true, false, true, true, false, 2, false, nullptr,
     true},
    {"decoupled_own", true, false, true, true, false, 5, true, nullptr, true},
    {"range_filter", true, false, false, false, false, 5, false, nullptr, false,
     true},
    {"range_partitions", true, false, true, false, false, 5, false, nullptr,
     false, true},
    {"range_partitions_old_index", true, false, true, true, false, 2, false,
     nullptr, true, true},
};

KeyMap SomeKeys() {
  KeyMap keys;
  for (int i = 0; i < 2000; ++i) {
    char key[16];
    std::snprintf(key, sizeof(key), "key%06d", i * 7);
    keys[key] = "value " + std::to_string(i);
  }
  return keys;
}

// A user's own filter: the sum of each entry's bytes, in a table of bits.
class SumBuilder : public FilterBitsBuilder {
 public:
  static constexpr unsigned kBytes = 4096;

  void AddKey(const Slice& key) override {
    const unsigned sum = Sum(key);
    bits_[sum / 8] = static_cast<char>(bits_[sum / 8] | (1 << sum % 8));
    ++keys_;
  }
  size_t EstimateEntriesAdded() override { return keys_; }
  Slice Finish(std::unique_ptr<const char[]>* buf) override {
    auto bytes = std::make_unique<char[]>(bits_.size());
    std::copy(bits_.begin(), bits_.end(), bytes.get());
    const Slice filter(bytes.get(), bits_.size());
    *buf = std::move(bytes);
    return filter;
  }
  size_t ApproximateNumEntries(size_t bytes) override { return bytes; }

  static unsigned Sum(const Slice& key) {
    unsigned sum = 0;
    for (const char c : key.ToStringView()) {
      sum = sum * 31 + static_cast<unsigned char>(c);
    }
    return sum % (8 * kBytes);
  }

 private:
  std::string bits_ = std::string(kBytes, '\0');
  size_t keys_ = 0;
};

class SumReader : public FilterBitsReader {
 public:
  explicit SumReader(const Slice& filter) : filter_(filter) {}
  bool MayMatch(const Slice& entry) override {
    const unsigned sum = SumBuilder::Sum(entry);
    return filter_.size() != SumBuilder::kBytes ||
           (filter_[sum / 8] >> sum % 8 & 1) != 0;
  }

 private:
  const Slice filter_;
};

class SumPolicy : public FilterPolicy {
 public:
  const char* Name() const override { return "test.Sum"; }
  FilterBitsBuilder* GetFilterBitsBuilder() const override {
    return new SumBuilder;
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& filter) const override {
    return new SumReader(filter);
  }
};

Options OurOptions(const Layout& layout) {
  BlockBasedTableOptions table;
  table.block_size = 1024;
  table.metadata_block_size = 512;
  table.format_version = layout.format_version;
  table.filter_policy.reset(!layout.filter  ? nullptr
                            : layout.ribbon ? NewRibbonFilterPolicy(10)
                                            : NewBloomFilterPolicy(10));
  if (layout.own_filter) table.filter_policy = std::make_shared<SumPolicy>();
  if (layout.partitioned) {
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
    table.decouple_partitioned_filters = layout.decoupled;
  }
  if (layout.range_filter) {
    table.range_filter = BlockBasedTableOptions::kFence;
  }
  if (layout.hash_index) {
    table.data_block_index_type =
        BlockBasedTableOptions::kDataBlockBinaryAndHash;
  }
  Options options;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  if (layout.prefixes) {
    options.prefix_extractor.reset(NewFixedPrefixTransform(6));
  }
  return options;
}

rocksdb::Options TheirOptions(const Layout& layout) {
  rocksdb::BlockBasedTableOptions table;
  table.block_size = 1024;
  table.metadata_block_size = 512;
  table.format_version = layout.format_version;
  if (layout.filter) {
    table.filter_policy.reset(layout.ribbon
                                  ? rocksdb::NewRibbonFilterPolicy(10)
                                  : rocksdb::NewBloomFilterPolicy(10));
  }
  if (layout.partitioned) {
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
  }
  if (layout.hash_index) {
    table.data_block_index_type =
        rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
  }
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kSnappyCompression;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  if (layout.prefixes) {
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(6));
  }
  return options;
}

#define ASSERT_OK(expression)                \
  do {                                       \
    const auto ok_ = (expression);           \
    ASSERT_TRUE(ok_.ok()) << ok_.ToString(); \
  } while (false)

class SstFileInteropTest : public testing::TestWithParam<Layout> {
 protected:
  std::string file() const { return directory_.Path("external.sst"); }

  void WriteOurs(bool range_deletion = false) {
    SstFileWriter writer(OurOptions(GetParam()));
    ASSERT_OK(writer.Open(file()));
    for (const auto& [key, value] : keys_) ASSERT_OK(writer.Put(key, value));
    ASSERT_OK(writer.Delete("old"));
    if (range_deletion) ASSERT_OK(writer.DeleteRange("p", "q"));
    ASSERT_OK(writer.Finish());
    if (GetParam().beside == nullptr) return;
    const std::string contents = ReadWholeFile(file());
    std::ofstream(file(), std::ios::binary) << WithAnotherFilter(
        contents, GetParam().beside, "bytes that only their policy knows");
  }

  // Expects all keys in a scan of either engine's iterator.
  template <typename AnyIterator>
  void ExpectOurKeysIn(AnyIterator* it) const {
    auto expected = keys_.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
      ASSERT_NE(expected, keys_.end());
      ASSERT_EQ(it->key().ToString(), expected->first);
      ASSERT_EQ(it->value().ToString(), expected->second);
    }
    ASSERT_OK(it->status());
    EXPECT_EQ(expected, keys_.end());
  }
  // Expects Get to find every key and no other, and a scan to show all keys.
  void ExpectOurKeysIn(rocksdb::DB* db) const {
    for (const auto& [key, value] : keys_) {
      std::string got;
      ASSERT_OK(db->Get(rocksdb::ReadOptions(), key, &got));
      ASSERT_EQ(got, value);
      ASSERT_TRUE(
          db->Get(rocksdb::ReadOptions(), key + "x", &got).IsNotFound());
    }
    std::string got;
    EXPECT_TRUE(db->Get(rocksdb::ReadOptions(), "old", &got).IsNotFound());
    EXPECT_TRUE(db->Get(rocksdb::ReadOptions(), "pp", &got).IsNotFound());
    rocksdb::ReadOptions all;
    all.total_order_seek = true;
    const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(all));
    ExpectOurKeysIn(it.get());
  }

  const TemporaryDirectory directory_;
  const KeyMap keys_ = SomeKeys();
};

TEST_P(SstFileInteropTest, RocksDbVerifiesAndScansOurs) {
  WriteOurs();
  rocksdb::SstFileReader reader(TheirOptions(GetParam()));
  ASSERT_OK(reader.Open(file()));
  ASSERT_OK(reader.VerifyChecksum());
  rocksdb::ReadOptions all;
  all.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> it(reader.NewIterator(all));
  ExpectOurKeysIn(it.get());
}

TEST_P(SstFileInteropTest, RocksDbIngestsAndCompactsOurs) {
  WriteOurs(/*range_deletion=*/true);
  const rocksdb::Options options = TheirOptions(GetParam());
  rocksdb::DB* raw = nullptr;
  ASSERT_OK(rocksdb::DB::Open(options, directory_.Path("db"), &raw));
  const std::unique_ptr<rocksdb::DB> db(raw);
  ASSERT_OK(db->Put(rocksdb::WriteOptions(), "old", "1"));
  ASSERT_OK(db->Put(rocksdb::WriteOptions(), "pp", "1"));
  rocksdb::IngestExternalFileOptions ingest;
  ingest.verify_checksums_before_ingest = true;
  ASSERT_OK(db->IngestExternalFile({file()}, ingest));
  ExpectOurKeysIn(db.get());
  ASSERT_OK(db->VerifyChecksum());
  rocksdb::CompactRangeOptions force;
  force.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  ASSERT_OK(db->CompactRange(force, nullptr, nullptr));
  ExpectOurKeysIn(db.get());
}

// At the ends of partitions, too, forward and backward.
TEST_P(SstFileInteropTest, RocksDbProbesOurPartitions) {
  if (!GetParam().partitioned || GetParam().own_filter ||
      GetParam().beside != nullptr) {
    GTEST_SKIP() << "its filter is not ours, or not partitioned";
  }
  WriteOurs();
  rocksdb::Options options = TheirOptions(GetParam());
  options.statistics = rocksdb::CreateDBStatistics();
  rocksdb::DB* raw = nullptr;
  ASSERT_OK(rocksdb::DB::Open(options, directory_.Path("db"), &raw));
  const std::unique_ptr<rocksdb::DB> db(raw);
  ASSERT_OK(db->IngestExternalFile({file()}, {}));
  for (const auto& [key, value] : keys_) {
    std::string got;
    ASSERT_OK(db->Get(rocksdb::ReadOptions(), key, &got));
    ASSERT_TRUE(db->Get(rocksdb::ReadOptions(), key + "x", &got).IsNotFound());
    const std::unique_ptr<rocksdb::Iterator> it(
        db->NewIterator(rocksdb::ReadOptions()));
    for (const std::string& near : {key, key + "x", key.substr(0, 7)}) {
      auto after = keys_.lower_bound(near);
      it->Seek(near);
      if (after != keys_.end() &&
          after->first.substr(0, 6) == near.substr(0, 6)) {
        ASSERT_TRUE(it->Valid()) << near;
        ASSERT_EQ(it->key().ToString(), after->first);
      }
      if (after == keys_.end() || after->first != near) {
        if (after == keys_.begin()) continue;
        --after;
      }
      it->SeekForPrev(near);
      if (after->first.substr(0, 6) == near.substr(0, 6)) {
        ASSERT_TRUE(it->Valid()) << near;
        ASSERT_EQ(it->key().ToString(), after->first);
      }
    }
  }
  EXPECT_GT(options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL),
            keys_.size() / 2);
}

TEST_P(SstFileInteropTest, OurReaderReadsTheirs) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(),
                                TheirOptions(GetParam()));
  ASSERT_OK(writer.Open(file()));
  for (const auto& [key, value] : keys_) ASSERT_OK(writer.Put(key, value));
  ASSERT_OK(writer.Delete("old"));
  ASSERT_OK(writer.Finish());

  SstFileReader reader(OurOptions(GetParam()));
  ASSERT_OK(reader.Open(file()));
  ASSERT_OK(reader.VerifyChecksum());
  EXPECT_EQ(reader.GetTableProperties()->num_entries, keys_.size() + 1);
  const std::unique_ptr<Iterator> it(reader.NewIterator(ReadOptions()));
  ExpectOurKeysIn(it.get());
  for (const auto& [key, value] : keys_) {
    std::string got;
    ASSERT_OK(reader.Get(ReadOptions(), key, &got));
    ASSERT_EQ(got, value);
    ASSERT_TRUE(reader.Get(ReadOptions(), key + "x", &got).IsNotFound());
  }
}

TEST_P(SstFileInteropTest, OurReaderProbesOurFilter) {
  WriteOurs();
  Options options = OurOptions(GetParam());
  options.statistics = CreateDBStatistics();
  SstFileReader reader(options);
  ASSERT_OK(reader.Open(file()));
  for (const auto& [key, value] : keys_) {
    std::string got;
    ASSERT_OK(reader.Get(ReadOptions(), key, &got));
    ASSERT_EQ(got, value);
    ASSERT_TRUE(reader.Get(ReadOptions(), key + "x", &got).IsNotFound());
  }
  const uint64_t useful =
      options.statistics->getTickerCount(BLOOM_FILTER_USEFUL);
  if (GetParam().filter) {
    EXPECT_GT(useful, keys_.size() / 2);
  } else {
    EXPECT_EQ(useful, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, SstFileInteropTest,
                         testing::ValuesIn(kLayouts), [](const auto& layout) {
                           return std::string(layout.param.name);
                         });

}  // namespace
}  // namespace tamis
