// SPDX-License-Identifier: Apache-2.0
//
// Counters of a MANIFEST that do not go together: what is written behind them
// stays.
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "db/file_names.h"
#include "db/log_writer.h"
#include "db/version_edit.h"
#include "tests/db/test_db.h"
#include "tests/support/string_files.h"

namespace tamis {
namespace {

class ManifestCountersTest : public DBTest {
 protected:
  // Behind the records that are there.
  void AddRecord(const VersionEdit& edit) {
    const auto current = ReadCurrentFile(fs_.get(), kTestDirectory);
    ASSERT_TRUE(current.ok()) << current.status();
    const std::string path = std::string(kTestDirectory) + "/" + *current;
    std::string manifest;
    ASSERT_TRUE(fs_->GetContents(path, &manifest).ok());
    std::string record;
    edit.EncodeTo(&record);
    LogWriter writer(std::make_unique<StringWritableFile>(&manifest), 1);
    ASSERT_TRUE(writer.AddRecord(record).ok());
    ASSERT_TRUE(writer.Flush().ok());
    ASSERT_TRUE(fs_->SetContents(path, manifest).ok());
  }
};

// Logs below that number are deleted, and the new one was among them.
TEST_F(ManifestCountersTest, TheNewLogIsNotBelowTheOldestToKeep) {
  Open();
  Put("before", "1");
  Flush();
  ASSERT_TRUE(db_->Close().ok());
  db_.reset();
  VersionEdit edit;
  edit.min_log_number_to_keep = 5000;
  AddRecord(edit);
  Open();
  Put("behind", "2");
  ASSERT_TRUE(db_->FlushWAL(/*sync=*/true).ok());
  db_.reset();
  Open();
  EXPECT_EQ(Get("before"), "1");
  EXPECT_EQ(Get("behind"), "2");
}

}  // namespace
}  // namespace tamis
