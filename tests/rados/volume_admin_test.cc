// SPDX-License-Identifier: Apache-2.0
//
// What an operator sees of volumes, orphans, and copies of directories.
#include "rados/volume_admin.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rados/copy_tree.h"
#include "rados/rados_file_system.h"
#include "tests/rados/cluster_file_system.h"
#include "tests/rados/simulated_cluster.h"
#include "tests/support/simulated_file_system.h"
#include "util/base/fake_clock.h"

namespace tamis::rados {
namespace {

class VolumeAdminTest : public testing::Test {
 protected:
  std::shared_ptr<Volume> NewVolume(const std::string& name) {
    Volume::Options options = SimulatedVolume(std::make_shared<FakeClock>());
    options.name = name;
    return std::make_shared<Volume>(
        std::make_unique<SimulatedClient>(
            &cluster_, "client" + std::to_string(++clients_)),
        options);
  }
  VolumeFacts Facts(const std::string& volume) {
    VolumeFacts facts;
    EXPECT_EQ(ReadVolume(&operator_, volume, &facts), Status::OK());
    return facts;
  }
  std::vector<ObjectName> Orphans(const std::string& volume) {
    std::vector<ObjectName> orphans;
    EXPECT_EQ(FindOrphans(&operator_, volume, &orphans), Status::OK());
    return orphans;
  }

  SimulatedCluster cluster_{1};
  SimulatedClient operator_{&cluster_, "operator"};
  int clients_ = 0;
};

TEST_F(VolumeAdminTest, ListsVolumesAndTheirOwners) {
  const auto one = NewVolume("one");
  const auto two = NewVolume("two");
  ASSERT_EQ(two->Lock("/LOCK"), Status::OK());
  ASSERT_EQ(one->Lock("/LOCK"), Status::OK());
  ObjectWrite other;
  other.Create();
  ASSERT_TRUE(operator_.Apply({Pool::kNames, "no-volume"}, other).ok());
  std::vector<std::string> volumes;
  ASSERT_EQ(ListVolumes(&operator_, &volumes), Status::OK());
  EXPECT_EQ(volumes, (std::vector<std::string>{"one", "two"}));
  VolumeFacts facts = Facts("one");
  EXPECT_EQ(facts.epoch, 1u);
  EXPECT_EQ(facts.owner, "client1");
  EXPECT_TRUE(facts.has_lease);
  EXPECT_EQ(facts.holder.client, "client1");
  one->Unlock("/LOCK");
  facts = Facts("one");
  EXPECT_EQ(facts.epoch, 1u);
  EXPECT_EQ(facts.owner, "");
  EXPECT_FALSE(facts.has_lease);
  EXPECT_TRUE(ReadVolume(&operator_, "three", &facts).IsPathNotFound());
}

TEST_F(VolumeAdminTest, FindsWhatBelongsToNoFile) {
  const auto volume = NewVolume("v");
  ASSERT_EQ(volume->Lock("/LOCK"), Status::OK());
  RadosFileSystem fs(volume, false);
  std::unique_ptr<WritableFile> open;
  ASSERT_EQ(fs.NewWritableFile("/open", &open), Status::OK());
  ASSERT_EQ(open->Append("abc"), Status::OK());
  ASSERT_EQ(open->Sync(), Status::OK());
  ASSERT_EQ(WriteStringToFile(&fs, "abc", "/removed", true), Status::OK());
  ASSERT_EQ(fs.RemoveFile("/removed"), Status::OK());
  EXPECT_EQ(Facts("v").names.size(), 1u);
  EXPECT_EQ(Facts("v").trash.size(), 1u);
  EXPECT_EQ(Orphans("v"), std::vector<ObjectName>());

  const std::vector<ObjectName> late = {
      StripeObject("v", Pool::kLogs, "0-7", 0),
      StripeObject("v", Pool::kTables, "0-8", 3)};
  ObjectWrite create;
  create.Create();
  for (const ObjectName& object : late) {
    ASSERT_TRUE(operator_.Apply(object, create).ok());
  }
  // Of a volume whose name begins alike.
  ASSERT_TRUE(
      operator_.Apply(StripeObject("v2", Pool::kLogs, "0-7", 0), create).ok());
  EXPECT_EQ(Orphans("v"), late);
  EXPECT_EQ(RemoveObjects(&operator_, late), Status::OK());
  EXPECT_EQ(RemoveObjects(&operator_, late), Status::OK());
  EXPECT_EQ(Orphans("v"), std::vector<ObjectName>());
  EXPECT_EQ(open->Close(), Status::OK());
}

TEST_F(VolumeAdminTest, CopiesDirectoriesBothWays) {
  const std::shared_ptr<FileSystem> local = NewSimulatedFileSystem();
  ASSERT_EQ(local->CreateDirIfMissing("/db"), Status::OK());
  ASSERT_EQ(local->CreateDirIfMissing("/db/lost"), Status::OK());
  const std::string table(5 << 20, 't');
  for (const auto& [path, contents] :
       std::vector<std::pair<std::string, std::string>>{
           {"/db/000001.sst", table},
           {"/db/CURRENT", "x\n"},
           {"/db/empty", ""},
           {"/db/lost/a", "a"},
           {"/db/LOCK", ""}}) {
    ASSERT_EQ(WriteStringToFile(local.get(), contents, path, true),
              Status::OK());
  }
  const auto volume = NewVolume("v");
  ASSERT_EQ(volume->Lock("copy"), Status::OK());
  RadosFileSystem fs(volume, false);
  CopyCounts counts;
  ASSERT_EQ(CopyTree(local.get(), "/db", &fs, "/db", &counts, nullptr),
            Status::OK());
  EXPECT_EQ(counts.files, 4u);
  EXPECT_EQ(counts.bytes, table.size() + 3);
  EXPECT_TRUE(fs.FileExists("/db/LOCK").IsPathNotFound());
  EXPECT_EQ(Facts("v").names.at("/db/000001.sst").pool, Pool::kTables);
  EXPECT_EQ(Facts("v").names.at("/db/CURRENT").pool, Pool::kLogs);
  EXPECT_TRUE(CopyTree(local.get(), "/db", &fs, "/db", &counts, nullptr)
                  .IsInvalidArgument());

  ASSERT_EQ(CopyTree(&fs, "/db", local.get(), "/back", &counts, nullptr),
            Status::OK());
  EXPECT_EQ(counts.files, 4u);
  std::string contents;
  ASSERT_EQ(ReadFileToString(local.get(), "/back/000001.sst", &contents),
            Status::OK());
  EXPECT_TRUE(contents == table);
  ASSERT_EQ(ReadFileToString(local.get(), "/back/lost/a", &contents),
            Status::OK());
  EXPECT_EQ(contents, "a");
  EXPECT_TRUE(CopyTree(&fs, "/none", local.get(), "/none", &counts, nullptr)
                  .IsPathNotFound());
}

}  // namespace
}  // namespace tamis::rados
