// SPDX-License-Identifier: Apache-2.0
//
// Repairs of directories with missing or changed files. Intact data is kept,
// and no file is lost.
//
// Shows D19 of docs/durability.md.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/wal/log_reader.h"
#include "tests/db/repair/repair_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/locked.h"
#include "tests/support/string_files.h"

namespace tamis {
namespace {

TEST_F(RepairTest, ASoundDatabaseKeepsItsTablesAndLevels) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    Fill(seed);
    const size_t tables = TablesOnDisk();
    const std::vector<std::string> names = FilesEndingIn(".sst");
    Repair();
    const std::vector<std::string> after = FilesEndingIn(".sst");
    for (const std::string& name : names) {
      EXPECT_NE(std::find(after.begin(), after.end(), name), after.end());
    }
    EXPECT_LE(after.size(), tables + 1);  // the log
    ExpectAll();
  }
}

TEST_F(RepairTest, CurrentAndManifestAreNotNeeded) {
  for (uint64_t seed = 11; seed <= 16; ++seed) {
    Fill(seed);
    const Files files = Save();
    const std::string manifest = ManifestName();
    for (const bool without_current : {false, true}) {
      for (const bool without_manifest : {false, true}) {
        SCOPED_TRACE(std::to_string(seed) +
                     (without_current ? " without CURRENT" : "") +
                     (without_manifest ? " without MANIFEST" : ""));
        Restore(files);
        if (without_current) Remove("CURRENT");
        if (without_manifest) Remove(manifest);
        Repair();
        ExpectAll();
      }
    }
    Restore(files);
  }
}

TEST_F(RepairTest, ADamagedManifestIsUsedUpToTheDamage) {
  for (uint64_t seed = 21; seed <= 23; ++seed) {
    Fill(seed);
    const Files files = Save();
    const std::string manifest = ManifestName();
    const size_t size = ReadFile(manifest).size();
    const size_t step = 1 + size / static_cast<size_t>(Rounds(40));
    for (size_t at = 0; at < size; at += step) {
      SCOPED_TRACE(std::to_string(seed) + ", byte " + std::to_string(at));
      Restore(files);
      FlipByte(manifest, at);
      Repair();
      ExpectAll();
      Restore(files);
      WriteFile(manifest, files.at(manifest).substr(0, at));
      Repair();
      ExpectAll();
      if (HasFatalFailure()) return;
    }
    Restore(files);
  }
}

// Such a MANIFEST is readable to its end. Listed tables that are missing, or
// tables that it cannot have listed, show that its last edits are lost.
TEST_F(RepairTest, AManifestWithoutItsLastEditsIsNotTrusted) {
  size_t cuts = 0;
  for (uint64_t seed = 51; seed <= 58; ++seed) {
    Fill(seed);
    const Files files = Save();
    const std::string manifest = ManifestName();
    std::vector<uint64_t> offsets;
    LogReader reader(std::make_unique<StringSequentialFile>(files.at(manifest)),
                     manifest, FileNumber(1), LogKind::kManifest);
    std::string record;
    while (reader.ReadRecord(&record) == LogReader::Outcome::kRecord) {
      offsets.push_back(reader.record_offset());
    }
    for (const uint64_t offset : offsets) {
      SCOPED_TRACE(std::to_string(seed) + ", cut to " + std::to_string(offset));
      Restore(files);
      WriteFile(manifest, files.at(manifest).substr(0, offset));
      Repair();
      ExpectAll();
      if (HasFatalFailure() || HasNonfatalFailure()) return;
      ++cuts;
    }
    Restore(files);
  }
  EXPECT_GT(cuts, 50u);
}

TEST_F(RepairTest, ADamagedTableLosesOneBlock) {
  FillOnce(600, 100);
  const Files files = Save();
  const std::string manifest = ManifestName();
  for (const auto& [name, contents] : files) {
    if (!name.ends_with(".sst")) continue;
    const size_t step = 1 + contents.size() / static_cast<size_t>(Rounds(25));
    for (size_t at = 0; at < contents.size(); at += step) {
      SCOPED_TRACE(name + ", byte " + std::to_string(at));
      Restore(files);
      FlipByte(name, at);
      Repair();
      // A block of 256 bytes has some ten of these.
      EXPECT_GE(ExpectPart(), model_.shown().size() - 40);
      Restore(files);
      FlipByte(name, at);
      Remove("CURRENT");
      Remove(manifest);
      Repair();
      EXPECT_GE(ExpectPart(), model_.shown().size() - 40);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(RepairTest, ATruncatedTableLosesItsEnd) {
  FillOnce(600, 100);
  const Files files = Save();
  const std::string name = FilesEndingIn(".sst").front();
  const std::string whole = files.at(name);
  size_t before = 0;
  for (size_t size = 0; size <= whole.size(); size += whole.size() / 20) {
    SCOPED_TRACE("cut to " + std::to_string(size));
    Restore(files);
    WriteFile(name, whole.substr(0, size));
    Repair();
    const size_t shown = ExpectPart();
    EXPECT_GE(shown, before);
    before = shown;
  }
  EXPECT_GE(before, model_.shown().size() - 40);
}

// The level in the MANIFEST does not apply to a table that replaced the listed
// one under its name.
TEST_F(RepairTest, ANewerTableUnderAnOldTablesNameIsOrderedByAge) {
  options_.disable_auto_compactions = true;
  Open();
  Put("a", "1");
  Put("c", "1");
  Compact(/*force=*/true);
  const std::string oldest = FilesEndingIn(".sst").back();
  Put("b", "2");
  Flush();
  Put("b", "3");
  Flush();
  const std::string newest = FilesEndingIn(".sst").back();
  ASSERT_TRUE(db_->Close().ok());
  db_.reset();
  const Files files = Save();
  WriteFile(oldest, files.at(newest));
  ASSERT_TRUE(fs_->RemoveFile(kDir + "/" + newest).ok());
  ASSERT_TRUE(RepairDB(kDir, options_).ok());
  Open();
  std::string value;
  ASSERT_TRUE(db_->Get(ReadOptions(), "b", &value).ok());
  EXPECT_EQ(value, "3");
  EXPECT_EQ(Contents(), "b=3");
}

TEST_F(RepairTest, AMissingTableLosesNothingElse) {
  FillOnce(600, 100);
  const Files files = Save();
  for (const auto& [name, contents] : files) {
    if (!name.ends_with(".sst")) continue;
    SCOPED_TRACE(name);
    Restore(files);
    Remove(name);
    Repair();
    const size_t lost = model_.shown().size() - ExpectPart();
    EXPECT_GT(lost, 0u);
    EXPECT_LT(lost, model_.shown().size() / 2);
  }
}

// Each record of the log is a Put; a block of the log has about 700.
TEST_F(RepairTest, ADamagedLogLosesOneBlock) {
  FillOnce(3000, 100000);
  const Files files = Save();
  const std::string name = FilesEndingIn(".log").front();
  const std::string whole = files.at(name);
  for (size_t at = 0; at < whole.size(); at += whole.size() / 30) {
    SCOPED_TRACE("byte " + std::to_string(at));
    Restore(files);
    FlipByte(name, at);
    Repair();
    EXPECT_GE(ExpectPart(), model_.shown().size() - 800);
    std::string kept;
    ASSERT_TRUE(fs_->GetContents(kDir + "/lost/" + name, &kept).ok());
    EXPECT_EQ(kept.size(), whole.size());
    Restore(files);
    WriteFile(name, whole.substr(0, at));
    Repair();
    EXPECT_GE(ExpectPart() + 1, model_.shown().size() * at / whole.size());
    if (HasFatalFailure()) return;
  }
}

// However much is damaged: what comes out opens, reads without an error, shows
// nothing that was never written, and loses no file.
TEST_F(RepairTest, AnyDamageLeavesAnOpenableDatabase) {
  Fill(41);
  const Files files = Save();
  size_t salvaged = 0;
  size_t merges = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    Restore(files);
    Random random(seed);
    for (const auto& [name, contents] : files) {
      if (name.starts_with("LOG") || contents.empty() || random.OneIn(2)) {
        continue;
      }
      const uint64_t what = random.Uniform(6);
      if (what == 0) {
        Remove(name);
      } else if (what == 1) {
        WriteFile(name, contents.substr(0, random.Uniform(contents.size())));
      } else if (what == 2) {
        WriteFile(name, contents + std::string(random.Uniform(100), 'x'));
      } else {
        for (uint64_t i = random.Uniform(8) + 1; i > 0; --i) {
          FlipByte(name, random.Uniform(contents.size()),
                   static_cast<int>(1 + random.Uniform(255)));
        }
      }
    }
    Repair();
    if (HasFatalFailure()) return;
    salvaged += LogLines("event=repair_table_salvaged").size();
    merges += LogLines("event=repair_merge").size();
    options_.create_if_missing = false;
    Open();
    if (HasFatalFailure()) return;
    for (const auto& [key, value] : Shown()) {
      EXPECT_TRUE(key.starts_with("key")) << key;
      EXPECT_TRUE(value.starts_with("v")) << value;
    }
    Compact();
    db_.reset();
  }
  EXPECT_GT(salvaged, 100u);
  EXPECT_GT(merges, 10u);
}

// A table that a compaction left would restore deleted keys.
TEST_F(RepairTest, TablesDeletedByTheManifestStayDeleted) {
  Open();
  Put("a", "1");
  Put("b", "1");
  Flush();
  const std::string old = FilesEndingIn(".sst").front();
  const std::string contents = ReadFile(old);
  Delete("a");
  Flush();
  Compact();
  ASSERT_TRUE(db_->Close().ok());
  db_.reset();
  EXPECT_TRUE(
      WriteStringToFile(fs_.get(), contents, kDir + "/" + old, true).ok());
  const std::string manifest = ManifestName();
  const std::string whole = ReadFile(manifest);
  before_ = Keepsakes();
  Repair();
  Open();
  EXPECT_EQ(Contents(), "b=1");
  db_.reset();
  std::string kept;
  EXPECT_TRUE(fs_->GetContents(kDir + "/lost/" + old, &kept).ok());
}

TEST_F(RepairTest, TakesTheLock) {
  Open();
  EXPECT_TRUE(SaysLocked(RepairDB(kDir, options_)));
  db_.reset();
  EXPECT_TRUE(RepairDB(kDir, options_).ok());
}

TEST_F(RepairTest, AnotherComparatorIsRefusedBeforeAnythingChanges) {
  Fill(5, 100);
  const Files files = Save();
  Options reverse = options_;
  reverse.comparator = ReverseBytewiseComparator();
  for (const bool without_manifest : {false, true}) {
    if (without_manifest) Remove(ManifestName());
    EXPECT_TRUE(RepairDB(kDir, reverse).IsInvalidArgument());
    EXPECT_EQ(FilesEndingIn(".sst").size(),
              static_cast<size_t>(std::count_if(
                  files.begin(), files.end(),
                  [](const auto& f) { return f.first.ends_with(".sst"); })));
  }
  Repair();
  ExpectAll();
}

TEST_F(RepairTest, AnEmptyDirectoryIsNotADatabase) {
  EXPECT_FALSE(RepairDB(kDir, options_).ok());
  ASSERT_TRUE(fs_->CreateDirIfMissing(kDir).ok());
  EXPECT_TRUE(RepairDB(kDir, options_).IsCorruption());
}

TEST_F(RepairTest, TheInfoLogReportsTheRepair) {
  FillOnce(600, 100);
  const std::string name = FilesEndingIn(".sst").front();
  FlipByte(name, 10);
  Repair();
  EXPECT_EQ(LogLines("event=repair_table_salvaged").size(), 1u);
  EXPECT_EQ(LogLines("blocks_lost=1").size(), 1u);
  EXPECT_EQ(LogLines("event=file_moved").size(),
            2u + FilesEndingIn(".log").size() + 1);
  EXPECT_EQ(LogLines("event=repair_end").size(), 1u);
}

TEST_F(RepairTest, TheHighestFileNumberIsRefused) {
  Fill(71);
  ASSERT_TRUE(WriteStringToFile(fs_.get(), "",
                                kDir + "/4611686018427387903.dbtmp", true)
                  .ok());
  const Status status = RepairDB(kDir, options_);
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find("4611686018427387903"), std::string::npos);
  Remove("4611686018427387903.dbtmp");
  Repair();
  ExpectAll();
}

}  // namespace
}  // namespace tamis
