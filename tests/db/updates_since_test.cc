// SPDX-License-Identifier: Apache-2.0
//
// GetUpdatesSince returns the batches in the logs, wherever these are, and goes
// on with what is written later.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_families.h"
#include "tests/support/wrapped_file_system.h"

namespace tamis {
namespace {

// "put a", "delete a", "log x".
class Describer final : public WriteBatch::Handler {
 public:
  Status PutCF(uint32_t family, const Slice& key, const Slice&) override {
    text += " " + Name(family) + "put " + key.ToString();
    return Status::OK();
  }
  Status DeleteCF(uint32_t family, const Slice& key) override {
    text += " " + Name(family) + "delete " + key.ToString();
    return Status::OK();
  }
  void LogData(const Slice& blob) override {
    text += " log " + blob.ToString();
  }

  std::string text;

 private:
  static std::string Name(uint32_t family) {
    return family == 0 ? "" : "[" + std::to_string(family) + "] ";
  }
};

std::string Describe(const BatchResult& result) {
  Describer describer;
  EXPECT_EQ(result.writeBatchPtr->Iterate(&describer), Status::OK());
  return std::to_string(result.sequence) + ":" + describer.text;
}

// What the iterator shows from here to its end: "1: put a|2: put b".
std::string Rest(TransactionLogIterator* updates) {
  std::string text;
  for (; updates->Valid(); updates->Next()) {
    EXPECT_EQ(updates->status(), Status::OK());
    text += (text.empty() ? "" : "|") + Describe(updates->GetBatch());
  }
  return text;
}

class UpdatesSinceTest : public FamiliesTest {
 protected:
  UpdatesSinceTest() { options_.WAL_size_limit_MB = 100; }

  using Updates = std::unique_ptr<TransactionLogIterator>;
  Updates Since(SequenceNumber sequence) {
    Updates updates;
    const Status status = db_->GetUpdatesSince(sequence, &updates);
    EXPECT_EQ(status, Status::OK());
    return updates;
  }
  std::string TextSince(SequenceNumber sequence) {
    const Updates updates = Since(sequence);
    if (updates == nullptr) return "nullptr";
    std::string text = Rest(updates.get());
    const Status status = updates->status();
    if (!status.ok()) text += " " + status.ToString();
    return text;
  }
  void PutUnlogged(const Slice& key) {
    WriteOptions unlogged;
    unlogged.disableWAL = true;
    ASSERT_EQ(db_->Put(unlogged, key, "1"), Status::OK());
  }
};

TEST_F(UpdatesSinceTest, BatchesHaveTheirSequenceNumbers) {
  MakeFamilies({"f"});
  EXPECT_EQ(TextSince(0), "");
  FamiliesTest::Put("f", "a", "1");
  WriteBatch batch;
  ASSERT_EQ(batch.Put("b", "1"), Status::OK());
  ASSERT_EQ(batch.PutLogData("note"), Status::OK());
  ASSERT_EQ(batch.Delete("c"), Status::OK());
  ASSERT_EQ(db_->Write(WriteOptions(), &batch), Status::OK());
  DBTest::Put("d", "1");
  const std::string all = "1: [1] put a|2: put b log note delete c|4: put d";
  EXPECT_EQ(TextSince(0), all);
  EXPECT_EQ(TextSince(1), all);
  // The batch that has the number, from its beginning.
  EXPECT_EQ(TextSince(2), "2: put b log note delete c|4: put d");
  EXPECT_EQ(TextSince(3), "2: put b log note delete c|4: put d");
  EXPECT_EQ(TextSince(4), "4: put d");
}

TEST_F(UpdatesSinceTest, ANumberThatIsNotWrittenYetIsNotFound) {
  Open();
  Put("a", "1");
  Updates updates = Since(1);
  const Status status = db_->GetUpdatesSince(2, &updates);
  EXPECT_TRUE(status.IsNotFound()) << status;
  EXPECT_NE(status.ToString().find("sequence number 2 is not yet written"),
            std::string::npos);
  EXPECT_EQ(updates, nullptr);
}

TEST_F(UpdatesSinceTest, ArchivedLogsAndThoseOfEarlierOpensHaveTheFirst) {
  Open();
  Put("a", "1");
  Flush();
  RunJobs();
  Put("b", "1");
  Reopen();
  Put("c", "1");
  EXPECT_EQ(TextSince(1), "1: put a|2: put b|3: put c");
  EXPECT_EQ(TextSince(2), "2: put b|3: put c");
  db_.reset();
  // A database that is open for reading only shows them, too.
  ASSERT_EQ(DB::OpenForReadOnly(options_, kTestDirectory, &db_), Status::OK());
  EXPECT_EQ(TextSince(1), "1: put a|2: put b|3: put c");
}

// As RocksDB does: callers compare the sequence number.
TEST_F(UpdatesSinceTest, WhatIsGoneIsSkippedAtTheBeginning) {
  options_.WAL_size_limit_MB = 0;
  Open();
  Put("a", "1");
  Flush();
  RunJobs();
  EXPECT_EQ(TextSince(1), "");
  Put("b", "1");
  EXPECT_EQ(TextSince(0), "2: put b");
  EXPECT_EQ(TextSince(1), "2: put b");
}

TEST_F(UpdatesSinceTest, NextContinuesAfterFurtherWrites) {
  Open();
  Put("a", "1");
  const Updates updates = Since(1);
  EXPECT_EQ(Rest(updates.get()), "1: put a");
  EXPECT_EQ(updates->status(), Status::OK());
  updates->Next();
  EXPECT_FALSE(updates->Valid());
  EXPECT_EQ(updates->status(), Status::OK());
  for (int i = 0; i < 3; ++i) {
    Put("b", "1");
    updates->Next();
    EXPECT_EQ(Rest(updates.get()), std::to_string(2 + i) + ": put b");
  }
  // Also after switches, of which some leave logs without entries.
  for (int i = 0; i < 5; ++i) {
    if (i % 2 == 0) Put("c", "1");
    Flush();
    if (i % 3 != 0) RunJobs();
    Put("d", "1");
    updates->Next();
    const std::string rest = Rest(updates.get());
    EXPECT_TRUE(rest.ends_with(": put d")) << rest;
    EXPECT_EQ(std::count(rest.begin(), rest.end(), '|'), i % 2 == 0 ? 1 : 0);
    EXPECT_EQ(updates->status(), Status::OK());
  }
}

// Blocks are read before they are full, and records cross them.
TEST_F(UpdatesSinceTest, NextReadsRecordsOfAnySize) {
  options_.write_buffer_size = 16 << 20;
  for (const bool in_place : {false, true}) {
    fs_->SetStoresInPlace(in_place);
    Open();
    Put("first", "1");
    Updates updates = Since(1);
    EXPECT_EQ(Rest(updates.get()), "1: put first");
    for (uint64_t i = 0; i < 200; ++i) {
      const std::string key = Key(static_cast<int>(i));
      Put(key, Noise(i % 70 == 69 ? 70000 : (i * 7919) % 5000, i));
      if (i % 3 == 0) Put("twice", "1");
      updates->Next();
      const std::string rest = Rest(updates.get());
      EXPECT_EQ(updates->status(), Status::OK());
      EXPECT_NE(rest.find("put " + key), std::string::npos) << rest;
      EXPECT_EQ(rest.find("twice") != std::string::npos, i % 3 == 0) << rest;
    }
    updates.reset();
    Destroy();
  }
}

TEST_F(UpdatesSinceTest, ALogThatIsReadMayMoveToTheArchive) {
  Open();
  Put("a", "1");
  Put("b", "1");
  const Updates updates = Since(1);
  EXPECT_EQ(Describe(updates->GetBatch()), "1: put a");
  Put("c", "1");
  Flush();
  RunJobs();
  Put("d", "1");
  updates->Next();
  EXPECT_EQ(Rest(updates.get()), "2: put b|3: put c|4: put d");
  EXPECT_EQ(updates->status(), Status::OK());
}

// Without an archive: nothing is missing, because it was read to its end.
TEST_F(UpdatesSinceTest, ALogThatWasReadMayBeDeleted) {
  options_.WAL_size_limit_MB = 0;
  Open();
  Put("a", "1");
  const Updates updates = Since(1);
  EXPECT_EQ(Rest(updates.get()), "1: put a");
  Flush();
  RunJobs();
  Put("b", "1");
  updates->Next();
  EXPECT_EQ(Rest(updates.get()), "2: put b");
  EXPECT_EQ(updates->status(), Status::OK());
}

TEST_F(UpdatesSinceTest, ALogThatIsDeletedLeavesAGap) {
  Open();
  Put("a", "1");
  const Updates updates = Since(1);
  EXPECT_EQ(Rest(updates.get()), "1: put a");
  Flush();
  Put("b", "1");
  const std::string gone = CurrentLog();
  Flush();
  RunJobs();
  Put("c", "1");
  ASSERT_EQ(fs_->RemoveFile(std::string(kTestDirectory) + "/archive/" + gone),
            Status::OK());
  updates->Next();
  EXPECT_FALSE(updates->Valid());
  const Status status = updates->status();
  EXPECT_TRUE(status.IsNotFound()) << status;
  EXPECT_NE(
      status.ToString().find("gap in sequence numbers: expected 2, got 3"),
      std::string::npos)
      << status;
  updates->Next();  // it stays
  EXPECT_EQ(updates->status(), status);
  EXPECT_EQ(TextSince(2), "3: put c");
}

TEST_F(UpdatesSinceTest, WritesWithoutTheLogAreAGap) {
  Open();
  Put("a", "1");
  PutUnlogged("b");
  const Updates updates = Since(1);
  EXPECT_EQ(Rest(updates.get()), "1: put a");
  EXPECT_TRUE(updates->status().IsTryAgain()) << updates->status();
  updates->Next();
  EXPECT_TRUE(updates->status().IsTryAgain()) << updates->status();
  EXPECT_EQ(TextSince(2), "");
  Put("c", "1");
  updates->Next();
  EXPECT_TRUE(updates->status().IsNotFound()) << updates->status();
  EXPECT_EQ(TextSince(2), "3: put c");
}

// Keeps appended bytes until a flush.
class BufferedFile final : public WrappedWritableFile {
 public:
  using WrappedWritableFile::WrappedWritableFile;
  Status Append(const Slice& data) override {
    buffer_.append(data.data(), data.size());
    return Status::OK();
  }
  Status Flush() override {
    const std::string bytes = std::exchange(buffer_, "");
    const Status status = WrappedWritableFile::Append(bytes);
    return status.ok() ? WrappedWritableFile::Flush() : status;
  }
  Status Sync() override {
    const Status status = Flush();
    return status.ok() ? WrappedWritableFile::Sync() : status;
  }
  Status Close() override {
    const Status status = Flush();
    return status.ok() ? WrappedWritableFile::Close() : status;
  }
  uint64_t GetFileSize() const override {
    return WrappedWritableFile::GetFileSize() + buffer_.size();
  }

 private:
  std::string buffer_;
};

class BufferedFileSystem final : public WrappedFileSystem {
 public:
  using WrappedFileSystem::WrappedFileSystem;
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    const Status status = WrappedFileSystem::NewWritableFile(path, file);
    if (status.ok()) *file = std::make_unique<BufferedFile>(std::move(*file));
    return status;
  }
};

TEST_F(UpdatesSinceTest, BufferedRecordsComeWithFlushWAL) {
  options_.manual_wal_flush = true;
  options_.file_system = std::make_shared<BufferedFileSystem>(fs_);
  Open();
  Put("a", "1");
  ASSERT_EQ(db_->FlushWAL(false), Status::OK());
  const Updates updates = Since(1);
  EXPECT_EQ(Rest(updates.get()), "1: put a");
  EXPECT_EQ(updates->status(), Status::OK());
  Put("b", "1");
  updates->Next();
  EXPECT_FALSE(updates->Valid());
  EXPECT_TRUE(updates->status().IsTryAgain()) << updates->status();
  ASSERT_EQ(db_->FlushWAL(false), Status::OK());
  updates->Next();
  EXPECT_EQ(Rest(updates.get()), "2: put b");
  EXPECT_EQ(updates->status(), Status::OK());
}

// The log may have the record of a write that failed.
TEST_F(UpdatesSinceTest, AFailedWriteIsNotShown) {
  Open();
  Put("a", "1");
  const Updates updates = Since(1);
  const Updates behind = Since(1);
  EXPECT_EQ(Rest(updates.get()), "1: put a");
  FailSyncedPut("failed");
  ASSERT_EQ(db_->DisableFileDeletions(), Status::OK());
  ASSERT_EQ(db_->Resume(), Status::OK());
  Put("b", "1");
  const std::string sequence = std::to_string(db_->GetLatestSequenceNumber());
  for (const Updates* it : {&updates, &behind}) {
    const std::string rest = it == &updates ? "" : Rest(it->get());
    EXPECT_EQ(rest, it == &updates ? "" : "1: put a");
    (*it)->Next();
    EXPECT_FALSE((*it)->Valid());
    EXPECT_TRUE((*it)->status().IsNotFound()) << (*it)->status();
  }
  EXPECT_EQ(TextSince(2), sequence + ": put b");
  ASSERT_EQ(db_->EnableFileDeletions(), Status::OK());
}

TEST_F(UpdatesSinceTest, DamageIsNamed) {
  Open();
  Put("a", "1");
  Put("b", "1");
  Put("c", "1");
  const std::string log = CurrentLog();
  Flush();
  RunJobs();
  const std::string path = std::string(kTestDirectory) + "/archive/" + log;
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(path, &bytes).ok());
  const size_t key = bytes.find("\1b\1");  // with the lengths around it
  ASSERT_NE(key, std::string::npos);
  bytes[key + 1] ^= 1;
  ASSERT_EQ(WriteStringToFile(fs_.get(), bytes, path, true), Status::OK());
  const Updates updates = Since(1);
  EXPECT_EQ(Rest(updates.get()), "1: put a");
  EXPECT_TRUE(updates->status().IsCorruption()) << updates->status();
  EXPECT_NE(updates->status().ToString().find(path), std::string::npos)
      << updates->status();
}

TEST_F(UpdatesSinceTest, AnotherDatabaseBecomesTheSame) {
  Open();
  std::unique_ptr<DB> copy;
  ASSERT_EQ(DB::Open(options_, "/parent/copy", &copy), Status::OK());
  PutMany(50);
  Flush();
  Delete(Key(3));
  DeleteRange(Key(10), Key(20));
  const Updates updates = Since(0);
  for (int round = 0; round < 3; ++round) {
    for (; updates->Valid(); updates->Next()) {
      BatchResult result = updates->GetBatch();
      EXPECT_EQ(result.sequence, copy->GetLatestSequenceNumber() + 1);
      ASSERT_EQ(copy->Write(WriteOptions(), result.writeBatchPtr.get()),
                Status::OK());
    }
    ASSERT_EQ(updates->status(), Status::OK());
    ASSERT_EQ(copy->GetLatestSequenceNumber(), db_->GetLatestSequenceNumber());
    const std::string expected = Contents();
    db_.swap(copy);
    EXPECT_EQ(Contents(), expected);
    db_.swap(copy);
    Put("round", std::to_string(round));
    Flush();
    updates->Next();
  }
}

}  // namespace
}  // namespace tamis
