// SPDX-License-Identifier: Apache-2.0
//
// WAL_ttl_seconds and WAL_size_limit_MB: logs that no family needs any more are
// kept in archive/, until they are old or too large together.
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/checkpoint.h"

#include "tests/db/test_db.h"
#include "tests/support/directories.h"
#include "tests/support/wrapped_file_system.h"
#include "tests/support/wrapped_job_runner.h"

namespace tamis {
namespace {

const std::string kArchive = std::string(kTestDirectory) + "/archive";

// A file is written when it is created, by the clock of the test.
class TimedFileSystem final : public WrappedFileSystem {
 public:
  TimedFileSystem(std::shared_ptr<FileSystem> base,
                  std::shared_ptr<Clock> clock)
      : WrappedFileSystem(std::move(base)), clock_(std::move(clock)) {}
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    seconds_[path] = clock_->NowMicros() / 1'000'000;
    return WrappedFileSystem::NewWritableFile(path, file);
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    seconds_[to] = seconds_[from];
    return WrappedFileSystem::RenameFile(from, to);
  }
  Status GetFileModificationTime(const std::string& path,
                                 uint64_t* seconds) override {
    const auto found = seconds_.find(path);
    if (found == seconds_.end()) return Status::PathNotFound(path);
    *seconds = found->second;
    return Status::OK();
  }

 private:
  const std::shared_ptr<Clock> clock_;
  std::map<std::string, uint64_t> seconds_;
};

class WalArchiveTest : public DBTest {
 protected:
  WalArchiveTest() { options_.WAL_size_limit_MB = 100; }

  // Sorted; empty if there is no archive.
  std::vector<std::string> Archived() {
    std::vector<std::string> names;
    fs_->GetChildren(kArchive, &names).PermitUncheckedError();
    std::sort(names.begin(), names.end());
    return names;
  }
  // Returns the name of the log that the write went to and that is obsolete
  // now.
  std::string WriteAndFlush(size_t bytes = 10) {
    std::string name = CurrentLog();
    Put("key", Noise(bytes, 301));
    Flush();
    RunJobs();
    return name;
  }
  void UseTimes() {
    options_.WAL_size_limit_MB = 0;
    options_.WAL_ttl_seconds = 100;
    options_.file_system = std::make_shared<TimedFileSystem>(fs_, clock_);
  }
  void Pass(uint64_t seconds) {
    clock_->SleepForMicroseconds(seconds * 1'000'000);
  }
  std::string Listed() {
    VectorLogPtr logs;
    EXPECT_EQ(db_->GetSortedWalFiles(logs), Status::OK());
    std::string text;
    for (const auto& log : logs) {
      text += log->PathName() + "@" + std::to_string(log->StartSequence()) +
              (log->Type() == kArchivedLogFile ? " archived\n" : " alive\n");
      uint64_t bytes = 0;
      EXPECT_EQ(fs_->GetFileSize(kTestDirectory + log->PathName(), &bytes),
                Status::OK());
      EXPECT_EQ(log->SizeFileBytes(), bytes);
    }
    return text;
  }
};

TEST_F(WalArchiveTest, WithoutTheOptionsThereIsNoArchive) {
  options_.WAL_size_limit_MB = 0;
  Open();
  WriteAndFlush();
  EXPECT_FALSE(fs_->FileExists(kArchive).ok());
  EXPECT_EQ(FilesEndingIn(".log").size(), 1u);
}

TEST_F(WalArchiveTest, ObsoleteLogsMoveThereAndAreListed) {
  Open();
  const std::string first = WriteAndFlush();
  const std::string second = WriteAndFlush();
  EXPECT_EQ(Archived(), (std::vector<std::string>{first, second}));
  Put("key", "new");
  const std::string current = CurrentLog();
  EXPECT_EQ(FilesEndingIn(".log"), std::vector<std::string>{current});
  EXPECT_EQ(Listed(), "/archive/" + first + "@1 archived\n/archive/" + second +
                          "@2 archived\n/" + current + "@3 alive\n");
  EXPECT_EQ(LogLines("event=log_archived").size(), 2u);
}

// The log of the last process is replayed into a table and kept, too.
TEST_F(WalArchiveTest, AnOpenArchivesTheLogsThatItReplayed) {
  Open();
  const std::string first = WriteAndFlush();
  Put("key", "new");
  const std::string second = CurrentLog();
  Reopen();
  EXPECT_EQ(Archived(), (std::vector<std::string>{first, second}));
  EXPECT_EQ(Get("key"), "new");
}

// What lies there is not replayed, whatever its number, and the number is not
// given again.
TEST_F(WalArchiveTest, AnOpenRecoversNothingFromThere) {
  Open();
  const std::string first = WriteAndFlush(10);
  Put("key", "old");
  const std::string old = CurrentLog();
  Reopen();
  Put("key", "new");
  db_.reset();
  ASSERT_EQ(fs_->RenameFile(kArchive + "/" + old, kArchive + "/000900.log"),
            Status::OK());
  Open();
  EXPECT_EQ(Get("key"), "new");
  EXPECT_EQ(Archived().front(), first);
  EXPECT_EQ(Archived().back(), "000900.log");
  WriteAndFlush();
  EXPECT_GT(CurrentLog(), "000900.log");
}

TEST_F(WalArchiveTest, TheOldestAreDeletedAboveTheSizeLimit) {
  options_.WAL_size_limit_MB = 1;
  Open();
  std::vector<std::string> logs;
  for (int i = 0; i < 6; ++i) logs.push_back(WriteAndFlush(300 << 10));
  // Three of 300 KiB are less than 1 MiB, four are more.
  EXPECT_EQ(Archived(), std::vector<std::string>(logs.end() - 3, logs.end()));
  // An open counts what is there.
  Reopen();
  logs.push_back(WriteAndFlush(300 << 10));
  EXPECT_EQ(Archived(), std::vector<std::string>(logs.end() - 3, logs.end()));
}

TEST_F(WalArchiveTest, ALogAboveTheSizeLimitIsNotKept) {
  options_.WAL_size_limit_MB = 1;
  Open();
  WriteAndFlush(2 << 20);
  EXPECT_EQ(Archived().size(), 0u);
}

TEST_F(WalArchiveTest, OldLogsAreDeleted) {
  UseTimes();
  Open();
  WriteAndFlush();
  Pass(60);
  WriteAndFlush();  // its log was begun by the first switch
  EXPECT_EQ(Archived().size(), 2u);
  Pass(50);
  const std::string third = WriteAndFlush();
  EXPECT_EQ(Archived(), std::vector<std::string>{third});
  // By an open.
  Pass(200);
  Reopen();
  EXPECT_FALSE(fs_->FileExists(kArchive + "/" + third).ok());
}

// Keeps the jobs of timers, which the test runs.
class TimerRunner final : public WrappedJobRunner {
 public:
  using WrappedJobRunner::WrappedJobRunner;
  bool ScheduleAfter(uint64_t micros, std::function<void()> job) override {
    seconds.push_back(micros / 1'000'000);
    jobs.push_back(std::move(job));
    return true;
  }
  std::vector<uint64_t> seconds;
  std::vector<std::function<void()>> jobs;
};

TEST_F(WalArchiveTest, ATimerDeletesOldLogsOfAnIdleDatabase) {
  UseTimes();
  options_.stats_dump_period_sec = 0;
  const auto timers = std::make_shared<TimerRunner>(runner_);
  options_.job_runner = timers;
  Open();
  EXPECT_EQ(timers->jobs.size(), 0u);
  WriteAndFlush();
  ASSERT_EQ(timers->seconds, std::vector<uint64_t>{50});
  Pass(50);
  timers->jobs[0]();
  EXPECT_EQ(Archived().size(), 1u);
  ASSERT_EQ(timers->jobs.size(), 2u);  // again, while there is one
  Pass(50);
  timers->jobs[1]();
  EXPECT_EQ(Archived().size(), 0u);
  EXPECT_EQ(timers->jobs.size(), 2u);
  // After Close, a timer does nothing.
  WriteAndFlush();  // into a log that is old already
  EXPECT_EQ(Archived().size(), 0u);
  WriteAndFlush();
  ASSERT_EQ(timers->jobs.size(), 3u);
  ASSERT_EQ(db_->Close(), Status::OK());
  const std::vector<std::string> kept = Archived();
  Pass(1000);
  timers->jobs[2]();
  EXPECT_EQ(Archived(), kept);
}

TEST_F(WalArchiveTest, AgeNeedsModificationTimes) {
  options_.WAL_ttl_seconds = 100;
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.ToString().find("WAL_ttl_seconds"), std::string::npos);
}

// The operating system's times.
TEST_F(WalArchiveTest, AFileOfTheSystemIsAsOldAsItsLastWrite) {
  const TemporaryDirectory temporary;
  Options options;
  options.create_if_missing = true;
  options.WAL_ttl_seconds = 3600;
  const std::string directory = temporary.Path("db");
  const auto archived = [&] {
    std::vector<std::string> names;
    NewPosixFileSystem()
        ->GetChildren(directory + "/archive", &names)
        .PermitUncheckedError();
    return names;
  };
  {
    std::unique_ptr<DB> db;
    ASSERT_EQ(DB::Open(options, directory, &db), Status::OK());
    ASSERT_EQ(db->Put(WriteOptions(), "a", "1"), Status::OK());
    ASSERT_EQ(db->Flush(FlushOptions()), Status::OK());
    ASSERT_EQ(db->WaitForCompact(WaitForCompactOptions()), Status::OK());
  }
  ASSERT_EQ(archived().size(), 1u);
  const std::string name = directory + "/archive/" + archived()[0];
  std::filesystem::last_write_time(
      name, std::filesystem::last_write_time(name) - std::chrono::hours(2));
  std::unique_ptr<DB> db;
  ASSERT_EQ(DB::Open(options, directory, &db), Status::OK());
  EXPECT_EQ(archived().size(), 0u);
}

TEST_F(WalArchiveTest, NothingIsDeletedWhileDeletionsAreDisabled) {
  options_.WAL_size_limit_MB = 1;
  Open();
  const std::string first = WriteAndFlush(700 << 10);
  ASSERT_EQ(db_->DisableFileDeletions(), Status::OK());
  const std::string second = WriteAndFlush(700 << 10);
  // Not even moved: a program may be copying it.
  EXPECT_EQ(Archived(), std::vector<std::string>{first});
  EXPECT_EQ(Listed(), "/archive/" + first + "@1 archived\n/" + second +
                          "@2 alive\n/" + CurrentLog() + "@0 alive\n");
  ASSERT_EQ(db_->EnableFileDeletions(), Status::OK());
  EXPECT_EQ(Archived(), std::vector<std::string>{second});
}

// The next open moves it.
TEST_F(WalArchiveTest, ALogThatCannotBeMovedStays) {
  Open();
  fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
    return call.operation == "rename" && call.path.ends_with(".log")
               ? Status::IOError(call.path, "no rename")
               : Status::OK();
  });
  const std::string name = WriteAndFlush();
  fs_->SetFaultHook(nullptr);
  EXPECT_EQ(Archived().size(), 0u);
  EXPECT_EQ(LogLines("no rename").size(), 1u);
  Reopen();
  EXPECT_EQ(Archived().front(), name);
}

// A failed write may be in the log, but not in the database.
TEST_F(WalArchiveTest, ALogWithAFailedWriteIsNotKept) {
  Open();
  Put("a", "1");
  const std::string failed = CurrentLog();
  FailSyncedPut("b");
  ASSERT_EQ(db_->Resume(), Status::OK());
  RunJobs();
  EXPECT_FALSE(
      fs_->FileExists(std::string(kTestDirectory) + "/" + failed).ok());
  EXPECT_EQ(Archived().size(), 0u);
  const std::string good = WriteAndFlush();
  EXPECT_EQ(Archived(), std::vector<std::string>{good});
}

TEST_F(WalArchiveTest, APowerFailureLosesNoEntry) {
  for (const uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
    Open();
    WriteAndFlush();
    WriteOptions sync;
    sync.sync = true;
    ASSERT_EQ(db_->Put(sync, "key", std::to_string(seed)), Status::OK());
    fs_->CutPower();
    db_.reset();
    fs_->Restart(seed, CrashStyle::kMixed);
    Open();
    EXPECT_EQ(Get("key"), std::to_string(seed));
  }
}

TEST_F(WalArchiveTest, CheckpointsDoNotCopyIt) {
  Open();
  WriteAndFlush();
  Put("key", "new");
  Checkpoint* made = nullptr;
  ASSERT_EQ(Checkpoint::Create(db_.get(), &made), Status::OK());
  const std::unique_ptr<Checkpoint> checkpoint(made);
  ASSERT_EQ(checkpoint->CreateCheckpoint("/parent/copy"), Status::OK());
  EXPECT_FALSE(fs_->FileExists("/parent/copy/archive").ok());
  std::unique_ptr<DB> copy;
  ASSERT_EQ(DB::Open(options_, "/parent/copy", &copy), Status::OK());
  std::string value;
  EXPECT_EQ(copy->Get(ReadOptions(), "key", &value), Status::OK());
  EXPECT_EQ(value, "new");
}

TEST_F(WalArchiveTest, DestroyDBRemovesIt) {
  Open();
  WriteAndFlush();
  Destroy();
  EXPECT_FALSE(fs_->FileExists(kTestDirectory).ok());

  Open();
  WriteAndFlush();
  const std::string mine = kArchive + "/mine.txt";
  ASSERT_EQ(WriteStringToFile(fs_.get(), "mine", mine, false), Status::OK());
  Destroy();
  EXPECT_EQ(Archived(), std::vector<std::string>{"mine.txt"});
}

TEST_F(WalArchiveTest, TheOptionsAreInTheOptionsFile) {
  options_.WAL_size_limit_MB = 17;
  Open();
  const std::vector<std::string> names = FilesEndingIn("");
  std::string text;
  for (const std::string& name : names) {
    if (!name.starts_with("OPTIONS-")) continue;
    ASSERT_TRUE(
        fs_->GetContents(std::string(kTestDirectory) + "/" + name, &text).ok());
  }
  EXPECT_NE(text.find("WAL_size_limit_MB=17"), std::string::npos) << text;
  EXPECT_NE(text.find("WAL_ttl_seconds=0"), std::string::npos) << text;
}

}  // namespace
}  // namespace tamis
