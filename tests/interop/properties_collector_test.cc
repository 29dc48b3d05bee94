// SPDX-License-Identifier: Apache-2.0
//
// The same collector of table properties in Tamis and in RocksDB: both store
// the same properties, read each other's, and the tools show them.
#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/table_properties.h>

#include "tamis/db.h"
#include "tamis/table_properties_collector.h"

#include "tests/interop/peers.h"

namespace tamis {
namespace {

// Counts entries by kind.
template <typename Base, typename Piece, typename Kind, typename Code,
          typename Properties>
class Counter : public Base {
 public:
  const char* Name() const override { return "test.Counter"; }
  Code AddUserKey(const Piece& key, const Piece& value, Kind type,
                  uint64_t sequence, uint64_t /*file_size*/) override {
    ++counts_[static_cast<int>(type)];
    checksum_ = checksum_ * 31 + key.size() * 7 + value.size() + sequence;
    return Code::OK();
  }
  void BlockAdd(uint64_t raw, uint64_t fast, uint64_t slow) override {
    blocks_ += std::to_string(raw) + "/" + std::to_string(fast) + "/" +
               std::to_string(slow) + " ";
  }
  Code Finish(Properties* properties) override {
    (*properties)["blocks"] = blocks_;
    for (const auto& [kind, count] : counts_) {
      (*properties)["test.kind" + std::to_string(kind)] = std::to_string(count);
    }
    (*properties)["test.checksum"] = std::to_string(checksum_);
    (*properties)["test.binary"] = std::string("\0\xff", 2);
    return Code::OK();
  }
  Properties GetReadableProperties() const override { return {}; }

 private:
  std::map<int, int> counts_;
  uint64_t checksum_ = 0;
  std::string blocks_;  // "4093/0/0 ..."
};

using OurCounter = Counter<TablePropertiesCollector, Slice, EntryType, Status,
                           UserCollectedProperties>;
using TheirCounter = Counter<rocksdb::TablePropertiesCollector, rocksdb::Slice,
                             rocksdb::EntryType, rocksdb::Status,
                             rocksdb::UserCollectedProperties>;

class OurFactory : public TablePropertiesCollectorFactory {
 public:
  const char* Name() const override { return "test.Factory"; }
  TablePropertiesCollector* CreateTablePropertiesCollector(Context) override {
    return new OurCounter;
  }
};

class TheirFactory : public rocksdb::TablePropertiesCollectorFactory {
 public:
  const char* Name() const override { return "test.Factory"; }
  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(
      Context) override {
    return new TheirCounter;
  }
};

template <typename Db, typename Write, typename Flush>
void Fill(Db* db, const Write& write, const Flush& flush) {
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(db->Put(write, "k" + std::to_string(i), "value").ok());
  }
  ASSERT_TRUE(db->Delete(write, "x").ok());
  ASSERT_TRUE(db->SingleDelete(write, "y").ok());
  ASSERT_TRUE(
      db->DeleteRange(write, db->DefaultColumnFamily(), "z1", "z2").ok());
  ASSERT_TRUE(db->Flush(flush).ok());
}

template <typename Collection>
std::map<std::string, std::string> Collected(const Collection& tables) {
  EXPECT_EQ(tables.size(), 1u);
  std::map<std::string, std::string> collected;
  for (const auto& [path, table] : tables) {
    collected["names"] = table->property_collectors_names;
    for (const auto& [name, value] : table->user_collected_properties) {
      if (name.starts_with("test.")) collected[name] = value;
    }
  }
  return collected;
}

std::map<std::string, std::string> Ours(DB* db) {
  TablePropertiesCollection tables;
  EXPECT_TRUE(db->GetPropertiesOfAllTables(&tables).ok());
  return Collected(tables);
}

std::map<std::string, std::string> Theirs(rocksdb::DB* db) {
  rocksdb::TablePropertiesCollection tables;
  EXPECT_TRUE(db->GetPropertiesOfAllTables(&tables).ok());
  return Collected(tables);
}

TEST(PropertiesCollectorInteropTest, BothStoreTheSameAndReadEachOthers) {
  const TemporaryDirectory temporary;
  Options our_options;
  our_options.create_if_missing = true;
  our_options.table_properties_collector_factories = {
      std::make_shared<OurFactory>()};
  rocksdb::Options their_options = PeerOptions(/*reverse=*/false);
  their_options.create_if_missing = true;
  their_options.table_properties_collector_factories = {
      std::make_shared<TheirFactory>()};

  auto ours = OpenTamis(our_options, temporary.Path("ours"));
  ASSERT_NE(ours, nullptr);
  ASSERT_NO_FATAL_FAILURE(Fill(ours.get(), WriteOptions(), FlushOptions()));
  const auto collected = Ours(ours.get());
  EXPECT_EQ(collected.at("names"), "[test.Factory]");
  EXPECT_EQ(collected.at("test.kind0"), "100");
  EXPECT_EQ(collected.at("test.kind4"), "1");
  ASSERT_TRUE(ours->Close().ok());
  ours.reset();

  auto theirs = OpenPeer(their_options, temporary.Path("theirs"));
  ASSERT_NE(theirs, nullptr);
  ASSERT_NO_FATAL_FAILURE(
      Fill(theirs.get(), rocksdb::WriteOptions(), rocksdb::FlushOptions()));
  EXPECT_EQ(Theirs(theirs.get()), collected);
  theirs.reset();

  const auto reader =
      OpenPeerReadOnly(PeerOptions(/*reverse=*/false), temporary.Path("ours"));
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(Theirs(reader.get()), collected);
  ours = OpenTamis(Options(), temporary.Path("theirs"));
  ASSERT_NE(ours, nullptr);
  EXPECT_EQ(Ours(ours.get()), collected);
}

template <typename Collection>
std::string BlocksIn(const Collection& tables) {
  EXPECT_EQ(tables.size(), 1u);
  return tables.begin()->second->user_collected_properties.at("blocks");
}

// RocksDB also tells of blocks of the index and the filter, which it writes
// before it ends the collectors.
TEST(PropertiesCollectorInteropTest, BothTellOfTheSameDataBlocks) {
  const TemporaryDirectory temporary;
  for (const bool compressed : {false, true}) {
    SCOPED_TRACE(compressed);
    const std::string suffix = compressed ? "1" : "0";
    Options our_options;
    our_options.create_if_missing = true;
    our_options.compression = compressed ? kSnappyCompression : kNoCompression;
    our_options.table_properties_collector_factories = {
        std::make_shared<OurFactory>()};
    rocksdb::Options their_options;
    their_options.create_if_missing = true;
    their_options.compression =
        compressed ? rocksdb::kSnappyCompression : rocksdb::kNoCompression;
    their_options.table_properties_collector_factories = {
        std::make_shared<TheirFactory>()};
    const auto fill = [](auto* db, const auto& write, const auto& flush) {
      for (int i = 0; i < 2000; ++i) {
        ASSERT_TRUE(
            db->Put(write, std::to_string(100000 + i), std::string(50, 'v'))
                .ok());
      }
      ASSERT_TRUE(db->Flush(flush).ok());
    };
    const auto ours = OpenTamis(our_options, temporary.Path("o" + suffix));
    ASSERT_NE(ours, nullptr);
    ASSERT_NO_FATAL_FAILURE(fill(ours.get(), WriteOptions(), FlushOptions()));
    const auto theirs = OpenPeer(their_options, temporary.Path("t" + suffix));
    ASSERT_NE(theirs, nullptr);
    ASSERT_NO_FATAL_FAILURE(
        fill(theirs.get(), rocksdb::WriteOptions(), rocksdb::FlushOptions()));
    TablePropertiesCollection our_tables;
    ASSERT_TRUE(ours->GetPropertiesOfAllTables(&our_tables).ok());
    rocksdb::TablePropertiesCollection their_tables;
    ASSERT_TRUE(theirs->GetPropertiesOfAllTables(&their_tables).ok());
    const std::string our_blocks = BlocksIn(our_tables);
    const std::string their_blocks = BlocksIn(their_tables);
    EXPECT_EQ(static_cast<uint64_t>(
                  std::count(our_blocks.begin(), our_blocks.end(), ' ')),
              our_tables.begin()->second->num_data_blocks);
    EXPECT_GT(our_tables.begin()->second->num_data_blocks, 20u);
    EXPECT_TRUE(their_blocks.starts_with(our_blocks)) << our_blocks << "\n"
                                                      << their_blocks;
    const auto blocks = [](const std::string& text) {
      return std::count(text.begin(), text.end(), ' ');
    };
    EXPECT_GE(blocks(their_blocks) - blocks(our_blocks), 1);
    EXPECT_LE(blocks(their_blocks) - blocks(our_blocks), 2);
  }
}

}  // namespace
}  // namespace tamis
