// SPDX-License-Identifier: Apache-2.0
//
// The blocks and counters of a point read, and errors of opening.
#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tamis/perf_context.h"
#include "tamis/statistics.h"

#include "table/properties.h"
#include "tests/support/comparators.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

std::string Key(int i) {
  char text[32];
  std::snprintf(text, sizeof(text), "key%06d", i);
  return text;
}

enum class Filter : uint8_t { kNone, kBlockBased, kFull, kPartitioned };

TableBuildOptions OptionsFor(Filter filter) {
  TableBuildOptions options(Bytewise());
  options.table.block_size = 1024;
  options.table.metadata_block_size = 512;
  options.compression = kNoCompression;
  options.table.filter_policy.reset(
      filter == Filter::kNone
          ? nullptr
          : NewBloomFilterPolicy(20, filter == Filter::kBlockBased));
  if (filter == Filter::kPartitioned) {
    options.table.partition_filters = true;
    options.table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  }
  return options;
}

constexpr int kKeys = 2000;

Entries EvenKeys() {
  Entries entries;
  for (int i = 0; i < kKeys; ++i) {
    entries.emplace_back(InternalKey(Key(i * 2), 1), "value" + Key(i));
  }
  return entries;
}

class TableGetTest : public testing::TestWithParam<Filter> {
 protected:
  void SetUp() override {
    TableContext context = TestContext();
    context.block_cache = std::make_shared<BlockCache>(16 << 20);
    auto opened =
        OpenTable(BuildTable(OptionsFor(GetParam()), EvenKeys()), context);
    ASSERT_TRUE(opened.ok()) << opened.status();
    table_ = std::move(*opened);
    read_.statistics = statistics_.get();
    read_.level = 1;
    SetPerfLevel(kEnableCount);
    get_perf_context()->Reset();
  }

  uint64_t Ticker(Tickers ticker) const {
    return statistics_->getTickerCount(ticker);
  }
  static const PerfContext& Perf() { return *get_perf_context(); }
  static const PerfContextByLevel& Level() {
    return Perf().level_to_perf_context[1];
  }

  const std::shared_ptr<Statistics> statistics_ = CreateDBStatistics();
  ReadContext read_;
  std::unique_ptr<TableReader> table_;
};

TEST_P(TableGetTest, EveryPresentKeyIsATruePositive) {
  for (int i = 0; i < kKeys; ++i) {
    ASSERT_TRUE(
        GetFrom(*table_, Key(i * 2), kMaxSequenceNumber, read_).status.ok());
  }
  const uint64_t n = GetParam() == Filter::kNone ? 0 : kKeys;
  EXPECT_EQ(Perf().bloom_sst_hit_count, n);
  EXPECT_EQ(Perf().bloom_sst_miss_count, 0u);
  EXPECT_EQ(Level().bloom_filter_full_positive, n);
  EXPECT_EQ(Level().bloom_filter_full_true_positive, n);
  EXPECT_EQ(Ticker(BLOOM_FILTER_FULL_POSITIVE), n);
  EXPECT_EQ(Ticker(BLOOM_FILTER_FULL_TRUE_POSITIVE), n);
  EXPECT_EQ(Ticker(BLOOM_FILTER_USEFUL), 0u);
}

TEST_P(TableGetTest, EveryAbsentKeyIsCountedOnceAndMostTouchNoDataBlock) {
  for (int i = 0; i < kKeys - 1; ++i) {
    ASSERT_TRUE(GetFrom(*table_, Key(i * 2 + 1), kMaxSequenceNumber, read_)
                    .status.IsNotFound());
  }
  const uint64_t asked = GetParam() == Filter::kNone ? 0 : kKeys - 1;
  const uint64_t maybe = Perf().bloom_sst_hit_count;
  EXPECT_EQ(maybe + Perf().bloom_sst_miss_count, asked);
  EXPECT_LE(maybe, asked / 50);
  EXPECT_EQ(Level().bloom_filter_useful, Perf().bloom_sst_miss_count);
  EXPECT_EQ(Ticker(BLOOM_FILTER_USEFUL), Perf().bloom_sst_miss_count);
  EXPECT_EQ(Ticker(BLOOM_FILTER_FULL_POSITIVE), maybe);
  EXPECT_EQ(Ticker(BLOOM_FILTER_FULL_TRUE_POSITIVE), 0u);
  // A data block is looked at for a "maybe", and for nothing else.
  const uint64_t data_blocks =
      Ticker(BLOCK_CACHE_DATA_HIT) + Ticker(BLOCK_CACHE_DATA_MISS);
  EXPECT_EQ(data_blocks, GetParam() == Filter::kNone ? kKeys - 1 : maybe);
}

TEST_P(TableGetTest, OnlyResidentBlocksAnswerTheCacheTier) {
  read_.tier = kBlockCacheTier;
  EXPECT_TRUE(GetFrom(*table_, Key(100), kMaxSequenceNumber, read_)
                  .status.IsIncomplete());
  EXPECT_EQ(Perf().block_read_count, 0u);
  read_.tier = kReadAllTier;
  ASSERT_TRUE(
      GetFrom(*table_, Key(100), kMaxSequenceNumber, read_).status.ok());
  EXPECT_GT(Perf().block_read_count, 0u);
  EXPECT_GT(Perf().block_read_byte, 500u);
  read_.tier = kBlockCacheTier;
  get_perf_context()->Reset();
  EXPECT_TRUE(
      GetFrom(*table_, Key(100), kMaxSequenceNumber, read_).status.ok());
  EXPECT_EQ(Perf().block_read_count, 0u);
  EXPECT_GT(Perf().block_cache_hit_count, 0u);
  EXPECT_EQ(Level().block_cache_hit_count, Perf().block_cache_hit_count);
}

TEST_P(TableGetTest, ReadsWithoutFillCacheLeaveNoBlocks) {
  read_.fill = CacheFill::kNothing;
  ASSERT_TRUE(
      GetFrom(*table_, Key(100), kMaxSequenceNumber, read_).status.ok());
  read_.tier = kBlockCacheTier;
  EXPECT_TRUE(GetFrom(*table_, Key(100), kMaxSequenceNumber, read_)
                  .status.IsIncomplete());
  EXPECT_EQ(Ticker(BLOCK_CACHE_ADD), 0u);
}

TEST_P(TableGetTest, OffsetsAscendWithTheKeys) {
  uint64_t last = 0;
  for (int i = 0; i < 2 * kKeys; i += 100) {
    const uint64_t offset = table_->ApproximateOffsetOf(
        InternalKey(Key(i), kMaxSequenceNumber, kValueTypeForSeek));
    EXPECT_GE(offset, last);
    last = offset;
  }
  EXPECT_EQ(table_->ApproximateOffsetOf(InternalKey("zzz", 1)),
            table_->properties()->data_size);
}

std::string FilterName(const testing::TestParamInfo<Filter>& info_of) {
  const char* const names[] = {"None", "BlockBased", "Full", "Partitioned"};
  return names[static_cast<int>(info_of.param)];
}

INSTANTIATE_TEST_SUITE_P(Filters, TableGetTest,
                         testing::Values(Filter::kNone, Filter::kBlockBased,
                                         Filter::kFull, Filter::kPartitioned),
                         FilterName);

TEST(TablePinTest, LargeValuesStayInTheirBlock) {
  TableContext context = TestContext();
  context.block_cache = std::make_shared<BlockCache>(16 << 20);
  auto opened =
      OpenTable(BuildTable(OptionsFor(Filter::kFull),
                           {{InternalKey("large", 1),
                             std::string(GetContext::kCopyBytesMax + 1, 'x')},
                            {InternalKey("small", 1),
                             std::string(GetContext::kCopyBytesMax, 'x')}}),
                context);
  ASSERT_TRUE(opened.ok()) << opened.status();
  for (const char* const user_key : {"large", "small"}) {
    PinnableSlice value;
    PointRead read(user_key, 5, /*merge_operator=*/nullptr, &value);
    (*opened)->Get(&read, ReadContext());
    ASSERT_TRUE(read.get.Finish().ok());
    EXPECT_EQ(value.IsPinned(), std::string(user_key) == "large");
    // What was pinned outlives its place in the cache.
    context.block_cache->EraseUnRefEntries();
    EXPECT_EQ(value.ToString().find_first_not_of('x'), std::string::npos);
  }
}

TEST(TableOpenTest, AnotherComparatorIsRefusedNamingBoth) {
  const std::string contents =
      BuildTable(OptionsFor(Filter::kNone), {{InternalKey("a", 1), ""}});
  const KeyOrder reverse(ReverseBytewiseComparator());
  const Status status = OpenTable(contents, TestContext(reverse)).status();
  ASSERT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find("leveldb.BytewiseComparator"),
            std::string::npos);
  EXPECT_NE(status.message().find("rocksdb.ReverseBytewiseComparator"),
            std::string::npos);
}

TEST(TableOpenTest, TheUniqueIdOfTheManifestIsCompared) {
  TableBuildOptions options = OptionsFor(Filter::kFull);
  options.db_id = "a648c468-aa8f-40fa-9f4a-d60d64ee0069";
  options.db_session_id = "S91YUSA0UY9GFF4I4CGN";
  options.file_number = 9;
  const std::string contents = BuildTable(options, {{InternalKey("a", 1), ""}});
  TableContext context = TestContext();
  context.expected_unique_id = std::string(
      "\x17\xaa\x66\x8b\x76\x79\x89\x38\x4c\x3f\xb3\xfe\x9f\x29"
      "\x40\x1e",
      16);
  EXPECT_TRUE(OpenTable(contents, context).ok());
  context.expected_unique_id[8] = 'x';
  EXPECT_TRUE(OpenTable(contents, context).status().IsCorruption());
}

TEST(TableOpenTest, NoFilterWhereEqualKeysMayDifferInBytes) {
  const CaseInsensitive caseless;
  const KeyOrder order(&caseless);
  TableBuildOptions options(order);
  TableProperties properties;
  const std::string contents =
      BuildTable(options, {{InternalKey("Apple", 2), "1"}}, &properties);
  EXPECT_EQ(properties.filter_size, 0u);
  auto opened = OpenTable(contents, TestContext(order));
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(GetFrom(**opened, "aPPLE").value, "1");
}

TEST(TableOpenTest, LayoutListsTheBlocks) {
  TableProperties properties;
  auto opened = OpenTable(
      BuildTable(OptionsFor(Filter::kPartitioned), EvenKeys(), &properties));
  ASSERT_TRUE(opened.ok()) << opened.status();
  const Result<TableLayout> layout = (*opened)->ReadLayout();
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(layout->footer.format_version, 5u);
  EXPECT_EQ(layout->data_blocks.size(), properties.num_data_blocks);
  EXPECT_EQ(layout->index_partitions.size(), properties.index_partitions);
  EXPECT_GT(properties.index_partitions, 2u);
  EXPECT_TRUE(layout->index_key_is_user_key);
  ASSERT_EQ(layout->metaindex.size(), 2u);
  EXPECT_EQ(layout->metaindex[0].first,
            "partitionedfilter.rocksdb.BuiltinBloomFilter");
  EXPECT_EQ(layout->metaindex[1].first, "rocksdb.properties");
}

TEST(TableBuilderTest, ContradictionsInTheOptionsAreRefused) {
  std::string contents;
  StringWritableFile file(&contents);
  TableBuildOptions options = OptionsFor(Filter::kFull);
  options.table.partition_filters = true;
  EXPECT_TRUE(TableBuilder(options, &file).status().IsInvalidArgument());
  options = OptionsFor(Filter::kFull);
  options.table.block_size = 0;
  EXPECT_TRUE(TableBuilder(options, &file).status().IsInvalidArgument());
  options = OptionsFor(Filter::kFull);
  options.table.block_restart_interval = 0;
  EXPECT_TRUE(TableBuilder(options, &file).status().IsInvalidArgument());
}

TEST(TableBuilderTest, AFailedWriteIsReturned) {
  for (int fail_at = 1; fail_at < 40; ++fail_at) {
    std::string contents;
    StringWritableFile file(&contents, fail_at);
    TableBuilder builder(OptionsFor(Filter::kPartitioned), &file);
    for (const auto& [key, value] : EvenKeys()) builder.Add(key, value);
    EXPECT_TRUE(builder.Finish().IsIOError()) << fail_at;
    EXPECT_FALSE(OpenTable(contents).ok());
  }
}

TEST(TableBuilderTest, CountsWhatItWrites) {
  TableProperties p;
  BuildTable(OptionsFor(Filter::kFull),
             {{InternalKey("a", 9), "12"},
              {InternalKey("a", 8, kTypeDeletion), ""},
              {InternalKey("b", 7, kTypeSingleDeletion), ""},
              {InternalKey("c", 6, kTypeMerge), "345"}},
             &p);
  EXPECT_EQ(p.num_entries, 4u);
  EXPECT_EQ(p.num_deletions, 2u);
  EXPECT_EQ(p.num_merge_operands, 1u);
  EXPECT_EQ(p.num_filter_entries, 3u);
  EXPECT_EQ(p.raw_key_size, 4u * 9);
  EXPECT_EQ(p.raw_value_size, 5u);
  EXPECT_EQ(p.num_data_blocks, 1u);
}

TEST(TableBuilderTest, KeysOutOfOrderAreCorruption) {
  for (const std::string& second :
       {InternalKey("a", 1), InternalKey("b", 1), InternalKey("b", 2)}) {
    std::string contents;
    StringWritableFile file(&contents);
    TableBuildOptions options = OptionsFor(Filter::kFull);
    options.file_name = "/db/000009.sst";
    TableBuilder builder(options, &file);
    builder.Add(InternalKey("b", 1), "");
    EXPECT_TRUE(builder.ok());
    builder.Add(second, "");
    const Status status = builder.status();
    EXPECT_TRUE(status.IsCorruption()) << status;
    EXPECT_NE(status.message().find("/db/000009.sst"), std::string::npos);
    EXPECT_NE(status.message().find("expected a key above"), std::string::npos);
    builder.Add(InternalKey("c", 1), "");
    EXPECT_EQ(builder.Finish(), status);
  }
}

TEST(TableBuilderDeathTest, EntriesOfAnUnstoredTypeAbort) {
  std::string contents;
  StringWritableFile file(&contents);
  TableBuilder builder(OptionsFor(Filter::kFull), &file);
  EXPECT_DEATH(builder.Add(InternalKey("a", 1, kTypeRangeDeletion), ""),
               "this must hold");
}

}  // namespace
}  // namespace tamis
