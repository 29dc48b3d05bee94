// SPDX-License-Identifier: Apache-2.0
//
// A fault in a mapped file is handled in a process that has as many mappings as
// the system allows.
#include "util/io/zero_mapping.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/support/sanitizers.h"
#include "util/io/mapped_file.h"
#include "util/io/mapped_window.h"

namespace tamis {
namespace {

class MappingLimitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitizer) GTEST_SKIP() << "a sanitizer needs mappings of its own";
    int limit = 0;
    std::ifstream("/proc/sys/vm/max_map_count") >> limit;
    if (limit <= 0 || limit > 200'000) {
      GTEST_SKIP() << "the limit of mappings is unknown or high";
    }
    ASSERT_EQ(::ftruncate(fd(), static_cast<off_t>(kPages * PageBytes())), 0);
  }
  ~MappingLimitTest() override { std::fclose(file_); }

  int fd() const { return ::fileno(file_); }
  static size_t PageBytes() {
    return static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  }
  // Maps pages until the system refuses. Neighbours differ, so none merge.
  // Returns whether the limit was reached.
  static bool UseAllMappings() {
    for (int i = 0; i < 300'000; ++i) {
      if (::mmap(nullptr, PageBytes(), i % 2 == 0 ? PROT_NONE : PROT_READ,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                 0) == MAP_FAILED) {
        return true;
      }
    }
    return false;
  }
  // Runs `use` in a child at its limit of mappings, where it must not allocate.
  // Returns its result, or the wait status if it is not 0 or 1.
  template <typename Use>
  static int AtTheLimit(const Use& use) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(UseAllMappings() ? (use() ? 1 : 0) : 2);
    int status = -1;
    if (::waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : status << 8;
  }

  static constexpr size_t kPages = 8;
  std::FILE* const file_ = std::tmpfile();
};

TEST_F(MappingLimitTest, CopiesOfTruncatedFilesFail) {
  MappedFile files[3];
  for (MappedFile& file : files) {
    ASSERT_TRUE(file.Map(fd(), kPages * PageBytes()));
  }
  ASSERT_EQ(::ftruncate(fd(), static_cast<off_t>(PageBytes())), 0);
  EXPECT_EQ(AtTheLimit([&] {
              char out[10];
              for (MappedFile& file : files) {
                if (!file.Copy(0, sizeof(out), out)) return false;
                if (file.Copy(PageBytes(), sizeof(out), out)) return false;
                if (!file.failed()) return false;
              }
              return true;
            }),
            1);
}

TEST_F(MappingLimitTest, StoresToATruncatedFileAreNoticed) {
  MappedWindow window;
  ASSERT_TRUE(window.Map(fd(), 0, kPages * PageBytes()));
  ASSERT_EQ(::ftruncate(fd(), static_cast<off_t>(PageBytes())), 0);
  EXPECT_EQ(AtTheLimit([&] {
              volatile char* const data = window.data();
              data[0] = 'a';
              if (window.failed()) return false;
              // In the middle first.
              for (const size_t page : {4u, 2u, 7u, 1u}) {
                data[page * PageBytes()] = 'b';
                if (!window.failed()) return false;
                if (data[page * PageBytes()] != 'b') return false;
              }
              return true;
            }),
            1);
}

}  // namespace
}  // namespace tamis
