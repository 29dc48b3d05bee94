// SPDX-License-Identifier: Apache-2.0
//
// DBOptions::wal_dir: logs, their archive and lost ones are in a directory of
// their own. It serves one database, and no log is overlooked elsewhere.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/convenience.h"
#include "tamis/utilities/checkpoint.h"
#include "tamis/utilities/options_util.h"

#include "tests/db/test_db.h"
#include "tests/support/wrapped_file_system.h"

namespace tamis {
namespace {

// Fails to read, and to create, OPTIONS files while told to.
class NoOptionsFileSystem final : public WrappedFileSystem {
 public:
  using WrappedFileSystem::WrappedFileSystem;
  bool fails_reads = false;
  bool fails_writes = false;
  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    if (fails_reads && path.find("OPTIONS-") != std::string::npos) {
      return Status::IOError(path, "refused");
    }
    return WrappedFileSystem::NewSequentialFile(path, file);
  }
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    if (fails_writes && path.find("OPTIONS-") != std::string::npos) {
      return Status::IOError(path, "refused");
    }
    return WrappedFileSystem::NewWritableFile(path, file);
  }
};

const std::string kLogs = "/disk/logs";
const std::string kOther = "/disk/other";

class WalDirTest : public DBTest {
 protected:
  WalDirTest() {
    EXPECT_TRUE(fs_->CreateDirIfMissing("/disk").ok());
    options_.wal_dir = kLogs;
  }

  // Names that end like this, sorted; empty if there is no directory.
  std::vector<std::string> NamesIn(const std::string& directory,
                                   const std::string& suffix) {
    std::vector<std::string> names;
    fs_->GetChildren(directory, &names).PermitUncheckedError();
    std::erase_if(names, [&](const std::string& name) {
      return !name.ends_with(suffix);
    });
    std::sort(names.begin(), names.end());
    return names;
  }
  std::vector<std::string> LogsIn(const std::string& directory) {
    return NamesIn(directory, ".log");
  }
  std::string NewestOptionsFile() {
    std::vector<std::string> names = NamesIn(kTestDirectory, "");
    std::erase_if(names, [](const std::string& name) {
      return !name.starts_with("OPTIONS-");
    });
    return names.empty() ? "" : names.back();
  }
  void MoveLogs(const std::string& from, const std::string& to) {
    EXPECT_EQ(fs_->CreateDirIfMissing(to), Status::OK());
    for (const std::string& name : LogsIn(from)) {
      EXPECT_EQ(fs_->RenameFile(from + "/" + name, to + "/" + name),
                Status::OK());
    }
  }
  void Write(const std::string& path, const std::string& bytes) {
    EXPECT_EQ(WriteStringToFile(fs_.get(), bytes, path, /*sync=*/true),
              Status::OK());
  }
  // The open fails with an error that has these words.
  void ExpectRefused(const std::vector<std::string>& words) {
    const Status status = TryOpen();
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    for (const std::string& word : words) {
      EXPECT_NE(status.message().find(word), std::string::npos)
          << status << " lacks " << word;
    }
  }
  void CutPowerAndRestart() {
    fs_->CutPower();
    db_.reset();
    fs_->Restart(301, CrashStyle::kDropAll);
  }
  void SyncedPut(const std::string& key, const std::string& value) {
    WriteOptions sync;
    sync.sync = true;
    EXPECT_EQ(db_->Put(sync, key, value), Status::OK());
  }
};

TEST_F(WalDirTest, LogsAreThereAndNowhereElse) {
  Open();
  Put("a", "1");
  EXPECT_EQ(LogsIn(kLogs), std::vector<std::string>{CurrentLog()});
  Flush();
  Put("b", "2");
  EXPECT_EQ(LogsIn(kLogs), std::vector<std::string>{CurrentLog()});
  EXPECT_TRUE(LogsIn(kTestDirectory).empty());
  EXPECT_TRUE(NamesIn(kLogs, ".sst").empty());
  Reopen();
  EXPECT_EQ(Contents(), "a=1 b=2");
  EXPECT_TRUE(LogsIn(kTestDirectory).empty());
}

TEST_F(WalDirTest, SlashesAndTheDatabasesOwnNameMakeNoDifference) {
  options_.wal_dir = std::string(kTestDirectory) + "//";
  Open();
  EXPECT_EQ(db_->GetDBOptions().wal_dir, "");
  Put("a", "1");
  EXPECT_EQ(LogsIn(kTestDirectory).size(), 1u);
  db_.reset();
  options_.wal_dir = "//disk//logs/";
  MoveLogs(kTestDirectory, kLogs);
  Open();
  EXPECT_EQ(db_->GetDBOptions().wal_dir, kLogs);
  EXPECT_EQ(Contents(), "a=1");
}

TEST_F(WalDirTest, IsRecordedInTheOptionsFile) {
  Open();
  db_.reset();
  ConfigOptions config;
  config.file_system = fs_;
  DBOptions loaded;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_EQ(LoadLatestOptions(config, kTestDirectory, &loaded, &families),
            Status::OK());
  EXPECT_EQ(loaded.wal_dir, kLogs);
  Options parsed;
  ASSERT_EQ(GetOptionsFromString(Options(), "wal_dir=/x y", &parsed),
            Status::OK());
  EXPECT_EQ(parsed.wal_dir, "/x y");
}

// The sync of the database's directory does not make the log's name durable.
TEST_F(WalDirTest, SyncedWritesSurviveAPowerCut) {
  Open();
  SyncedPut("a", "1");
  CutPowerAndRestart();
  Open();
  SyncedPut("b", "2");
  Flush();
  SyncedPut("c", "3");
  CutPowerAndRestart();
  Open();
  SyncedPut("d", "4");
  CutPowerAndRestart();
  Open();
  EXPECT_EQ(Contents(), "a=1 b=2 c=3 d=4");
}

// The parent may belong to another user, once the directory is in use.
TEST_F(WalDirTest, TheParentMustSyncOnlyForANewDirectory) {
  class NoSyncOfParent final : public WrappedFileSystem {
   public:
    using WrappedFileSystem::WrappedFileSystem;
    bool fails = true;
    Status SyncDirectory(const std::string& path) override {
      if (fails && path == "/disk") return Status::IOError(path, "refused");
      return WrappedFileSystem::SyncDirectory(path);
    }
  };
  const auto fs = std::make_shared<NoSyncOfParent>(fs_);
  options_.file_system = fs;
  EXPECT_TRUE(TryOpen().IsIOError());
  EXPECT_TRUE(TryOpen().IsIOError()) << "it is still without IDENTITY";
  fs->fails = false;
  Open();
  fs->fails = true;
  Reopen();
}

TEST_F(WalDirTest, ReadOnlyOpensReadIt) {
  Open();
  Put("a", "1");
  db_.reset();
  ASSERT_EQ(DB::OpenForReadOnly(options_, kTestDirectory, &db_), Status::OK());
  EXPECT_EQ(Contents(), "a=1");
  db_.reset();
  options_.wal_dir = kOther;
  const Status status = DB::OpenForReadOnly(options_, kTestDirectory, &db_);
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find(kOther + " does not exist"),
            std::string::npos);
  EXPECT_FALSE(fs_->FileExists(kOther).ok());
}

TEST_F(WalDirTest, ArchivedLogsAreReadThere) {
  options_.WAL_size_limit_MB = 100;
  Open();
  Put("a", "1");
  const std::string first = CurrentLog();
  Flush();
  RunJobs();
  Put("b", "2");
  EXPECT_EQ(LogsIn(kLogs + "/archive"), std::vector<std::string>{first});
  EXPECT_FALSE(fs_->FileExists(std::string(kTestDirectory) + "/archive").ok());
  VectorLogPtr logs;
  ASSERT_EQ(db_->GetSortedWalFiles(logs), Status::OK());
  ASSERT_EQ(logs.size(), 2u);
  for (const auto& log : logs) {
    EXPECT_EQ(fs_->FileExists(kLogs + log->PathName()), Status::OK());
  }
  std::unique_ptr<TransactionLogIterator> updates;
  ASSERT_EQ(db_->GetUpdatesSince(1, &updates), Status::OK());
  int batches = 0;
  for (; updates->Valid(); updates->Next()) ++batches;
  EXPECT_EQ(batches, 2);
  updates.reset();
  logs.clear();
  Reopen();
  EXPECT_EQ(LogsIn(kLogs + "/archive").front(), first);
}

TEST_F(WalDirTest, LiveFilesSayWhereLogsAre) {
  Open();
  Put("a", "1");
  std::vector<LiveFileStorageInfo> files;
  LiveFilesStorageInfoOptions options;
  options.wal_size_for_flush = UINT64_MAX;
  ASSERT_EQ(db_->GetLiveFilesStorageInfo(options, &files), Status::OK());
  int logs = 0;
  for (const LiveFileStorageInfo& file : files) {
    const bool log = file.file_type == kWalFile;
    logs += log ? 1 : 0;
    EXPECT_EQ(file.directory, log ? kLogs : kTestDirectory);
  }
  EXPECT_EQ(logs, 1);
}

TEST_F(WalDirTest, ACheckpointIsCompleteByItself) {
  Open();
  Put("a", "1");
  std::unique_ptr<Checkpoint> checkpoint;
  ASSERT_EQ(Checkpoint::Create(db_.get(), &checkpoint), Status::OK());
  ASSERT_EQ(checkpoint->CreateCheckpoint("/parent/copy", UINT64_MAX),
            Status::OK());
  EXPECT_EQ(LogsIn("/parent/copy").size(), 1u);
  db_.reset();
  ConfigOptions config;
  config.file_system = fs_;
  DBOptions loaded;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_EQ(LoadLatestOptions(config, "/parent/copy", &loaded, &families),
            Status::OK());
  EXPECT_EQ(loaded.wal_dir, "");
  options_.wal_dir.clear();
  ASSERT_EQ(DB::Open(options_, "/parent/copy", &db_), Status::OK());
  EXPECT_EQ(Contents(), "a=1");
}

TEST_F(WalDirTest, LogsLeftInTheDatabasesDirectoryAreNotOverlooked) {
  options_.wal_dir.clear();
  Open();
  Put("a", "1");
  const std::string log = CurrentLog();
  db_.reset();
  options_.wal_dir = kLogs;
  ExpectRefused({"wal_dir", log, kTestDirectory, kLogs, "move"});
  EXPECT_FALSE(DB::OpenForReadOnly(options_, kTestDirectory, &db_).ok());
  // Nothing was changed.
  options_.wal_dir.clear();
  Open();
  EXPECT_EQ(Contents(), "a=1");
  Put("b", "2");
  db_.reset();
  options_.wal_dir = kLogs;
  ExpectRefused({"wal_dir"});
  MoveLogs(kTestDirectory, kLogs);
  Open();
  EXPECT_EQ(Contents(), "a=1 b=2");
}

TEST_F(WalDirTest, LogsThatWereCopiedAreNoHindrance) {
  options_.wal_dir.clear();
  Open();
  Put("a", "1");
  const std::string log = CurrentLog();
  db_.reset();
  std::string bytes;
  ASSERT_EQ(fs_->GetContents(std::string(kTestDirectory) + "/" + log, &bytes),
            Status::OK());
  ASSERT_EQ(fs_->CreateDirIfMissing(kLogs), Status::OK());
  Write(kLogs + "/" + log, bytes);
  options_.wal_dir = kLogs;
  Open();
  EXPECT_EQ(Contents(), "a=1");
  EXPECT_TRUE(LogsIn(kTestDirectory).empty());
}

TEST_F(WalDirTest, LogsInTheDirectoryUsedBeforeAreNotOverlooked) {
  Open();
  Put("a", "1");
  const std::string log = CurrentLog();
  db_.reset();
  options_.wal_dir = kOther;
  ExpectRefused({"wal_dir", kLogs + "/" + log, kOther});
  options_.wal_dir.clear();
  ExpectRefused({"wal_dir", kLogs + "/" + log, kTestDirectory});
  MoveLogs(kLogs, kTestDirectory);
  Open();
  EXPECT_EQ(Contents(), "a=1");
  // It is recorded now that logs are here, and /disk/logs no longer counts.
  Put("b", "2");
  db_.reset();
  Write(kLogs + "/999999.log", "x");
  Open();
  EXPECT_EQ(Contents(), "a=1 b=2");
}

// The file may name the directory of acknowledged writes.
TEST_F(WalDirTest, AnUnreadableRecordIsNotTakenForNone) {
  const auto fs = std::make_shared<NoOptionsFileSystem>(fs_);
  options_.file_system = fs;
  Open();
  Put("a", "1");
  db_.reset();
  options_.wal_dir.clear();
  fs->fails_reads = true;
  for (const Status& status :
       {TryOpen(), DB::OpenForReadOnly(options_, kTestDirectory, &db_),
        RepairDB(kTestDirectory, options_)}) {
    EXPECT_TRUE(status.IsIOError()) << status;
    for (const char* word : {"OPTIONS-", "wal_dir", "refused"}) {
      EXPECT_NE(status.ToString().find(word), std::string::npos) << status;
    }
  }
  fs->fails_reads = false;
  // Damage elsewhere in the file hides nothing.
  const std::string path =
      std::string(kTestDirectory) + "/" + NewestOptionsFile();
  std::string text;
  ASSERT_EQ(fs_->GetContents(path, &text), Status::OK());
  Write(path, "[Damaged\n" + text);
  ExpectRefused({"wal_dir", kLogs});
  options_.wal_dir = kLogs;
  Open();
  EXPECT_EQ(Contents(), "a=1");
}

TEST_F(WalDirTest, AnOpenThatCannotRecordItFails) {
  const auto fs = std::make_shared<NoOptionsFileSystem>(fs_);
  options_.file_system = fs;
  fs->fails_writes = true;
  EXPECT_TRUE(TryOpen().IsIOError());
  fs->fails_writes = false;
  Open();
  Put("a", "1");
  db_.reset();
  MoveLogs(kLogs, kTestDirectory);
  options_.wal_dir.clear();
  fs->fails_writes = true;
  EXPECT_TRUE(TryOpen().IsIOError());
  fs->fails_writes = false;
  Open();
  EXPECT_EQ(Contents(), "a=1");
}

TEST_F(WalDirTest, AFailureKeepsTheRecord) {
  const auto fs = std::make_shared<NoOptionsFileSystem>(fs_);
  options_.file_system = fs;
  Open();
  fs->fails_writes = true;
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_EQ(db_->CreateColumnFamily({}, "users", &handle), Status::OK());
  EXPECT_EQ(db_->DestroyColumnFamilyHandle(handle), Status::OK());
  std::string text;
  ASSERT_EQ(fs_->GetContents(
                std::string(kTestDirectory) + "/" + NewestOptionsFile(), &text),
            Status::OK());
  EXPECT_NE(text.find("wal_dir=" + kLogs), std::string::npos) << text;
}

// As a file system that is not mounted.
TEST_F(WalDirTest, AnEmptyDirectoryIsNotTakenForTheOneUsedBefore) {
  Open();
  Put("a", "1");
  db_.reset();
  MoveLogs(kLogs, kOther);
  EXPECT_EQ(fs_->RemoveFile(kLogs + "/IDENTITY"), Status::OK());
  ExpectRefused({"wal_dir", kLogs, "mount", "without wal_dir"});
  MoveLogs(kOther, kLogs);
  Open();
  EXPECT_EQ(Contents(), "a=1");
}

TEST_F(WalDirTest, LogsOfAnotherDatabaseAreNotTaken) {
  Open();
  Put("a", "1");
  db_.reset();
  // A new database.
  const Status fresh = DB::Open(options_, "/parent/second", &db_);
  EXPECT_TRUE(fresh.IsInvalidArgument()) << fresh;
  EXPECT_NE(fresh.message().find("another"), std::string::npos) << fresh;
  // One that exists.
  options_.wal_dir.clear();
  ASSERT_EQ(DB::Open(options_, "/parent/second", &db_), Status::OK());
  db_.reset();
  options_.wal_dir = kLogs;
  const Status second = DB::Open(options_, "/parent/second", &db_);
  EXPECT_TRUE(second.IsInvalidArgument()) << second;
  EXPECT_NE(second.message().find(kLogs + "/IDENTITY"), std::string::npos);
  const Status destroyed = DestroyDB("/parent/second", options_);
  EXPECT_TRUE(destroyed.IsInvalidArgument()) << destroyed;
  EXPECT_EQ(fs_->FileExists("/parent/second/CURRENT"), Status::OK());
  Open();
  EXPECT_EQ(Contents(), "a=1");
}

// As RocksDB's DestroyDB leaves it.
TEST_F(WalDirTest, AnOwnerWithoutLogsIsNone) {
  options_.wal_dir.clear();
  Open();
  db_.reset();
  EXPECT_EQ(fs_->CreateDirIfMissing(kLogs), Status::OK());
  Write(kLogs + "/IDENTITY", "another");
  options_.wal_dir = kLogs;
  Open();
  Reopen();
  std::string owner;
  EXPECT_EQ(fs_->GetContents(kLogs + "/IDENTITY", &owner), Status::OK());
  std::string id;
  EXPECT_EQ(db_->GetDbIdentity(&id), Status::OK());
  EXPECT_EQ(owner, id);
  Destroy();
  EXPECT_EQ(fs_->CreateDirIfMissing(kLogs), Status::OK());
  Write(kLogs + "/IDENTITY", "another");
  Open();
  Reopen();
}

TEST_F(WalDirTest, ServesOneOpenDatabase) {
  Open();
  std::unique_ptr<DB> second;
  EXPECT_TRUE(DB::Open(options_, "/parent/second", &second).IsIOError());
  // Without logs, and without an owner to tell.
  db_.reset();
  EXPECT_EQ(DB::Open(options_, kTestDirectory, &second), Status::OK());
}

TEST_F(WalDirTest, ADirectoryOfADatabaseIsRefused) {
  options_.wal_dir.clear();
  ASSERT_EQ(DB::Open(options_, "/parent/second", &db_), Status::OK());
  db_.reset();
  options_.wal_dir = "/parent/second";
  ExpectRefused({"wal_dir", "/parent/second", "directory of a database"});
}

TEST_F(WalDirTest, RepairReadsItsLogs) {
  Open();
  Put("a", "1");
  Flush();
  Put("b", "2");
  db_.reset();
  ASSERT_EQ(fs_->RemoveFile(std::string(kTestDirectory) + "/CURRENT"),
            Status::OK());
  ASSERT_EQ(RepairDB(kTestDirectory, options_), Status::OK());
  EXPECT_TRUE(LogsIn(kLogs).empty());
  EXPECT_EQ(LogsIn(kLogs + "/lost").size(), 1u);
  Open();
  EXPECT_EQ(Contents(), "a=1 b=2");
}

// Its logs must not be called those of another database.
TEST_F(WalDirTest, AMissingCurrentIsNoNewDatabase) {
  Open();
  Put("a", "1");
  db_.reset();
  ASSERT_EQ(fs_->RemoveFile(std::string(kTestDirectory) + "/CURRENT"),
            Status::OK());
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find("repair"), std::string::npos) << status;
}

TEST_F(WalDirTest, RepairOverlooksNoLog) {
  Open();
  Put("a", "1");
  db_.reset();
  options_.wal_dir.clear();
  const Status status = RepairDB(kTestDirectory, options_);
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find(kLogs), std::string::npos) << status;
}

TEST_F(WalDirTest, DestroyRemovesWhatIsTheDatabases) {
  options_.WAL_size_limit_MB = 100;
  Open();
  Put("a", "1");
  Flush();
  RunJobs();
  db_.reset();
  Destroy();
  EXPECT_TRUE(fs_->FileExists(kLogs).IsPathNotFound());
  EXPECT_TRUE(fs_->FileExists(kTestDirectory).IsPathNotFound());
  Open();
  db_.reset();
  Write(kLogs + "/notes.txt", "x");
  Destroy();
  std::vector<std::string> left;
  EXPECT_EQ(fs_->GetChildren(kLogs, &left), Status::OK());
  EXPECT_EQ(left, std::vector<std::string>{"notes.txt"});
}

// A log with records that recovery dropped is kept beside the others.
TEST_F(WalDirTest, DamagedLogsGoToLostThere) {
  Open();
  Put("a", "1");
  Put("b", "2");
  const std::string log = CurrentLog();
  fs_->CutPower();
  db_.reset();
  fs_->Restart(1, CrashStyle::kKeepAll);
  std::string bytes;
  ASSERT_EQ(fs_->GetContents(kLogs + "/" + log, &bytes), Status::OK());
  bytes[bytes.size() / 2 + 12] ^= 1;
  ASSERT_EQ(fs_->SetContents(kLogs + "/" + log, bytes), Status::OK());
  Open();
  EXPECT_EQ(Contents(), "a=1");
  EXPECT_EQ(LogsIn(kLogs + "/lost"), std::vector<std::string>{log});
}

}  // namespace
}  // namespace tamis
