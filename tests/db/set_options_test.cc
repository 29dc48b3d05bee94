// SPDX-License-Identifier: Apache-2.0
//
// SetOptions and SetDBOptions: what may change does, with its effect; all else
// is refused by name, and then nothing changes.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/compaction_filter.h"
#include "tamis/filter_policy.h"
#include "tamis/listener.h"
#include "tamis/utilities/options_util.h"

#include "db/options/option_fields.h"
#include "tests/db/test_db.h"
#include "tests/support/wrapped_file_system.h"
#include "tests/support/wrapped_job_runner.h"

namespace tamis {
namespace {

using Changes = std::unordered_map<std::string, std::string>;

class SetOptionsTest : public DBTest {
 protected:
  void Set(const Changes& changes) {
    const Status status = db_->SetOptions(changes);
    ASSERT_TRUE(status.ok()) << status;
  }
  void SetDB(const Changes& changes) {
    const Status status = db_->SetDBOptions(changes);
    ASSERT_TRUE(status.ok()) << status;
  }
  size_t Flushes() { return LogLines("event=flush_end").size(); }
  // Of the newest table.
  TableProperties NewestTable() {
    TablePropertiesCollection tables;
    EXPECT_TRUE(db_->GetPropertiesOfAllTables(&tables).ok());
    std::string newest;
    for (const auto& [name, properties] : tables) {
      newest = std::max(newest, name);
    }
    return tables.empty() ? TableProperties() : *tables.at(newest);
  }
  void WriteTable() {
    PutMany(500, 100);
    Flush();
  }
};

TEST_F(SetOptionsTest, GetOptionsAndTheFileShowThem) {
  Open();
  Set({{"write_buffer_size", "1M"}, {"compression", "kNoCompression"}});
  EXPECT_EQ(db_->GetOptions().write_buffer_size, size_t{1} << 20);
  EXPECT_EQ(db_->GetOptions().compression, kNoCompression);
  SetDB({{"max_background_jobs", "5"}, {"max_subcompactions", "3"}});
  EXPECT_EQ(db_->GetDBOptions().max_background_jobs, 5);
  EXPECT_EQ(db_->GetDBOptions().max_subcompactions, 3u);
  DBOptions database;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_TRUE(LoadLatestOptions(ConfigOptions(options_), kTestDirectory,
                                &database, &families)
                  .ok());
  EXPECT_EQ(database.max_background_jobs, 5);
  EXPECT_EQ(families.at(0).options.write_buffer_size, size_t{1} << 20);
  Reopen();
  EXPECT_EQ(db_->GetOptions().write_buffer_size, options_.write_buffer_size)
      << "an open does not read the file";
}

TEST_F(SetOptionsTest, EveryOptionOfTheTableIsRefusedOrShown) {
  Open();
  for (const auto& field : OptionTableOf<ColumnFamilyOptions>().fields) {
    const std::string name(field.name);
    const std::string value =
        field.has_text() ? field.print(db_->GetOptions()) : "x";
    if (!field.has_text()) {
      EXPECT_TRUE(db_->SetOptions({{name, value}}).IsInvalidArgument());
      continue;
    }
    EXPECT_TRUE(db_->SetOptions({{name, value}}).ok())
        << name << " has that value";
    if (field.live) continue;
    for (const char* other :
         {"77", "true", "false", "rocksdb.ReverseBytewiseComparator", "max",
          "fixed:4"}) {
      const Status status = db_->SetOptions({{name, other}});
      EXPECT_TRUE(status.ok() || status.IsInvalidArgument()) << status;
      EXPECT_EQ(field.print(db_->GetOptions()), value) << name;
    }
  }
  for (const auto& field : OptionTableOf<DBOptions>().fields) {
    if (field.live || !field.has_text()) continue;
    const std::string name(field.name);
    const std::string value = field.print(db_->GetDBOptions());
    for (const char* other : {"77", "true", "false", "WARN_LEVEL"}) {
      if (value == other) continue;
      EXPECT_TRUE(db_->SetDBOptions({{name, other}}).IsInvalidArgument())
          << name;
    }
  }
}

TEST_F(SetOptionsTest, LogSaysWhatChanged) {
  Open();
  Set({{"write_buffer_size", "1M"},
       {"compression", "kNoCompression"},
       {"disable_auto_compactions", "false"},
       {"table_factory", "{block_size=9k; filter_policy=ribbonfilter:9:0}"}});
  SetDB({{"max_background_jobs", "5"}, {"max_subcompactions", "3"}});
  const auto line = [&](const std::string& event) {
    const auto lines = LogLines("event=" + event + " ");
    const std::string text = lines.size() == 1 ? lines[0] : "";
    return text.substr(std::min(text.size(), text.find(event)));
  };
  EXPECT_EQ(line("options_changed"),
            "options_changed family=default write_buffer_size=1048576 "
            "compression=kNoCompression table_factory.block_size=9216 "
            "table_factory.filter_policy=ribbonfilter:9:0");
  EXPECT_EQ(line("db_options_changed"),
            "db_options_changed max_background_jobs=5 max_subcompactions=3");
}

TEST_F(SetOptionsTest, RefusalsNameTheOptionAndChangeNothing) {
  Open();
  const auto error = [&](const Changes& changes) {
    const Status status = db_->SetOptions(changes);
    EXPECT_EQ(db_->GetOptions().write_buffer_size, options_.write_buffer_size);
    return status.ToString();
  };
  EXPECT_EQ(error({}), "Invalid argument: no option is given");
  EXPECT_EQ(error({{"write_buffer_size", "1M"}, {"nosuch", "1"}}),
            "Invalid argument: nosuch: there is no such option");
  EXPECT_EQ(
      error({{"write_buffer_size", "1M"}, {"bottommost_temperature", "7"}}),
      "Invalid argument: bottommost_temperature: RocksDB has this "
      "option, but Tamis does not");
  EXPECT_EQ(error({{"comparator", "rocksdb.ReverseBytewiseComparator"}}),
            "Invalid argument: comparator: it cannot change while the database "
            "is open");
  EXPECT_EQ(error({{"table_factory", "{no_block_cache=true}"}}),
            "Invalid argument: table_factory: no_block_cache: it cannot change "
            "while the database is open");
  EXPECT_EQ(error({{"table_factory", "nullptr"}}),
            "Invalid argument: table_factory: it is BlockBasedTable, which "
            "cannot change while the database is open");
  EXPECT_EQ(error({{"table_factory.block_cache", "1M"}}),
            "Invalid argument: table_factory.block_cache: block_cache: it "
            "cannot change while the database is open");
  EXPECT_EQ(
      error({{"write_buffer_size", "1M"}, {"target_file_size_base", "0"}}),
      "Invalid argument: Options::target_file_size_base: it is 0; "
      "allowed is 1 or more");
  EXPECT_EQ(db_->SetDBOptions({{"max_background_jobs", "0"}}).ToString(),
            "Invalid argument: DBOptions::max_background_jobs: it is 0; "
            "allowed is 1 to 1024");
  EXPECT_EQ(db_->SetDBOptions({{"max_open_files", "9"}}).ToString(),
            "Invalid argument: max_open_files: can be set to another limit, "
            "but from or to -1, no limit, only when the database is opened");
}

TEST_F(SetOptionsTest, ValuesAreClampedAsInOpen) {
  Open();
  Set({{"write_buffer_size", "1"}});
  EXPECT_EQ(db_->GetOptions().write_buffer_size, 64u << 10);
  EXPECT_EQ(LogLines("event=option_adjusted").size(), 1u);
}

TEST_F(SetOptionsTest, WriteBufferSize) {
  Open();
  PutMany(300, 1000);
  RunJobs();
  EXPECT_EQ(Flushes(), 0u);
  Set({{"write_buffer_size", "64k"}});
  PutMany(300, 1000);
  RunJobs();
  EXPECT_GE(Flushes(), 3u);
}

// With fewer memtables allowed, fewer are merged: a flush must be due before
// writes stop.
TEST_F(SetOptionsTest, MaxWriteBufferNumberBelowTheMerged) {
  options_.write_buffer_size = 64 << 10;
  options_.max_write_buffer_number = 6;
  options_.min_write_buffer_number_to_merge = 4;
  Open();
  PutMany(150, 1000);
  RunJobs();
  ASSERT_EQ(Flushes(), 0u);
  ASSERT_GE(Property("rocksdb.num-immutable-mem-table"), 1u);
  Set({{"max_write_buffer_number", "2"}});
  EXPECT_EQ(db_->GetOptions().min_write_buffer_number_to_merge, 1);
  RunJobs();
  EXPECT_EQ(Flushes(), 1u);
  EXPECT_EQ(Property("rocksdb.num-immutable-mem-table"), 0u);
  PutMany(300, 1000);
  Set({{"max_write_buffer_number", "6"}});
  EXPECT_EQ(db_->GetOptions().min_write_buffer_number_to_merge, 4);
}

TEST_F(SetOptionsTest, CompactionsStart) {
  options_.disable_auto_compactions = true;
  options_.level0_file_num_compaction_trigger = 8;
  Open();
  MakeLevel0Files(5);
  RunJobs();
  EXPECT_EQ(Levels(), "5");
  Set({{"disable_auto_compactions", "false"}});
  RunJobs();
  EXPECT_EQ(Levels(), "5");
  Set({{"level0_file_num_compaction_trigger", "4"}});
  RunJobs();
  EXPECT_EQ(Levels(), "0,1");
  Set({{"disable_auto_compactions", "true"}});
  MakeLevel0Files(5);
  RunJobs();
  EXPECT_EQ(Levels(), "5,1");
}

TEST_F(SetOptionsTest, SizesOfLevelsAndFiles) {
  options_.compression = kNoCompression;
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  WriteTable();
  WriteTable();
  RunJobs();
  EXPECT_EQ(Levels(), "0,1");
  Set({{"target_file_size_base", "10k"}});
  WriteTable();
  WriteTable();
  RunJobs();
  EXPECT_GE(LiveFiles().size(), 4u);
  Set({{"max_bytes_for_level_base", "1k"},
       {"max_bytes_for_level_multiplier", "1000"}});
  RunJobs();
  EXPECT_LE(Levels().substr(0, 3), "0,1") << Levels();
  EXPECT_NE(Levels().find(",", 3), std::string::npos) << "level 2 has files";
}

TEST_F(SetOptionsTest, HowTablesAreWritten) {
  options_.compression = kNoCompression;
  Open();
  WriteTable();
  EXPECT_EQ(NewestTable().compression_name, "NoCompression");
  const uint64_t blocks = NewestTable().num_data_blocks;
  Set({{"compression", "kSnappyCompression"},
       {"block_based_table_factory", "{block_size=512}"},
       {"table_factory.filter_policy", "ribbonfilter:9:0"}});
  WriteTable();
  EXPECT_EQ(NewestTable().compression_name, "Snappy");
  EXPECT_GT(NewestTable().num_data_blocks, 4 * blocks);
  EXPECT_EQ(NewestTable().filter_policy_name, "ribbonfilter");
  Set({{"table_factory.filter_policy", "nullptr"}});
  WriteTable();
  EXPECT_EQ(NewestTable().filter_policy_name, "");
}

TEST_F(SetOptionsTest, CodecsOfLevels) {
  options_.compression = kNoCompression;
  options_.disable_auto_compactions = true;
  Open();
  WriteTable();
  EXPECT_EQ(NewestTable().compression_name, "NoCompression");
  Set({{"compression_per_level", "kSnappyCompression:kNoCompression"}});
  WriteTable();
  EXPECT_EQ(NewestTable().compression_name, "Snappy");
  Compact(/*force=*/true);
  EXPECT_EQ(NewestTable().compression_name, "NoCompression");
  Set({{"bottommost_compression", "kZSTD"},
       {"bottommost_compression_opts", "{enabled=true;max_dict_bytes=1000}"}});
  Compact(/*force=*/true);
  EXPECT_EQ(NewestTable().compression_name, "ZSTD");
  EXPECT_NE(NewestTable().compression_options.find("max_dict_bytes=1000"),
            std::string::npos)
      << NewestTable().compression_options;
}

TEST_F(SetOptionsTest, BytesToCompactDelayAndStopWrites) {
  options_.level0_file_num_compaction_trigger = 2;
  options_.disable_auto_compactions = true;
  Open();
  MakeLevel0Files(3);
  // Due, but no job runs before RunJobs.
  Set({{"disable_auto_compactions", "false"}});
  EXPECT_EQ(Property("rocksdb.actual-delayed-write-rate"), 0u);
  Set({{"soft_pending_compaction_bytes_limit", "1"}});
  EXPECT_GT(Property("rocksdb.actual-delayed-write-rate"), 0u);
  EXPECT_EQ(Property("rocksdb.is-write-stopped"), 0u);
  Set({{"hard_pending_compaction_bytes_limit", "1"}});
  EXPECT_EQ(Property("rocksdb.is-write-stopped"), 1u);
  Set({{"soft_pending_compaction_bytes_limit", "0"},
       {"hard_pending_compaction_bytes_limit", "0"}});
  EXPECT_EQ(Property("rocksdb.is-write-stopped"), 0u);
  EXPECT_EQ(Property("rocksdb.actual-delayed-write-rate"), 0u);
}

// A table of the bottommost level, and one of deletions above it.
TEST_F(SetOptionsTest, TheAgeOfTables) {
  for (const char* option : {"ttl", "periodic_compaction_seconds"}) {
    options_.ttl = 0;
    options_.periodic_compaction_seconds = 0;
    Open();
    PutMany(100);
    Compact();
    const std::string name = LiveFiles()[0].name;
    Delete(Key(3));
    Flush();
    clock_->SleepForMicroseconds(uint64_t{4000} * 1'000'000);
    Put("x", "1");
    Flush();
    RunJobs();
    const std::string reason =
        option == std::string("ttl") ? "reason=age" : "reason=periodic";
    EXPECT_TRUE(LogLines(reason).empty());
    Set({{option, "3600"}});
    RunJobs();
    EXPECT_FALSE(LogLines(reason).empty()) << option;
    Destroy();
  }
}

TEST_F(SetOptionsTest, TheSizesOfTablesAndLevelsBelow) {
  options_.compression = kNoCompression;
  options_.target_file_size_base = 8 << 10;
  options_.level_compaction_dynamic_level_bytes = false;
  options_.disable_auto_compactions = true;
  Open();
  WriteTable();
  CompactRangeOptions down;
  down.change_level = true;
  down.target_level = 2;
  ASSERT_TRUE(db_->CompactRange(down, nullptr, nullptr).ok());
  const size_t before = LiveFiles().size();
  EXPECT_GT(before, 4u);
  Set({{"target_file_size_multiplier", "100"}});
  CompactRangeOptions again;
  again.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_TRUE(db_->CompactRange(again, nullptr, nullptr).ok());
  EXPECT_EQ(LiveFiles().size(), 1u);
}

TEST_F(SetOptionsTest, TheSizeOfAFifoTree) {
  options_.compaction_style = kCompactionStyleFIFO;
  Open();
  MakeLevel0Files(3);
  RunJobs();
  EXPECT_EQ(Levels(), "3");
  Set({{"compaction_options_fifo", "{max_table_files_size=1}"}});
  RunJobs();
  EXPECT_LT(LiveFiles().size(), 3u);
}

TEST_F(SetOptionsTest, TheSpaceOfAUniversalTree) {
  options_.compaction_style = kCompactionStyleUniversal;
  options_.level0_file_num_compaction_trigger = 3;
  options_.compaction_options_universal.max_merge_width = 2;
  options_.compaction_options_universal.max_size_amplification_percent = 100000;
  Open();
  MakeLevel0Files(3);
  RunJobs();
  EXPECT_EQ(LiveFiles().size(), 2u);
  Set({{"compaction_options_universal", "{max_size_amplification_percent=1}"}});
  EXPECT_EQ(db_->GetOptions().compaction_options_universal.max_merge_width, 2u);
  MakeLevel0Files(1);
  RunJobs();
  EXPECT_EQ(LiveFiles().size(), 1u);
}

// Turns compression off at the first entry of a compaction.
class Uncompresser final : public CompactionFilter {
 public:
  explicit Uncompresser(std::unique_ptr<DB>* db) : db_(*db) {}
  const char* Name() const override { return "test.Uncompresser"; }
  bool Filter(int /*level*/, const Slice& /*key*/,
              const Slice& /*existing_value*/, std::string* /*new_value*/,
              bool* /*value_changed*/) const override {
    const Status status = db_->SetOptions({{"compression", "kNoCompression"}});
    EXPECT_TRUE(status.ok()) << status;
    return false;
  }

 private:
  std::unique_ptr<DB>& db_;
};

class CompressionListener final : public EventListener {
 public:
  std::vector<CompressionType> seen;
  void OnCompactionCompleted(DB* /*db*/,
                             const CompactionJobInfo& info) override {
    seen.push_back(info.compression);
  }
};

TEST_F(SetOptionsTest, ListenersAreToldOfTheOptionsOfTheJob) {
  const Uncompresser filter(&db_);
  const auto listener = std::make_shared<CompressionListener>();
  options_.compression = kSnappyCompression;
  options_.compaction_filter = &filter;
  options_.listeners = {listener};
  options_.disable_auto_compactions = true;
  Open();
  MakeLevel0Files(2);
  Compact();
  db_.reset();
  EXPECT_EQ(listener->seen, std::vector<CompressionType>{kSnappyCompression});
}

TEST_F(SetOptionsTest, MaxTotalWalSize) {
  Open();
  PutMany(300, 1000);
  RunJobs();
  EXPECT_EQ(Flushes(), 0u);
  SetDB({{"max_total_wal_size", "100k"}});
  PutMany(10, 1000);
  RunJobs();
  EXPECT_GE(Flushes(), 1u);
}

TEST_F(SetOptionsTest, AnEndedFamilyOrDatabase) {
  Open();
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily({}, "users", &handle).ok());
  ASSERT_TRUE(db_->SetOptions(handle, {{"write_buffer_size", "1M"}}).ok());
  EXPECT_EQ(db_->GetOptions(handle).write_buffer_size, size_t{1} << 20);
  EXPECT_EQ(db_->GetOptions().write_buffer_size, options_.write_buffer_size);
  ASSERT_TRUE(db_->DropColumnFamily(handle).ok());
  EXPECT_TRUE(db_->SetOptions(handle, {{"write_buffer_size", "2M"}})
                  .IsColumnFamilyDropped());
  EXPECT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
  ASSERT_TRUE(db_->Close().ok());
  EXPECT_TRUE(
      db_->SetOptions({{"write_buffer_size", "2M"}}).IsShutdownInProgress());
  EXPECT_TRUE(
      db_->SetDBOptions({{"max_background_jobs", "3"}}).IsShutdownInProgress());
  db_.reset();
  ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &db_).ok());
  EXPECT_TRUE(db_->SetOptions({{"write_buffer_size", "2M"}}).IsNotSupported());
}

// Writes wait because level 0 is full; the calls do not wait for them.
TEST_F(SetOptionsTest, ChangesAreMadeDuringStalls) {
  UseThreads();
  options_.write_buffer_size = 64 << 10;
  options_.level0_file_num_compaction_trigger = 2;
  options_.level0_slowdown_writes_trigger = 2;
  options_.level0_stop_writes_trigger = 2;
  options_.max_bytes_for_level_base = 1;
  Open();
  std::atomic<bool> done{false};
  std::thread writer([&] {
    PutMany(500, 4000);
    done = true;
  });
  for (int n = 0; !done; ++n) {
    ASSERT_TRUE(db_->SetOptions({{"level0_stop_writes_trigger",
                                  std::to_string(3 + n % 30)}})
                    .ok());
  }
  writer.join();
  EXPECT_EQ(Get(Key(0)), Noise(4000, 0));
}

// Notes when a thread waits for the database.
class NotingRunner final : public WrappedJobRunner {
 public:
  using WrappedJobRunner::WrappedJobRunner;
  std::atomic<std::thread::id> watched{};
  std::atomic<bool> waits{false};
  void Wait(std::unique_lock<std::mutex>& lock,
            std::condition_variable& changed,
            const std::function<bool()>& predicate) override {
    if (watched == std::this_thread::get_id() && !predicate()) waits = true;
    WrappedJobRunner::Wait(lock, changed, predicate);
  }
};

// Calls a function before an OPTIONS file is created, and notes when LOCK is
// released.
class WatchedFileSystem final : public WrappedFileSystem {
 public:
  using WrappedFileSystem::WrappedFileSystem;
  std::function<void()> before_options;
  std::atomic<bool> unlocked{false};
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    if (before_options && path.find("OPTIONS-") != std::string::npos) {
      before_options();
    }
    return WrappedFileSystem::NewWritableFile(path, file);
  }
  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* lock) override {
    std::unique_ptr<FileLock> own;
    Status status = WrappedFileSystem::LockFile(path, &own);
    if (status.ok()) {
      *lock = std::make_unique<WatchedLock>(std::move(own), &unlocked);
    }
    return status;
  }

 private:
  class WatchedLock final : public FileLock {
   public:
    WatchedLock(std::unique_ptr<FileLock> lock, std::atomic<bool>* unlocked)
        : lock_(std::move(lock)), unlocked_(*unlocked) {}
    ~WatchedLock() override { unlocked_ = true; }

   private:
    const std::unique_ptr<FileLock> lock_;
    std::atomic<bool>& unlocked_;
  };
};

TEST_F(SetOptionsTest, CloseWaitsForTheFile) {
  const auto fs = std::make_shared<WatchedFileSystem>(fs_);
  const auto runner = std::make_shared<NotingRunner>(NewThreadJobRunner(1, 1));
  options_.file_system = fs;
  options_.job_runner = runner;
  options_.clock = nullptr;
  Open();
  std::thread closer;
  fs->before_options = [&] {
    closer = std::thread([&] {
      runner->watched = std::this_thread::get_id();
      EXPECT_TRUE(db_->Close().ok());
    });
    while (!runner->waits && !fs->unlocked) std::this_thread::yield();
    EXPECT_FALSE(fs->unlocked) << "the file is not written yet";
  };
  Set({{"write_buffer_size", "1M"}});
  closer.join();
  EXPECT_TRUE(fs->unlocked);
}

TEST_F(SetOptionsTest, ReadersAndWritersMeanwhile) {
  UseThreads();
  options_.write_buffer_size = 64 << 10;
  Open();
  Set({{"write_buffer_size", "128k"}, {"max_write_buffer_number", "2"}});
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    while (!stop) {
      const Options options = db_->GetOptions();
      EXPECT_EQ(options.write_buffer_size / 1024,
                static_cast<size_t>(options.max_write_buffer_number) * 64)
          << "both are changed at once";
      std::string value;
      db_->Get(ReadOptions(), Key(1), &value).PermitUncheckedError();
    }
  });
  threads.emplace_back([&] {
    while (!stop) {
      EXPECT_TRUE(db_->SetDBOptions({{"max_background_jobs", "4"}}).ok());
      EXPECT_GE(db_->GetDBOptions().max_background_jobs, 2);
    }
  });
  threads.emplace_back([&] {
    for (int n = 0; !stop; ++n) {
      const int k = 2 + n % 3;
      EXPECT_TRUE(
          db_->SetOptions(
                 {{"write_buffer_size", std::to_string(k * 64) + "k"},
                  {"max_write_buffer_number", std::to_string(k)},
                  {"table_factory.block_size", std::to_string(1024 * k)}})
              .ok());
    }
  });
  PutMany(3000, 500);
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Get(Key(7)), Noise(500, 7));
}

}  // namespace
}  // namespace tamis
