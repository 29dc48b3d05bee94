// SPDX-License-Identifier: Apache-2.0
//
// Tables whose data blocks are compressed against a dictionary.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter_policy.h"

#include "table/format.h"
#include "table/table_copy.h"
#include "tests/support/sanitizers.h"
#include "tests/support/tables.h"
#include "util/base/random.h"
#include "util/cache/block_cache.h"
#include "util/compression/dictionary.h"

namespace tamis {
namespace {

using Options = BlockBasedTableOptions;

// Values that have more in common with others than within themselves.
Entries SomeEntries(int n) {
  Entries entries;
  Random random(301);
  static constexpr const char* kWords[] = {
      "confirmation", "delivered yesterday", "international transfer",
      "standard",     "preferred customer",  "Rotterdam harbour",
      "cancelled",    "warehouse seven",     "quarterly statement"};
  for (int i = 0; i < n; ++i) {
    std::string value;
    for (int w = 0; w < 6; ++w) {
      value += kWords[random.Uniform(9)] + std::to_string(random.Uniform(99));
    }
    entries.emplace_back(InternalKey("user" + std::to_string(1'000'000 + i), 7),
                         std::move(value));
  }
  return entries;
}

std::vector<CompressionType> CodecsWithDictionaries() {
  std::vector<CompressionType> codecs;
  for (const CompressionType codec : SupportedCompressions()) {
    if (DictionaryBytesMax(codec) > 0) codecs.push_back(codec);
  }
  return codecs;
}

TableBuildOptions With(CompressionType codec, uint32_t dictionary_bytes) {
  TableBuildOptions options(Bytewise());
  options.file_name = "test.sst";
  options.compression = codec;
  options.compression_opts.max_dict_bytes = dictionary_bytes;
  options.table.block_size = 512;
  return options;
}

bool HasDictionary(const std::string& table) {
  return table.find(kCompressionDictionaryBlockName) != std::string::npos;
}

void ExpectReads(const std::string& table, const Entries& entries) {
  const auto opened = OpenTable(table);
  ASSERT_TRUE(opened.ok()) << opened.status();
  Status status;
  const auto it = (*opened)->NewIterator(ReadContext());
  EXPECT_TRUE(ScanForward(it.get(), &status) == entries);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(ScanBackward(it.get(), &status) == entries);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ((*opened)->VerifyChecksums(), Status::OK());
  for (size_t i = 0; i < entries.size(); i += 37) {
    const Slice key = ExtractUserKey(entries[i].first);
    EXPECT_EQ(GetFrom(**opened, key).value, entries[i].second);
    EXPECT_TRUE(GetFrom(**opened, key.ToString() + "x").status.IsNotFound());
  }
}

TEST(TableDictionaryTest, SmallBlocksTakeMuchLess) {
  if (kThreadSanitizer) GTEST_SKIP() << kOneThread;
  const Entries entries = SomeEntries(4000);
  for (const CompressionType codec : CodecsWithDictionaries()) {
    const std::string without = BuildTable(With(codec, 0), entries);
    EXPECT_FALSE(HasDictionary(without));
    TableBuildOptions options = With(codec, 8192);
    for (const uint32_t train : {0u, 200'000u}) {
      options.compression_opts.zstd_max_train_bytes = train;
      const std::string with = BuildTable(options, entries);
      EXPECT_TRUE(HasDictionary(with));
      EXPECT_LT(with.size() * 10, without.size() * 7)
          << CompressionTypeName(codec) << " " << train;
      ExpectReads(with, entries);
    }
  }
}

// Whatever the layout, only the data blocks differ.
TEST(TableDictionaryTest, EveryLayoutIsAsWithoutIt) {
  if (kThreadSanitizer) GTEST_SKIP() << kOneThread;
  const std::pair<const char*, std::function<void(TableBuildOptions*)>>
      layouts[] = {
          {"full filter", [](TableBuildOptions*) {}},
          {"partitions",
           [](TableBuildOptions* o) {
             o->table.index_type = Options::kTwoLevelIndexSearch;
             o->table.partition_filters = true;
             o->table.metadata_block_size = 300;
           }},
          {"first keys",
           [](TableBuildOptions* o) {
             o->table.index_type = Options::kBinarySearchWithFirstKey;
           }},
          {"hash index",
           [](TableBuildOptions* o) {
             o->table.data_block_index_type = Options::kDataBlockBinaryAndHash;
           }},
          {"block-based filter",
           [](TableBuildOptions* o) {
             o->table.filter_policy.reset(NewBloomFilterPolicy(10, true));
           }},
          {"range filter",
           [](TableBuildOptions* o) {
             o->table.range_filter = Options::kFence;
           }},
          {"version 1",
           [](TableBuildOptions* o) { o->table.format_version = 1; }},
          {"version 7",
           [](TableBuildOptions* o) { o->table.format_version = 7; }},
      };
  const Entries entries = SomeEntries(3000);
  for (const auto& [name, set] : layouts) {
    for (const CompressionType codec : CodecsWithDictionaries()) {
      SCOPED_TRACE(testing::Message()
                   << name << ", " << CompressionTypeName(codec));
      TableProperties without;
      TableBuildOptions options = With(codec, 0);
      set(&options);
      BuildTable(options, entries, &without);
      TableProperties with;
      options.compression_opts.max_dict_bytes = 4096;
      options.compression_opts.max_dict_buffer_bytes = 100'000;
      const std::string table = BuildTable(options, entries, &with);
      EXPECT_TRUE(HasDictionary(table));
      ExpectReads(table, entries);
      EXPECT_EQ(with.num_data_blocks, without.num_data_blocks);
      EXPECT_EQ(with.num_filter_entries, without.num_filter_entries);
      EXPECT_EQ(with.num_entries, without.num_entries);
      EXPECT_EQ(with.compression_name, without.compression_name);
      EXPECT_LT(with.data_size, without.data_size);
    }
  }
}

TEST(TableDictionaryTest, TheBytesDoNotDependOnHelpers) {
  const Entries entries = SomeEntries(3000);
  const auto thread = NewThreadJobRunner(1, 1);
  const auto too_late = NewDeterministicJobRunner(301);
  for (const uint64_t limit : {0u, 50'000u}) {
    TableBuildOptions options = With(kZSTD, 4096);
    options.compression_opts.zstd_max_train_bytes = 100'000;
    options.compression_opts.max_dict_buffer_bytes = limit;
    const std::string alone = BuildTable(options, entries);
    for (const std::shared_ptr<JobRunner>& help :
         {thread, std::shared_ptr<JobRunner>(too_late)}) {
      JobRunner* const runner = help.get();
      options.helpers = {runner, [runner](std::function<void()> job) {
                           runner->Schedule(JobPriority::kLow, std::move(job));
                         }};
      EXPECT_TRUE(BuildTable(options, entries) == alone);
    }
  }
}

// With and without an end of the buffer before that of the table.
TEST(TableDictionaryTest, TheSizeIsLimited) {
  const Entries entries = SomeEntries(2000);
  for (const auto& [size, limit, max] :
       {std::tuple{4096u, 0u, 4096u}, std::tuple{4096u, 20'000u, 4096u},
        std::tuple{50'000u, 20'000u, 21'000u},
        // An eighth of the data.
        std::tuple{1u << 30, 0u, 32'000u}}) {
    SCOPED_TRACE(testing::Message() << size << " " << limit);
    TableBuildOptions options = With(kLZ4Compression, size);
    if (!CompressionSupported(options.compression)) GTEST_SKIP() << "no lz4";
    options.compression_opts.max_dict_buffer_bytes = limit;
    const std::string table = BuildTable(options, entries);
    const auto opened = OpenTable(table);
    ASSERT_TRUE(opened.ok());
    const auto layout = (*opened)->ReadLayout();
    ASSERT_TRUE(layout.ok());
    uint64_t bytes = 0;
    for (const auto& [name, handle] : layout->metaindex) {
      if (name == kCompressionDictionaryBlockName) bytes = handle.size;
    }
    EXPECT_GT(bytes, max / 2);
    EXPECT_LE(bytes, max);
  }
}

TEST(TableDictionaryTest, TablesWithLittleOrNoDataHaveNone) {
  for (const int n : {0, 1}) {
    const Entries entries = SomeEntries(n);
    for (const uint32_t train : {0u, 100'000u}) {
      TableBuildOptions options = With(kZSTD, 16'384);
      options.compression_opts.zstd_max_train_bytes = train;
      const std::string table = BuildTable(options, entries);
      ExpectReads(table, entries);
      if (n == 0 || train > 0) {
        EXPECT_FALSE(HasDictionary(table));
      }
    }
  }
  // Range deletions alone.
  std::string contents;
  StringWritableFile file(&contents);
  TableBuilder builder(With(kZSTD, 16'384), &file);
  builder.AddRangeDeletion("a", "b", 5);
  ASSERT_TRUE(builder.Finish().ok());
  EXPECT_FALSE(HasDictionary(contents));
  EXPECT_TRUE(OpenTable(contents).ok());
}

TEST(TableDictionaryTest, OtherCodecsIgnoreIt) {
  const Entries entries = SomeEntries(1000);
  for (const CompressionType codec : {kNoCompression, kSnappyCompression}) {
    TableProperties properties;
    const std::string table =
        BuildTable(With(codec, 4096), entries, &properties);
    EXPECT_FALSE(HasDictionary(table));
    TableProperties without;
    BuildTable(With(codec, 0), entries, &without);
    EXPECT_EQ(properties.data_size, without.data_size);
  }
}

TEST(TableDictionaryTest, ThePropertySaysHow) {
  TableBuildOptions options = With(kZSTD, 4096);
  options.compression_opts.level = 5;
  options.compression_opts.enabled = true;
  options.compression_opts.zstd_max_train_bytes = 70'000;
  options.compression_opts.max_dict_buffer_bytes = 90'000;
  options.compression_opts.use_zstd_dict_trainer = false;
  TableProperties properties;
  BuildTable(options, SomeEntries(10), &properties);
  EXPECT_EQ(properties.compression_options,
            "window_bits=-14; level=5; strategy=0; max_dict_bytes=4096; "
            "zstd_max_train_bytes=70000; enabled=1; "
            "max_dict_buffer_bytes=90000; use_zstd_dict_trainer=0; ");
}

// A table that is cut at a size has that size once compressed.
TEST(TableDictionaryTest, ATableReachesItsTargetCompressed) {
  const Entries entries = SomeEntries(20'000);
  TableBuildOptions options = With(kZSTD, 4096);
  options.target_file_size = 100'000;
  std::string contents;
  StringWritableFile file(&contents);
  TableBuilder builder(options, &file);
  size_t added = 0;
  uint64_t most_in_memory = 0;
  while (!builder.HasReached(options.target_file_size)) {
    ASSERT_LT(added, entries.size());
    builder.Add(entries[added].first, entries[added].second);
    if (contents.empty() && added % 50 == 0) {
      most_in_memory = std::max(most_in_memory, builder.EstimatedFileSize());
    }
    ++added;
  }
  ASSERT_TRUE(builder.Finish().ok());
  EXPECT_GT(builder.properties().data_size, 99'000u);
  EXPECT_LT(builder.properties().data_size, 102'000u);
  EXPECT_GT(builder.properties().raw_value_size, 150'000u);
  EXPECT_GT(most_in_memory, 90'000u);
  EXPECT_LT(most_in_memory, 110'000u);
  ExpectReads(contents,
              Entries(entries.begin(),
                      entries.begin() + static_cast<ptrdiff_t>(added)));
}

TEST(TableDictionaryTest, BlocksThatWaitAreChargedToTheCache) {
  BlockCache cache(8 << 20);
  TableBuildOptions options = With(kZSTD, 4096);
  options.table.filter_policy = nullptr;
  options.block_cache = &cache;
  const Entries entries = SomeEntries(10'000);
  std::string contents;
  StringWritableFile file(&contents);
  TableBuilder builder(options, &file);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  EXPECT_TRUE(contents.empty());
  EXPECT_GT(cache.GetUsage(), builder.EstimatedFileSize() * 9 / 10);
  ASSERT_TRUE(builder.Finish().ok());
  EXPECT_EQ(cache.GetUsage(), 0u);
  TableBuilder abandoned(options, &file);
  for (const auto& [key, value] : entries) abandoned.Add(key, value);
  EXPECT_GT(cache.GetUsage(), 0u);
  abandoned.Abandon();
  EXPECT_EQ(cache.GetUsage(), 0u);
}

TEST(TableDictionaryTest, ErrorsOfTheFileAreReported) {
  const Entries entries = SomeEntries(1000);
  for (const uint64_t limit : {0u, 20'000u}) {
    for (int fail_at = 1; fail_at < 60; fail_at += 7) {
      TableBuildOptions options = With(kZSTD, 4096);
      options.compression_opts.max_dict_buffer_bytes = limit;
      std::string contents;
      StringWritableFile file(&contents, fail_at);
      TableBuilder builder(options, &file);
      for (const auto& [key, value] : entries) builder.Add(key, value);
      EXPECT_TRUE(builder.Finish().IsIOError()) << fail_at;
    }
  }
}

TEST(TableDictionaryTest, ACopyKeepsIt) {
  const Entries entries = SomeEntries(2000);
  const TableBuildOptions options = With(kZSTD, 4096);
  const std::string table = BuildTable(options, entries);
  const auto opened = OpenTable(table);
  ASSERT_TRUE(opened.ok());
  const TableCopy copy(**opened, options);
  ASSERT_TRUE(copy.CheckSupported().ok());
  std::string contents;
  StringWritableFile file(&contents);
  const auto written = copy.WriteTo(&file, nullptr);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_TRUE(contents == table);
}

}  // namespace
}  // namespace tamis
