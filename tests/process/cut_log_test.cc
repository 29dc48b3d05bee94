// SPDX-License-Identifier: Apache-2.0
//
// Another process truncates the log that a database is writing. The process
// survives, the next write returns the error, and after Resume all acknowledged
// writes are in tables.
#include <memory>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/file_system.h"

#include "tests/support/directories.h"

namespace tamis::process {
namespace {

class CutLogTest : public ::testing::TestWithParam<int> {
 protected:
  std::string LogPath() const {
    std::vector<std::string> names;
    EXPECT_TRUE(NewPosixFileSystem()->GetChildren(directory_, &names).ok());
    for (const std::string& name : names) {
      if (name.ends_with(".log")) return directory_ + "/" + name;
    }
    ADD_FAILURE() << "no log";
    return "";
  }
  void Open() {
    options_.create_if_missing = true;
    options_.max_bgerror_resume_count = 0;
    const Status status = DB::Open(options_, directory_, &db_);
    ASSERT_TRUE(status.ok()) << status;
  }
  Status PutNext() {
    const Status status = db_->Put({}, std::to_string(written_), value_);
    if (status.ok()) ++written_;
    return status;
  }
  static void ExpectCut(const Status& status, const std::string& log) {
    ASSERT_TRUE(status.IsIOError()) << status;
    EXPECT_NE(status.message().find(log), std::string::npos) << status;
    EXPECT_NE(status.message().find("truncated"), std::string::npos) << status;
  }
  // After that error; now and after an open nothing that was written is
  // missing.
  void ResumeAndFindAll() {
    ASSERT_TRUE(db_->Resume().ok());
    ASSERT_TRUE(db_->Put({}, "after", value_).ok());
    ASSERT_TRUE(db_->Close().ok());
    db_.reset();
    ASSERT_NO_FATAL_FAILURE(Open());
    std::string found;
    for (int i = 0; i < written_; ++i) {
      ASSERT_TRUE(db_->Get({}, std::to_string(i), &found).ok()) << i;
    }
    EXPECT_TRUE(db_->Get({}, "after", &found).ok());
  }

  const TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.Path("db");
  const std::string value_ = std::string(1000, 'v');
  Options options_;
  std::unique_ptr<DB> db_;
  int written_ = 0;
};

// The parameter: bytes that stay, of a log of some 50,000 with a window of a
// megabyte behind. A negative value counts back from the bytes written.
TEST_P(CutLogTest, IsAnErrorAndNotACrash) {
  ASSERT_NO_FATAL_FAILURE(Open());
  while (written_ < 50) ASSERT_TRUE(PutNext().ok());
  const std::string log = LogPath();
  struct stat info;
  ASSERT_EQ(::stat(log.c_str(), &info), 0);
  const bool in_place = info.st_size > (1 << 20) - 1;
  const off_t kept = GetParam() >= 0 ? GetParam() : 50'000 + GetParam();
  ASSERT_EQ(::truncate(log.c_str(), kept), 0);
  if (!in_place) GTEST_SKIP() << "logs are not stored in place here";

  Status status;
  for (int i = 0; i < 3000 && status.ok(); ++i) status = PutNext();
  // Where the next store meets no page of the file, it is the next write.
  const bool is_next = kept + ::sysconf(_SC_PAGESIZE) < 50'000;
  EXPECT_TRUE(!is_next || written_ == 50) << written_;
  ASSERT_NO_FATAL_FAILURE(ExpectCut(status, log));
  ResumeAndFindAll();
}

// Not even to get more memory after the log: zeros would be where records
// were, and nobody would see it.
TEST_P(CutLogTest, IsAnErrorWhenMemoryIsExhausted) {
  ASSERT_NO_FATAL_FAILURE(Open());
  while (written_ < 50) ASSERT_TRUE(PutNext().ok());
  const std::string log = LogPath();
  struct stat info;
  ASSERT_EQ(::stat(log.c_str(), &info), 0);
  if (info.st_size < 1 << 20) {
    GTEST_SKIP() << "logs are not stored in place here";
  }
  const auto is_full = [&] {
    std::string contents;
    EXPECT_TRUE(
        ReadFileToString(NewPosixFileSystem().get(), log, &contents).ok());
    // Less is left than the next record takes.
    return contents.find_last_not_of('\0') + value_.size() >= contents.size();
  };
  while (written_ < 1000 || !is_full()) ASSERT_TRUE(PutNext().ok());
  const off_t kept = GetParam() >= 0 ? GetParam() : 50'000 + GetParam();
  ASSERT_EQ(::truncate(log.c_str(), kept), 0);
  const int before = written_;
  ASSERT_NO_FATAL_FAILURE(ExpectCut(PutNext(), log));
  EXPECT_EQ(written_, before);
  ResumeAndFindAll();
}

// The first records are not stored in place: a write behind the cut would leave
// zeros where they were.
class CutShortLogTest : public CutLogTest {
 protected:
  void PutAndCut(off_t kept) {
    ASSERT_NO_FATAL_FAILURE(Open());
    while (written_ < GetParam()) ASSERT_TRUE(PutNext().ok());
    ASSERT_EQ(::truncate(LogPath().c_str(), kept), 0);
  }
};

TEST_P(CutShortLogTest, IsAnErrorOfTheNextWrite) {
  ASSERT_NO_FATAL_FAILURE(PutAndCut(500));
  const std::string log = LogPath();
  ASSERT_NO_FATAL_FAILURE(ExpectCut(PutNext(), log));
  EXPECT_EQ(written_, GetParam());
  ResumeAndFindAll();
}

TEST_P(CutShortLogTest, IsAnErrorOfASync) {
  ASSERT_NO_FATAL_FAILURE(PutAndCut(0));
  const std::string log = LogPath();
  ASSERT_NO_FATAL_FAILURE(ExpectCut(db_->SyncWAL(), log));
  ResumeAndFindAll();
}

TEST_P(CutShortLogTest, IsAnErrorOfClose) {
  ASSERT_NO_FATAL_FAILURE(PutAndCut(0));
  const std::string log = LogPath();
  ASSERT_NO_FATAL_FAILURE(ExpectCut(db_->Close(), log));
}

INSTANTIATE_TEST_SUITE_P(Records, CutShortLogTest, ::testing::Values(1, 4, 8));

INSTANTIATE_TEST_SUITE_P(Lengths, CutLogTest,
                         ::testing::Values(0, 1, 4096, 10'000, -100, 60'000,
                                           500'000));

}  // namespace
}  // namespace tamis::process
