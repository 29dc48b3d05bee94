// SPDX-License-Identifier: Apache-2.0
//
// A database for tests: in memory, on one thread, with a clock that the test
// controls. Background work runs when a call waits for it, and in RunJobs.
#pragma once

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/perf_context.h"
#include "tamis/transaction_log.h"

#include "tests/support/simulated_file_system.h"
#include "util/base/fake_clock.h"

namespace tamis {

inline std::string Key(int i) {
  char text[16];
  std::snprintf(text, sizeof(text), "key%06d", i);
  return text;
}

// `n` bytes that differ with the seed and do not compress.
inline std::string Noise(size_t n, uint64_t seed) {
  std::string bytes(n, '\0');
  uint64_t x = seed * 0x9e3779b97f4a7c15 + 1;
  for (char& c : bytes) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    c = static_cast<char>(x >> 32);
  }
  return bytes;
}

inline const char* kTestDirectory = "/parent/db";

class DBTest : public testing::Test {
 protected:
  DBTest()
      : fs_(NewSimulatedFileSystem()),
        clock_(std::make_shared<FakeClock>()),
        runner_(NewDeterministicJobRunner(301)) {
    EXPECT_TRUE(fs_->CreateDirIfMissing("/parent").ok());
    options_.create_if_missing = true;
    options_.file_system = fs_;
    options_.clock = clock_;
    options_.job_runner = runner_;
    options_.statistics = CreateDBStatistics();
    // Levels fill from level 1 down, one file after the other.
    options_.level_compaction_dynamic_level_bytes = false;
    options_.compaction_pri = kRoundRobin;
  }
  ~DBTest() override { db_.reset(); }

  Status TryOpen() { return DB::Open(options_, kTestDirectory, &db_); }
  void Open() {
    const Status status = TryOpen();
    ASSERT_TRUE(status.ok()) << status;
  }
  void Reopen() {
    db_.reset();
    Open();
  }
  void Destroy() {
    db_.reset();
    const Status status = DestroyDB(kTestDirectory, options_);
    ASSERT_TRUE(status.ok()) << status;
  }
  // Background work runs on threads, by the system's clock. Call before Open.
  void UseThreads() {
    options_.job_runner = nullptr;
    options_.clock = nullptr;
  }
  void SetTable(const BlockBasedTableOptions& table) {
    options_.table_factory.reset(NewBlockBasedTableFactory(table));
  }

  void Put(const Slice& key, const Slice& value) {
    const Status status = db_->Put(WriteOptions(), key, value);
    ASSERT_TRUE(status.ok()) << status;
  }
  // Puts Noise under Key(0) up to Key(n - 1).
  void PutMany(int n, size_t value_bytes = 100) {
    for (int i = 0; i < n; ++i) {
      Put(Key(i), Noise(value_bytes, static_cast<uint64_t>(i)));
    }
  }
  void Delete(const Slice& key) {
    const Status status = db_->Delete(WriteOptions(), key);
    ASSERT_TRUE(status.ok()) << status;
  }
  void SingleDelete(const Slice& key) {
    const Status status = db_->SingleDelete(WriteOptions(), key);
    ASSERT_TRUE(status.ok()) << status;
  }
  void DeleteRange(const Slice& begin, const Slice& end) {
    const Status status = db_->DeleteRange(WriteOptions(), begin, end);
    ASSERT_TRUE(status.ok()) << status;
  }
  void Merge(const Slice& key, const Slice& operand) {
    const Status status = db_->Merge(WriteOptions(), key, operand);
    ASSERT_TRUE(status.ok()) << status;
  }
  void Flush() {
    FlushOptions options;
    options.allow_write_stall = true;  // tests make states in which writes do
    const Status status = db_->Flush(options);
    ASSERT_TRUE(status.ok()) << status;
  }
  // Makes n tables of level 0, which all overlap.
  void MakeLevel0Files(int n) {
    for (int i = 0; i < n; ++i) {
      Put("a", std::to_string(i));
      Put("z", std::to_string(i));
      Flush();
    }
  }
  void Compact(bool force = false) {
    CompactRangeOptions options;
    if (force) {
      options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    }
    const Status status = db_->CompactRange(options, nullptr, nullptr);
    ASSERT_TRUE(status.ok()) << status;
  }
  void RunJobs() { runner_->RunUntilIdle(); }
  // The name of the log that is written now: "000004.log".
  std::string CurrentLog() {
    std::unique_ptr<LogFile> log;
    EXPECT_EQ(db_->GetCurrentWalFile(&log), Status::OK());
    return log == nullptr ? "" : log->PathName().substr(1);
  }
  // Puts the key. Its record is in the log, but the sync of the log fails.
  void FailSyncedPut(const Slice& key) {
    const std::string log = CurrentLog();
    fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
      return call.operation == "sync" && call.path.ends_with(log)
                 ? Status::IOError(call.path, "no sync")
                 : Status::OK();
    });
    WriteOptions sync;
    sync.sync = true;
    EXPECT_TRUE(db_->Put(sync, key, "1").IsIOError());
    fs_->SetFaultHook(nullptr);
  }

  // The value, "NOT_FOUND", or the error.
  std::string Get(const Slice& key, const Snapshot* snapshot = nullptr) {
    ReadOptions options;
    options.snapshot = snapshot;
    std::string value;
    const Status status = db_->Get(options, key, &value);
    if (status.ok()) return value;
    return status.IsNotFound() ? "NOT_FOUND" : status.ToString();
  }

  // Of Key(0) up to Key(keys), each reads as the model has it.
  void ExpectReadsAs(const std::map<std::string, std::string>& model,
                     uint64_t keys) {
    for (uint64_t i = 0; i < keys; ++i) {
      const std::string key = Key(static_cast<int>(i));
      const auto found = model.find(key);
      ASSERT_EQ(Get(key), found == model.end() ? "NOT_FOUND" : found->second)
          << key;
    }
  }

  std::string ContentsAt(const Snapshot* snapshot) {
    ReadOptions options;
    options.snapshot = snapshot;
    return Contents(options);
  }

  // "a=1 b=2", by scans in both directions, or the error.
  std::string Contents(const ReadOptions& options = ReadOptions()) {
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    std::vector<std::string> forward;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      forward.push_back(it->key().ToString() + "=" + it->value().ToString());
    }
    if (!it->status().ok()) return it->status().ToString();
    std::vector<std::string> backward;
    for (it->SeekToLast(); it->Valid(); it->Prev()) {
      backward.push_back(it->key().ToString() + "=" + it->value().ToString());
    }
    if (!it->status().ok()) return it->status().ToString();
    std::reverse(backward.begin(), backward.end());
    EXPECT_EQ(forward, backward);
    std::string text;
    for (const std::string& entry : forward) {
      text += (text.empty() ? "" : " ") + entry;
    }
    return text;
  }

  uint64_t Property(const std::string& name) {
    uint64_t value = 0;
    EXPECT_TRUE(db_->GetIntProperty(name, &value)) << name;
    return value;
  }
  // Files per level, trailing zeros left out: "2,0,1".
  std::string Levels() {
    std::string text;
    std::string pending;
    for (int level = 0; level < 7; ++level) {
      std::string count;
      EXPECT_TRUE(db_->GetProperty(
          DB::Properties::kNumFilesAtLevelPrefix + std::to_string(level),
          &count));
      pending += (level == 0 ? "" : ",") + count;
      if (count != "0") text = pending;
    }
    return text;
  }
  std::vector<LiveFileMetaData> LiveFiles() {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    return files;
  }
  uint64_t LiveBytes() {
    uint64_t bytes = 0;
    for (const auto& file : LiveFiles()) bytes += file.size;
    return bytes;
  }
  // Of all live tables, by file name.
  std::map<std::string, TableProperties> Tables() {
    TablePropertiesCollection collection;
    const Status status = db_->GetPropertiesOfAllTables(&collection);
    EXPECT_TRUE(status.ok()) << status;
    std::map<std::string, TableProperties> tables;
    for (const auto& [name, properties] : collection) {
      tables[name] = *properties;
    }
    return tables;
  }
  // Of the only live table.
  TableProperties OnlyTable() {
    const auto tables = Tables();
    EXPECT_EQ(tables.size(), 1u);
    return tables.empty() ? TableProperties() : tables.begin()->second;
  }
  uint64_t Tick(Tickers ticker) {
    return options_.statistics->getTickerCount(ticker);
  }

  // Names in the directory that end like this, sorted.
  std::vector<std::string> FilesEndingIn(const std::string& suffix) {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
    std::erase_if(names, [&](const std::string& name) {
      return !name.ends_with(suffix);
    });
    std::sort(names.begin(), names.end());
    return names;
  }
  size_t TablesOnDisk() { return FilesEndingIn(".sst").size(); }
  // The lines of LOG that hold the text.
  std::vector<std::string> LogLines(const std::string& with) {
    std::string text;
    EXPECT_TRUE(
        fs_->GetContents(std::string(kTestDirectory) + "/LOG", &text).ok());
    std::vector<std::string> lines;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = text.find('\n', begin);
      const std::string line = text.substr(begin, end - begin);
      if (line.find(with) != std::string::npos) lines.push_back(line);
      if (end == std::string::npos) break;
      begin = end + 1;
    }
    return lines;
  }

  const std::shared_ptr<SimulatedFileSystem> fs_;
  const std::shared_ptr<FakeClock> clock_;
  const std::shared_ptr<DeterministicJobRunner> runner_;
  Options options_;
  std::unique_ptr<DB> db_;
};

}  // namespace tamis
