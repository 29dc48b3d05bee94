// SPDX-License-Identifier: Apache-2.0
//
// A MANIFEST with inconsistent counters: later writes are kept.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/base/file_names.h"
#include "db/manifest/manifest_state.h"
#include "db/manifest/version_edit.h"
#include "table/internal_key.h"
#include "tests/db/manifest_append.h"
#include "tests/db/test_db.h"

namespace tamis {
namespace {

class ManifestCountersTest : public DBTest {
 protected:
  void AddRecord(const VersionEdit& edit) {
    AppendToManifest(fs_.get(), kTestDirectory, edit);
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
  edit.min_log_number_to_keep = FileNumber(5000);
  AddRecord(edit);
  Open();
  Put("behind", "2");
  ASSERT_TRUE(db_->FlushWAL(/*sync=*/true).ok());
  db_.reset();
  Open();
  EXPECT_EQ(Get("before"), "1");
  EXPECT_EQ(Get("behind"), "2");
}

TEST_F(ManifestCountersTest, TablesThatNoEngineWritesAreCorruption) {
  Open();
  Put("a", "1");
  Flush();
  const std::vector<LiveFileMetaData> files = LiveFiles();
  ASSERT_EQ(files.size(), 1U);
  ASSERT_TRUE(db_->Close().ok());
  db_.reset();
  std::string manifest;
  const auto current = ReadCurrentFile(fs_.get(), kTestDirectory);
  ASSERT_TRUE(current.ok());
  const std::string path = std::string(kTestDirectory) + "/" + *current;
  ASSERT_TRUE(fs_->GetContents(path, &manifest).ok());
  const auto add = [&](uint64_t size, uint64_t epoch) {
    ASSERT_TRUE(fs_->SetContents(path, manifest).ok());
    FileMetaData file;
    file.number = FileNumber(900);
    file.size = size;
    file.epoch_number = EpochNumber(epoch);
    AppendInternalKey(&file.smallest, "x", 1, kTypeValue);
    file.largest = file.smallest;
    file.smallest_seqno = file.largest_seqno = 1;
    VersionEdit edit;
    edit.new_files.emplace_back(5, file);
    edit.next_file_number = FileNumber(1000);
    AddRecord(edit);
  };
  add(0, 1);
  Status status = TryOpen();
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find("0 bytes"), std::string::npos) << status;
  add(100, UINT64_MAX);
  status = TryOpen();
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find("epoch"), std::string::npos) << status;
}

TEST_F(ManifestCountersTest, EpochNumbersDoNotRunOut) {
  Open();
  Put("a", "1");
  Flush();
  ASSERT_TRUE(db_->Close().ok());
  db_.reset();
  const auto state = ReadManifest(fs_.get(), kTestDirectory);
  ASSERT_TRUE(state.ok()) << state.status();
  FileMetaData table =
      state->families.at(kDefaultFamilyId).files[kLevelZero][0];
  VersionEdit edit;
  edit.deleted_files.emplace_back(kLevelZero, table.number);
  table.epoch_number = EpochNumber(UINT64_MAX - 1);
  edit.new_files.emplace_back(kLevelZero, table);
  AddRecord(edit);
  Open();
  for (int i = 2; i < 5; ++i) {
    Put("a", std::to_string(i));
    Flush();
  }
  EXPECT_EQ(Get("a"), "4");
  Reopen();
  EXPECT_EQ(Get("a"), "4");
}

TEST_F(ManifestCountersTest, SequenceNumbersThatTheManifestDoesNotListFail) {
  options_.disable_auto_compactions = true;
  Open();
  for (int table = 0; table < 2; ++table) {
    for (int i = 0; i < 5; ++i) Put("key" + std::to_string(i), "value");
    Flush();
  }
  ASSERT_TRUE(db_->Close().ok());
  db_.reset();
  const auto state = ReadManifest(fs_.get(), kTestDirectory);
  ASSERT_TRUE(state.ok()) << state.status();
  VersionEdit edit;
  edit.last_sequence = 2;
  for (FileMetaData table :
       state->families.at(kDefaultFamilyId).files[kLevelZero]) {
    edit.deleted_files.emplace_back(kLevelZero, table.number);
    table.largest_seqno = table.smallest_seqno == 1 ? 1 : 2;
    table.smallest_seqno = table.largest_seqno;
    edit.new_files.emplace_back(kLevelZero, table);
  }
  // The log's clean-close marker has the last sequence number too.
  edit.log_number = edit.min_log_number_to_keep = FileNumber(5000);
  AddRecord(edit);
  for (int i = 0; i < 2; ++i) {
    Open();
    const Snapshot* const snapshot = db_->GetSnapshot();  // keeps the numbers
    const Status status =
        db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
    db_->ReleaseSnapshot(snapshot);
    EXPECT_TRUE(status.IsCorruption()) << status;
    EXPECT_NE(status.message().find("sequence number"), std::string::npos)
        << status;
    EXPECT_EQ(LiveFiles().size(), 2U);
    db_->Close().PermitUncheckedError();
    db_.reset();
  }
}

TEST_F(ManifestCountersTest, TheMaximumSequenceNumberStopsOnlyWrites) {
  Open();
  Put("a", "1");
  Flush();
  ASSERT_TRUE(db_->Close().ok());
  db_.reset();
  VersionEdit edit;
  edit.last_sequence = kMaxSequenceNumber;
  AddRecord(edit);
  for (int i = 0; i < 2; ++i) {
    Open();
    EXPECT_EQ(Get("a"), "1");
    const Status status = db_->Put(WriteOptions(), "b", "2");
    EXPECT_TRUE(status.IsNotSupported()) << status;
    ASSERT_TRUE(db_->Close().ok());
    db_.reset();
  }
}

}  // namespace
}  // namespace tamis
