// SPDX-License-Identifier: Apache-2.0
//
// A DirectoryProbe sees files that come and go, and edits of the MANIFEST, and
// no records of logs.
#include "db/recovery/directory_probe.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_families.h"
#include "tests/support/wrapped_file_system.h"

namespace tamis {
namespace {

// The names are the version.
class WithVersions final : public WrappedFileSystem {
 public:
  using WrappedFileSystem::WrappedFileSystem;

  Status GetDirectoryVersion(const std::string& path,
                             std::string* version) override {
    std::vector<std::string> names;
    const Status status = GetChildren(path, &names);
    version->clear();
    for (const std::string& name : names) *version += name + " ";
    return status;
  }
};

class DirectoryProbeTest : public FamiliesTest {
 protected:
  DirectoryProbeTest() { Open(); }

  void Begin(DirectoryProbe* probe) {
    probe->Begin(MomentOf(versions_.get(), kTestDirectory));
  }

  const std::string directory_ = kTestDirectory;
  const std::shared_ptr<WithVersions> versions_ =
      std::make_shared<WithVersions>(fs_);
};

TEST_F(DirectoryProbeTest, RecordsOfALogChangeNothing) {
  DirectoryProbe probe(versions_.get(), &directory_);
  EXPECT_FALSE(probe.is_set());
  Begin(&probe);
  ASSERT_TRUE(probe.is_set());
  EXPECT_TRUE(probe.IsUnchanged());
  for (int i = 0; i < 10; ++i) Put(Key(i), "value");
  EXPECT_TRUE(probe.IsUnchanged());
  probe.Forget();
  EXPECT_FALSE(probe.is_set());
}

TEST_F(DirectoryProbeTest, SeesFilesThatComeAndGo) {
  DirectoryProbe probe(versions_.get(), &directory_);
  Begin(&probe);
  ASSERT_TRUE(
      WriteStringToFile(fs_.get(), "", directory_ + "/000900.log", false).ok());
  EXPECT_FALSE(probe.IsUnchanged());
  Begin(&probe);
  EXPECT_TRUE(probe.IsUnchanged());
  ASSERT_TRUE(fs_->RemoveFile(directory_ + "/000900.log").ok());
  EXPECT_FALSE(probe.IsUnchanged());
}

TEST_F(DirectoryProbeTest, SeesAnEditOfTheManifest) {
  DirectoryProbe probe(versions_.get(), &directory_);
  const DirectoryMoment moment = MomentOf(versions_.get(), kTestDirectory);
  ASSERT_TRUE(moment.sized.ok());
  probe.Begin(moment);
  const std::string path = directory_ + "/" + moment.manifest();
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(path, &bytes).ok());
  ASSERT_EQ(bytes.size(), moment.manifest_bytes);
  ASSERT_TRUE(fs_->SetContents(path, bytes + "x").ok());
  EXPECT_FALSE(probe.IsUnchanged());
}

TEST_F(DirectoryProbeTest, NeedsVersions) {
  DirectoryProbe probe(fs_.get(), &directory_);
  probe.Begin(MomentOf(fs_.get(), kTestDirectory));
  EXPECT_FALSE(probe.is_set());
}

}  // namespace
}  // namespace tamis
