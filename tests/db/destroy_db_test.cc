// SPDX-License-Identifier: Apache-2.0
//
// DestroyDB removes all files of a database, and no others.
#include <algorithm>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/support/directories.h"
#include "tests/support/simulated_file_system.h"

namespace tamis {
namespace {

constexpr char kDir[] = "/db";

class DestroyDBTest : public ::testing::Test {
 protected:
  DestroyDBTest() {
    options_.create_if_missing = true;
    options_.file_system = fs_;
  }

  void Make() {
    std::unique_ptr<DB> db;
    ASSERT_TRUE(DB::Open(options_, kDir, &db).ok());
    ASSERT_TRUE(db->Put(WriteOptions(), "a", "1").ok());
    ASSERT_TRUE(db->Flush(FlushOptions()).ok());
    ASSERT_TRUE(db->Put(WriteOptions(), "b", "2").ok());
    ASSERT_TRUE(db->Close().ok());
  }

  void Write(const std::string& path) {
    ASSERT_TRUE(WriteStringToFile(fs_.get(), "mine", path, false).ok());
  }

  std::vector<std::string> Children(const std::string& directory) {
    std::vector<std::string> names;
    fs_->GetChildren(directory, &names).PermitUncheckedError();
    std::sort(names.begin(), names.end());
    return names;
  }

  const std::shared_ptr<SimulatedFileSystem> fs_ = NewSimulatedFileSystem();
  Options options_;
};

TEST_F(DestroyDBTest, KeepsADirectoryWithoutADatabase) {
  ASSERT_TRUE(fs_->CreateDirIfMissing(kDir).ok());
  for (const char* name : {"/000012.log", "/7.sst", "/LOG", "/OPTIONS-000005",
                           "/thesis.txt", "/IDENTITY"}) {
    Write(std::string(kDir) + name);
  }
  const std::vector<std::string> before = Children(kDir);
  const Status status = DestroyDB(kDir, options_);
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find("nothing was removed"), std::string::npos)
      << status;
  EXPECT_EQ(Children(kDir), before);
}

TEST_F(DestroyDBTest, RemovesWhatASecondaryInstanceLeaves) {
  ASSERT_TRUE(fs_->CreateDirIfMissing(kDir).ok());
  Write(std::string(kDir) + "/LOG");
  Write(std::string(kDir) + "/LOG.old.1234567890");
  EXPECT_EQ(DestroyDB(kDir, options_), Status::OK());
  EXPECT_TRUE(fs_->FileExists(kDir).IsPathNotFound());
}

TEST_F(DestroyDBTest, RemovesTheLogsOfThisDatabaseFromADirectoryOfLogs) {
  options_.db_log_dir = "/logs/";
  Make();
  Make();
  EXPECT_EQ(Children("/logs").size(), 2u);
  EXPECT_EQ(Children("/logs").front(), "db_LOG");
  EXPECT_TRUE(Children("/logs").back().starts_with("db_LOG.old."));
  // A file of the database /db_LOG.old, and of people.
  Write("/logs/db_LOG.old_LOG");
  Write("/logs/db_LOG.old.txt");
  Status status = DestroyDB(kDir, options_);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(Children("/logs"),
            (std::vector<std::string>{"db_LOG.old.txt", "db_LOG.old_LOG"}));
  EXPECT_TRUE(fs_->FileExists(kDir).IsPathNotFound());

  ASSERT_TRUE(fs_->RemoveFile("/logs/db_LOG.old.txt").ok());
  ASSERT_TRUE(fs_->RemoveFile("/logs/db_LOG.old_LOG").ok());
  Make();
  status = DestroyDB(kDir, options_);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(fs_->FileExists("/logs").IsPathNotFound());
}

TEST_F(DestroyDBTest, RemovesLostFiles) {
  Make();
  const std::string lost = std::string(kDir) + "/lost";
  ASSERT_TRUE(fs_->CreateDirIfMissing(lost).ok());
  for (const char* name : {"/000012.log", "/000012.log.1", "/000009.sst",
                           "/MANIFEST-000004.12", "/OPTIONS-000005"}) {
    Write(lost + name);
  }
  ASSERT_TRUE(DestroyDB(kDir, options_).ok());
  EXPECT_TRUE(fs_->FileExists(kDir).IsPathNotFound());
}

TEST_F(DestroyDBTest, KeepsForeignFiles) {
  Make();
  const std::string lost = std::string(kDir) + "/lost";
  ASSERT_TRUE(fs_->CreateDirIfMissing(lost).ok());
  Write(lost + "/000012.log");
  Write(lost + "/000012.log.bak");
  Write(std::string(kDir) + "/notes.txt");
  ASSERT_TRUE(DestroyDB(kDir, options_).ok());
  EXPECT_EQ(Children(kDir), (std::vector<std::string>{"lost", "notes.txt"}));
  EXPECT_EQ(Children(lost), (std::vector<std::string>{"000012.log.bak"}));
}

// After a failure of any call, the next DestroyDB completes the first one.
TEST(DestroyDBPosixTest, DoesNotFollowASymlinkNamedLost) {
  const TemporaryDirectory temporary;
  const std::shared_ptr<FileSystem> fs = NewPosixFileSystem();
  const std::string elsewhere = temporary.Path("elsewhere");
  ASSERT_TRUE(fs->CreateDirIfMissing(elsewhere).ok());
  const std::string table = elsewhere + "/000001.sst";
  ASSERT_TRUE(WriteStringToFile(fs.get(), "mine", table, false).ok());
  Options options;
  options.create_if_missing = true;
  std::unique_ptr<DB> db;
  const std::string directory = temporary.Path("db");
  ASSERT_TRUE(DB::Open(options, directory, &db).ok());
  db.reset();
  const std::string lost = directory + "/lost";
  ASSERT_EQ(::symlink(elsewhere.c_str(), lost.c_str()), 0);
  const Status status = DestroyDB(directory, options);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(fs->FileExists(table).ok());
  bool link = false;
  EXPECT_TRUE(fs->IsSymbolicLink(lost, &link).ok());
  EXPECT_TRUE(link);
  EXPECT_TRUE(fs->FileExists(directory + "/CURRENT").IsPathNotFound());
}

TEST_F(DestroyDBTest, CompletesAnInterruptedDestroy) {
  for (uint64_t n = 0;; ++n) {
    Make();
    uint64_t left = n;
    fs_->SetFaultHook([&left](const SimulatedFileSystem::Call& call) {
      return left-- == 0 ? Status::IOError(call.path, "on purpose")
                         : Status::OK();
    });
    const Status status = DestroyDB(kDir, options_);
    fs_->SetFaultHook(nullptr);
    if (status.ok() && fs_->FileExists(kDir).IsPathNotFound()) {
      EXPECT_GT(n, 5U);
      return;
    }
    const Status again = DestroyDB(kDir, options_);
    ASSERT_TRUE(again.ok()) << n << " " << status << " " << again;
    ASSERT_TRUE(fs_->FileExists(kDir).IsPathNotFound()) << n;
    ASSERT_LT(n, 100U);
  }
}

}  // namespace
}  // namespace tamis
