// SPDX-License-Identifier: Apache-2.0
//
// A fork while reads are under way: they are the parent's.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/file_system.h"

#include "tests/process/child.h"
#include "tests/support/directories.h"
#include "tests/support/without_rings.h"
#include "util/io/async_reads.h"

namespace tamis::process {
namespace {

constexpr size_t kReads = 20;
constexpr size_t kBytes = 3000;

std::string Expected(size_t i) {
  return std::string(kBytes, static_cast<char>('a' + i));
}

class AsyncReadsForkTest : public ::testing::Test {
 protected:
  void Open() {
    std::string bytes;
    for (size_t i = 0; i < kReads; ++i) bytes += Expected(i);
    ASSERT_TRUE(WriteStringToFile(fs_.get(), bytes, path_, true).ok());
    const Status status = fs_->OpenRandomAccessFile(
        path_, {.use_mmap_reads = false, .use_direct_reads = true}, &file_);
    if (status.IsNotSupported()) GTEST_SKIP() << status;
    ASSERT_TRUE(status.ok()) << status;
  }
  // Begins to read all; those that were done at once have no AsyncReads.
  void Begin(AsyncReads* reads) {
    for (size_t i = 0; i < kReads; ++i) {
      memory_[i].assign(kBytes, '?');
      requests_[i] = {.offset = i * kBytes,
                      .len = kBytes,
                      .scratch = memory_[i].data(),
                      .result = {},
                      .status = {}};
      is_under_way_[i] = !file_->ReadAsync(&requests_[i], reads);
    }
  }
  bool FinishAll(AsyncReads* reads) {
    bool right = true;
    for (size_t i = 0; i < kReads; ++i) {
      if (is_under_way_[i]) reads->Finish(&requests_[i]);
      right = right && requests_[i].status.ok() &&
              requests_[i].result == Slice(Expected(i));
    }
    return right;
  }
  void ForkWhileReading() {
    {
      AsyncReads first;  // starts the threads, if they do the reads
      Begin(&first);
      EXPECT_TRUE(FinishAll(&first));
    }
    for (const bool finishes : {true, false}) {
      AsyncReads reads;
      Begin(&reads);
      EXPECT_EQ(RunChild([&] {
                  auto of_child = std::make_unique<AsyncReads>();
                  if (finishes) Require(FinishAll(&reads), "wrong bytes");
                  reads.~AsyncReads();
                  // New reads are by calls.
                  Begin(of_child.get());
                  Require(FinishAll(of_child.get()), "wrong bytes");
                  file_.reset();
                  return 0;
                }),
                0);
      EXPECT_TRUE(FinishAll(&reads));
    }
  }

  const TemporaryDirectory temporary_;
  const std::string path_ = temporary_.Path("file");
  const std::shared_ptr<FileSystem> fs_ = NewPosixFileSystem();
  std::unique_ptr<RandomAccessFile> file_;
  std::vector<std::string> memory_ = std::vector<std::string>(kReads);
  std::vector<FSReadRequest> requests_ = std::vector<FSReadRequest>(kReads);
  std::vector<bool> is_under_way_ = std::vector<bool>(kReads);
};

TEST_F(AsyncReadsForkTest, ReadsOfARingAreLeftToTheParent) {
  Open();
  if (IsSkipped() || HasFatalFailure()) return;
  ForkWhileReading();
}

TEST_F(AsyncReadsForkTest, ReadsOfThreadsAreLeftToTheParent) {
  Open();
  if (IsSkipped() || HasFatalFailure()) return;
  RunWithoutRings([this] { ForkWhileReading(); });
}

}  // namespace
}  // namespace tamis::process
