// SPDX-License-Identifier: Apache-2.0
//
// A table with several filters: RocksDB's own is probed first, then the user's;
// one with an unknown name never.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "filter/filter_registry.h"
#include "tests/support/second_filter.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

// Reads any filter as one without keys: no probe matches.
class NeverReader : public FilterBitsReader {
 public:
  bool MayMatch(const Slice&) override { return false; }
};

class NeverPolicy : public FilterPolicy {
 public:
  const char* Name() const override { return "test.Never"; }
  FilterBitsReader* GetFilterBitsReader(const Slice&) const override {
    return new NeverReader;
  }
};

constexpr char kFilterBytes[] = "bytes of a filter that only its policy knows";

enum class Own { kNone, kFull, kPartitioned, kBlockBased };

std::string TableWith(Own own) {
  TableBuildOptions options(Bytewise());
  options.table.block_size = 256;
  options.table.metadata_block_size = 128;
  options.table.filter_policy.reset(
      own == Own::kNone ? nullptr
                        : NewBloomFilterPolicy(10, own == Own::kBlockBased));
  if (own == Own::kPartitioned) {
    options.table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    options.table.partition_filters = true;
  }
  Entries entries;
  for (int i = 100; i < 300; ++i) {
    entries.emplace_back(InternalKey("key" + std::to_string(i), 9), "value");
  }
  return BuildTable(options, entries);
}

// Whether keys of the table are found, and how many absent ones pass.
struct Seen {
  bool found;
  int passed;
};

Seen Ask(const std::string& contents) {
  TableContext context = TestContext();
  context.filter_policy = std::make_shared<NeverPolicy>();
  const auto table = OpenTable(contents, context);
  EXPECT_TRUE(table.ok()) << table.status();
  if (!table.ok()) return {};
  Seen seen{true, 0};
  for (int i = 100; i < 300; ++i) {
    const std::string key = "key" + std::to_string(i);
    seen.found = seen.found && GetFrom(**table, key).status.ok();
    if (i == 299) continue;  // nothing behind it
    seen.passed += (*table)->KeyMayMatch(key + "x", ReadContext());
  }
  EXPECT_EQ((*table)->VerifyChecksums(), Status::OK());
  return seen;
}

TEST(FilterOrderTest, RocksDBsFilterIsProbedBeforeTheUsers) {
  for (const Own own : {Own::kFull, Own::kPartitioned, Own::kBlockBased}) {
    for (const char* placement :
         {"fullfilter.", "partitionedfilter.", "filter."}) {
      SCOPED_TRACE(testing::Message()
                   << static_cast<int>(own) << " beside " << placement);
      const std::string key = std::string(placement) + "test.Never";
      const Seen seen =
          Ask(WithAnotherFilter(TableWith(own), key, kFilterBytes));
      EXPECT_TRUE(seen.found);
      EXPECT_LT(seen.passed, 40);
    }
  }
}

TEST(FilterOrderTest, TheUsersFilterIsProbedBeforeAnUnknownOne) {
  const std::string bare = TableWith(Own::kNone);
  const std::string users =
      WithAnotherFilter(bare, "fullfilter.test.Never", kFilterBytes);
  EXPECT_FALSE(Ask(users).found);
  EXPECT_EQ(Ask(users).passed, 0);
  for (const char* unknown :
       {"fullfilter.a.Stranger", "fullfilter.z.Stranger", "filter.Stranger"}) {
    SCOPED_TRACE(unknown);
    const Seen both = Ask(WithAnotherFilter(users, unknown, kFilterBytes));
    EXPECT_FALSE(both.found);
    EXPECT_EQ(both.passed, 0);
    const Seen alone = Ask(WithAnotherFilter(bare, unknown, kFilterBytes));
    EXPECT_TRUE(alone.found);
    EXPECT_EQ(alone.passed, 199);
  }
}

TEST(FilterOrderTest, AFullFilterIsProbedBeforeOthersOfItsFamily) {
  // As a block-based one the bytes would let every key pass.
  const std::string table = WithAnotherFilter(
      TableWith(Own::kFull),
      MetaindexKey(FilterPlacement::kBlockBased, kBuiltinBloomFamily),
      kFilterBytes);
  const Seen seen = Ask(table);
  EXPECT_TRUE(seen.found);
  EXPECT_LT(seen.passed, 40);
}

}  // namespace
}  // namespace tamis
