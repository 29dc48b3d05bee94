// SPDX-License-Identifier: Apache-2.0
#include "util/io/descriptor_limit.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/file_system.h"

namespace tamis {
namespace {

TEST(DescriptorLimitTest, CountsOpenDescriptors) {
  constexpr uint64_t kFiles = 20;
  const uint64_t before = OpenDescriptors();
  EXPECT_LT(before, DescriptorLimit());
  EXPECT_EQ(OpenDescriptors(), before);
  std::vector<std::unique_ptr<SequentialFile>> files(kFiles);
  for (auto& file : files) {
    const Status status =
        NewPosixFileSystem()->NewSequentialFile("/dev/null", &file);
    ASSERT_TRUE(status.ok()) << status;
  }
  EXPECT_GE(OpenDescriptors(), before + kFiles);
  files.clear();
  EXPECT_EQ(OpenDescriptors(), before);
}

}  // namespace
}  // namespace tamis
