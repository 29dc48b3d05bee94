// SPDX-License-Identifier: Apache-2.0
//
// A database with tables of every layout that can be written is read under
// every configuration, and compacted into one table.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "util/base/random.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

enum class Filter { kNone, kFull, kRibbon, kPartitioned, kBlockBased };

struct Layout {
  Filter filter = Filter::kFull;
  uint32_t format_version = 5;
  bool two_level = false;
  bool first_keys = false;
  bool hash_index = false;
  int prefix = 0;  // bytes; 0: no extractor
  bool whole_keys = true;
  CompressionType codec = kSnappyCompression;
  ChecksumType checksum = kXXH3;
};

BlockBasedTableOptions TableOptions(const Layout& layout) {
  BlockBasedTableOptions table;
  table.block_size = 256;
  table.metadata_block_size = 128;
  table.format_version = layout.format_version;
  table.checksum = layout.checksum;
  table.whole_key_filtering = layout.whole_keys;
  switch (layout.filter) {
    case Filter::kNone:
      table.filter_policy = nullptr;
      break;
    case Filter::kRibbon:
      table.filter_policy.reset(NewRibbonFilterPolicy(10, -1));
      break;
    case Filter::kBlockBased:
      table.filter_policy.reset(NewBloomFilterPolicy(10, true));
      break;
    case Filter::kFull:
    case Filter::kPartitioned:
      table.filter_policy.reset(NewBloomFilterPolicy(10));
  }
  if (layout.two_level || layout.filter == Filter::kPartitioned) {
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  } else if (layout.first_keys) {
    table.index_type = BlockBasedTableOptions::kBinarySearchWithFirstKey;
  }
  table.partition_filters = layout.filter == Filter::kPartitioned;
  if (layout.hash_index) {
    table.data_block_index_type =
        BlockBasedTableOptions::kDataBlockBinaryAndHash;
  }
  return table;
}

std::vector<Layout> Layouts() {
  std::vector<Layout> layouts;
  for (uint32_t version = 0; version <= 7; ++version) {
    for (const Filter filter : {Filter::kNone, Filter::kFull, Filter::kRibbon,
                                Filter::kPartitioned, Filter::kBlockBased}) {
      Layout layout;
      layout.filter = filter;
      layout.format_version = version;
      if (version == 0) layout.checksum = kCRC32c;
      layouts.push_back(layout);
    }
  }
  for (const Filter filter :
       {Filter::kFull, Filter::kPartitioned, Filter::kBlockBased}) {
    for (const bool whole_keys : {false, true}) {
      Layout layout;
      layout.filter = filter;
      layout.prefix = whole_keys ? 5 : 6;
      layout.whole_keys = whole_keys;
      layouts.push_back(layout);
    }
  }
  for (const CompressionType codec :
       {kNoCompression, kLZ4Compression, kLZ4HCCompression, kZSTD}) {
    if (!CompressionSupported(codec)) continue;
    Layout layout;
    layout.codec = codec;
    layout.two_level = codec == kZSTD;
    layout.first_keys = codec == kNoCompression;
    layout.hash_index = codec == kLZ4Compression;
    layouts.push_back(layout);
  }
  return layouts;
}

class MixedTablesTest : public DBTest {
 protected:
  void Configure(const Layout& layout) {
    SetTable(TableOptions(layout));
    options_.compression = layout.codec;
    options_.prefix_extractor.reset(
        layout.prefix != 0
            ? NewFixedPrefixTransform(static_cast<size_t>(layout.prefix))
            : nullptr);
    options_.disable_auto_compactions = true;
  }

  // One table per layout; keys overlap between them, some are deleted.
  void Fill() {
    for (const Layout& layout : Layouts()) {
      Configure(layout);
      Reopen();
      for (int i = 0; i < 80; ++i) {
        const std::string key = Key(static_cast<int>(random_.Uniform(1500)));
        if (random_.OneIn(5)) {
          Delete(key);
          model_.erase(key);
        } else {
          model_[key] = "value" + std::to_string(random_.Next() % 1000);
          Put(key, model_[key]);
        }
      }
      Flush();
    }
  }

  void ExpectModel(const std::string& reader) {
    SCOPED_TRACE(reader);
    for (int i = 0; i < 1500; ++i) {
      const auto found = model_.find(Key(i));
      ASSERT_EQ(Get(Key(i)),
                found == model_.end() ? "NOT_FOUND" : found->second)
          << Key(i);
      ASSERT_EQ(Get(Key(i) + "x"), "NOT_FOUND");
    }
    std::string expected;
    for (const auto& [key, value] : model_) {
      expected += (expected.empty() ? "" : " ") + key + "=" + value;
    }
    ASSERT_EQ(Contents(), expected);
    ExpectPrefixSeeks();
  }

  // Bounded by a prefix of five bytes: what is there is shown, once each.
  void ExpectPrefixSeeks() {
    for (int i = 0; i < 1500; i += 100) {
      const std::string low = Key(i).substr(0, 7);
      std::string high = low;
      ++high.back();
      const Slice lower(low);
      const Slice upper(high);
      ReadOptions options;
      options.iterate_lower_bound = &lower;
      options.iterate_upper_bound = &upper;
      const std::unique_ptr<Iterator> it(db_->NewIterator(options));
      auto expected = model_.lower_bound(low);
      for (it->Seek(low); it->Valid(); it->Next(), ++expected) {
        ASSERT_NE(expected, model_.end());
        ASSERT_EQ(it->key(), Slice(expected->first));
      }
      ASSERT_TRUE(it->status().ok()) << it->status();
      ASSERT_EQ(expected, model_.lower_bound(high));
    }
  }

  // Every way of reading that may differ from the way of writing.
  void ExpectModelUnderEveryReader() {
    for (const bool no_cache : {false, true}) {
      for (const int prefix : {0, 5, 8}) {
        for (const Filter filter :
             {Filter::kNone, Filter::kFull, Filter::kBlockBased}) {
          Layout layout;
          layout.filter = filter;
          layout.prefix = prefix;
          Configure(layout);
          BlockBasedTableOptions table = TableOptions(layout);
          table.no_block_cache = no_cache;
          SetTable(table);
          Reopen();
          ExpectModel("no_cache " + std::to_string(no_cache) + " prefix " +
                      std::to_string(prefix) + " filter " +
                      std::to_string(static_cast<int>(filter)));
          if (HasFatalFailure()) return;
        }
      }
    }
  }

  Random random_{7};
  std::map<std::string, std::string> model_;
};

TEST_F(MixedTablesTest, EveryReaderReadsEveryLayoutAndCompactionMixesThem) {
  Fill();
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_EQ(TablesOnDisk(), Layouts().size());
  ExpectModelUnderEveryReader();
  ASSERT_FALSE(HasFatalFailure());
  Layout last;
  last.filter = Filter::kPartitioned;
  last.prefix = 6;
  last.format_version = 7;
  Configure(last);
  Reopen();
  Compact(/*force=*/true);
  EXPECT_GT(Tables().begin()->second.index_partitions, 0u);
  ExpectModelUnderEveryReader();
}

}  // namespace
}  // namespace tamis
