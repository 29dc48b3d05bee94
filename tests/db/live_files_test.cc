// SPDX-License-Identifier: Apache-2.0
//
// What a program needs that copies the files of an open database.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_families.h"

namespace tamis {
namespace {

class LiveFilesTest : public FamiliesTest {
 protected:
  std::vector<std::string> OnDisk(const std::string& suffix) {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
    std::erase_if(names, [&](const std::string& name) {
      return !name.ends_with(suffix);
    });
    return names;
  }
  uint64_t DeletionsEnabled() {
    uint64_t enabled = 7;
    EXPECT_TRUE(
        db_->GetIntProperty("rocksdb.is-file-deletions-enabled", &enabled));
    return enabled;
  }
  // The first `bytes` bytes of the file go to another directory.
  void CopyFirst(const std::string& name, uint64_t bytes) {
    std::string contents;
    ASSERT_EQ(ReadFileToString(fs_.get(), kTestDirectory + name, &contents),
              Status::OK());
    ASSERT_GE(contents.size(), bytes) << name;
    contents.resize(bytes);
    ASSERT_EQ(WriteStringToFile(fs_.get(), contents, "/parent/copy" + name,
                                /*sync=*/true),
              Status::OK());
  }
  // All files that the calls list.
  void CopyDatabase(bool flush) {
    ASSERT_EQ(fs_->CreateDirIfMissing("/parent/copy"), Status::OK());
    std::vector<std::string> files;
    uint64_t manifest_bytes = 0;
    ASSERT_EQ(db_->GetLiveFiles(files, &manifest_bytes, flush), Status::OK());
    VectorLogPtr logs;
    ASSERT_EQ(db_->GetSortedWalFiles(logs), Status::OK());
    // The database changes meanwhile.
    Put("a", "changed");
    Flush();
    Compact(/*force=*/true);
    for (const std::string& name : files) {
      uint64_t bytes = manifest_bytes;
      if (name.find("MANIFEST") == std::string::npos) {
        ASSERT_EQ(fs_->GetFileSize(kTestDirectory + name, &bytes),
                  Status::OK());
      }
      CopyFirst(name, bytes);
    }
    for (const auto& log : logs)
      CopyFirst(log->PathName(), log->SizeFileBytes());
  }
};

TEST_F(LiveFilesTest, ObsoleteFilesStayUntilDeletionsAreEnabled) {
  Open();
  MakeLevel0Files(2);
  EXPECT_EQ(DeletionsEnabled(), 1u);
  EXPECT_EQ(db_->DisableFileDeletions(), Status::OK());
  EXPECT_EQ(db_->DisableFileDeletions(), Status::OK());
  EXPECT_EQ(DeletionsEnabled(), 0u);
  const size_t logs = OnDisk(".log").size();
  Put("a", "1");
  Flush();
  Compact();
  EXPECT_EQ(OnDisk(".sst").size(), 4u);
  EXPECT_EQ(OnDisk(".log").size(), logs + 1);
  EXPECT_EQ(db_->EnableFileDeletions(), Status::OK());
  EXPECT_EQ(OnDisk(".sst").size(), 4u);
  EXPECT_EQ(db_->EnableFileDeletions(), Status::OK());
  EXPECT_EQ(OnDisk(".sst").size(), 1u);
  EXPECT_EQ(OnDisk(".log").size(), logs);
  EXPECT_TRUE(db_->EnableFileDeletions().IsInvalidArgument());

  // Another open deletes them.
  EXPECT_EQ(db_->DisableFileDeletions(), Status::OK());
  Put("a", "2");
  Flush();
  Compact(/*force=*/true);
  EXPECT_GT(OnDisk(".sst").size(), 1u);
  Reopen();
  EXPECT_EQ(OnDisk(".sst").size(), 1u);
}

TEST_F(LiveFilesTest, ACopyOfTheListedFilesIsTheDatabaseOfThatTime) {
  for (const bool flush : {false, true}) {
    Open();
    Put("a", "1");
    Put("b", "1");
    Flush();
    Put("c", "in memory");
    EXPECT_EQ(db_->DisableFileDeletions(), Status::OK());
    CopyDatabase(flush);
    EXPECT_EQ(db_->EnableFileDeletions(), Status::OK());
    EXPECT_EQ(Get("a"), "changed");

    std::unique_ptr<DB> copy;
    ASSERT_EQ(DB::Open(options_, "/parent/copy", &copy), Status::OK());
    std::unique_ptr<Iterator> it(copy->NewIterator(ReadOptions()));
    EXPECT_EQ(Scan(it.get()), "a=1 b=1 c=in memory") << flush;
    it.reset();
    std::vector<LiveFileMetaData> tables;
    copy->GetLiveFilesMetaData(&tables);
    EXPECT_EQ(tables.size(), 2u);
    copy.reset();
    EXPECT_EQ(DestroyDB("/parent/copy", options_), Status::OK());
    Destroy();
  }
}

TEST_F(LiveFilesTest, LogsAreListedWithTheirFirstEntries) {
  MakeFamilies({"f"});
  VectorLogPtr logs;
  ASSERT_EQ(db_->GetSortedWalFiles(logs), Status::OK());
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs[0]->StartSequence(), 0u);
  Put("f", "a", "1");
  Put("a", "1");
  Flush();  // of "default": the first log has an entry of "f"
  Put("b", "1");
  ASSERT_EQ(db_->GetSortedWalFiles(logs), Status::OK());
  ASSERT_EQ(logs.size(), 2u);
  EXPECT_LT(logs[0]->LogNumber(), logs[1]->LogNumber());
  EXPECT_EQ(logs[0]->StartSequence(), 1u);
  EXPECT_EQ(logs[1]->StartSequence(), 3u);
  for (const auto& log : logs) {
    EXPECT_EQ(log->Type(), kAliveLogFile);
    uint64_t bytes = 0;
    EXPECT_EQ(fs_->GetFileSize(kTestDirectory + log->PathName(), &bytes),
              Status::OK());
    EXPECT_EQ(log->SizeFileBytes(), bytes);
  }
  ASSERT_EQ(db_->Flush({}, Family("f")), Status::OK());
  ASSERT_EQ(db_->LockWAL(), Status::OK());
  ASSERT_EQ(db_->GetSortedWalFiles(logs), Status::OK());
  ASSERT_EQ(db_->UnlockWAL(), Status::OK());
  EXPECT_EQ(logs.size(), 2u);  // the second has "b"
}

// The files that GetLiveFilesStorageInfo lists, in /parent/copy.
class StorageInfoTest : public LiveFilesTest {
 protected:
  std::vector<LiveFileStorageInfo> Info(
      const LiveFilesStorageInfoOptions& options = {}) {
    std::vector<LiveFileStorageInfo> files;
    EXPECT_EQ(db_->GetLiveFilesStorageInfo(options, &files), Status::OK());
    return files;
  }
  void Copy(const std::vector<LiveFileStorageInfo>& files) {
    ASSERT_EQ(fs_->CreateDirIfMissing("/parent/copy"), Status::OK());
    for (const LiveFileStorageInfo& file : files) {
      std::string contents = file.replacement_contents;
      if (contents.empty()) {
        ASSERT_EQ(ReadFileToString(
                      fs_.get(), file.directory + "/" + file.relative_filename,
                      &contents),
                  Status::OK());
        if (file.trim_to_size) {
          ASSERT_GE(contents.size(), file.size) << file.relative_filename;
          contents.resize(file.size);
        }
      }
      EXPECT_EQ(contents.size(), file.size) << file.relative_filename;
      ASSERT_EQ(WriteStringToFile(fs_.get(), contents,
                                  "/parent/copy/" + file.relative_filename,
                                  /*sync=*/true),
                Status::OK());
    }
  }
  // Of the copy, which is then removed.
  std::string ContentsOfCopy(const Names& families) {
    std::vector<ColumnFamilyHandle*> handles;
    std::unique_ptr<DB> copy;
    EXPECT_EQ(DB::Open(options_, "/parent/copy", Descriptors(families),
                       &handles, &copy),
              Status::OK());
    if (copy == nullptr) return "";
    std::string text;
    for (ColumnFamilyHandle* handle : handles) {
      text += handle->GetName() + ": " + ContentsIn(copy.get(), handle) + " ";
      delete handle;
    }
    copy.reset();
    EXPECT_EQ(DestroyDB("/parent/copy", options_), Status::OK());
    return text;
  }
  static size_t CountOf(const std::vector<LiveFileStorageInfo>& files,
                        FileType type) {
    return static_cast<size_t>(std::count_if(
        files.begin(), files.end(),
        [&](const auto& file) { return file.file_type == type; }));
  }
};

TEST_F(StorageInfoTest, ACopyOfTheListedFilesIsTheDatabaseOfThatTime) {
  MakeFamilies({"f"});
  Put("a", "1");
  Put("f", "b", "1");
  Flush();
  Put("a", "2");
  LiveFilesStorageInfoOptions options;
  options.wal_size_for_flush = 1 << 20;
  ASSERT_EQ(db_->DisableFileDeletions(), Status::OK());
  auto files = Info(options);
  EXPECT_EQ(CountOf(files, kTableFile), 1u);
  EXPECT_EQ(CountOf(files, kDescriptorFile), 1u);
  EXPECT_EQ(CountOf(files, kCurrentFile), 1u);
  EXPECT_EQ(CountOf(files, kOptionsFile), 1u);
  EXPECT_EQ(CountOf(files, kWalFile), 2u);
  // The database changes before they are copied.
  Put("a", "3");
  Put("f", "b", "3");
  Flush();
  Compact(/*force=*/true);
  Create("later");
  Copy(files);
  EXPECT_EQ(ContentsOfCopy({"f"}), "default: a=2 f: b=1 ");

  // By default, all families are flushed.
  files = Info();
  EXPECT_EQ(CountOf(files, kWalFile), 0u);  // it is empty
  Put("a", "4");
  Copy(files);
  EXPECT_EQ(ContentsOfCopy({"f", "later"}), "default: a=3 f: b=3 later:  ");
  EXPECT_EQ(db_->EnableFileDeletions(), Status::OK());
}

TEST_F(StorageInfoTest, LogsAreFlushedAtTheirSizeAndUnloggedWritesAlways) {
  Open();
  Put("a", "1");
  LiveFilesStorageInfoOptions options;
  VectorLogPtr logs;
  ASSERT_EQ(db_->GetSortedWalFiles(logs), Status::OK());
  options.wal_size_for_flush = logs[0]->SizeFileBytes() + 1;
  EXPECT_EQ(CountOf(Info(options), kTableFile), 0u);
  options.wal_size_for_flush -= 1;
  EXPECT_EQ(CountOf(Info(options), kTableFile), 1u);
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_EQ(db_->Put(unlogged, "b", "1"), Status::OK());
  options.wal_size_for_flush = UINT64_MAX;
  const auto files = Info(options);
  EXPECT_EQ(CountOf(files, kTableFile), 2u);
  Copy(files);
  EXPECT_EQ(ContentsOfCopy({}), "default: a=1 b=1 ");
}

TEST_F(StorageInfoTest, ChecksumsAreToldIfAsked) {
  options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  Open();
  Put("a", "1");
  for (const bool included : {false, true}) {
    LiveFilesStorageInfoOptions options;
    options.include_checksum_info = included;
    for (const LiveFileStorageInfo& file : Info(options)) {
      const bool told = included && file.file_type == kTableFile;
      EXPECT_EQ(file.file_checksum,
                told ? LiveFiles()[0].file_checksum : std::string());
      EXPECT_EQ(file.file_checksum_func_name,
                told ? "FileChecksumCrc32c" : "Unknown");
    }
  }
  std::vector<LiveFileStorageInfo> files;
  EXPECT_EQ(db_->Close(), Status::OK());
  EXPECT_TRUE(db_->GetLiveFilesStorageInfo({}, &files).IsShutdownInProgress());
  EXPECT_TRUE(files.empty());
}

}  // namespace
}  // namespace tamis
