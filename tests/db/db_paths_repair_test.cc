// SPDX-License-Identifier: Apache-2.0
//
// Repairs and removals of databases with tables in several directories.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/db_paths_fixture.h"

namespace tamis {
namespace {

class DbPathsRepairTest : public DbPathsFixture {
 protected:
  void RemoveManifests() {
    for (const std::string& name : FilesEndingIn("")) {
      if (!name.starts_with("MANIFEST-")) continue;
      ASSERT_EQ(fs_->RemoveFile(std::string(kTestDirectory) + "/" + name),
                Status::OK());
    }
  }
};

TEST_F(DbPathsRepairTest, ARepairTakesTheTableThatTheManifestLists) {
  Open();
  PutMany(10);
  Flush();
  CompactTo(1);
  const std::string name = LiveFiles().at(0).name;
  db_.reset();
  ASSERT_EQ(WriteStringToFile(fs_.get(), "x", kFast + name, /*sync=*/true),
            Status::OK());
  ASSERT_EQ(RepairDB(kTestDirectory, options_), Status::OK());
  EXPECT_EQ(NamesIn(kFast + "/lost").size(), 1u);
  Open();
  EXPECT_EQ(TablesByDirectory()[kSlow].size(), 1u);
  ExpectAll(10);
  db_.reset();
  // Without a MANIFEST, nothing tells which one it is.
  ASSERT_EQ(WriteStringToFile(fs_.get(), "x", kFast + name, /*sync=*/true),
            Status::OK());
  RemoveManifests();
  ExpectRefused(RepairDB(kTestDirectory, options_), "has the same number");
}

TEST_F(DbPathsRepairTest, ARepairFindsTablesInAllDirectories) {
  Open();
  PutMany(10);
  Flush();
  CompactTo(1);
  Put("b", "2");
  Flush();
  Put("c", "3");
  db_.reset();
  for (const bool has_manifest : {true, false}) {
    if (!has_manifest) RemoveManifests();
    ASSERT_EQ(RepairDB(kTestDirectory, options_), Status::OK());
    Open();
    ExpectAll(10);
    EXPECT_EQ(Get("b"), "2");
    EXPECT_EQ(Get("c"), "3");
    EXPECT_FALSE(TablesByDirectory()[kSlow].empty());
    db_.reset();
  }
}

// What a repair writes goes to the first path, what it replaces to lost/.
TEST_F(DbPathsRepairTest, ARepairSalvagesADamagedTable) {
  Open();
  PutMany(300);
  Flush();
  CompactTo(1);
  db_.reset();
  const std::string damaged = NamesIn(kSlow).at(0);
  std::string bytes;
  ASSERT_EQ(ReadFileToString(fs_.get(), kSlow + "/" + damaged, &bytes),
            Status::OK());
  bytes[100] = static_cast<char>(bytes[100] ^ 1);
  ASSERT_EQ(WriteStringToFile(fs_.get(), bytes, kSlow + "/" + damaged, true),
            Status::OK());
  ASSERT_EQ(RepairDB(kTestDirectory, options_), Status::OK());
  Open();
  EXPECT_EQ(Get(Key(299)), Noise(100, 299));
  EXPECT_TRUE(TablesByDirectory()[kSlow].empty());
  EXPECT_EQ(NamesIn(kSlow + "/lost"), std::vector<std::string>{damaged});
}

TEST_F(DbPathsRepairTest, ARepairNamesTheDirectoryThatIsNoPath) {
  Open();
  PutMany(10);
  Flush();
  db_.reset();
  const std::string name = NamesIn(kFast).at(0);
  ASSERT_EQ(fs_->RenameFile(kFast + "/" + name,
                            std::string(kTestDirectory) + "/" + name),
            Status::OK());
  ExpectRefused(RepairDB(kTestDirectory, options_), "add it to the end");
  options_.db_paths.emplace_back(kTestDirectory, 1);
  ASSERT_EQ(RepairDB(kTestDirectory, options_), Status::OK());
  Open();
  ExpectAll(10);
}

TEST_F(DbPathsRepairTest, DestroyRemovesWhatIsTheDatabases) {
  Open();
  PutMany(10);
  Flush();
  CompactTo(1);
  Put("b", "2");
  Flush();
  ASSERT_EQ(WriteStringToFile(fs_.get(), "x", kSlow + "/notes", false),
            Status::OK());
  Destroy();
  EXPECT_TRUE(fs_->FileExists(kFast).IsPathNotFound());
  EXPECT_EQ(NamesIn(kSlow, ""), std::vector<std::string>{"notes"});
}

TEST_F(DbPathsRepairTest, DestroyLeavesAnotherDatabaseAlone) {
  Open();
  PutMany(10);
  Flush();
  db_.reset();
  Options other = options_;
  other.db_paths.clear();
  std::unique_ptr<DB> second;
  ASSERT_EQ(DB::Open(other, "/parent/second", &second), Status::OK());
  second.reset();
  other.db_paths = options_.db_paths;
  ExpectRefused(DestroyDB("/parent/second", other), "belongs to another");
  Open();
  ExpectAll(10);
}

}  // namespace
}  // namespace tamis
