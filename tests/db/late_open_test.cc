// SPDX-License-Identifier: Apache-2.0
//
// An open for writing opens the first 16 tables; a job, or the first read,
// opens the others. All are looked for.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/statistics.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

constexpr int kTables = 40;
constexpr uint64_t kOpenedFirst = 16;

class LateOpenTest : public DBTest {
 protected:
  // Each of the tables has one key; the newest are opened first.
  LateOpenTest() {
    options_.disable_auto_compactions = true;
    Open();
    for (int i = 0; i < kTables; ++i) {
      Put(Key(i), std::to_string(i));
      Flush();
    }
    oldest_ = TableOf(Key(0));
    db_.reset();
    RunJobs();  // takes what the close ran off the queue
    options_.statistics = CreateDBStatistics();
  }

  std::string TableOf(const std::string& key) {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    for (const LiveFileMetaData& file : files) {
      if (file.smallestkey == key) {
        return kTestDirectory + file.name;
      }
    }
    ADD_FAILURE() << "no table begins with " << key;
    return "";
  }
  std::string ContentsOf(const std::string& path) {
    std::string contents;
    EXPECT_TRUE(fs_->GetContents(path, &contents).ok());
    return contents;
  }
  void Damage(const std::string& path) {
    std::string contents = ContentsOf(path);
    contents.back() = static_cast<char>(contents.back() ^ 1);
    ASSERT_TRUE(fs_->SetContents(path, contents).ok());
  }
  std::string InfoLog() {
    return ContentsOf(std::string(kTestDirectory) + "/LOG");
  }
  uint64_t Opened() {
    return options_.statistics->getTickerCount(NO_FILE_OPENS);
  }

  std::string oldest_;  // the table with Key(0)
};

TEST_F(LateOpenTest, AJobOpensTheOthers) {
  Open();
  EXPECT_EQ(Opened(), kOpenedFirst);
  EXPECT_EQ(runner_->pending(), 1u);
  RunJobs();
  EXPECT_EQ(Opened(), uint64_t{kTables});
  EXPECT_NE(InfoLog().find("event=tables_opened family=default tables=24"),
            std::string::npos);
  for (int i = 0; i < kTables; ++i) EXPECT_EQ(Get(Key(i)), std::to_string(i));
  EXPECT_EQ(Opened(), uint64_t{kTables});
}

TEST_F(LateOpenTest, ReadsThatComeFirstDoTheSame) {
  Open();
  for (int i = 0; i < kTables; ++i) EXPECT_EQ(Get(Key(i)), std::to_string(i));
  EXPECT_EQ(Opened(), uint64_t{kTables});
  RunJobs();
  EXPECT_EQ(Opened(), uint64_t{kTables});
}

TEST_F(LateOpenTest, AFewTablesNeedNoJob) {
  Open();
  Compact();
  db_.reset();
  RunJobs();
  Open();
  EXPECT_EQ(runner_->pending(), 0u);
}

TEST_F(LateOpenTest, ACloseComesFirst) {
  Open();
  ASSERT_TRUE(db_->Close().ok());
  EXPECT_EQ(Opened(), kOpenedFirst);
}

TEST_F(LateOpenTest, AnErrorPutsItOffUntilTheResume) {
  Open();
  fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
    return call.operation == "flush" && call.path.ends_with(".log")
               ? Status::NoSpace(call.path, "injected")
               : Status::OK();
  });
  EXPECT_TRUE(db_->Put(WriteOptions(), "k", "v").IsNoSpace());
  fs_->SetFaultHook(nullptr);
  RunJobs();
  EXPECT_EQ(Opened(), kOpenedFirst);
  const Status status = db_->Resume();
  ASSERT_TRUE(status.ok()) << status;
  RunJobs();
  EXPECT_NE(InfoLog().find("event=tables_opened family=default tables=24"),
            std::string::npos);
}

TEST_F(LateOpenTest, KeysAreEstimatedFromTablesThatAreOpen) {
  Open();
  uint64_t keys = 0;
  ASSERT_TRUE(db_->GetIntProperty(DB::Properties::kEstimateNumKeys, &keys));
  EXPECT_EQ(keys, uint64_t{kTables});
}

TEST_F(LateOpenTest, ADamagedTableIsReportedInLogAndByItsReads) {
  Damage(oldest_);
  Open();
  EXPECT_EQ(Get(Key(1)), "1");
  const std::string error = Get(Key(0));
  EXPECT_NE(error.find("Corruption"), std::string::npos) << error;
  EXPECT_NE(error.find(oldest_), std::string::npos) << error;
  EXPECT_EQ(InfoLog().find("event=table_open_failed"), std::string::npos);
  RunJobs();
  EXPECT_NE(InfoLog().find("event=table_open_failed"), std::string::npos);
  for (int i = 1; i < kTables; ++i) EXPECT_EQ(Get(Key(i)), std::to_string(i));
  Put("more", "1");
  Flush();
  EXPECT_EQ(Get("more"), "1");
}

TEST_F(LateOpenTest, AMissingOrShortTableFailsTheOpen) {
  const std::string contents = ContentsOf(oldest_);
  for (const bool missing : {false, true}) {
    SCOPED_TRACE(missing);
    if (missing) {
      ASSERT_TRUE(fs_->RemoveFile(oldest_).ok());
    } else {
      ASSERT_TRUE(
          fs_->SetContents(oldest_, contents.substr(0, contents.size() - 1))
              .ok());
    }
    const Status status = TryOpen();
    EXPECT_TRUE(status.IsCorruption()) << status;
    EXPECT_NE(status.ToString().find(oldest_), std::string::npos) << status;
  }
}

// A writer in another process may remove them later.
TEST_F(LateOpenTest, AnOpenForReadingOnlyOpensAll) {
  ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &db_).ok());
  EXPECT_EQ(Opened(), uint64_t{kTables});
  db_.reset();
  Damage(oldest_);
  EXPECT_TRUE(
      DB::OpenForReadOnly(options_, kTestDirectory, &db_).IsCorruption());
}

TEST_F(LateOpenTest, AnOpenForReadingOnlyOpensAsManyAsMaxOpenFilesAllows) {
  for (const int limit : {1000, 30}) {
    options_.max_open_files = limit;
    options_.statistics = CreateDBStatistics();
    ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &db_).ok());
    EXPECT_EQ(Opened(), static_cast<uint64_t>(std::min(limit, kTables)));
    db_.reset();
  }
}

TEST_F(LateOpenTest, OtherJobsHaveTheirTurnAfter64Tables) {
  Open();
  for (int i = kTables; i < 200; ++i) {
    Put(Key(i), std::to_string(i));
    Flush();
  }
  db_.reset();
  RunJobs();
  options_.statistics = CreateDBStatistics();
  Open();
  for (const uint64_t opened : {80u, 144u, 200u}) {
    ASSERT_EQ(runner_->pending(), 1u);
    runner_->RunOne();
    EXPECT_EQ(Opened(), opened);
  }
  EXPECT_EQ(runner_->pending(), 0u);
  EXPECT_NE(InfoLog().find("event=tables_opened family=default tables=184"),
            std::string::npos);
}

// The newest tables have one large entry each, the oldest many small ones.
TEST_F(LateOpenTest, KeysAreEstimatedFromTablesOfAllAges) {
  constexpr int kEach = 300;
  constexpr int kMany = 20;
  Open();
  uint64_t total = kTables;
  for (int i = 0; i < kEach; ++i) {
    for (int n = 0; n < kMany; ++n, ++total) {
      Put(Key(1000 + i * kMany + n), "small");
    }
    Flush();
  }
  for (int i = 0; i < kEach; ++i, ++total) {
    Put(Key(100'000 + i), std::string(2000, 'v'));
    Flush();
  }
  db_.reset();
  RunJobs();
  Open();
  uint64_t keys = 0;
  ASSERT_TRUE(db_->GetIntProperty(DB::Properties::kEstimateNumKeys, &keys));
  EXPECT_GE(keys, total * 9 / 10);
  EXPECT_LE(keys, total * 11 / 10);
}

}  // namespace
}  // namespace tamis
