// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class LogReplayTest : public DBTest {
 protected:
  std::vector<std::string> Tables() {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
    std::erase_if(
        names, [](const std::string& name) { return !name.ends_with(".sst"); });
    return names;
  }
  std::string TheLog() {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
    for (const std::string& name : names) {
      if (name.ends_with(".log")) {
        return std::string(kTestDirectory) + "/" + name;
      }
    }
    return "";
  }
};

TEST_F(LogReplayTest, AFailedReplayLeavesNoTables) {
  Open();
  for (int i = 0; i < 100; ++i) Put(Key(i), Noise(1000, 1));
  db_.reset();

  const std::string log = TheLog();
  std::string intact;
  ASSERT_TRUE(fs_->GetContents(log, &intact).ok());
  std::string damaged = intact;
  damaged[damaged.size() - 3000] ^= 1;  // good records follow it
  ASSERT_TRUE(fs_->SetContents(log, damaged).ok());

  // Small enough that tables are written before the damage is met.
  options_.write_buffer_size = 64 * 1024;
  const Status status = TryOpen();
  ASSERT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find(log), std::string::npos) << status;
  EXPECT_TRUE(Tables().empty());

  ASSERT_TRUE(fs_->SetContents(log, intact).ok());
  Open();
  EXPECT_GT(Tables().size(), 1u);
  std::string value;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(db_->Get(ReadOptions(), Key(i), &value).ok()) << i;
  }
}

}  // namespace
}  // namespace tamis
