// SPDX-License-Identifier: Apache-2.0
//
// DeleteFilesInRange and DeleteFile: which tables go, and what their deletion
// must not change.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/convenience.h"
#include "tamis/sst_file_writer.h"

#include "tests/db/test_families.h"

namespace tamis {
namespace {

class DeleteFilesTest : public FamiliesTest {
 protected:
  // Ingests a table: puts "k=<text>", deletions "k".
  void Add(const std::vector<std::string>& entries) {
    const std::string path = "/parent/new.sst";
    SstFileWriter writer(options_);
    ASSERT_EQ(writer.Open(path), Status::OK());
    for (const std::string& entry : entries) {
      const size_t at = entry.find('=');
      ASSERT_EQ(at == std::string::npos
                    ? writer.Delete(entry)
                    : writer.Put(entry.substr(0, at), entry.substr(at + 1)),
                Status::OK());
    }
    ASSERT_EQ(writer.Finish(), Status::OK());
    ASSERT_EQ(db_->IngestExternalFile({path}, {}), Status::OK());
  }
  // "" means unbounded.
  void DeleteFiles(const std::string& begin, const std::string& end,
                   bool include_end = true) {
    const Slice first = begin;
    const Slice last = end;
    const Status status = DeleteFilesInRange(
        db_.get(), db_->DefaultColumnFamily(), begin.empty() ? nullptr : &first,
        end.empty() ? nullptr : &last, include_end);
    ASSERT_EQ(status, Status::OK());
  }
  // The level and first key of each: "6a 5k".
  std::string Tables() {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    std::string text;
    for (const LiveFileMetaData& file : files) {
      text += (text.empty() ? "" : " ") + std::to_string(file.level) +
              file.smallestkey;
    }
    return text;
  }
  size_t TablesOnDisk() {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
    return static_cast<size_t>(std::count_if(
        names.begin(), names.end(),
        [](const std::string& name) { return name.ends_with(".sst"); }));
  }
};

TEST_F(DeleteFilesTest, TablesWithinTheRangeGo) {
  Open();
  Add({"a=1", "c=1"});
  Add({"d=1", "f=1"});
  Add({"g=1", "i=1"});
  Add({"j=1", "l=1"});
  DeleteFiles("b", "i");
  EXPECT_EQ(Tables(), "6a 6j");
  EXPECT_EQ(TablesOnDisk(), 2u);
  EXPECT_EQ(Get("a") + Get("d") + Get("i") + Get("j"), "1NOT_FOUNDNOT_FOUND1");
  Reopen();
  EXPECT_EQ(Tables(), "6a 6j");
  DeleteFiles("j", "l", /*include_end=*/false);
  EXPECT_EQ(Tables(), "6a 6j");
  DeleteFiles("j", "l");
  EXPECT_EQ(Tables(), "6a");
  DeleteFiles("", "");
  EXPECT_EQ(Tables(), "");
}

TEST_F(DeleteFilesTest, SeveralRangesAtOnceAndOneFamily) {
  MakeFamilies({"f"});
  Add({"a=1"});
  Add({"b=1"});
  Add({"c=1"});
  const Slice a = "a";
  const Slice c = "c";
  const RangePtr ranges[] = {{&a, &a}, {&c, nullptr}};
  EXPECT_EQ(DeleteFilesInRanges(db_.get(), Family("f"), ranges, 2),
            Status::OK());
  EXPECT_EQ(Tables(), "6a 6b 6c");
  EXPECT_EQ(
      DeleteFilesInRanges(db_.get(), db_->DefaultColumnFamily(), ranges, 2),
      Status::OK());
  EXPECT_EQ(Tables(), "6b");
  EXPECT_EQ(
      DeleteFilesInRanges(db_.get(), db_->DefaultColumnFamily(), nullptr, 0),
      Status::OK());
  EXPECT_EQ(Tables(), "6b");
}

TEST_F(DeleteFilesTest, MemTablesAndLevelZeroStay) {
  options_.disable_auto_compactions = true;
  Open();
  Put("a", "1");
  Flush();
  Put("b", "1");
  DeleteFiles("", "");
  EXPECT_EQ(Tables(), "0a");
  EXPECT_EQ(Get("a") + Get("b"), "11");
}

// RocksDB drops the table with the deletion, and "k" has its value again.
TEST_F(DeleteFilesTest, WhatWasDeletedDoesNotReappear) {
  Open();
  Add({"a=1", "k=old", "z=1"});
  Add({"k"});
  ASSERT_EQ(Tables(), "5k 6a");
  ASSERT_EQ(Get("k"), "NOT_FOUND");
  DeleteFiles("b", "y");
  EXPECT_EQ(Tables(), "5k 6a");
  EXPECT_EQ(Get("k"), "NOT_FOUND");
  DeleteFiles("a", "z");
  EXPECT_EQ(Tables(), "");
}

TEST_F(DeleteFilesTest, WhatASnapshotSeesStays) {
  Open();
  Put("a", "1");
  Flush();
  CompactRangeOptions force;
  ASSERT_EQ(db_->CompactRange(force, nullptr, nullptr), Status::OK());
  const Snapshot* const snapshot = db_->GetSnapshot();
  Add({"m=2"});  // newer than the snapshot
  DeleteFiles("", "");
  EXPECT_EQ(Get("a", snapshot), "1");
  EXPECT_EQ(Get("m"), "NOT_FOUND");
  db_->ReleaseSnapshot(snapshot);
  DeleteFiles("", "");
  EXPECT_EQ(Tables(), "");
}

TEST_F(DeleteFilesTest, AnIteratorKeepsItsTables) {
  Open();
  Add({"a=1", "b=1"});
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  DeleteFiles("", "");
  EXPECT_EQ(TablesOnDisk(), 1u);
  EXPECT_EQ(Scan(it.get()), "a=1 b=1");
  it.reset();
  EXPECT_EQ(TablesOnDisk(), 0u);
}

TEST_F(DeleteFilesTest, TheInputsOfARunningCompactionStay) {
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  Put("a", "1");
  Put("z", "1");
  Flush();
  ASSERT_EQ(db_->CompactRange({}, nullptr, nullptr), Status::OK());
  ASSERT_EQ(Tables(), "1a");
  MakeLevel0Files(2);  // schedules a compaction into level 1
  DeleteFiles("", "");
  EXPECT_EQ(Tables(), "0a 0a 1a");
  RunJobs();
  EXPECT_EQ(Tables(), "1a");
  EXPECT_EQ(Get("z"), "1");
}

TEST_F(DeleteFilesTest, TheDeletionIsDurableAndSoIsWhatCameBefore) {
  Open();
  Add({"a=1"});
  Put("b", "logged, not synced");
  DeleteFiles("a", "a");
  PowerCut(/*seed=*/1, CrashStyle::kDropAll);
  Open();
  EXPECT_EQ(Get("a"), "NOT_FOUND");
  EXPECT_EQ(Get("b"), "logged, not synced");
}

TEST_F(DeleteFilesTest, AReadOnlyDatabaseKeepsItsFiles) {
  Open();
  Add({"a=1"});
  db_.reset();
  ASSERT_EQ(DB::OpenForReadOnly(options_, kTestDirectory, &db_), Status::OK());
  EXPECT_TRUE(DeleteFilesInRange(db_.get(), db_->DefaultColumnFamily(), nullptr,
                                 nullptr)
                  .IsNotSupported());
  EXPECT_EQ(Get("a"), "1");
}

// A table goes by its name if it has the oldest versions of its keys.
class DeleteFileTest : public DeleteFilesTest {
 protected:
  // The name of the table that begins with this key, as metadata have it.
  std::string NameOf(const std::string& smallest) {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    for (const LiveFileMetaData& file : files) {
      if (file.smallestkey == smallest) return file.name;
    }
    return "";
  }
  // "OK", or the code and what the message must have.
  void Expect(const std::string& name, const std::string& expected) {
    const Status status = db_->DeleteFile(name);
    EXPECT_NE(status.ToString().find(expected), std::string::npos)
        << name << ": " << status;
  }
};

TEST_F(DeleteFileTest, OnlyTheOldestVersionsGo) {
  Open();
  Add({"a=1", "c=1"});
  Add({"d=1", "f=1"});
  Add({"c=2"});
  ASSERT_EQ(Tables(), "5c 6a 6d");
  Expect(NameOf("c"), "older and has its range");
  EXPECT_EQ(Get("c"), "2");
  Expect(NameOf("a"), "OK");
  EXPECT_EQ(Tables(), "5c 6d");
  Expect(NameOf("c").substr(1), "OK");
  EXPECT_EQ(Tables(), "6d");
  Reopen();  // a reader may have delayed the removal
  EXPECT_EQ(Tables(), "6d");
  EXPECT_EQ(TablesOnDisk(), 1u);
  EXPECT_EQ(Get("a") + Get("c") + Get("d"), "NOT_FOUNDNOT_FOUND1");
}

TEST_F(DeleteFileTest, OfLevelZeroOnlyTheOldestTable) {
  options_.disable_auto_compactions = true;
  Open();
  for (const char* key : {"a", "b", "c"}) {
    Put(key, "1");
    Flush();
  }
  Expect(NameOf("c"), "not the oldest table of level 0");
  Expect(NameOf("b"), "not the oldest table of level 0");
  Expect(NameOf("a"), "OK");
  Expect(NameOf("b"), "OK");
  EXPECT_EQ(Get("a") + Get("b") + Get("c"), "NOT_FOUNDNOT_FOUND1");
}

TEST_F(DeleteFileTest, WhatASnapshotReadsStays) {
  Open();
  Put("a", "1");
  Flush();
  const Snapshot* const snapshot = db_->GetSnapshot();
  Expect(NameOf("a"), "a snapshot may read it");
  db_->ReleaseSnapshot(snapshot);
  Expect(NameOf("a"), "OK");
}

TEST_F(DeleteFileTest, OtherFilesAreRefused) {
  options_.WAL_size_limit_MB = 100;
  Open();
  Put("a", "1");
  VectorLogPtr logs;
  ASSERT_TRUE(db_->GetSortedWalFiles(logs).ok());
  const std::string log = logs.at(0)->PathName();
  Expect(log, "Not implemented");
  Flush();
  Expect("/archive" + log, "OK");
  Expect("/archive" + log, "there is no such log");
  Expect("/000999.sst", "there is no such table");
  for (const char* name : {"CURRENT", "MANIFEST-000001", "", "/", "archive/",
                           "archive/000004.sst", "../000004.sst"}) {
    Expect(name, "Invalid argument");
  }
  ASSERT_EQ(db_->DisableFileDeletions(), Status::OK());
  Put("b", "1");
  Flush();
  EXPECT_TRUE(db_->DeleteFile("/archive/000001.log").IsBusy());
  ASSERT_EQ(db_->EnableFileDeletions(), Status::OK());
}

TEST_F(DeleteFileTest, APowerCutDoesNotUndoIt) {
  Open();
  Put("a", "1");
  Flush();
  Expect(NameOf("a"), "OK");
  fs_->CutPower();
  db_.reset();
  fs_->Restart(/*seed=*/1, CrashStyle::kDropAll);
  Open();
  EXPECT_EQ(Tables(), "");
}

TEST_F(DeleteFilesTest, MetadataCountDeletions) {
  Open();
  Put("a", "1");
  Delete("b");
  Delete("c");
  Flush();
  for (int i = 0; i < 2; ++i) {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(files[0].num_entries, 3u);
    EXPECT_EQ(files[0].num_deletions, 2u);
    Reopen();
  }
}

}  // namespace
}  // namespace tamis
