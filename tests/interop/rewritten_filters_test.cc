// SPDX-License-Identifier: Apache-2.0
//
// RocksDB reads tables whose filters Tamis rewrote, its own among them, and
// uses those filters.
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include "tests/interop/peers.h"
#include "tests/support/databases.h"

namespace tamis {
namespace {

std::string KeyAt(int i) { return "key" + std::to_string(100000 + i); }

Options WithRibbon() {
  Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewRibbonFilterPolicy(12, -1));
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  return options;
}

// Every key is found and absent ones are excluded by filters.
void ExpectPeerUsesFilters(const KeyValues& expected,
                           const std::string& directory) {
  rocksdb::Options options = PeerOptions(/*reverse=*/false);
  options.statistics = rocksdb::CreateDBStatistics();
  {
    const auto peer = OpenPeer(options, directory);
    ASSERT_NE(peer, nullptr);
    EXPECT_EQ(PeerDifferenceFrom(expected, peer.get()), "");
    std::string value;
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE(peer->Get(rocksdb::ReadOptions(), KeyAt(i) + "x", &value)
                      .IsNotFound());
    }
    EXPECT_GT(options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL),
              900u);
  }
  ExpectConsistentToLdb(directory);
}

void Rewrite(const std::string& directory) {
  const auto db = OpenTamis(WithRibbon(), directory);
  ASSERT_NE(db, nullptr);
  const Status status = db->RewriteFilters({});
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_TRUE(db->Close().ok());
}

TEST(RewrittenFiltersTest, OfTamissTables) {
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  KeyValues expected;
  {
    Options options = WithRibbon();
    options.table_factory.reset(NewBlockBasedTableFactory());
    const auto db = OpenTamis(options, directory);
    ASSERT_NE(db, nullptr);
    for (int i = 0; i < 1200; ++i) {
      ASSERT_TRUE(db->Put(WriteOptions(), KeyAt(i), std::string(50, 'v')).ok());
      if (i % 400 == 200) {
        ASSERT_TRUE(db->Flush(FlushOptions()).ok());
      }
      if (i < 1000) expected.emplace_back(KeyAt(i), std::string(50, 'v'));
    }
    ASSERT_TRUE(db->DeleteRange(WriteOptions(), KeyAt(1000), KeyAt(1200)).ok());
    ASSERT_TRUE(db->Flush(FlushOptions()).ok());
    ASSERT_TRUE(db->Close().ok());
  }
  ASSERT_NO_FATAL_FAILURE(Rewrite(directory));
  ExpectPeerUsesFilters(expected, directory);
}

TEST(RewrittenFiltersTest, OfRocksDBsTables) {
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  KeyValues expected;
  {
    rocksdb::Options options = PeerOptions(/*reverse=*/false);
    options.create_if_missing = true;
    rocksdb::BlockBasedTableOptions table;
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    const auto peer = OpenPeer(options, directory);
    ASSERT_NE(peer, nullptr);
    for (int i = 0; i < 1000; ++i) {
      expected.emplace_back(KeyAt(i), std::string(50, 'v'));
      ASSERT_TRUE(peer->Put(rocksdb::WriteOptions(), expected.back().first,
                            expected.back().second)
                      .ok());
    }
    ASSERT_TRUE(peer->Flush(rocksdb::FlushOptions()).ok());
  }
  ASSERT_NO_FATAL_FAILURE(Rewrite(directory));
  ExpectPeerUsesFilters(expected, directory);
}

}  // namespace
}  // namespace tamis
