// SPDX-License-Identifier: Apache-2.0
//
// Checkpoint::ExportColumnFamily and DB::CreateColumnFamilyWithImport: a family
// moves to another database, or to another name, with all that it has.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/sst_file_writer.h"
#include "tamis/utilities/checkpoint.h"

#include "tests/db/test_families.h"

namespace tamis {
namespace {

class ImportTest : public FamiliesTest {
 protected:
  ImportTest() { options_.disable_auto_compactions = true; }

  Status TryExport(const std::string& family, const std::string& directory) {
    std::unique_ptr<Checkpoint> checkpoint;
    EXPECT_EQ(Checkpoint::Create(db_.get(), &checkpoint), Status::OK());
    ExportImportFilesMetaData* made = nullptr;
    const Status status =
        checkpoint->ExportColumnFamily(Family(family), directory, &made);
    EXPECT_EQ(made != nullptr, status.ok());
    exported_.reset(made);
    return status;
  }
  void Export(const std::string& family) {
    ASSERT_EQ(TryExport(family, "/parent/export"), Status::OK());
  }
  Status TryImport(const std::string& name,
                   const ImportColumnFamilyOptions& options = {}) {
    ColumnFamilyHandle* handle = nullptr;
    const Status status = db_->CreateColumnFamilyWithImport(
        OptionsOf(name), name, options, *exported_, &handle);
    EXPECT_EQ(handle != nullptr, status.ok());
    if (!status.ok()) return status;
    handles_[name].reset(handle);
    names_.insert(name);
    return status;
  }
  void Import(const std::string& name,
              const ImportColumnFamilyOptions& options = {}) {
    ASSERT_EQ(TryImport(name, options), Status::OK());
  }
  // Another database in the same directory; the first is gone.
  void NewDatabase() {
    handles_.clear();
    Destroy();
    OpenFamilies({});
  }
  // Tables in levels 0, 1 and 2, with versions over each other, a range
  // deletion and a merge of nothing.
  void Fill(const std::string& family) {
    for (int level : {2, 1, 0}) {
      for (int i = 0; i < 60; i += 3 - level) {
        Put(family, Key(i), std::to_string(level));
      }
      if (level == 1) {
        ASSERT_EQ(db_->DeleteRange({}, Family(family), Key(20), Key(30)),
                  Status::OK());
      }
      FlushFamily(family);
      if (level == 0) break;
      ASSERT_EQ(db_->CompactRange({}, Family(family), nullptr, nullptr),
                Status::OK());
      if (level == 1) continue;
      CompactRangeOptions down;
      down.change_level = true;
      down.target_level = 2;
      ASSERT_EQ(db_->CompactRange(down, Family(family), nullptr, nullptr),
                Status::OK());
    }
    Put(family, Key(1), "newest");
  }
  // "level:first-last" of the tables.
  std::string TablesIn(const std::string& family) {
    std::string text;
    for (const LiveFileMetaData& file : LiveFiles()) {
      if (file.column_family_name != family) continue;
      text += std::to_string(file.level) + ":" +
              std::to_string(file.smallest_seqno) + "-" +
              std::to_string(file.largest_seqno) + " ";
    }
    return text;
  }
  bool Exists(const std::string& path) { return fs_->FileExists(path).ok(); }

  std::unique_ptr<ExportImportFilesMetaData> exported_;
};

TEST_F(ImportTest, AFamilyMovesToAnotherDatabaseWithLevelsAndNumbers) {
  MakeFamilies({"f"});
  Fill("f");
  const std::string contents = ContentsOf("f");
  Export("f");
  const std::string tables = TablesIn("f");
  const SequenceNumber last = db_->GetLatestSequenceNumber();
  EXPECT_GE(exported_->files.size(), 3u);
  for (const LiveFileMetaData& file : exported_->files) {
    EXPECT_EQ(file.column_family_name, "f");
    EXPECT_EQ(file.directory, "/parent/export");
    EXPECT_TRUE(Exists("/parent/export" + file.name));
  }
  EXPECT_FALSE(Exists("/parent/export.tmp"));

  NewDatabase();
  Put("a", "of another family");
  Import("copy");
  EXPECT_EQ(ContentsOf("copy"), contents);
  EXPECT_EQ(TablesIn("copy"), tables);
  EXPECT_GE(db_->GetLatestSequenceNumber(), last);
  EXPECT_EQ(Get("a"), "of another family");
  // New writes are newer, in every way of reading them.
  Put("copy", Key(1), "written");
  EXPECT_EQ(GetIn("copy", Key(1)), "written");
  FlushFamily("copy");
  EXPECT_EQ(GetIn("copy", Key(1)), "written");
  ReopenFamilies();
  EXPECT_EQ(GetIn("copy", Key(1)), "written");
  EXPECT_EQ(GetIn("copy", Key(3)), "0");
  CompactRangeOptions force;
  force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  EXPECT_EQ(db_->CompactRange(force, Family("copy"), nullptr, nullptr),
            Status::OK());
  EXPECT_EQ(GetIn("copy", Key(1)), "written");
  // The files of the export are a copy.
  for (const LiveFileMetaData& file : exported_->files) {
    EXPECT_TRUE(Exists("/parent/export" + file.name));
  }
}

TEST_F(ImportTest, WithoutInternalKeysAndEpochsTheTablesSayEnough) {
  MakeFamilies({"f"});
  Fill("f");
  const std::string contents = ContentsOf("f");
  Export("f");
  const std::string tables = TablesIn("f");
  // As RocksDB 7.8.3 has them.
  for (LiveFileMetaData& file : exported_->files) {
    file.smallest.clear();
    file.largest.clear();
    file.epoch_number = 0;
    file.relative_filename.clear();
    file.directory.clear();
    file.size = 0;
  }
  std::reverse(exported_->files.begin(), exported_->files.end());
  Import("copy");
  EXPECT_EQ(ContentsOf("copy"), contents);
  EXPECT_EQ(TablesIn("copy"), tables);
  ReopenFamilies();
  EXPECT_EQ(ContentsOf("copy"), contents);
}

TEST_F(ImportTest, IngestedTablesKeepTheNumberThatOnlyTheManifestHas) {
  MakeFamilies({"f"});
  Put("f", "a", "old");
  Put("f", "b", "old");
  FlushFamily("f");
  SstFileWriter writer(options_);
  ASSERT_EQ(writer.Open("/parent/x.sst"), Status::OK());
  ASSERT_EQ(writer.Put("b", "ingested"), Status::OK());
  ASSERT_EQ(writer.Finish(), Status::OK());
  ASSERT_EQ(db_->IngestExternalFile(Family("f"), {"/parent/x.sst"}, {}),
            Status::OK());
  Put("f", "c", "new");
  for (const bool internal_keys : {true, false}) {
    const std::string name = internal_keys ? "with" : "without";
    ASSERT_EQ(TryExport("f", "/parent/" + name), Status::OK());
    for (LiveFileMetaData& file : exported_->files) {
      if (!internal_keys) file.smallest.clear();
    }
    Import(name);
    EXPECT_EQ(ContentsOf(name), "a=old b=ingested c=new");
  }
  ReopenFamilies();
  EXPECT_EQ(ContentsOf("with"), "a=old b=ingested c=new");
}

TEST_F(ImportTest, MovedFilesLeaveTheirOldNames) {
  MakeFamilies({"f"});
  Fill("f");
  Export("f");
  ImportColumnFamilyOptions options;
  options.move_files = true;
  Import("copy", options);
  EXPECT_EQ(ContentsOf("copy"), ContentsOf("f"));
  for (const LiveFileMetaData& file : exported_->files) {
    EXPECT_FALSE(Exists("/parent/export" + file.name));
  }
}

TEST_F(ImportTest, ChecksumsComeAlong) {
  options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  MakeFamilies({"f"});
  Put("f", "a", "1");
  Export("f");
  Import("kept");
  exported_->files[0].file_checksum.clear();
  exported_->files[0].file_checksum_func_name = kUnknownFileChecksumFuncName;
  Import("computed");
  for (const LiveFileMetaData& file : LiveFiles()) {
    EXPECT_EQ(file.file_checksum, LiveFiles()[0].file_checksum);
    EXPECT_EQ(file.file_checksum_func_name, "FileChecksumCrc32c");
  }
  EXPECT_EQ(LiveFiles().size(), 3u);
  EXPECT_EQ(db_->VerifyFileChecksums({}), Status::OK());
}

TEST_F(ImportTest, WhatDoesNotFitChangesNothing) {
  MakeFamilies({"f"});
  Fill("f");
  Export("f");
  const auto before = *exported_;
  const std::string tables = TablesIn("f");
  const SequenceNumber last = db_->GetLatestSequenceNumber();
  const auto expect = [&](bool corruption, const std::string& what) {
    const Status status = TryImport("copy");
    EXPECT_EQ(status.IsCorruption(), corruption) << status;
    EXPECT_EQ(status.IsInvalidArgument(), !corruption) << status;
    EXPECT_NE(status.ToString().find(what), std::string::npos) << status;
    *exported_ = before;
  };
  exported_->db_comparator_name = "other";
  expect(false, "comparator other");
  exported_->files.clear();
  expect(false, "empty");
  exported_->files[0].level = 7;
  expect(false, "level 7");
  exported_->files[0].smallest_seqno = exported_->files[0].largest_seqno + 1;
  expect(false, exported_->files[0].name);
  exported_->files[0].size += 1;
  expect(true, exported_->files[0].name);
  // Sequence numbers that the table does not have.
  exported_->files[0].smallest_seqno = exported_->files[0].largest_seqno =
      last + 1000;
  expect(true, exported_->files[0].name);
  exported_->files[0].largest_seqno = (uint64_t{1} << 56) - 1;
  expect(false, exported_->files[0].name);
  // Bounds of another table.
  exported_->files.back().smallest = exported_->files.back().largest;
  expect(true, "beyond the listed bounds");
  // Two tables of a level with the same keys.
  exported_->files.back().level = 1;
  exported_->files[0].level = 1;
  exported_->files[1].level = 1;
  expect(true, "");
  // Damage.
  const std::string path = "/parent/export" + before.files[0].name;
  std::string bytes;
  ASSERT_EQ(ReadFileToString(fs_.get(), path, &bytes), Status::OK());
  std::string damaged = bytes;
  damaged[damaged.size() - 1] ^= 1;
  ASSERT_EQ(fs_->RemoveFile(path), Status::OK());  // it may be a link
  ASSERT_EQ(WriteStringToFile(fs_.get(), damaged, path, true), Status::OK());
  expect(true, before.files[0].name);
  // In a block in which no bound lies, as far as there is one.
  damaged = bytes;
  damaged[damaged.size() / 3] ^= 1;
  ASSERT_EQ(WriteStringToFile(fs_.get(), damaged, path, true), Status::OK());
  expect(true, before.files[0].name);
  ASSERT_EQ(WriteStringToFile(fs_.get(), bytes, path, true), Status::OK());

  EXPECT_TRUE(TryImport("f").IsInvalidArgument());
  EXPECT_EQ(db_->GetLatestSequenceNumber(), last);
  EXPECT_EQ(FilesEndingIn(".sst").size(), before.files.size());
  EXPECT_EQ(TablesIn("f"), tables);
  Import("copy");
  EXPECT_EQ(ContentsOf("copy"), ContentsOf("f"));

  EXPECT_TRUE(TryExport("f", "/parent/export").IsInvalidArgument());
  Drop("f");
  EXPECT_TRUE(TryExport("f", "/parent/other").IsColumnFamilyDropped());
  EXPECT_FALSE(Exists("/parent/other"));
}

TEST_F(ImportTest, APowerCutLeavesTheFamilyWholeOrNot) {
  bool failed = true;
  bool seen[2] = {false, false};
  for (int step = 0; failed; ++step) {
    MakeFamilies({"f"});
    Fill("f");
    const std::string contents = ContentsOf("f");
    Export("f");
    Put("a", "before");
    int calls = 0;
    fs_->SetFaultHook([&](const SimulatedFileSystem::Call&) {
      return calls++ >= step ? Status::IOError("cut") : Status::OK();
    });
    failed = !TryImport("copy").ok();
    PowerCut(static_cast<uint64_t>(step));
    std::vector<std::string> names = Listed();
    const bool there =
        std::find(names.begin(), names.end(), "copy") != names.end();
    EXPECT_TRUE(there || failed);
    seen[there ? 1 : 0] = true;
    OpenFamilies(there ? Names{"f", "copy"} : Names{"f"});
    EXPECT_EQ(ContentsOf("f"), contents);
    if (there) {
      EXPECT_EQ(ContentsOf("copy"), contents) << step;
      EXPECT_EQ(Get("a"), "before");
      Put("copy", Key(1), "after");
      EXPECT_EQ(GetIn("copy", Key(1)), "after");
    }
    handles_.clear();
    Destroy();
    for (const LiveFileMetaData& file : exported_->files) {
      fs_->RemoveFile("/parent/export" + file.name).PermitUncheckedError();
    }
    EXPECT_EQ(fs_->RemoveDir("/parent/export"), Status::OK());
    ASSERT_LT(step, 500);
  }
  EXPECT_TRUE(seen[0] && seen[1]);
}

}  // namespace
}  // namespace tamis
