// SPDX-License-Identifier: Apache-2.0
//
// Another process cuts the log below a database that is writing it. The process
// lives on, the next write says what happened, and after Resume everything that
// was acknowledged is in tables.
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

  const TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.Path("db");
};

// The parameter: bytes that stay, of a log of some 50,000 with a window of a
// megabyte behind. A negative value counts back from the bytes written.
TEST_P(CutLogTest, IsAnErrorAndNotTheEndOfTheProcess) {
  Options options;
  options.create_if_missing = true;
  options.max_bgerror_resume_count = 0;
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(options, directory_, &db).ok());
  const std::string value(1000, 'v');
  int written = 0;
  for (; written < 50; ++written) {
    ASSERT_TRUE(db->Put({}, std::to_string(written), value).ok());
  }
  const std::string log = LogPath();
  struct stat info;
  ASSERT_EQ(::stat(log.c_str(), &info), 0);
  const bool in_place = info.st_size > (1 << 20) - 1;
  const off_t kept = GetParam() >= 0 ? GetParam() : 50'000 + GetParam();
  ASSERT_EQ(::truncate(log.c_str(), kept), 0);
  if (!in_place) GTEST_SKIP() << "logs are not stored in place here";

  Status status;
  for (int i = 0; i < 3000 && status.ok(); ++i) {
    status = db->Put({}, std::to_string(written), value);
    if (status.ok()) ++written;
  }
  ASSERT_TRUE(status.IsIOError()) << status;
  EXPECT_NE(status.message().find(log), std::string::npos) << status;
  EXPECT_NE(status.message().find("cut"), std::string::npos) << status;
  ASSERT_TRUE(db->Resume().ok());
  ASSERT_TRUE(db->Put({}, "after", value).ok());
  ASSERT_TRUE(db->Close().ok());
  db.reset();

  ASSERT_TRUE(DB::Open(options, directory_, &db).ok());
  std::string found;
  for (int i = 0; i < written; ++i) {
    ASSERT_TRUE(db->Get({}, std::to_string(i), &found).ok()) << i;
  }
  EXPECT_TRUE(db->Get({}, "after", &found).ok());
}

INSTANTIATE_TEST_SUITE_P(Lengths, CutLogTest,
                         ::testing::Values(0, 1, 4096, 10'000, -100, 60'000,
                                           500'000));

}  // namespace
}  // namespace tamis::process
