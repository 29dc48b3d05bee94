// SPDX-License-Identifier: Apache-2.0
//
// Direct writes (O_DIRECT) of real files: the bytes and the size are those that
// were appended, whatever their sizes, after each flush.
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "util/base/random.h"
#include "util/io/direct_writable_posix.h"

namespace tamis {
namespace {

// The flags of this process's descriptor of the file; -1 if there is none.
int FlagsOf(const std::string& path) {
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const auto target = std::filesystem::read_symlink(entry.path(), error);
    if (!error && target == path) {
      return ::fcntl(std::stoi(entry.path().filename().string()), F_GETFL);
    }
  }
  return -1;
}

class DirectWritableTest : public testing::Test {
 protected:
  // Skips the test if the file system has no direct writes.
  void SetUp() override {
    const Status status = OpenDirectWritableFile(path_, &file_);
    if (status.IsNotSupported()) {
      EXPECT_FALSE(std::filesystem::exists(path_));
      GTEST_SKIP() << status;
    }
    ASSERT_EQ(status, Status::OK());
    const Status written = file_->Flush();
    ASSERT_EQ(written, Status::OK());
  }
  void Append(size_t n) {
    std::string bytes(n, '\0');
    for (char& c : bytes) c = static_cast<char>(1 + random_.Uniform(255));
    ASSERT_EQ(file_->Append(bytes), Status::OK());
    expected_ += bytes;
    ASSERT_EQ(file_->GetFileSize(), expected_.size());
  }
  void ExpectFile() const {
    ASSERT_EQ(std::filesystem::file_size(path_), expected_.size());
    EXPECT_TRUE(ReadWholeFile(path_) == expected_);
  }

  const TemporaryDirectory directory_;
  const std::string path_ =
      std::filesystem::canonical(directory_.path()) / "file";
  std::unique_ptr<WritableFile> file_;
  Random random_{301};
  std::string expected_;
};

TEST_F(DirectWritableTest, BypassesThePageCache) {
  EXPECT_NE(FlagsOf(path_), -1);
  EXPECT_NE(FlagsOf(path_) & O_DIRECT, 0);
}

TEST_F(DirectWritableTest, EveryFlushLeavesWhatWasAppended) {
  for (const size_t n : {size_t{0}, size_t{1}, size_t{511}, size_t{3584},
                         size_t{1}, size_t{4095}, size_t{4096}, size_t{100000},
                         size_t{1 << 20}, size_t{(3 << 20) + 5}, size_t{7}}) {
    Append(n);
    ASSERT_EQ(file_->Flush(), Status::OK());
    ExpectFile();
  }
  ASSERT_EQ(file_->Sync(), Status::OK());
  ExpectFile();
  ASSERT_EQ(file_->Close(), Status::OK());
  ExpectFile();
}

TEST_F(DirectWritableTest, RandomAppendsAndFlushes) {
  for (int i = 0; i < 300; ++i) {
    Append(random_.Uniform(random_.OneIn(4) ? 70000 : 300));
    if (random_.OneIn(5)) {
      ASSERT_EQ(file_->Flush(), Status::OK());
    }
    if (random_.OneIn(50)) {
      ASSERT_EQ(file_->Sync(), Status::OK());
    }
  }
  ASSERT_EQ(file_->Close(), Status::OK());
  ExpectFile();
}

TEST_F(DirectWritableTest, CloseWritesTheRest) {
  Append(5000);
  ASSERT_EQ(file_->Close(), Status::OK());
  ExpectFile();
}

TEST_F(DirectWritableTest, AnExistingFileIsTruncated) {
  Append(10000);
  ASSERT_EQ(file_->Close(), Status::OK());
  ASSERT_EQ(OpenDirectWritableFile(path_, &file_), Status::OK());
  expected_.clear();
  Append(3);
  ASSERT_EQ(file_->Close(), Status::OK());
  ExpectFile();
}

TEST_F(DirectWritableTest, AMissingDirectoryIsNamed) {
  const Status status =
      OpenDirectWritableFile(directory_.Path("none") + "/file", &file_);
  EXPECT_TRUE(status.IsPathNotFound()) << status;
  EXPECT_EQ(file_, nullptr);
}

}  // namespace
}  // namespace tamis
