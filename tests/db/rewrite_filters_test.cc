// SPDX-License-Identifier: Apache-2.0
//
// DB::RewriteFilters: the filters change, and nothing else does.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class RewriteFiltersTest : public DBTest {
 protected:
  RewriteFiltersTest() {
    options_.disable_auto_compactions = true;
    options_.merge_operator = MergeOperators::CreateStringAppendOperator();
    options_.target_file_size_base = 32 << 10;
  }

  void UsePolicy(const FilterPolicy* policy) {
    table_.filter_policy.reset(policy);
    SetTable(table_);
  }
  // Tables in levels 2, 1 and 0, with entries of every type, old versions that
  // snapshots see, and keys that are absent between them.
  void Fill() {
    for (int i = 0; i < 2000; i += 2) Put(Key(i), Noise(60, Seed(i)));
    Compact();
    Compact();
    snapshots_.push_back(db_->GetSnapshot());
    for (int i = 0; i < 2000; i += 6) Put(Key(i), Noise(40, Seed(i + 1)));
    for (int i = 2; i < 2000; i += 30) Merge(Key(i), "more");
    DeleteRange(Key(500), Key(700));
    Flush();
    snapshots_.push_back(db_->GetSnapshot());
    for (int i = 4; i < 2000; i += 50) Delete(Key(i));
    SingleDelete(Key(8));
    DeleteRange(Key(1500), Key(1501));
    Flush();
    for (int i = 0; i < 2000; i += 100) Put(Key(i), "last");
    Flush();
  }
  void TearDown() override {
    for (const Snapshot* snapshot : snapshots_) {
      if (db_ != nullptr) db_->ReleaseSnapshot(snapshot);
    }
  }
  static uint64_t Seed(int i) { return static_cast<uint64_t>(i); }

  void Rewrite(const RewriteFiltersOptions& options = {}) {
    const Status status = db_->RewriteFilters(options);
    ASSERT_TRUE(status.ok()) << status;
  }
  // What reads find, now and at the snapshots.
  std::vector<std::string> Answers() {
    std::vector<std::string> all = {Contents()};
    for (const Snapshot* snapshot : snapshots_) {
      all.push_back(ContentsAt(snapshot));
      std::string gets;
      for (int i = 0; i < 2000; ++i) gets += Get(Key(i), snapshot) + " ";
      all.push_back(std::move(gets));
    }
    return all;
  }
  // A table without what a rewrite may change, its name for one.
  struct Kept {
    int level;
    std::string smallest, largest;
    uint64_t first, last;
    uint64_t epoch;
    std::string data;  // bytes of the data blocks
    uint64_t entries, deletions, range_deletions, merges;
    uint64_t creation, file_creation;  // times
    std::string compression;

    friend bool operator==(const Kept&, const Kept&) = default;
  };
  std::vector<Kept> AllKept() {
    std::vector<Kept> all;
    const auto tables = Tables();
    for (const LiveFileMetaData& file : LiveFiles()) {
      const std::string path = kTestDirectory + file.name;
      const auto found = std::find_if(
          tables.begin(), tables.end(),
          [&](const auto& table) { return table.first.ends_with(file.name); });
      EXPECT_NE(found, tables.end()) << file.name;
      if (found == tables.end()) continue;
      const TableProperties& p = found->second;
      std::string bytes;
      EXPECT_TRUE(fs_->GetContents(path, &bytes).ok()) << path;
      all.push_back({file.level, file.smallestkey, file.largestkey,
                     file.smallest_seqno, file.largest_seqno, file.epoch_number,
                     bytes.substr(0, static_cast<size_t>(p.data_size)),
                     p.num_entries, p.num_deletions, p.num_range_deletions,
                     p.num_merge_operands, p.creation_time,
                     p.file_creation_time, p.compression_name});
    }
    return all;
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const LiveFileMetaData& file : LiveFiles()) {
      names.push_back(file.name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  uint64_t FilterBytes() {
    uint64_t bytes = 0;
    for (const auto& [name, properties] : Tables()) {
      bytes += properties.filter_size;
    }
    return bytes;
  }
  uint64_t PassedOf(int absent) {
    get_perf_context()->Reset();
    for (int i = 0; i < absent; ++i)
      EXPECT_EQ(Get(Key(2 * i + 1)), "NOT_FOUND");
    return get_perf_context()->bloom_sst_hit_count;
  }

  BlockBasedTableOptions table_;
  std::vector<const Snapshot*> snapshots_;
};

TEST_F(RewriteFiltersTest, NothingElseChanges) {
  Open();
  Fill();
  const auto answers = Answers();
  const auto kept = AllKept();
  const auto names = Names();
  clock_->SleepForMicroseconds(100'000'000);
  Rewrite();
  EXPECT_EQ(Answers(), answers);
  EXPECT_TRUE(AllKept() == kept);
  const auto now = Names();
  ASSERT_EQ(now.size(), names.size());
  for (const std::string& name : now) {
    EXPECT_FALSE(std::binary_search(names.begin(), names.end(), name)) << name;
  }
  // The old ones are gone.
  RunJobs();
  EXPECT_EQ(TablesOnDisk(), names.size());
  // Each table is still one: with what reads need, and in the MANIFEST.
  for (const Snapshot* snapshot : snapshots_) db_->ReleaseSnapshot(snapshot);
  snapshots_.clear();
  Reopen();
  EXPECT_EQ(Contents(), answers[0]);
  EXPECT_TRUE(AllKept() == kept);
  Compact(/*force=*/true);
  EXPECT_EQ(Contents(), answers[0]);
}

struct Layout {
  const char* name;
  void (*set)(BlockBasedTableOptions* table, Options* options);
};

class RewriteFiltersLayoutTest : public RewriteFiltersTest,
                                 public testing::WithParamInterface<Layout> {};

// Every layout, by a policy that chooses another filter.
TEST_P(RewriteFiltersLayoutTest, TheFiltersChangeAlone) {
  GetParam().set(&table_, &options_);
  UsePolicy(NewBloomFilterPolicy(4));
  Open();
  Fill();
  const std::string contents = Contents();
  for (const Snapshot* snapshot : snapshots_) db_->ReleaseSnapshot(snapshot);
  snapshots_.clear();
  const auto kept = AllKept();
  const uint64_t passed = PassedOf(990);
  const uint64_t bytes = FilterBytes();
  UsePolicy(NewBloomFilterPolicy(20));
  Reopen();
  Rewrite();
  EXPECT_EQ(Contents(), contents);
  EXPECT_TRUE(AllKept() == kept);
  EXPECT_GT(FilterBytes(), 3 * bytes);
  EXPECT_LT(10 * PassedOf(990), passed);
  Reopen();
  EXPECT_EQ(Contents(), contents);
}

INSTANTIATE_TEST_SUITE_P(
    All, RewriteFiltersLayoutTest,
    testing::Values(
        Layout{"Default", [](BlockBasedTableOptions*, Options*) {}},
        Layout{"Partitioned",
               [](BlockBasedTableOptions* table, Options*) {
                 table->index_type =
                     BlockBasedTableOptions::kTwoLevelIndexSearch;
                 table->partition_filters = true;
                 table->metadata_block_size = 256;
               }},
        Layout{"FirstKeys",
               [](BlockBasedTableOptions* table, Options*) {
                 table->index_type =
                     BlockBasedTableOptions::kBinarySearchWithFirstKey;
               }},
        Layout{"Aligned",
               [](BlockBasedTableOptions* table, Options* options) {
                 table->block_align = true;
                 table->block_size = 2048;
                 options->compression = kNoCompression;
               }},
        Layout{"HashIndex",
               [](BlockBasedTableOptions* table, Options*) {
                 table->data_block_index_type =
                     BlockBasedTableOptions::kDataBlockBinaryAndHash;
               }},
        Layout{"Version0",
               [](BlockBasedTableOptions* table, Options*) {
                 table->format_version = 0;
                 table->checksum = kCRC32c;
               }},
        Layout{"Version1", [](BlockBasedTableOptions* table,
                              Options*) { table->format_version = 1; }},
        Layout{"Zstd", [](BlockBasedTableOptions*,
                          Options* options) { options->compression = kZSTD; }}),
    [](const auto& layout) { return std::string(layout.param.name); });

// Their checksums depend on the file, so the blocks' trailers differ.
TEST_F(RewriteFiltersTest, LaterFormatVersions) {
  for (const uint32_t version : {6u, 7u}) {
    table_.format_version = version;
    UsePolicy(NewBloomFilterPolicy(4));
    Open();
    Fill();
    const auto answers = Answers();
    Rewrite();
    EXPECT_EQ(Answers(), answers) << version;
    for (const auto& [name, properties] : Tables()) {
      EXPECT_EQ(properties.format_version, version);
    }
    for (const Snapshot* snapshot : snapshots_) db_->ReleaseSnapshot(snapshot);
    snapshots_.clear();
    Destroy();
  }
}

// The options may have changed in more than the policy.
TEST_F(RewriteFiltersTest, DataBlocksKeepTheirFormat) {
  Open();
  Fill();
  const auto kept = AllKept();
  const std::string contents = Contents();
  for (const Snapshot* snapshot : snapshots_) db_->ReleaseSnapshot(snapshot);
  snapshots_.clear();
  table_.format_version = 2;
  table_.checksum = kCRC32c;
  table_.block_size = 512;
  options_.compression = kZSTD;
  UsePolicy(NewFilterPolicy({.fpr = 0.001}));
  Reopen();
  Rewrite();
  EXPECT_TRUE(AllKept() == kept);
  EXPECT_EQ(Contents(), contents);
}

TEST_F(RewriteFiltersTest, ReadersOfTheOldTablesAreNotDisturbed) {
  Open();
  Fill();
  const std::string contents = Contents();
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  Rewrite();
  std::string seen;
  for (; it->Valid(); it->Next()) {
    seen += (seen.empty() ? "" : " ") + it->key().ToString() + "=" +
            it->value().ToString();
  }
  EXPECT_TRUE(it->status().ok());
  EXPECT_EQ(seen, contents);
}

TEST_F(RewriteFiltersTest, OnlyTablesInTheRange) {
  Open();
  Fill();
  const auto names = Names();
  const std::string begin = Key(1900);
  const Slice from = begin;
  ASSERT_TRUE(db_->RewriteFilters({}, &from, nullptr).ok());
  const auto now = Names();
  std::vector<std::string> same;
  std::set_intersection(names.begin(), names.end(), now.begin(), now.end(),
                        std::back_inserter(same));
  EXPECT_FALSE(same.empty());
  EXPECT_LT(same.size(), names.size());
}

TEST_F(RewriteFiltersTest, FiltersThatAreRightStay) {
  UsePolicy(NewBloomFilterPolicy(10));
  Open();
  Fill();
  for (const Snapshot* snapshot : snapshots_) db_->ReleaseSnapshot(snapshot);
  snapshots_.clear();
  const auto names = Names();
  Rewrite({.size_factor = 1.2});
  EXPECT_EQ(Names(), names);
  UsePolicy(NewBloomFilterPolicy(11));
  Reopen();
  Rewrite({.size_factor = 1.2});
  EXPECT_EQ(Names(), names);
  UsePolicy(NewBloomFilterPolicy(16));
  Reopen();
  Rewrite({.size_factor = 1.2});
  EXPECT_NE(Names(), names);
  // Another format, and none.
  const auto more = Names();
  UsePolicy(NewFilterPolicy({.format = FilterFormat::kXor}));
  Reopen();
  Rewrite({.size_factor = 100});
  EXPECT_NE(Names(), more);
  UsePolicy(nullptr);
  Reopen();
  Rewrite({.size_factor = 100});
  EXPECT_EQ(FilterBytes(), 0u);
}

TEST_F(RewriteFiltersTest, FiltersThatAreRightStayInEveryLayout) {
  for (const bool partitioned : {false, true}) {
    for (const auto range_filter : {BlockBasedTableOptions::kNoRangeFilter,
                                    BlockBasedTableOptions::kGrafite}) {
      table_.range_filter = range_filter;
      table_.partition_filters = partitioned;
      table_.index_type = partitioned
                              ? BlockBasedTableOptions::kTwoLevelIndexSearch
                              : BlockBasedTableOptions::kBinarySearch;
      UsePolicy(NewBloomFilterPolicy(10));
      Open();
      Fill();
      for (const Snapshot* snapshot : snapshots_) {
        db_->ReleaseSnapshot(snapshot);
      }
      snapshots_.clear();
      const auto names = Names();
      Rewrite({.size_factor = 1.5});
      EXPECT_EQ(Names(), names) << partitioned << ", " << int{range_filter};
      Destroy();
    }
  }
}

// Rewrites that take turns must not keep their tables from it.
TEST_F(RewriteFiltersTest, ACompactionThatIsDueComesFirst) {
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 4;
  options_.max_background_jobs = 4;
  options_.target_file_size_base = 4 << 10;
  Open();
  for (int i = 0; i < 2000; ++i) Put(Key(i), Noise(600, Seed(i)));
  Compact();
  const auto tables = static_cast<ptrdiff_t>(Names().size());
  ASSERT_GE(tables, 200);
  const auto started = [this] { return LogLines("event=compaction_start"); };
  const auto before = static_cast<ptrdiff_t>(started().size());
  Rewrite({.wait = false});
  for (int i = 0; i < 4; ++i) {
    Put(Key(0), "new");
    Put(Key(1999), "new");
    Flush();
  }
  RunJobs();
  const auto lines = started();
  const auto compaction = std::find_if(
      lines.begin() + before, lines.end(), [](const std::string& line) {
        return line.find("filters_only=no") != std::string::npos;
      });
  ASSERT_NE(compaction, lines.end());
  // Some were rewritten while there were fewer tables in level 0.
  EXPECT_LT(compaction - lines.begin() - before, tables / 2);
}

TEST_F(RewriteFiltersTest, RangeFiltersComeAndGo) {
  UsePolicy(NewBloomFilterPolicy(10));
  Open();
  Fill();
  const std::string contents = Contents();
  for (const Snapshot* snapshot : snapshots_) db_->ReleaseSnapshot(snapshot);
  snapshots_.clear();
  const uint64_t bytes = FilterBytes();
  table_.range_filter = BlockBasedTableOptions::kGrafite;
  table_.range_filter_bits_per_key = 20;
  SetTable(table_);
  Reopen();
  Rewrite({.size_factor = 1.5});
  EXPECT_GT(FilterBytes(), 2 * bytes);
  const auto seek_between = [this](int i) {
    const std::string end = Key(i) + "z";
    const Slice upper = end;
    ReadOptions options;
    options.iterate_upper_bound = &upper;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    it->Seek(Key(i));
    return it->Valid();
  };
  get_perf_context()->Reset();
  for (int i = 1; i < 400; i += 2) EXPECT_FALSE(seek_between(i)) << i;
  EXPECT_GT(get_perf_context()->range_filter_miss_count, 100u);
  EXPECT_TRUE(seek_between(0));
  EXPECT_EQ(Contents(), contents);
  table_.range_filter = BlockBasedTableOptions::kNoRangeFilter;
  SetTable(table_);
  Reopen();
  Rewrite({.size_factor = 1.5});
  EXPECT_EQ(FilterBytes(), bytes);
}

TEST_F(RewriteFiltersTest, WithoutWaitingTheyAreRewrittenInTheBackground) {
  Open();
  Fill();
  const auto answers = Answers();
  const auto names = Names();
  Rewrite({.wait = false});
  EXPECT_EQ(Names(), names);
  RunJobs();
  const auto now = Names();
  std::vector<std::string> same;
  std::set_intersection(names.begin(), names.end(), now.begin(), now.end(),
                        std::back_inserter(same));
  EXPECT_TRUE(same.empty());
  EXPECT_EQ(Answers(), answers);
  EXPECT_EQ(LogLines("filters_only=yes").size(), names.size());
}

// A table that a compaction has replaced is not rewritten.
TEST_F(RewriteFiltersTest, ACompactionMayComeBefore) {
  Open();
  Fill();
  const std::string contents = Contents();
  Rewrite({.wait = false});
  Compact(/*force=*/true);
  RunJobs();
  EXPECT_EQ(Contents(), contents);
  EXPECT_EQ(TablesOnDisk(), Names().size());
}

TEST_F(RewriteFiltersTest, ClosingEndsIt) {
  Open();
  Fill();
  const std::string contents = Contents();
  for (const Snapshot* snapshot : snapshots_) db_->ReleaseSnapshot(snapshot);
  snapshots_.clear();
  Rewrite({.wait = false});
  const auto names = Names();
  ASSERT_TRUE(db_->Close().ok());
  EXPECT_TRUE(db_->RewriteFilters({}).IsShutdownInProgress());
  Reopen();
  EXPECT_EQ(Contents(), contents);
  // Most tables are as they were.
  const auto now = Names();
  EXPECT_GT(std::count_if(names.begin(), names.end(),
                          [&now](const std::string& name) {
                            return std::binary_search(now.begin(), now.end(),
                                                      name);
                          }),
            static_cast<ptrdiff_t>(names.size() / 2));
  EXPECT_EQ(TablesOnDisk(), Names().size());
}

TEST_F(RewriteFiltersTest, ADamagedTableStays) {
  options_.compression = kNoCompression;
  Open();
  Fill();
  const auto names = Names();
  const std::string path = kTestDirectory + LiveFiles().front().name;
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(path, &bytes).ok());
  bytes[100] = static_cast<char>(bytes[100] ^ 1);
  ASSERT_TRUE(fs_->SetContents(path, bytes).ok());
  const Status status = db_->RewriteFilters({});
  EXPECT_TRUE(status.IsCorruption()) << status;
  const auto now = Names();
  EXPECT_TRUE(
      std::binary_search(now.begin(), now.end(), LiveFiles().front().name));
}

TEST_F(RewriteFiltersTest, Errors) {
  Open();
  for (const double factor :
       {0.5, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(
        db_->RewriteFilters({.size_factor = factor}).IsInvalidArgument())
        << factor;
  }
  // Without tables there is nothing to do.
  EXPECT_TRUE(db_->RewriteFilters({}).ok());
  ColumnFamilyHandle* family = nullptr;
  ASSERT_TRUE(
      db_->CreateColumnFamily(ColumnFamilyOptions(), "f", &family).ok());
  ASSERT_TRUE(db_->DropColumnFamily(family).ok());
  EXPECT_TRUE(db_->RewriteFilters({}, family, nullptr, nullptr)
                  .IsColumnFamilyDropped());
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(family).ok());
  Put("a", "b");
  Flush();
  ASSERT_TRUE(db_->Close().ok());
  db_.reset();
  ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &db_).ok());
  EXPECT_TRUE(db_->RewriteFilters({}).IsNotSupported());
}

// A rewritten table keeps its counts of lookups.
TEST_F(RewriteFiltersTest, ABudgetFollowsTheLookups) {
  options_.compression = kNoCompression;
  UsePolicy(NewBudgetFilterPolicy(2000));
  Open();
  for (int i = 0; i < 4000; i += 2) Put(Key(i), Noise(60, Seed(i)));
  Compact();
  for (int i = 0; i < 4000; i += 4) Put(Key(i), Noise(60, Seed(i)));
  Flush();
  // All keys are found in level 1, so its filters are of no use.
  const auto passed_by_level_0 = [this] {
    get_perf_context()->Reset();
    std::string value;
    for (int i = 2; i < 3990; i += 4) {
      EXPECT_TRUE(db_->Get(ReadOptions(), Key(i), &value).ok());
    }
    return get_perf_context()
        ->level_to_perf_context[0]
        .bloom_filter_full_positive;
  };
  Rewrite();
  const uint64_t before = passed_by_level_0();
  for (int i = 0; i < 100; ++i) passed_by_level_0();
  Rewrite();
  EXPECT_LT(4 * passed_by_level_0(), before);
  EXPECT_LE(FilterBytes(), 2500u);
}

}  // namespace
}  // namespace tamis
