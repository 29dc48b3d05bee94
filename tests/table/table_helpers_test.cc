// SPDX-License-Identifier: Apache-2.0
//
// A table has the same bytes and errors if its builder writes the blocks
// itself, if a thread helps, or if a helper is never free.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter_policy.h"

#include "tests/support/sanitizers.h"
#include "tests/support/tables.h"
#include "util/base/random.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

using Options = BlockBasedTableOptions;

// Keys with a few versions, values from nothing to some that fill blocks.
Entries SomeEntries(int n, size_t value_bytes_max) {
  Entries entries;
  Random random(301);
  for (int i = 0; i < n; ++i) {
    const std::string number = std::to_string(1'000'000 + i);
    for (uint64_t v = i % 11 == 5 ? 3 : 1; v > 0; --v) {
      std::string value(random.Uniform(value_bytes_max), 'v');
      for (size_t at = 0; at < value.size() / 2; ++at) {
        value[at] = static_cast<char>(random.Uniform(256));
      }
      entries.emplace_back(InternalKey("user" + number, 10 + v),
                           std::move(value));
    }
  }
  return entries;
}

struct Layout {
  std::string name;
  std::function<void(TableBuildOptions*)> set;
  int entries = 5000;
  size_t value_bytes_max = 60;
};

std::shared_ptr<const FilterPolicy> Bloom(bool block_based) {
  return std::shared_ptr<const FilterPolicy>(
      NewBloomFilterPolicy(10, block_based));
}

void Partition(TableBuildOptions* options) {
  options->table.index_type = Options::kTwoLevelIndexSearch;
  options->table.partition_filters = true;
  options->table.metadata_block_size = 512;
}

std::vector<Layout> Layouts() {
  std::vector<Layout> layouts = {
      {"plain", [](TableBuildOptions* o) { o->table.filter_policy = nullptr; }},
      {"full filter", [](TableBuildOptions*) {}},
      {"partitions", Partition},
      {"partitions with prefixes",
       [](TableBuildOptions* o) {
         Partition(o);
         o->prefix_extractor.reset(NewFixedPrefixTransform(9));
       }},
      {"two-level index",
       [](TableBuildOptions* o) {
         o->table.index_type = Options::kTwoLevelIndexSearch;
         o->table.metadata_block_size = 300;
       }},
      {"block-based filter",
       [](TableBuildOptions* o) { o->table.filter_policy = Bloom(true); }},
      {"block-based filter, two-level index",
       [](TableBuildOptions* o) {
         o->table.filter_policy = Bloom(true);
         o->table.index_type = Options::kTwoLevelIndexSearch;
         o->table.metadata_block_size = 300;
       }},
      {"first keys",
       [](TableBuildOptions* o) {
         o->table.index_type = Options::kBinarySearchWithFirstKey;
       }},
      {"first keys without filter",
       [](TableBuildOptions* o) {
         o->table.index_type = Options::kBinarySearchWithFirstKey;
         o->skip_filters = true;
       }},
      {"hash index",
       [](TableBuildOptions* o) {
         o->table.data_block_index_type = Options::kDataBlockBinaryAndHash;
       }},
      {"aligned",
       [](TableBuildOptions* o) {
         o->compression = kNoCompression;
         o->table.block_align = true;
         o->table.block_size = 1024;
       }},
      {"whole keys, tiny blocks",
       [](TableBuildOptions* o) {
         o->table.use_delta_encoding = false;
         o->table.block_size = 1;
       }},
      {"large blocks",
       [](TableBuildOptions* o) { o->table.block_size = 256 << 10; }, 5000,
       600},
      {"large values", [](TableBuildOptions*) {}, 40, 600 << 10},
      {"one entry", [](TableBuildOptions*) {}, 1},
      {"no entry", [](TableBuildOptions*) {}, 0},
  };
  for (int format = 0; format < static_cast<int>(FilterFormat::kByLevel);
       ++format) {
    for (const bool partitioned : {false, true}) {
      layouts.push_back({"filter format " + std::to_string(format) +
                             (partitioned ? ", partitions" : ""),
                         [format, partitioned](TableBuildOptions* o) {
                           if (partitioned) Partition(o);
                           o->table.filter_policy.reset(NewFilterPolicy(
                               {.format = static_cast<FilterFormat>(format)}));
                           o->table.range_filter = partitioned
                                                       ? Options::kGrafite
                                                       : Options::kFence;
                         },
                         30'000});
    }
  }
  // Two threads build a ribbon of this many keys.
  for (const FilterFormat format :
       {FilterFormat::kRibbon, FilterFormat::kHomogeneousRibbon,
        FilterFormat::kBumpedRibbon}) {
    layouts.push_back({"ribbon of two threads",
                       [format](TableBuildOptions* o) {
                         o->table.filter_policy.reset(
                             NewFilterPolicy({.format = format}));
                       },
                       140'000, 1});
  }
  for (uint32_t version = 0; version <= 7; ++version) {
    layouts.push_back(
        {"version " + std::to_string(version), [version](TableBuildOptions* o) {
           o->table.format_version = version;
           if (version == 0) o->table.checksum = kCRC32c;
         }});
  }
  for (const CompressionType codec : SupportedCompressions()) {
    layouts.push_back(
        {CompressionTypeName(codec),
         [codec](TableBuildOptions* o) { o->compression = codec; }});
  }
  return layouts;
}

TableBuildOptions OptionsFor(const Layout& layout, JobRunner* helpers) {
  TableBuildOptions options(Bytewise());
  options.file_name = "test.sst";
  layout.set(&options);
  if (helpers != nullptr) {
    options.helpers = {helpers, [helpers](std::function<void()> job) {
                         helpers->Schedule(JobPriority::kLow, std::move(job));
                       }};
  }
  return options;
}

// The ways that help comes, with its name.
struct Help {
  const char* name;
  std::shared_ptr<JobRunner> runner;
};

std::vector<Help> EveryHelp() {
  return {{"none", nullptr},
          {"a thread", NewThreadJobRunner(1, 1)},
          {"a job that comes too late", NewDeterministicJobRunner(301)}};
}

// What building ended with, tombstones included, with a file that fails from
// so many calls on.
struct Built {
  Status status;
  std::string contents;
};

Built Build(const TableBuildOptions& options, const Entries& entries,
            int fail_at = 0) {
  Built built;
  StringWritableFile file(&built.contents, fail_at);
  TableBuilder builder(options, &file);
  builder.AddRangeDeletion("user2", "user3", 7);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  builder.AddRangeDeletion("user1", "user4", 9);
  built.status = builder.Finish();
  return built;
}

TEST(TableHelpersTest, TheBytesDoNotDependOnHelpers) {
  const auto helps = EveryHelp();
  int number = 0;
  for (const Layout& layout : Layouts()) {
    // What threads share is the same in all.
    if (kThreadSanitizer && number++ % 4 != 0) continue;
    const Entries entries = SomeEntries(layout.entries, layout.value_bytes_max);
    const Built alone = Build(OptionsFor(layout, nullptr), entries);
    ASSERT_TRUE(alone.status.ok()) << layout.name << " " << alone.status;
    for (const Help& help : helps) {
      const Built built = Build(OptionsFor(layout, help.runner.get()), entries);
      ASSERT_TRUE(built.status.ok()) << layout.name << " " << built.status;
      ASSERT_TRUE(built.contents == alone.contents)
          << layout.name << ", help: " << help.name;
    }
  }
}

TEST(TableHelpersTest, ErrorsOfTheFileAreTheSame) {
  const auto helps = EveryHelp();
  const Layout layout = {"", Partition, 3000};
  const Entries entries = SomeEntries(layout.entries, layout.value_bytes_max);
  for (int fail_at = 1; fail_at < 100; fail_at += fail_at < 8 ? 1 : 7) {
    const Built alone = Build(OptionsFor(layout, nullptr), entries, fail_at);
    ASSERT_TRUE(alone.status.IsIOError()) << fail_at;
    for (const Help& help : helps) {
      const Built built =
          Build(OptionsFor(layout, help.runner.get()), entries, fail_at);
      ASSERT_EQ(built.status.ToString(), alone.status.ToString()) << help.name;
      ASSERT_TRUE(built.contents == alone.contents) << help.name;
    }
  }
}

// Sooner or later: Add is not called for the rest of a table that is lost.
TEST(TableHelpersTest, AnErrorShowsBeforeTheEnd) {
  for (const Help& help : EveryHelp()) {
    const Layout layout = {"", [](TableBuildOptions*) {}, 20'000};
    const Entries entries = SomeEntries(layout.entries, 60);
    std::string contents;
    StringWritableFile file(&contents, 5);
    TableBuilder builder(OptionsFor(layout, help.runner.get()), &file);
    size_t added = 0;
    for (; added < entries.size() && builder.ok(); ++added) {
      builder.Add(entries[added].first, entries[added].second);
    }
    EXPECT_LT(added, entries.size() / 2) << help.name;
    EXPECT_EQ(builder.status().ToString(), "IO error: call 5");
    builder.Abandon();
  }
}

TEST(TableHelpersTest, ARefusedEntryComesAfterEarlierErrors) {
  const std::string contents_of_it(1, 'v');
  // 3 GiB that nobody reads: the size alone is looked at.
  const Slice huge(contents_of_it.data(), size_t{4} << 30);
  for (const Help& help : EveryHelp()) {
    for (const int fail_at : {0, 1}) {
      const Layout layout = {"", [](TableBuildOptions*) {}};
      std::string contents;
      StringWritableFile file(&contents, fail_at);
      TableBuilder builder(OptionsFor(layout, help.runner.get()), &file);
      for (const auto& [key, value] : SomeEntries(200, 60)) {
        builder.Add(key, value);
      }
      builder.Add(InternalKey("user9", 1), huge);
      EXPECT_EQ(builder.status().IsIOError(), fail_at == 1) << help.name;
      EXPECT_EQ(builder.status().IsInvalidArgument(), fail_at == 0);
      builder.Abandon();
    }
  }
}

// A file that tells whether somebody is in it.
class SlowFile final : public WritableFile {
 public:
  Status Append(const Slice& data) override {
    inside = true;
    std::this_thread::yield();
    bytes += data.size();
    inside = false;
    return {};
  }
  Status Flush() override { return {}; }
  Status Sync() override { return {}; }
  Status Close() override { return {}; }
  uint64_t GetFileSize() const override { return bytes; }

  std::atomic<bool> inside{false};
  uint64_t bytes = 0;
};

TEST(TableHelpersTest, NoHelperUsesTheFileOfAnAbandonedTable) {
  const Layout layout = {"", [](TableBuildOptions*) {}};
  const auto runner = NewThreadJobRunner(1, 1);
  const Entries entries = SomeEntries(3000, 60);
  for (size_t n = 100; n <= entries.size(); n += 97) {
    SlowFile file;
    {
      TableBuilder builder(OptionsFor(layout, runner.get()), &file);
      for (size_t i = 0; i < n; ++i) {
        builder.Add(entries[i].first, entries[i].second);
      }
      if (n % 2 == 0) builder.Abandon();  // else the destructor does
      if (n % 2 == 0) {
        ASSERT_FALSE(file.inside);
      }
    }
    ASSERT_FALSE(file.inside);
  }
}

// Where tables of at most this size are cut, as a compaction does.
std::vector<size_t> CutsAt(uint64_t file_size, JobRunner* helpers,
                           const Entries& entries, bool ask_for_estimates) {
  const Layout layout = {"", [](TableBuildOptions*) {}};
  std::vector<size_t> cuts;
  std::string contents;
  StringWritableFile file(&contents);
  auto builder =
      std::make_unique<TableBuilder>(OptionsFor(layout, helpers), &file);
  for (size_t i = 0; i < entries.size(); ++i) {
    const bool reached = ask_for_estimates
                             ? builder->EstimatedFileSize() >= file_size
                             : builder->HasReached(file_size);
    if (reached) {
      cuts.push_back(i);
      EXPECT_TRUE(builder->Finish().ok());
      builder =
          std::make_unique<TableBuilder>(OptionsFor(layout, helpers), &file);
    }
    builder->Add(entries[i].first, entries[i].second);
  }
  EXPECT_TRUE(builder->Finish().ok());
  return cuts;
}

TEST(TableHelpersTest, TablesAreCutAtTheSameEntries) {
  const Entries entries = SomeEntries(20'000, 100);
  for (const uint64_t file_size : {1'000u, 30'000u, 200'000u, 700'000u}) {
    const std::vector<size_t> cuts =
        CutsAt(file_size, nullptr, entries, /*ask_for_estimates=*/true);
    ASSERT_FALSE(cuts.empty());
    for (const Help& help : EveryHelp()) {
      EXPECT_EQ(CutsAt(file_size, help.runner.get(), entries, false), cuts)
          << help.name << " " << file_size;
    }
  }
}

}  // namespace
}  // namespace tamis
