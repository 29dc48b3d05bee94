// SPDX-License-Identifier: Apache-2.0
//
// A MANIFEST larger than DBOptions::max_manifest_file_size is replaced by a new
// one with the same state.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/manifest/manifest_state.h"
#include "tests/db/test_families.h"

namespace tamis {
namespace {

class ManifestRollTest : public FamiliesTest {
 protected:
  // Flushes `count` tables of "default". Returns the number of new MANIFESTs.
  int FlushTables(int count) {
    int rolls = 0;
    for (int i = 0; i < count; ++i) {
      const std::string before = Manifest();
      Put("default", Key(next_++), "value");
      FlushFamily("default");
      if (Manifest() != before) ++rolls;
    }
    return rolls;
  }
  // Returns the name of the only MANIFEST.
  std::string Manifest() {
    std::vector<std::string> names = FilesEndingIn("");
    std::erase_if(names, [](const std::string& name) {
      return !name.starts_with("MANIFEST-");
    });
    EXPECT_EQ(names.size(), 1u);
    std::string current;
    EXPECT_TRUE(
        fs_->GetContents(std::string(kTestDirectory) + "/CURRENT", &current)
            .ok());
    EXPECT_EQ(names.at(0) + "\n", current);
    return names.at(0);
  }

  int next_ = 0;
};

TEST_F(ManifestRollTest, StartsANewManifestAboveTheLimitAndDeletesTheOld) {
  options_.disable_auto_compactions = true;
  options_.max_manifest_file_size = 2000;
  MakeFamilies({"a"});
  Put("a", "k", "1");
  FlushFamily("a");
  EXPECT_GE(FlushTables(60), 2);
  EXPECT_LT(SizeOf(Manifest()), 60u * 200);
  const std::string contents = AllContents();
  EXPECT_EQ(LiveFiles().size(), 61u);
  PowerCut();
  ReopenFamilies();
  EXPECT_EQ(AllContents(), contents);
  EXPECT_EQ(LiveFiles().size(), 61u);
}

TEST_F(ManifestRollTest, KeepsTheManifestBelowTheLimit) {
  options_.disable_auto_compactions = true;
  MakeFamilies({});
  EXPECT_EQ(FlushTables(1), 1);  // the first edit of an open
  EXPECT_EQ(FlushTables(60), 0);
}

// Each new one is to take as much again before it is replaced.
TEST_F(ManifestRollTest, DoesNotThrashWhenTheFirstEditsExceedTheLimit) {
  options_.disable_auto_compactions = true;
  options_.max_manifest_file_size = 1;
  MakeFamilies({});
  const int early = FlushTables(50);
  EXPECT_GE(early, 1);
  EXPECT_LE(early, 8);  // with every doubling
  EXPECT_LE(FlushTables(50), 2);
}

TEST_F(ManifestRollTest, KeepsFamiliesAndTheHighestId) {
  options_.disable_auto_compactions = true;
  options_of_["down"] = options_;
  options_of_["down"].comparator = ReverseBytewiseComparator();
  options_.max_manifest_file_size = 1;
  MakeFamilies({"down", "gone"});
  Put("down", "k", "1");
  FlushFamily("down");
  DropAndForget("gone");
  EXPECT_GE(FlushTables(10), 1);
  const auto manifest = ReadManifest(fs_.get(), kTestDirectory);
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->name, Manifest());
  EXPECT_EQ(manifest->max_column_family, FamilyId(2));
  ASSERT_EQ(manifest->families.size(), 2u);
  EXPECT_EQ(manifest->families.at(FamilyId(1)).name, "down");
  EXPECT_EQ(manifest->families.at(FamilyId(1)).comparator,
            ReverseBytewiseComparator()->Name());
  EXPECT_EQ(manifest->families.at(FamilyId(1)).files[kLevelZero].size(), 1u);
  EXPECT_EQ(manifest->families.at(FamilyId(0)).files[kLevelZero].size(), 10u);
  ReopenFamilies();
  Create("next");
  EXPECT_EQ(Family("next")->GetID(), 3u);
  EXPECT_EQ(ContentsOf("down"), "k=1");
}

TEST_F(ManifestRollTest, CreatingAndDroppingFamiliesRollsIt) {
  options_.max_manifest_file_size = 500;
  MakeFamilies({"stays"});
  Put("stays", "k", "1");
  FlushFamily("stays");
  Put("stays", "k", "1");
  const std::string before = Manifest();
  for (int i = 0; i < 30; ++i) {
    Create("short");
    DropAndForget("short");
  }
  FlushFamily("stays");
  EXPECT_NE(Manifest(), before);
  EXPECT_LT(SizeOf(Manifest()), 1500u);
  ReopenFamilies();
  EXPECT_EQ(AllContents(), "default:  | stays: k=1");
}

TEST_F(ManifestRollTest, AFailedRollIsAnErrorThatResumeClears) {
  options_.disable_auto_compactions = true;
  options_.max_manifest_file_size = 1;
  options_.max_bgerror_resume_count = 0;
  const struct {
    const char* operation;
    const char* path;
  } cases[] = {{"create", "MANIFEST"}, {"append", "MANIFEST"},
               {"sync", "MANIFEST"},   {"create", "dbtmp"},
               {"sync", "dbtmp"},      {"rename", "dbtmp"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.operation) + " " + c.path);
    MakeFamilies({"a"});
    Put("a", "k", "1");
    FlushFamily("a");
    const std::string before = Manifest();
    int failed = 0;
    fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
      if (call.operation != c.operation ||
          call.path.find(c.path) == std::string::npos ||
          call.path.find(before) != std::string::npos) {
        return Status::OK();
      }
      ++failed;
      return Status::IOError(call.path, "injected");
    });
    Status status;
    for (int i = 0; i < 20 && status.ok(); ++i) {
      Put("default", Key(i), "value");
      status = db_->Flush(FlushOptions());
    }
    EXPECT_TRUE(status.IsIOError()) << status;
    EXPECT_EQ(failed, 1);
    EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 1u);
    EXPECT_TRUE(db_->Put(WriteOptions(), "k", "v").IsIOError());
    const std::string contents = AllContents();
    fs_->SetFaultHook(nullptr);
    ASSERT_TRUE(db_->Resume().ok());
    Put("default", "last", "value");
    FlushFamily("default");
    EXPECT_NE(Manifest(), before);
    PowerCut();
    ReopenFamilies();
    EXPECT_EQ(GetIn("default", "last"), "value");
    ASSERT_TRUE(db_->Delete(WriteOptions(), "last").ok());
    EXPECT_EQ(AllContents(), contents);
    CloseAll();
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
  }
}

TEST_F(ManifestRollTest, APowerFailureDuringARollLosesNothing) {
  options_.disable_auto_compactions = true;
  options_.max_manifest_file_size = 1;
  bool whole_run = false;
  for (uint64_t cut = 1; !whole_run; ++cut) {
    SCOPED_TRACE("power fails at call " + std::to_string(cut));
    MakeFamilies({"a"});
    Put("a", "k", "1");
    FlushFamily("a");
    const uint64_t begin = fs_->calls();
    fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
      if (call.number == begin + cut) fs_->CutPower();
      return Status::OK();
    });
    int flushed = 0;
    for (int i = 0; i < 4; ++i) {
      if (!db_->Put(WriteOptions(), Key(i), "v").ok()) break;
      if (!db_->Flush(FlushOptions()).ok()) break;
      flushed = i + 1;
    }
    whole_run = fs_->calls() < begin + cut;
    PowerCut(cut);
    ReopenFamilies();
    EXPECT_EQ(ContentsOf("a"), "k=1");
    for (int i = 0; i < flushed; ++i) EXPECT_EQ(GetIn("default", Key(i)), "v");
    CloseAll();
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
  }
}

}  // namespace
}  // namespace tamis
