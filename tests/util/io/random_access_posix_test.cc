// SPDX-License-Identifier: Apache-2.0
//
// Reads of real files by calls, through a mapping, and directly.
#include "util/io/random_access_posix.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "util/base/random.h"
#include "util/io/aligned_buffer.h"
#include "util/io/page_cache_sampler.h"

namespace tamis {
namespace {

struct Mode {
  const char* name;
  FileOptions options;
};
void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.name; }

constexpr Mode kCalls{"Calls", {}};
constexpr Mode kMapped{"Mapped", {.use_mmap_reads = true}};
constexpr Mode kDirect{"Direct", {.use_direct_reads = true}};

std::string RandomBytes(size_t n) {
  Random random(301);
  std::string bytes;
  while (bytes.size() < n) {
    bytes.push_back(static_cast<char>(1 + random.Uniform(255)));
  }
  return bytes;
}

class RandomAccessPosixTest : public ::testing::TestWithParam<Mode> {
 protected:
  void Create(const std::string& bytes) {
    bytes_ = bytes;
    const Status status = WriteStringToFile(fs_.get(), bytes, path_, true);
    ASSERT_TRUE(status.ok()) << status;
  }
  // Skips the test if the file system has no direct reads.
  void Open(const FileOptions& options) {
    const Status status = fs_->OpenRandomAccessFile(path_, options, &file_);
    if (status.IsNotSupported() && options.use_direct_reads) {
      GTEST_SKIP() << status;
    }
    ASSERT_TRUE(status.ok()) << status;
  }
  // Returns the bytes, or the error.
  std::string Read(uint64_t offset, size_t n) const {
    Slice got;
    std::string scratch(n, '\0');
    const Status status = file_->Read(offset, n, &got, scratch.data());
    return status.ok() ? got.ToString() : status.ToString();
  }
  std::string Expected(uint64_t offset, size_t n) const {
    return offset < bytes_.size() ? bytes_.substr(offset, n) : "";
  }

  const TemporaryDirectory temporary_;
  const std::string path_ = temporary_.Path("file");
  const std::shared_ptr<FileSystem> fs_ = NewPosixFileSystem();
  std::string bytes_;
  std::unique_ptr<RandomAccessFile> file_;
};

TEST_P(RandomAccessPosixTest, ReadsAnyRange) {
  for (const size_t size : {0u, 1u, 4096u, 8191u, 100'001u}) {
    ASSERT_NO_FATAL_FAILURE(Create(RandomBytes(size)));
    Open(GetParam().options);
    if (IsSkipped() || HasFatalFailure()) return;
    Random random(302);
    for (int i = 0; i < 2000; ++i) {
      const size_t n = random.Uniform(random.Uniform(8) == 0 ? 60'000 : 5000);
      const uint64_t offset = random.Uniform(size + 5000);
      ASSERT_EQ(Read(offset, n), Expected(offset, n)) << offset << " " << n;
    }
    EXPECT_EQ(Read(0, size), bytes_);
    EXPECT_EQ(Read(0, size + 10'000), bytes_);
  }
}

TEST_P(RandomAccessPosixTest, ReadsAlignedRangesIntoAlignedMemory) {
  ASSERT_NO_FATAL_FAILURE(Create(RandomBytes(20'001)));
  Open(GetParam().options);
  if (IsSkipped() || HasFatalFailure()) return;
  const size_t alignment = file_->GetRequiredBufferAlignment();
  EXPECT_EQ(alignment > 1, GetParam().options.use_direct_reads);
  const size_t n = AlignUp(6000, alignment);
  const AlignedBuffer buffer(n, alignment);
  for (uint64_t offset = 0; offset < bytes_.size() + 2 * n; offset += n) {
    Slice got;
    ASSERT_TRUE(file_->Read(offset, n, &got, buffer.data()).ok());
    EXPECT_EQ(got.ToString(), Expected(offset, n)) << offset;
  }
}

TEST_P(RandomAccessPosixTest, MissingFileIsNotFound) {
  const Status status =
      fs_->OpenRandomAccessFile(path_, GetParam().options, &file_);
  EXPECT_TRUE(status.IsPathNotFound()) << status;
  EXPECT_NE(status.message().find(path_), std::string::npos) << status;
}

INSTANTIATE_TEST_SUITE_P(Modes, RandomAccessPosixTest,
                         ::testing::Values(kCalls, kMapped, kDirect),
                         [](const auto& mode) { return mode.param.name; });

using ModeTest = RandomAccessPosixTest;

TEST_F(ModeTest, TruncatedMappedFileIsAnIOErrorThatSaysWhat) {
  ASSERT_NO_FATAL_FAILURE(Create(RandomBytes(100'000)));
  ASSERT_NO_FATAL_FAILURE(Open(kMapped.options));
  // Often, so that the mapping is used.
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(Read(40'000, 3000), Expected(40'000, 3000));
  }
  ASSERT_EQ(::truncate(path_.c_str(), 50'000), 0);
  for (int i = 0; i < 2; ++i) {
    for (const size_t n : {size_t{3000}, size_t{30'000}}) {
      EXPECT_EQ(Read(60'000, n),
                "IO error: " + path_ + ": read of " + std::to_string(n) +
                    " bytes at offset 60000: got 0: the file had 100000 bytes "
                    "when it was opened and was truncated since; restore it, "
                    "then open again");
    }
    // The rest is readable.
    EXPECT_EQ(Read(40'000, 3000), Expected(40'000, 3000));
    EXPECT_EQ(Read(0, 40'000), Expected(0, 40'000));
  }
  // It comes back, in place.
  const int fd = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::pwrite(fd, bytes_.data(), bytes_.size(), 0),
            static_cast<ssize_t>(bytes_.size()));
  ::close(fd);
  EXPECT_EQ(Read(60'000, 3000), Expected(60'000, 3000));
}

// The thread began to read before, which is checked now and then.
TEST_F(ModeTest, ThreadThatBlocksBusErrorsSurvivesATruncation) {
  ASSERT_NO_FATAL_FAILURE(Create(RandomBytes(100'000)));
  ASSERT_NO_FATAL_FAILURE(Open(kMapped.options));
  std::thread([this] {
    EXPECT_EQ(Read(40'000, 3000), Expected(40'000, 3000));
    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGBUS);
    ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
    for (int i = 0; i < 31; ++i) Read(40'000, 3000);
    ASSERT_EQ(::truncate(path_.c_str(), 50'000), 0);
    for (int i = 0; i < 100; ++i) {
      EXPECT_NE(Read(60'000, 3000).find("was truncated since"),
                std::string::npos);
    }
  }).join();
}

// Reclaim evicts the pages of a mapping with that advice first.
TEST_F(ModeTest, AdviceOfRandomReadsIsGivenOnlyWhereTheSystemCannotTell) {
  ASSERT_NO_FATAL_FAILURE(Create(RandomBytes(100'000)));
  ASSERT_NO_FATAL_FAILURE(Open(kMapped.options));
  EXPECT_EQ(Read(40'000, 3000), Expected(40'000, 3000));
  const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  const PageCacheSampler sampler(fd);
  if (!sampler.ShouldMap(40'000, 3000, false)) sampler.NoteRead(40'000, 3000);
  ::close(fd);
  std::istringstream smaps(ReadWholeFile("/proc/self/smaps"));
  std::string line;
  while (std::getline(smaps, line) && !line.ends_with(path_)) {
  }
  while (std::getline(smaps, line) && !line.starts_with("VmFlags:")) {
  }
  if (!smaps) GTEST_SKIP() << "the system does not list mappings with flags";
  EXPECT_EQ(line.find(" rr") != std::string::npos, !sampler.can_tell()) << line;
}

// Its size is 0, so that nothing can be mapped.
TEST_F(ModeTest, FileThatCannotBeMappedIsReadByCalls) {
  const std::string version = ReadWholeFile("/proc/version");
  if (version.empty()) GTEST_SKIP() << "there is no /proc/version";
  ASSERT_TRUE(
      fs_->OpenRandomAccessFile("/proc/version", kMapped.options, &file_).ok());
  EXPECT_EQ(Read(3, 5), version.substr(3, 5));
}

TEST_F(ModeTest, FileSystemWithoutDirectReadsIsNotSupported) {
  if (::access("/proc/version", R_OK) != 0) GTEST_SKIP() << "there is no /proc";
  const Status status =
      fs_->OpenRandomAccessFile("/proc/version", kDirect.options, &file_);
  EXPECT_TRUE(status.IsNotSupported()) << status;
  EXPECT_EQ(file_, nullptr);
  EXPECT_NE(status.message().find("/proc/version"), std::string::npos);
  EXPECT_NE(status.message().find("use_direct_reads"), std::string::npos);
}

}  // namespace
}  // namespace tamis
