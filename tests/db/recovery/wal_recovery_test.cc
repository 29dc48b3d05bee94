// SPDX-License-Identifier: Apache-2.0
//
// Every kind of fault of a log, in each WALRecoveryMode: the records that an
// open shows, or its error. tests/interop compares the same with RocksDB.
//
// Shows D17 and D18 of docs/durability.md.
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "db/base/file_names.h"
#include "tests/support/databases.h"
#include "tests/support/log_faults.h"
#include "tests/support/simulated_file_system.h"

namespace tamis {

namespace {

using Files = std::map<std::string, std::string>;

constexpr char kDirectory[] = "/db";

Files FilesOf(const LogFault& fault) {
  Files files = RawDatabase();
  for (const auto& [number, bytes] : fault.logs) {
    files[LogFileName("", FileNumber(number)).substr(1)] = bytes;
  }
  return files;
}

// All but the lock and the info log.
Files FilesIn(SimulatedFileSystem* fs,
              const std::string& directory = kDirectory) {
  std::vector<std::string> names;
  Files files;
  if (!fs->GetChildren(directory, &names).ok()) return files;
  for (const std::string& name : names) {
    if (name == "LOCK" || name == "lost" || name.starts_with("LOG")) continue;
    EXPECT_TRUE(fs->GetContents(directory + "/" + name, &files[name]).ok());
  }
  return files;
}

std::string Keys(DB* db) {
  Status status;
  std::string keys;
  for (const auto& [key, value] : ScanForward(db, &status)) keys += key;
  EXPECT_TRUE(status.ok()) << status;
  return keys;
}

class WalRecoveryTest
    : public testing::TestWithParam<std::tuple<LogFault, int>> {
 protected:
  const LogFault& fault() const { return std::get<0>(GetParam()); }
  int mode() const { return std::get<1>(GetParam()); }
  const std::string& expected() const {
    return fault().tamis[static_cast<size_t>(mode())];
  }
  Options OptionsOn(const std::shared_ptr<FileSystem>& fs) const {
    Options options;
    options.file_system = fs;
    options.job_runner = NewDeterministicJobRunner(1);
    options.wal_recovery_mode = static_cast<WALRecoveryMode>(mode());
    return options;
  }
  void ExpectOutcome(const Status& status, DB* db) const {
    if (expected().front() != '!') {
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_EQ(Keys(db), expected());
      return;
    }
    ASSERT_FALSE(status.ok()) << Keys(db);
    EXPECT_EQ(db, nullptr);
    const std::string text = status.ToString();
    EXPECT_NE(text.find(expected().substr(1)), std::string::npos) << text;
    EXPECT_NE(text.find(".log"), std::string::npos) << text;
    EXPECT_NE(text.find("offset "), std::string::npos) << text;
  }
};

TEST_P(WalRecoveryTest, FollowsTheRecoveryModeOrRefuses) {
  const Files files = FilesOf(fault());
  const auto fs = SimulatedFileSystemWith(kDirectory, files);
  std::unique_ptr<DB> db;
  Status status = DB::Open(OptionsOn(fs), kDirectory, &db);
  ASSERT_NO_FATAL_FAILURE(ExpectOutcome(status, db.get()));
  if (!status.ok()) {
    EXPECT_TRUE(FilesIn(fs.get()) == files) << "the refusal changed files";
    EXPECT_TRUE(FilesIn(fs.get(), "/db/lost").empty());
    return;
  }
  // It continues from there, and a strict open finds no fault.
  EXPECT_TRUE(db->Put(WriteOptions(), "9", "new").ok());
  EXPECT_TRUE(db->Close().ok());
  Options strict = OptionsOn(fs);
  strict.wal_recovery_mode = WALRecoveryMode::kAbsoluteConsistency;
  status = DB::Open(strict, kDirectory, &db);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(Keys(db.get()), expected() + "9");
}

TEST_P(WalRecoveryTest, MovesSkippedLogsToLost) {
  const Files files = FilesOf(fault());
  const auto fs = SimulatedFileSystemWith(kDirectory, files);
  std::unique_ptr<DB> db;
  const Status status = DB::Open(OptionsOn(fs), kDirectory, &db);
  if (!status.ok()) return;
  const Files lost = FilesIn(fs.get(), "/db/lost");
  for (const auto& [name, bytes] : lost) {
    EXPECT_TRUE(files.at(name) == bytes) << name;
  }
  if (mode() == static_cast<int>(WALRecoveryMode::kPointInTimeRecovery)) {
    EXPECT_EQ(!lost.empty(), fault().set_aside);
  }
}

TEST_P(WalRecoveryTest, IsTheSameForAReadOnlyOpenWhichChangesNothing) {
  const Files files = FilesOf(fault());
  const auto fs = SimulatedFileSystemWith(kDirectory, files);
  const uint64_t calls = fs->calls();
  std::unique_ptr<DB> db;
  const Status status = DB::OpenForReadOnly(OptionsOn(fs), kDirectory, &db);
  ExpectOutcome(status, db.get());
  db.reset();
  EXPECT_EQ(fs->calls(), calls) << "something was changed";
}

INSTANTIATE_TEST_SUITE_P(Faults, WalRecoveryTest,
                         testing::Combine(testing::ValuesIn(LogFaults()),
                                          testing::Range(0, 4)),
                         NameOfFault);

// A new database in memory, with the family "ahead" and the default one.
struct DatabaseWithAhead {
  DatabaseWithAhead() {
    options.file_system = fs;
    options.job_runner = runner;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    const Status status =
        DB::Open(options, kDirectory, families, &handles, &db);
    EXPECT_TRUE(status.ok()) << status;
  }
  // Returns its files as a crash leaves them.
  Files Crash() {
    for (ColumnFamilyHandle* handle : handles) {
      EXPECT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
    }
    return FilesIn(fs.get());
  }

  const std::shared_ptr<SimulatedFileSystem> fs = NewSimulatedFileSystem();
  const std::shared_ptr<DeterministicJobRunner> runner =
      NewDeterministicJobRunner(1);
  const std::vector<ColumnFamilyDescriptor> families = {{"default", {}},
                                                        {"ahead", {}}};
  Options options;
  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> handles;
};

// Family "ahead" was flushed past a log that is not readable to its end, so
// that no state of the history contains both.
class TableAheadOfLogTest : public testing::TestWithParam<int> {};

TEST_P(TableAheadOfLogTest, IsRefusedInModesThatAllowNoGaps) {
  DatabaseWithAhead database;
  const auto& families = database.families;
  auto& handles = database.handles;
  DB* const db = database.db.get();
  const auto put = [&](size_t family, const char* key) {
    ASSERT_TRUE(db->Put(WriteOptions(), handles[family], key, "v").ok());
  };
  put(0, "1");
  put(1, "a");
  put(0, "2");
  ASSERT_TRUE(db->Flush(FlushOptions(), handles[1]).ok());
  put(1, "b");
  // The older log lost its end.
  Files files = database.Crash();
  std::string* older = nullptr;
  for (auto& [name, bytes] : files) {
    if (name.ends_with(".log") && older == nullptr) older = &bytes;
  }
  ASSERT_NE(older, nullptr);
  constexpr size_t kMarker = 19;
  ASSERT_GT(older->size(), kMarker);
  older->resize(older->size() - kMarker - 3);

  const auto damaged = SimulatedFileSystemWith(kDirectory, files);
  Options reopened;
  reopened.file_system = damaged;
  reopened.job_runner = NewDeterministicJobRunner(1);
  reopened.wal_recovery_mode = static_cast<WALRecoveryMode>(GetParam());
  std::unique_ptr<DB> again;
  const Status status =
      DB::Open(reopened, kDirectory, families, &handles, &again);
  const bool refuses =
      GetParam() == static_cast<int>(WALRecoveryMode::kAbsoluteConsistency) ||
      GetParam() == static_cast<int>(WALRecoveryMode::kPointInTimeRecovery);
  ASSERT_EQ(status.IsCorruption(), refuses) << status;
  if (refuses) {
    EXPECT_NE(status.message().find(".log"), std::string::npos) << status;
    EXPECT_TRUE(FilesIn(damaged.get()) == files);
    return;
  }
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(Keys(again.get()), "1");
  std::string value;
  for (const char* key : {"a", "b"}) {
    EXPECT_TRUE(again->Get(ReadOptions(), handles[1], key, &value).ok()) << key;
  }
  for (ColumnFamilyHandle* handle : handles) {
    EXPECT_TRUE(again->DestroyColumnFamilyHandle(handle).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, TableAheadOfLogTest, testing::Range(0, 4));

// As above, but the log that follows the damaged one has the next file number:
// the tables of "ahead" were written while both logs were there.
TEST(TableAheadOfNextLogTest, IsRefused) {
  DatabaseWithAhead database;
  const auto& families = database.families;
  auto& handles = database.handles;
  DB* const db = database.db.get();
  FlushOptions later;
  later.wait = false;
  later.allow_write_stall = true;
  for (const char* key : {"1", "2"}) {
    ASSERT_TRUE(db->Put(WriteOptions(), handles[0], key, "v").ok());
    ASSERT_TRUE(db->Put(WriteOptions(), handles[1], key, "v").ok());
    ASSERT_TRUE(db->Flush(later, handles[1]).ok());
  }
  database.runner->RunUntilIdle();
  // The second log lost its end.
  Files files = database.Crash();
  std::vector<FileNumber> logs;
  for (const auto& [name, bytes] : files) {
    const auto file = ParseFileName(name);
    if (file && file->type == FileKind::kLog) logs.push_back(file->number);
  }
  ASSERT_EQ(logs.size(), 3U);
  ASSERT_EQ(logs[2], logs[1].Next());
  std::string& second = files[LogFileName("", logs[1]).substr(1)];
  constexpr size_t kMarker = 19;
  second.resize(second.size() - kMarker - 3);

  Options options = database.options;
  options.file_system = SimulatedFileSystemWith(kDirectory, files);
  std::unique_ptr<DB> again;
  const Status status =
      DB::Open(options, kDirectory, families, &handles, &again);
  EXPECT_TRUE(status.IsCorruption()) << status;
  for (ColumnFamilyHandle* handle : handles) delete handle;
}

}  // namespace
}  // namespace tamis
