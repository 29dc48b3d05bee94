// SPDX-License-Identifier: Apache-2.0
#include "util/io/page_cache_sampler.h"

#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/file_system.h"

#include "tests/support/directories.h"

namespace tamis {
namespace {

constexpr size_t kBytes = 1 << 20;

TEST(IsSampledReadTest, IsOneOfSixteenAtRandomDistances) {
  for (const size_t period : {1u, 2u, 16u, 32u}) {
    // A thread each, which begins anew.
    std::thread([period] {
      std::vector<int> sampled(period, 0);
      for (size_t i = 0; i < 16'000 * period; ++i) {
        sampled[i % period] += IsSampledRead();
      }
      for (const int n : sampled) {
        EXPECT_GT(n, 800);
        EXPECT_LT(n, 1200);
      }
    }).join();
  }
}

class PageCacheSamplerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Status status =
        WriteStringToFile(NewPosixFileSystem().get(), std::string(kBytes, 'x'),
                          path_, /*sync=*/true);
    ASSERT_TRUE(status.ok()) << status;
    fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(fd_, 0);
    if (::syscall(451, -1, nullptr, nullptr, 0U) != 0 && errno == ENOSYS) {
      GTEST_SKIP() << "this kernel has no cachestat";
    }
    ReadAll();
    if (!IsSeenInMemory()) {
      GTEST_SKIP() << "cachestat does not see this file system's pages";
    }
    sampler_ = std::make_unique<PageCacheSampler>(fd_);
  }
  void TearDown() override {
    if (fd_ >= 0) ::close(fd_);
  }

  // Asks cachestat.
  bool IsSeenInMemory() const {
    const uint64_t range[] = {0, kBytes};
    uint64_t counts[5] = {};
    return ::syscall(451, fd_, range, counts, 0U) == 0 &&
           counts[0] >= kBytes / static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  }
  // Returns false if the file system keeps its files in memory.
  bool Evict() const {
    if (::fsync(fd_) != 0 ||
        ::posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED) != 0) {
      return false;
    }
    void* const memory = ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, fd_, 0);
    std::vector<unsigned char> in_memory(kBytes / 4096, 1);
    ::mincore(memory, kBytes, in_memory.data());
    ::munmap(memory, kBytes);
    for (const unsigned char page : in_memory) {
      if ((page & 1) != 0) return false;
    }
    return true;
  }
  void ReadAll() const {
    std::string bytes(kBytes, '\0');
    ASSERT_EQ(::pread(fd_, bytes.data(), kBytes, 0),
              static_cast<ssize_t>(kBytes));
  }
  // Returns how many of `reads` reads should use the mapping.
  int Mapped(int reads) const {
    int mapped = 0;
    for (int i = 0; i < reads; ++i) {
      const auto offset = static_cast<uint64_t>(i) * 4999 % (kBytes - 4000);
      mapped += sampler_->ShouldMap(offset, 3000, i % 16 == 15);
    }
    return mapped;
  }

  const TemporaryDirectory temporary_;
  const std::string path_ = temporary_.Path("file");
  int fd_ = -1;
  std::unique_ptr<const PageCacheSampler> sampler_;
};

TEST_F(PageCacheSamplerTest, MapsWhatIsInMemory) {
  ReadAll();
  EXPECT_EQ(Mapped(1000), 1000);
  EXPECT_TRUE(sampler_->ShouldMap(kBytes - 1, 1, false));
}

TEST_F(PageCacheSamplerTest, ReadsByCallsWhatIsNot) {
  if (!Evict()) GTEST_SKIP() << "the file stays in memory";
  EXPECT_EQ(Mapped(1000), 0);
  ReadAll();
  EXPECT_EQ(Mapped(1000), 1000);
  // Noticed by one of sixteen reads.
  ASSERT_TRUE(Evict());
  EXPECT_LT(Mapped(1000), 16);
  EXPECT_EQ(Mapped(1000), 0);
}

TEST_F(PageCacheSamplerTest, MapsIfTheSystemCannotTell) {
  const PageCacheSampler sampler(-1);
  EXPECT_FALSE(sampler.can_tell());
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(sampler.ShouldMap(0, 100, false));
}

// As on overlayfs.
TEST_F(PageCacheSamplerTest, MapsIfPagesAreMissingRightAfterTheyWereRead) {
  if (!Evict()) GTEST_SKIP() << "the file stays in memory";
  EXPECT_TRUE(sampler_->can_tell());
  EXPECT_FALSE(sampler_->ShouldMap(0, 3000, false));
  EXPECT_TRUE(sampler_->NoteRead(0, 3000));  // which was not read
  EXPECT_FALSE(sampler_->can_tell());
  EXPECT_EQ(Mapped(100), 100);
}

TEST_F(PageCacheSamplerTest, LooksAgainAfterTheFirstReadOnly) {
  if (!Evict()) GTEST_SKIP() << "the file stays in memory";
  EXPECT_FALSE(sampler_->ShouldMap(0, 3000, false));
  ReadAll();
  EXPECT_FALSE(sampler_->NoteRead(0, 3000));
  EXPECT_TRUE(sampler_->can_tell());
  ASSERT_TRUE(Evict());
  EXPECT_FALSE(sampler_->ShouldMap(0, 3000, false));
  EXPECT_FALSE(sampler_->NoteRead(0, 3000));  // evicted meanwhile
  EXPECT_TRUE(sampler_->can_tell());
  EXPECT_EQ(Mapped(100), 0);
}

}  // namespace
}  // namespace tamis
