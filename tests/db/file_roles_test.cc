// SPDX-License-Identifier: Apache-2.0
//
// What a database tells its file system of the files that it creates and opens:
// FileOptions::role and expected_size.
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tamis/sst_file_writer.h"
#include "tamis/utilities/checkpoint.h"

#include "tests/db/test_db.h"
#include "tests/support/wrapped_file_system.h"

namespace tamis {
namespace {

// Remembers the options of each file created.
class ToldFileSystem final : public WrappedFileSystem {
 public:
  explicit ToldFileSystem(std::shared_ptr<FileSystem> base)
      : WrappedFileSystem(base), told_(std::move(base)) {}

  Status OpenWritableFile(const std::string& path, const FileOptions& options,
                          std::unique_ptr<WritableFile>* file) override {
    created[path] = options;
    return told_->OpenWritableFile(path, options, file);
  }
  Status OpenRandomAccessFile(
      const std::string& path, const FileOptions& options,
      std::unique_ptr<RandomAccessFile>* file) override {
    EXPECT_EQ(options.role == FileRole::kTable, path.ends_with(".sst")) << path;
    ++opened;
    return told_->OpenRandomAccessFile(path, options, file);
  }

  std::map<std::string, FileOptions> created;
  int opened = 0;

 private:
  const std::shared_ptr<FileSystem> told_;
};

class FileRolesTest : public DBTest {
 protected:
  FileRolesTest() : told_(std::make_shared<ToldFileSystem>(fs_)) {
    options_.file_system = told_;
  }
  // Returns how many files of the role were created, whose names are checked.
  int Created(FileRole role) {
    int count = 0;
    for (const auto& [path, options] : told_->created) {
      const std::string name = path.substr(path.rfind('/') + 1);
      FileRole expected = FileRole::kOther;
      if (name.ends_with(".sst")) expected = FileRole::kTable;
      if (name.ends_with(".log")) expected = FileRole::kLog;
      if (name.starts_with("MANIFEST-")) expected = FileRole::kManifest;
      if (name == "LOG") expected = FileRole::kInfoLog;
      EXPECT_EQ(options.role, expected) << path;
      if (options.role == role) ++count;
    }
    return count;
  }

  const std::shared_ptr<ToldFileSystem> told_;
};

TEST_F(FileRolesTest, EveryFileHasTheRoleOfItsName) {
  Open();
  EXPECT_EQ(Created(FileRole::kInfoLog), 1);
  EXPECT_GE(Created(FileRole::kManifest), 1);
  EXPECT_GE(Created(FileRole::kLog), 1);
  EXPECT_EQ(Created(FileRole::kTable), 0);
  EXPECT_GE(Created(FileRole::kOther), 3) << "CURRENT, IDENTITY, OPTIONS";
  for (int round = 0; round < 2; ++round) {
    PutMany(500, 100);
    Flush();
  }
  EXPECT_EQ(Created(FileRole::kTable), 2);
  Compact();
  EXPECT_EQ(Created(FileRole::kTable), 3);
  EXPECT_GT(told_->opened, 0);
}

TEST_F(FileRolesTest, TheSizeOfATableIsToldWhereItIsKnown) {
  options_.target_file_size_base = 1 << 20;
  Open();
  PutMany(500, 100);
  Flush();
  PutMany(500, 100);
  Flush();
  told_->created.clear();
  Compact();
  ASSERT_EQ(Created(FileRole::kTable), 1);
  for (const auto& [path, options] : told_->created) {
    if (options.role == FileRole::kTable) {
      EXPECT_EQ(options.expected_size, 1u << 20) << path;
    }
  }
}

TEST_F(FileRolesTest, CopiesAndTablesForIngestionHaveTheirRoles) {
  Open();
  Put("a", "1");
  Flush();
  Put("b", "2");
  std::unique_ptr<Checkpoint> checkpoint;
  Checkpoint* made = nullptr;
  ASSERT_TRUE(Checkpoint::Create(db_.get(), &made).ok());
  checkpoint.reset(made);
  const std::string copy = std::string(kTestDirectory) + "_copy";
  told_->created.clear();
  ASSERT_TRUE(
      checkpoint->CreateCheckpoint(copy, /*log_size_for_flush=*/1 << 20).ok());
  EXPECT_EQ(Created(FileRole::kLog), 1);
  EXPECT_EQ(Created(FileRole::kManifest), 1);

  told_->created.clear();
  const std::string external = std::string(kTestDirectory) + "_external.sst";
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_TRUE(writer.Open(external).ok());
  ASSERT_TRUE(writer.Put("c", "3").ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(Created(FileRole::kTable), 1);
}

}  // namespace
}  // namespace tamis
