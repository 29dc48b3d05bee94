// SPDX-License-Identifier: Apache-2.0
//
// DBOptions::wal_compression: logs are smaller, and say the same.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/checkpoint.h"

#include "tests/db/test_db.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

class WalCompressionTest : public DBTest {
 protected:
  WalCompressionTest() {
    options_.wal_compression = kZSTD;
    options_.WAL_size_limit_MB = 100;
  }
  void SetUp() override {
    if (!CompressionSupported(kZSTD)) GTEST_SKIP() << "no zstd";
  }
  void PutText(int first, int last) {
    for (int i = first; i <= last; ++i) {
      std::string value;
      for (int n = 0; n < 20; ++n) value += "the word " + std::to_string(i + n);
      Put(Key(i), value);
      model_[Key(i)] = value;
    }
  }
  // The bytes of the logs without what is reserved at their ends.
  uint64_t LogBytes() {
    uint64_t bytes = 0;
    for (const std::string& contents : Logs()) {
      bytes += contents.find_last_not_of('\0') + 1;
    }
    return bytes;
  }
  // The contents of the logs that are not empty, oldest first.
  std::vector<std::string> Logs() {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
    std::sort(names.begin(), names.end());
    std::vector<std::string> logs;
    for (const std::string& name : names) {
      if (!name.ends_with(".log")) continue;
      std::string contents;
      EXPECT_TRUE(
          fs_->GetContents(std::string(kTestDirectory) + "/" + name, &contents)
              .ok());
      if (contents.find_first_not_of('\0') == std::string::npos) continue;
      logs.push_back(contents);
    }
    return logs;
  }

  std::map<std::string, std::string> model_;
};

TEST_F(WalCompressionTest, LogsAreSmallerAndReplayTheSame) {
  uint64_t bytes[2];
  for (const bool compressed : {false, true}) {
    options_.wal_compression = compressed ? kZSTD : kNoCompression;
    Open();
    PutText(0, 299);
    bytes[compressed ? 1 : 0] = LogBytes();
    Reopen();
    ExpectReadsAs(model_, 310);
    Destroy();
  }
  EXPECT_LT(bytes[1] * 2, bytes[0]);
}

// Logs are read by what they are.
TEST_F(WalCompressionTest, ItMayChangeBetweenOpens) {
  Open();
  PutText(0, 9);
  EXPECT_EQ(Logs().back().at(6), 9);
  options_.wal_compression = kNoCompression;
  Reopen();
  PutText(10, 19);
  EXPECT_EQ(Logs().back().at(6), 1);
  options_.wal_compression = kZSTD;
  Reopen();
  ExpectReadsAs(model_, 30);
}

TEST_F(WalCompressionTest, UpdatesAndArchivedLogsShowTheSame) {
  Open();
  PutText(0, 49);
  Flush();
  PutText(50, 99);
  Flush();
  PutText(100, 149);
  std::unique_ptr<TransactionLogIterator> updates;
  ASSERT_EQ(db_->GetUpdatesSince(1, &updates), Status::OK());
  SequenceNumber next = 1;
  for (; updates->Valid(); updates->Next()) {
    BatchResult batch = updates->GetBatch();
    EXPECT_EQ(batch.sequence, next);
    next += batch.writeBatchPtr->Count();
  }
  EXPECT_EQ(updates->status(), Status::OK());
  EXPECT_EQ(next, 151u);
  // What is written later.
  PutText(150, 150);
  updates->Next();
  ASSERT_TRUE(updates->Valid()) << updates->status();
  EXPECT_EQ(updates->GetBatch().sequence, 151u);
}

TEST_F(WalCompressionTest, LargeBatchesAndGroups) {
  Open();
  WriteBatch batch;
  for (int i = 0; i < 2000; ++i) {
    const std::string value = i % 2 == 0 ? Noise(500, static_cast<uint64_t>(i))
                                         : std::string(500, 'v');
    ASSERT_TRUE(batch.Put(Key(i), value).ok());
    model_[Key(i)] = value;
  }
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  Put(Key(2000), Noise(3 << 20, 5));
  model_[Key(2000)] = Noise(3 << 20, 5);
  Reopen();
  ExpectReadsAs(model_, 2010);
}

TEST_F(WalCompressionTest, ACheckpointHasItsRecords) {
  Open();
  PutText(0, 49);
  Flush();
  PutText(50, 99);
  Checkpoint* raw = nullptr;
  ASSERT_TRUE(Checkpoint::Create(db_.get(), &raw).ok());
  const std::unique_ptr<Checkpoint> checkpoint(raw);
  const Status status = checkpoint->CreateCheckpoint(
      "/parent/copy", /*log_size_for_flush=*/1 << 30);
  ASSERT_TRUE(status.ok()) << status;
  std::unique_ptr<DB> copy;
  ASSERT_TRUE(DB::Open(options_, "/parent/copy", &copy).ok());
  for (const auto& [key, value] : model_) {
    std::string got;
    ASSERT_TRUE(copy->Get(ReadOptions(), key, &got).ok()) << key;
    EXPECT_EQ(got, value);
  }
}

// Recovery rejects damage in a log that was cleanly closed.
TEST_F(WalCompressionTest, DamageOfAClosedLogIsFound) {
  Open();
  PutText(0, 99);
  ASSERT_TRUE(db_->Close().ok());
  db_.reset();
  std::vector<std::string> names;
  ASSERT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (!name.ends_with(".log")) continue;
    const std::string path = std::string(kTestDirectory) + "/" + name;
    std::string contents;
    ASSERT_TRUE(fs_->GetContents(path, &contents).ok());
    if (contents.size() < 2000) continue;
    contents[1000] = static_cast<char>(contents[1000] ^ 1);
    ASSERT_TRUE(fs_->SetContents(path, contents).ok());
  }
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.ToString().find(".log"), std::string::npos) << status;
}

TEST_F(WalCompressionTest, OtherCodecsAreRejectedByName) {
  for (const CompressionType codec : {kSnappyCompression, kXpressCompression}) {
    options_.wal_compression = codec;
    const Status status = TryOpen();
    EXPECT_TRUE(status.IsNotSupported()) << status;
    EXPECT_NE(status.ToString().find("wal_compression"), std::string::npos);
  }
}

}  // namespace
}  // namespace tamis
