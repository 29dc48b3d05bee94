// SPDX-License-Identifier: Apache-2.0
//
// Shows the effect of every public option. The options of reads, writes and the
// table format have their own test files.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "tests/support/directories.h"
#include "tests/support/wrapped_file_system.h"

namespace tamis {
namespace {

class DBOptionsTest : public DBTest {
 protected:
  size_t Flushes() { return LogLines("event=flush_end").size(); }
};

TEST_F(DBOptionsTest, WriteBufferSizeDecidesWhenToFlush) {
  const struct {
    size_t write_buffer_size;
    size_t flushes_min;
    size_t flushes_max;
  } cases[] = {{64 << 20, 0, 0}, {256 << 10, 3, 8}, {64 << 10, 14, 40}};
  for (const auto& c : cases) {
    options_.write_buffer_size = c.write_buffer_size;
    options_.level0_slowdown_writes_trigger = 1000;
    options_.level0_stop_writes_trigger = 1000;
    Open();
    PutMany(1000, 1000);
    RunJobs();
    EXPECT_GE(Flushes(), c.flushes_min) << c.write_buffer_size;
    EXPECT_LE(Flushes(), c.flushes_max) << c.write_buffer_size;
    Destroy();
  }
}

TEST_F(DBOptionsTest, ValuesAreClampedAndLogSaysSo) {
  options_.write_buffer_size = 1;
  options_.max_write_buffer_number = 0;
  options_.level0_file_num_compaction_trigger = 0;
  options_.level0_slowdown_writes_trigger = -1;
  options_.level0_stop_writes_trigger = 0;
  Open();
  const Options used = db_->GetOptions();
  EXPECT_EQ(used.write_buffer_size, 64u << 10);
  EXPECT_EQ(used.max_write_buffer_number, 2);
  EXPECT_EQ(used.level0_file_num_compaction_trigger, 1);
  EXPECT_EQ(used.level0_slowdown_writes_trigger, 1);
  EXPECT_EQ(used.level0_stop_writes_trigger, 1);
  EXPECT_EQ(LogLines("event=option_adjusted").size(), 5u);
  EXPECT_EQ(LogLines("family=default option=write_buffer_size given=1 "
                     "used=65536")
                .size(),
            1u);
  EXPECT_EQ(
      LogLines("option=level0_slowdown_writes_trigger given=-1 used=1").size(),
      1u);
  // Not a log and a table for each: 47 seconds on a disk.
  PutMany(2000);
  RunJobs();
  EXPECT_LE(Flushes(), 10u);
  EXPECT_EQ(Get(Key(1999)), Noise(100, 1999));
}

TEST_F(DBOptionsTest, ValuesInRangeAreKept) {
  options_.write_buffer_size = 64 << 10;
  options_.max_write_buffer_number = 3;
  options_.level0_file_num_compaction_trigger = 2;
  options_.level0_slowdown_writes_trigger = 2;
  options_.level0_stop_writes_trigger = 5;
  options_.max_total_wal_size = 12345;
  Open();
  EXPECT_EQ(db_->GetOptions().write_buffer_size, 64u << 10);
  EXPECT_EQ(db_->GetOptions().max_write_buffer_number, 3);
  EXPECT_EQ(db_->GetOptions().level0_stop_writes_trigger, 5);
  EXPECT_EQ(db_->GetOptions().max_total_wal_size, 12345u);
  EXPECT_EQ(db_->GetDBOptions().max_total_wal_size, 12345u);
  EXPECT_NE(db_->GetDBOptions().job_runner, nullptr);
  EXPECT_TRUE(LogLines("event=option_adjusted").empty());
}

// A copy must not keep the threads alive that all databases share.
TEST_F(DBOptionsTest, GetOptionsDoesNotReturnTheSharedJobRunner) {
  UseThreads();
  Open();
  EXPECT_EQ(db_->GetDBOptions().job_runner, nullptr);
  EXPECT_EQ(db_->GetOptions().job_runner, nullptr);
  db_.reset();
  ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &db_).ok());
  EXPECT_EQ(db_->GetDBOptions().job_runner, nullptr);
}

TEST_F(DBOptionsTest, OptionsOfANewFamilyAreClampedToo) {
  Open();
  Options options = options_;
  options.write_buffer_size = 1;
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options, "a", &handle).ok());
  EXPECT_EQ(db_->GetOptions(handle).write_buffer_size, 64u << 10);
  EXPECT_NE(db_->GetOptions().write_buffer_size, 64u << 10);
  EXPECT_EQ(LogLines("family=a option=write_buffer_size").size(), 1u);
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
}

TEST_F(DBOptionsTest, MaxWriteBufferNumberBoundsUnflushedMemTables) {
  for (const int number : {2, 4}) {
    options_.write_buffer_size = 64 << 10;
    options_.max_write_buffer_number = number;
    Open();
    uint64_t most = 0;
    // Flushes run only when a write waits for one.
    for (int i = 0; i < 300; ++i) {
      Put(Key(i), Noise(1000, static_cast<uint64_t>(i)));
      most = std::max(most, Property(DB::Properties::kNumImmutableMemTable));
    }
    EXPECT_EQ(most, static_cast<uint64_t>(number - 1));
    Destroy();
  }
}

TEST_F(DBOptionsTest, Level0TriggerStartsACompaction) {
  for (const int trigger : {2, 5}) {
    options_.level0_file_num_compaction_trigger = trigger;
    Open();
    MakeLevel0Files(trigger - 1);
    EXPECT_EQ(Property(DB::Properties::kCompactionPending), 0u);
    RunJobs();
    EXPECT_EQ(Levels(), std::to_string(trigger - 1));
    MakeLevel0Files(1);
    RunJobs();
    EXPECT_EQ(Levels(), "0,1") << trigger;
    Destroy();
  }
}

TEST_F(DBOptionsTest, DisableAutoCompactionsLeavesOnlyCompactRange) {
  options_.level0_file_num_compaction_trigger = 2;
  options_.disable_auto_compactions = true;
  options_.level0_slowdown_writes_trigger = 3;
  options_.level0_stop_writes_trigger = 4;
  Open();
  MakeLevel0Files(8);
  RunJobs();
  EXPECT_EQ(Levels(), "8");
  EXPECT_EQ(Property(DB::Properties::kCompactionPending), 0u);
  EXPECT_EQ(Tick(STALL_MICROS), 0u);  // nothing would ever end a stall
  Compact();
  EXPECT_EQ(Levels(), "0,1");
  db_.reset();
  options_.disable_auto_compactions = false;
  Open();
  MakeLevel0Files(2);
  RunJobs();
  EXPECT_EQ(Levels(), "0,1");
}

TEST_F(DBOptionsTest, LevelSizesDecideHowDeepTheTreeGets) {
  const auto deepest_after = [this](uint64_t base, double multiplier) {
    options_.write_buffer_size = 64 << 10;
    options_.target_file_size_base = 16 << 10;
    options_.level0_file_num_compaction_trigger = 2;
    options_.max_bytes_for_level_base = base;
    options_.max_bytes_for_level_multiplier = multiplier;
    Open();
    PutMany(600, 1000);
    Flush();
    RunJobs();
    int deepest = 0;
    std::vector<uint64_t> bytes(7);
    for (const auto& file : LiveFiles()) {
      deepest = std::max(deepest, file.level);
      bytes[static_cast<size_t>(file.level)] += file.size;
    }
    for (size_t level = 1; level < 6; ++level) {
      EXPECT_LE(static_cast<double>(bytes[level]),
                static_cast<double>(base) * std::pow(multiplier, level - 1))
          << level;
    }
    for (int i = 0; i < 600; i += 11) {
      EXPECT_EQ(Get(Key(i)), Noise(1000, static_cast<uint64_t>(i)));
    }
    db_.reset();
    EXPECT_TRUE(DestroyDB(kTestDirectory, options_).ok());
    return deepest;
  };
  EXPECT_EQ(deepest_after(10 << 20, 10), 1);
  EXPECT_EQ(deepest_after(100 << 10, 10), 2);
  EXPECT_GE(deepest_after(100 << 10, 2), 3);
}

TEST_F(DBOptionsTest, TargetFileSizeCutsOutputs) {
  for (const uint64_t target : {uint64_t{20} << 10, uint64_t{100} << 10}) {
    options_.target_file_size_base = target;
    Open();
    PutMany(500, 1000);
    Compact();
    const auto files = LiveFiles();
    const uint64_t total = Property(DB::Properties::kLiveSstFilesSize);
    EXPECT_NEAR(static_cast<double>(files.size()),
                static_cast<double>(total) / static_cast<double>(target),
                static_cast<double>(files.size()) * 0.3);
    for (size_t i = 0; i < files.size(); ++i) {
      EXPECT_EQ(files[i].level, 1);
      EXPECT_LE(files[i].size, target + 10'000);
      if (i + 1 < files.size()) {
        EXPECT_GE(files[i].size, target - 10'000);
      }
    }
    Destroy();
  }
}

TEST_F(DBOptionsTest, CompressionShrinksTables) {
  const struct {
    CompressionType type;
    const char* name;
    bool smaller;
  } cases[] = {{kNoCompression, "NoCompression", false},
               {kSnappyCompression, "Snappy", true},
               {kLZ4Compression, "LZ4", true},
               {kZSTD, "ZSTD", true}};
  for (const auto& c : cases) {
    options_.compression = c.type;
    const Status status = TryOpen();
    if (status.IsNotSupported()) continue;  // not in this build
    ASSERT_TRUE(status.ok()) << status;
    for (int i = 0; i < 200; ++i) Put(Key(i), std::string(500, 'x'));
    Flush();
    EXPECT_EQ(OnlyTable().compression_name, c.name);
    EXPECT_EQ(LiveFiles()[0].size < 50'000, c.smaller) << c.name;
    EXPECT_EQ(Tick(NUMBER_BLOCK_COMPRESSED) > 0, c.smaller) << c.name;
    EXPECT_EQ(Get(Key(7)), std::string(500, 'x'));
    EXPECT_EQ(Tick(NUMBER_BLOCK_DECOMPRESSED) > 0, c.smaller) << c.name;
    ASSERT_TRUE(options_.statistics->Reset().ok());
    Destroy();
  }
  options_.compression = kXpressCompression;
  EXPECT_TRUE(TryOpen().IsNotSupported());
}

TEST_F(DBOptionsTest, MaxBackgroundJobsLetsCompactionsRunAtOnce) {
  options_.level0_file_num_compaction_trigger = 2;
  options_.target_file_size_base = 20 << 10;
  for (const int jobs : {2, 3, 8}) {
    // Ten tables of level 1, each above one of level 2, so that each has to be
    // merged by itself.
    options_.max_background_jobs = 2;
    for (const uint64_t level1_bytes : {uint64_t{1}, uint64_t{1} << 30}) {
      options_.max_bytes_for_level_base = level1_bytes;
      options_.max_bytes_for_level_multiplier = 1'000'000;
      Open();
      for (int round = 0; round < 2; ++round) {
        PutMany(200, 1000);
        Flush();
      }
      RunJobs();
      db_.reset();
    }
    RunJobs();  // takes what the close ran off the queue
    options_.max_bytes_for_level_base = 50 << 10;
    options_.max_background_jobs = jobs;
    Open();
    ASSERT_EQ(Levels(), "0,10,10");
    const size_t running = Property(DB::Properties::kNumRunningCompactions);
    EXPECT_EQ(running, std::min<size_t>(static_cast<size_t>(jobs - 1), 7));
    EXPECT_EQ(runner_->pending(), running);
    RunJobs();
    EXPECT_EQ(Property(DB::Properties::kNumRunningCompactions), 0u);
    EXPECT_EQ(Get(Key(77)), Noise(1000, 77));
    Destroy();
  }
}

TEST_F(DBOptionsTest, MaxLogFileSizeAndKeepLogFileNumBoundTheLog) {
  options_.max_log_file_size = 2000;
  options_.keep_log_file_num = 2;
  Open();
  for (int i = 0; i < 50; ++i) {
    Put("a", "v");
    Flush();
  }
  std::vector<std::string> names;
  ASSERT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
  EXPECT_EQ(std::count_if(names.begin(), names.end(),
                          [](const std::string& name) {
                            return name.starts_with("LOG.old.");
                          }),
            2);
  std::string log;
  ASSERT_TRUE(
      fs_->GetContents(std::string(kTestDirectory) + "/LOG", &log).ok());
  EXPECT_LT(log.size(), 2200u);
}

TEST_F(DBOptionsTest, StatisticsAreOptional) {
  options_.statistics = nullptr;
  Open();
  PutMany(10);
  Flush();
  EXPECT_EQ(Get(Key(3)), Noise(100, 3));
  EXPECT_NE(Contents(), "");
}

TEST_F(DBOptionsTest, StatisticsCountAndMayBeShared) {
  Open();
  Put("a", "12345");
  EXPECT_EQ(Tick(NUMBER_KEYS_WRITTEN), 1u);
  EXPECT_EQ(Get("a"), "12345");
  EXPECT_EQ(Get("b"), "NOT_FOUND");
  EXPECT_EQ(Tick(NUMBER_KEYS_READ), 2u);
  EXPECT_EQ(Tick(BYTES_READ), 5u);
  EXPECT_EQ(Tick(WRITE_WITH_WAL), 1u);
  EXPECT_EQ(Tick(WAL_FILE_SYNCED), 0u);
  EXPECT_GT(Tick(WAL_FILE_BYTES), 0u);
  std::unique_ptr<DB> other;
  ASSERT_TRUE(DB::Open(options_, "/parent/other", &other).ok());
  ASSERT_TRUE(other->Put(WriteOptions(), "k", "v").ok());
  EXPECT_EQ(Tick(NUMBER_KEYS_WRITTEN), 2u);
}

TEST_F(DBOptionsTest, MemTableFilterSkipsTheMemTable) {
  options_.write_buffer_size = 1 << 20;
  for (const bool on : {false, true}) {
    options_.memtable_prefix_bloom_size_ratio = on ? 0.1 : 0;
    options_.memtable_whole_key_filtering = on;
    Open();
    PutMany(100);
    get_perf_context()->Reset();
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(Get(Key(i)), Noise(100, static_cast<uint64_t>(i)));
      EXPECT_EQ(Get(Key(i) + "absent"), "NOT_FOUND");
    }
    if (on) {
      EXPECT_GE(get_perf_context()->bloom_memtable_hit_count, 100u);
      EXPECT_GE(get_perf_context()->bloom_memtable_miss_count, 90u);
    } else {
      EXPECT_EQ(get_perf_context()->bloom_memtable_hit_count, 0u);
      EXPECT_EQ(get_perf_context()->bloom_memtable_miss_count, 0u);
    }
    Destroy();
  }
}

TEST_F(DBOptionsTest, InvalidOptionsAreRefusedByName) {
  const struct {
    const char* what;
    void (*spoil)(Options*);
    Status::Code code;
    const char* says;
  } cases[] = {
      {"no comparator", [](Options* o) { o->comparator = nullptr; },
       Status::kInvalidArgument, "comparator"},
      {"filter partitions without index partitions",
       [](Options* o) {
         BlockBasedTableOptions table;
         table.partition_filters = true;
         o->table_factory.reset(NewBlockBasedTableFactory(table));
       },
       Status::kInvalidArgument, "partition_filters"},
      {"filter partitions of the block-based kind",
       [](Options* o) {
         BlockBasedTableOptions table;
         table.partition_filters = true;
         table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
         table.filter_policy.reset(NewBloomFilterPolicy(10, true));
         o->table_factory.reset(NewBlockBasedTableFactory(table));
       },
       Status::kInvalidArgument, "block"},
  };
  for (const auto& c : cases) {
    Options options = options_;
    c.spoil(&options);
    std::unique_ptr<DB> db;
    const Status status = DB::Open(options, kTestDirectory, &db);
    EXPECT_EQ(status.code(), c.code) << c.what << ": " << status;
    EXPECT_NE(status.message().find(c.says), std::string::npos)
        << c.what << ": " << status;
    EXPECT_TRUE(fs_->FileExists(kTestDirectory).IsPathNotFound()) << c.what;
  }
}

// Each names the option, its value and what is allowed.
TEST_F(DBOptionsTest, NumbersOutOfRangeAreRefusedByNameAndValue) {
  using Limits = std::numeric_limits<double>;
  const struct {
    void (*spoil)(Options*);
    const char* says;
  } cases[] = {
      {[](Options* o) { o->max_bytes_for_level_multiplier = 0.5; },
       "max_bytes_for_level_multiplier: it is 0.5"},
      {[](Options* o) { o->max_bytes_for_level_multiplier = 0; },
       "max_bytes_for_level_multiplier: it is 0"},
      {[](Options* o) { o->max_bytes_for_level_multiplier = -10; },
       "max_bytes_for_level_multiplier: it is -10"},
      {[](Options* o) {
         o->max_bytes_for_level_multiplier = Limits::quiet_NaN();
       },
       "max_bytes_for_level_multiplier: it is nan"},
      {[](Options* o) {
         o->max_bytes_for_level_multiplier = Limits::infinity();
       },
       "max_bytes_for_level_multiplier: it is inf"},
      {[](Options* o) {
         o->memtable_prefix_bloom_size_ratio = Limits::quiet_NaN();
       },
       "memtable_prefix_bloom_size_ratio: it is nan"},
      {[](Options* o) { o->memtable_prefix_bloom_size_ratio = -0.1; },
       "memtable_prefix_bloom_size_ratio: it is -0.1"},
      {[](Options* o) { o->memtable_prefix_bloom_size_ratio = 0.3; },
       "memtable_prefix_bloom_size_ratio: it is 0.3"},
      {[](Options* o) { o->target_file_size_base = 0; },
       "target_file_size_base: it is 0; allowed is 1 or more"},
      {[](Options* o) { o->max_bytes_for_level_base = 0; },
       "max_bytes_for_level_base: it is 0; allowed is 1 or more"},
      {[](Options* o) { o->max_subcompactions = 0; },
       "max_subcompactions: it is 0; allowed is 1 to 1024"},
      {[](Options* o) { o->max_subcompactions = 1025; },
       "max_subcompactions: it is 1025; allowed is 1 to 1024"},
      {[](Options* o) { o->max_subcompactions = 0xffffffff; },
       "max_subcompactions: it is 4294967295; allowed is 1 to 1024"},
      {[](Options* o) { o->max_background_jobs = 0; },
       "max_background_jobs: it is 0; allowed is 1 to 1024"},
      {[](Options* o) { o->max_background_jobs = -1; },
       "max_background_jobs: it is -1; allowed is 1 to 1024"},
      {[](Options* o) { o->max_background_jobs = 1025; },
       "max_background_jobs: it is 1025; allowed is 1 to 1024"},
      {[](Options* o) {
         o->job_runner = nullptr;
         o->max_background_jobs = 65;
         o->max_subcompactions = 65;
       },
       "max_subcompactions: it is 65 with max_background_jobs 65"},
  };
  for (const auto& c : cases) {
    Options options = options_;
    c.spoil(&options);
    std::unique_ptr<DB> db;
    const Status status = DB::Open(options, kTestDirectory, &db);
    EXPECT_TRUE(status.IsInvalidArgument()) << c.says << ": " << status;
    EXPECT_NE(status.message().find(c.says), std::string::npos)
        << c.says << ": " << status;
    EXPECT_NE(status.message().find("; allowed "), std::string::npos) << status;
    EXPECT_TRUE(fs_->FileExists(kTestDirectory).IsPathNotFound()) << c.says;
  }
}

TEST_F(DBOptionsTest, NumbersAtTheLimitsAreAccepted) {
  for (const bool most : {false, true}) {
    options_.max_background_jobs = most ? 1024 : 1;
    options_.max_subcompactions = most ? 1024 : 1;
    options_.max_bytes_for_level_multiplier =
        most ? std::numeric_limits<double>::max() : 1;
    options_.memtable_prefix_bloom_size_ratio = most ? 0.25 : 0;
    Open();
    PutMany(100);
    Compact();
    EXPECT_EQ(Get(Key(7)), Noise(100, 7));
    Destroy();
  }
}

TEST_F(DBOptionsTest, MappedAndDirectReadsExcludeEachOther) {
  options_.allow_mmap_reads = options_.use_direct_reads = true;
  std::unique_ptr<DB> db;
  const Status status = DB::Open(options_, kTestDirectory, &db);
  EXPECT_TRUE(status.IsNotSupported()) << status;
  EXPECT_NE(status.message().find("allow_mmap_reads: it excludes "
                                  "use_direct_reads"),
            std::string::npos)
      << status;
  EXPECT_TRUE(fs_->FileExists(kTestDirectory).IsPathNotFound());
}

// At the open, although it has no table to read.
TEST_F(DBOptionsTest, FileSystemWithoutDirectReadsIsRefusedByName) {
  options_.use_direct_reads = true;
  Open();
  PutMany(100);
  Compact();
  EXPECT_EQ(Get(Key(7)), Noise(100, 7));
  Destroy();
  options_.use_direct_reads = false;
  Open();
  db_.reset();
  options_.use_direct_reads = true;
  options_.file_system = std::make_shared<WrappedFileSystem>(fs_);
  for (const bool read_only : {false, true}) {
    std::unique_ptr<DB> db;
    const Status status =
        read_only ? DB::OpenForReadOnly(options_, kTestDirectory, &db)
                  : DB::Open(options_, kTestDirectory, &db);
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    for (const char* part :
         {"use_direct_reads", "/CURRENT", "WrappedFileSystem"}) {
      EXPECT_NE(status.message().find(part), std::string::npos) << status;
    }
  }
  // It need not map anything either.
  options_.use_direct_reads = false;
  options_.allow_mmap_reads = true;
  Open();
  PutMany(100);
  Compact();
  EXPECT_EQ(Get(Key(7)), Noise(100, 7));
  db_.reset();
  // A repair reads tables in the one way that always works.
  options_.allow_mmap_reads = false;
  options_.use_direct_reads = true;
  const Status repaired = RepairDB(kTestDirectory, options_);
  EXPECT_TRUE(repaired.ok()) << repaired;
  options_.use_direct_reads = false;
  Open();
  EXPECT_EQ(Get(Key(7)), Noise(100, 7));
}

// They, too, would start threads.
TEST_F(DBOptionsTest, RepairAndListingRefuseInvalidOptions) {
  Open();
  db_.reset();
  options_.max_subcompactions = 0xffffffff;
  Status status = RepairDB(kTestDirectory, options_);
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find("max_subcompactions"), std::string::npos)
      << status;
  std::vector<std::string> names;
  status = DB::ListColumnFamilies(options_, kTestDirectory, &names);
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
}

using Table = BlockBasedTableOptions;

// At once, not when the first flush writes a table.
TEST_F(DBOptionsTest, InvalidTableOptionsAreRefusedByName) {
  const struct {
    const char* says;
    void (*spoil)(Table*);
  } cases[] = {
      {"block_size", [](Table* t) { t->block_size = 0; }},
      {"block_size", [](Table* t) { t->block_size = (1 << 30) + 1; }},
      {"block_restart_interval",
       [](Table* t) { t->block_restart_interval = 0; }},
      {"index_block_restart_interval",
       [](Table* t) { t->index_block_restart_interval = 0; }},
      // With the default codec.
      {"block_align", [](Table* t) { t->block_align = true; }},
      {"format_version", [](Table* t) { t->format_version = 8; }},
      // With the default checksum.
      {"format_version 0", [](Table* t) { t->format_version = 0; }},
      {"checksum",
       [](Table* t) { t->checksum = static_cast<ChecksumType>(9); }},
      {"index_type",
       [](Table* t) { t->index_type = static_cast<Table::IndexType>(1); }},
      {"data_block_hash_table_util_ratio",
       [](Table* t) {
         t->data_block_index_type = Table::kDataBlockBinaryAndHash;
         t->data_block_hash_table_util_ratio = 0;
       }},
  };
  for (const auto& c : cases) {
    Table table;
    c.spoil(&table);
    SetTable(table);
    const Status status = TryOpen();
    EXPECT_TRUE(status.IsInvalidArgument()) << c.says << ": " << status;
    EXPECT_NE(status.message().find(c.says), std::string::npos) << status;
    EXPECT_TRUE(fs_->FileExists(kTestDirectory).IsPathNotFound()) << c.says;
  }
}

TEST_F(DBOptionsTest, JobRunnerFileSystemAndClockAreOptional) {
  Options options;
  options.create_if_missing = true;
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(options, directory, &db).ok());
  ASSERT_TRUE(db->Put(WriteOptions(), "a", "1").ok());
  ASSERT_TRUE(db->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  TablePropertiesCollection tables;
  ASSERT_TRUE(db->GetPropertiesOfAllTables(&tables).ok());
  ASSERT_EQ(tables.size(), 1u);
  // The system's clock.
  EXPECT_GT(tables.begin()->second->creation_time, 1'700'000'000u);
  db.reset();
  EXPECT_TRUE(DestroyDB(directory, options).ok());
}

}  // namespace
}  // namespace tamis
